/* SPDX-License-Identifier: MIT
 *
 * compatread.c - a job -> its sums by DFAnalyzer's rules
 *
 * In:  DFTracer's lines as they are; our events under the names the export
 *      gives them
 * Out: struct compat_tally
 */
#include "config.h"

#include "analyze/compat/compatread.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/compat/compatop.h"
#include "analyze/query/pairs.h"
#include "analyze/query/pass.h"
#include "analyze/trace/pfw/pfwnames.h"
#include "lib/core/record/event.h"

static void saw (struct compat_tally *t, uint64_t end)
{
    if (end > t->end)
        t->end = end;
}

/* --- DFTracer's files -------------------------------------------------- */

/* One of them. */
struct lines {
    struct compat_tally *t;
    struct pfw_names *names; /* what its own lines have said so far */
};

/* A hash stands for a path, in this file and maybe in others. */
static int compatread_take_name (struct lines *f, const struct pfw_line *l)
{
    char path[EVENT_NAME_MAX + 1];
    size_t n = pfw_unescape (&l->meta_name, path, EVENT_NAME_MAX);

    path[n] = '\0';
    return pfw_names_define (f->names, &l->meta_value, &l->meta_name) < 0
               ? -1
               : compat_tally_path (f->t, l->meta_value.p, l->meta_value.n,
                                    path);
}

/* Is it a text, not a number? The quote stands before it. */
static int is_text (const struct pfw_text *t)
{
    return t->n && t->p[-1] == '"';
}

/* All events of a file by its hash, also where the path is known. */
static int compatread_take_totals (struct lines *f, struct compat_item *e)
{
    struct compat_totals *totals = &f->t->totals;

    compat_totals_event (totals, e->ts, e->dur);
    if (e->hash &&
        compat_totals_add (totals, COMPAT_FILES, e->hash, e->hash_length) < 0)
        return -1;
    if (compat_totals_add (totals, COMPAT_PROCESSES, &e->pid, sizeof (e->pid)) <
        0)
        return -1;
    return compat_totals_add (totals, COMPAT_NODES,
                              e->host_length ? e->host : "", e->host_length);
}

static int
take_path (struct lines *f, const struct pfw_line *l, struct compat_item *e)
{
    uint32_t number = pfw_names_hash (f->names, &l->fhash);
    const struct pfw_name *name = pfw_names_get (f->names, number);

    if (!name)
        return -1;
    if (name->undefined) {
        e->hash = l->fhash.p;
        e->hash_length = l->fhash.n;
    } else
        e->path = name->text;
    return 0;
}

static int compatread_take_line (void *cookie, const struct pfw_line *l)
{
    struct lines *f = cookie;
    struct compat_item e = {.category = l->cat.p ? l->cat.p : "",
                            .category_length = l->cat.n,
                            .name = l->name.p,
                            .name_length = l->name.n,
                            .pid = l->pid,
                            .tid = l->tid,
                            .ts = l->ts,
                            .dur = l->dur,
                            .host = l->hhash.p,
                            .host_length = l->hhash.n};

    if (l->phase == PFW_PHASE_AGGREGATED)
        return 0;
    if (l->phase == PFW_PHASE_META)
        return l->meta_name.p && l->meta_value.n && l->name.n == 2 &&
                       l->name.p[1] == 'H'
                   ? compatread_take_name (f, l)
                   : 0;
    saw (f->t, l->ts + l->dur);
    e.bytes = l->has & PFW_HAS_SIZE_SUM ? (uint64_t)l->size_sum
              : l->ret > 0              ? (uint64_t)l->ret
                                        : 0;
    if (compat_rule (f->t, COMPAT_TEXT_HASHES)) {
        if (!is_text (&l->hhash))
            e.host_length = 0;
        if (is_text (&l->fhash)) {
            e.hash = l->fhash.p;
            e.hash_length = l->fhash.n;
        }
    } else if (l->fhash.n && take_path (f, l, &e) < 0)
        return -1;
    if (compat_rule (f->t, COMPAT_TOTALS) && compatread_take_totals (f, &e) < 0)
        return -1;
    return compat_tally_add (f->t, &e);
}

