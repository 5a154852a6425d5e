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

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compat/compatop.h"
#include "analyze/query/pairs.h"
#include "analyze/scan/pass.h"
#include "lib/format/event.h"

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
        compat_tally_saw (&w->tally, b->end[i] / 1000);
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

        if (shard_in_order (p) && p->end_ns > p->start_ns)
            compat_tally_saw (t,
                              (p->start_real + p->end_ns - p->start_ns) / 1000);
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
        const uint64_t end =
            shard_in_order (&who->p) ? who->p.end_ns : who->p.exec_ns;

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

int compat_read (struct compat_tally *t,
                 const struct job *job,
                 const struct compat_lines *lines)
{
    int rc = read_native (t, job);

    for (size_t i = 0; rc == 0 && i < job->sources; i++)
        if (job->source[i].file && job->source[i].is_pfw)
            rc = compat_lines_add (lines, t, job->source[i].path);
    return rc;
}