static int read_pfw (struct compat_tally *t, const char *path)
{
    struct lines f = {t, pfw_names_create ()};
    struct pfw_account account;
    int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), rc = -1;

    if (fd >= 0) {
        rc = f.names ? pfw_read (fd, &account, compatread_take_line, &f) : -1;
        (void)close (fd);
    }
    pfw_names_destroy (f.names);
    return rc;
}

/* --- ours --------------------------------------------------------------- */

/* What a worker counts. */
struct native_worker {
    struct compat_tally tally;
    struct pairs known; /* (name, call) -> place in op */
    int64_t *op;        /* owned */
    size_t room;
    char hash[2 * sizeof (uint64_t) + 1]; /* of a path, in hex digits */
};

struct native {
    struct pass pass;
    struct native_worker worker[PASS_WORKERS_MAX];
};

/* Category, name and path of event i. */
static struct compat_item
native_item (const struct dict *dict, const struct batch *b, size_t i)
{
    const struct call_info *info = &call_table[b->call[i]];
    const struct dict_entry *name = dict_entry (dict, b->name[i]);
    struct compat_item e = {
        .category = call_category_name ((enum call_category)info->category),
        .name = info->name,
        .pid = b->who->p.pid,
        .tid = b->tid,
        .host = b->who->text[SHARD_STRING_HOST],
        .host_length = strlen (b->who->text[SHARD_STRING_HOST])};

    if (info->category == CALL_CATEGORY_APP && name) {
        e.category = name->text;
        e.name = dict_region_name (name);
    } else if (name)
        e.path = name->text;
    e.category_length = strlen (e.category);
    e.name_length = strlen (e.name);
    return e;
}

/* Files by a hash of their path, as in lines. */
static int native_file (struct native_worker *w, struct compat_item *e)
{
    struct compat_tally *t = &w->tally;

    (void)snprintf (w->hash, sizeof (w->hash), "%016" PRIx64,
                    shard_checksum (e->path, strlen (e->path), 0));
    e->hash = w->hash;
    e->hash_length = sizeof (w->hash) - 1;
    if (compat_tally_path (t, w->hash, e->hash_length, e->path) < 0)
        return -1;
    e->path = NULL;
    return compat_totals_add (&t->totals, COMPAT_FILES, w->hash,
                              e->hash_length);
}

/* The operation of event i, found once for each call and name. */
static int64_t native_op (struct native_worker *w,
                          const struct dict *dict,
                          const struct batch *b,
                          size_t i)
{
    uint32_t known = w->known.count;
    int64_t at =
        pairs_ordinal (&w->known, (uint64_t)b->name[i] << 32 | b->call[i]);
    size_t room = w->room ? 2 * w->room : 64;
    struct compat_item e;
    int64_t *op;

    if (at < 0 || at < (int64_t)known)
        return at < 0 ? -1 : w->op[at];
    if ((size_t)at >= w->room) {
        if (!(op = reallocarray (w->op, room, sizeof (*op))))
            return -1;
        w->op = op;
        w->room = room;
    }
    e = native_item (dict, b, i);
    if (e.path && compat_rule (&w->tally, COMPAT_MIDDLE) &&
        native_file (w, &e) < 0)
        return -1;
    return w->op[at] = compat_tally_op_of (&w->tally, &e);
}

static int native_take (void *cookie, int worker, const struct batch *b)
{
    struct native *n = cookie;
    struct native_worker *w = &n->worker[worker];
    struct compat_item e = native_item (n->pass.dict, b, 0);
    int64_t thread = -1, op;

    for (size_t i = 0; i < b->count; i++) {
        e.ts = b->start[i] / 1000;
        e.dur = b->end[i] / 1000 - e.ts;
        e.bytes = b->ret[i] > 0 ? (uint64_t)b->ret[i] : 0;
        saw (&w->tally, b->end[i] / 1000);
        compat_totals_event (&w->tally.totals, e.ts, e.dur);
        op = native_op (w, n->pass.dict, b, i);
        if (op == COMPAT_IGNORED)
            continue;
        if (op >= 0 && thread < 0)
            thread = compat_tally_thread_of (&w->tally, &e);
        if (compat_tally_count (&w->tally, op, thread, &e) < 0)
            return -1;
    }
    return 0;
}

static void find_end (struct compat_tally *t, const struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++) {
        const struct shard_process *p = &parts->item[i].who->p;

        if (p->end_ns > p->start_ns)
            saw (t, (p->start_real + p->end_ns - p->start_ns) / 1000);
    }
}

/* In the export a process has an event for its start and one for its end. */
static int native_moments (struct compat_totals *t,
                           const struct job *job,
                           const struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++) {
        const struct trace_process *who = parts->item[i].who;
        const char *host = who->text[SHARD_STRING_HOST];
        const uint64_t pid = who->p.pid;
        const uint64_t end = who->p.end_ns ? who->p.end_ns : who->p.exec_ns;

        if (job->source[parts->item[i].source].is_pfw)
            continue;
        compat_totals_event (t, who->p.start_real / 1000, 0);
        if (end)
            compat_totals_event (t, trace_real_ns (who, end) / 1000, 0);
        if (compat_totals_add (t, COMPAT_PROCESSES, &pid, sizeof (pid)) < 0 ||
            compat_totals_add (t, COMPAT_NODES, host, strlen (host)) < 0)
            return -1;
    }
    return 0;
}

/* DFTracer's files are read as they are. */
static void native_keep_pieces (struct pass *p)
{
    size_t kept = 0;

    for (size_t i = 0; i < p->pieces; i++)
        if (!p->job->source[p->parts.item[p->piece[i].process].source].is_pfw)
            p->piece[kept++] = p->piece[i];
    p->pieces = kept;
}

static int native_read (struct native *n, struct compat_tally *to)
{
    const struct pass_user user = {n, NULL, native_take, NULL, BATCH_ALL};

    native_keep_pieces (&n->pass);
    for (int i = 0; i < n->pass.workers; i++)
        if (compat_tally_init (&n->worker[i].tally, to->layers, to->start) < 0)
            return -1;
    if (pass_run (&n->pass, &user, 1) < 0)
        return -1;
    for (int i = 0; i < n->pass.workers; i++)
        if (compat_tally_merge (to, &n->worker[i].tally) < 0)
            return -1;
    return 0;
}

static int read_native (struct compat_tally *to, const struct job *job)
{
    struct native *n = calloc (1, sizeof (*n));
    int rc = -1;

    if (n && pass_open (&n->pass, job, NULL, 0) == 0) {
        find_end (to, &n->pass.parts);
        rc = native_moments (&to->totals, job, &n->pass.parts);
        rc = rc < 0 ? rc : native_read (n, to);
        for (int i = 0; i < n->pass.workers; i++) {
            compat_tally_clear (&n->worker[i].tally);
            pairs_clear (&n->worker[i].known);
            free (n->worker[i].op);
        }
        pass_close (&n->pass);
    }
    free (n);
    return rc;
}

/* --- both --------------------------------------------------------------- */

int compat_find_start (const struct job *job, uint64_t *start)
{
    struct parts parts;

    *start = UINT64_MAX;
    if (parts_make (&parts, job) < 0)
        return -1;
    for (size_t i = 0; i < parts.count; i++) {
        const struct shard_process *p = &parts.item[i].who->p;

        if (p->start_real && p->start_real / 1000 < *start)
            *start = p->start_real / 1000;
    }
    parts_clear (&parts);
    return 0;
}

int compat_read (struct compat_tally *t, const struct job *job)
{
    int rc = read_native (t, job);

    for (size_t i = 0; rc == 0 && i < job->sources; i++)
        if (job->source[i].file && job->source[i].is_pfw)
            rc = read_pfw (t, job->source[i].path);
    return rc;
}
