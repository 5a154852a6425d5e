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
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/trace/pfw/pfwnames.h"
#include "analyze/trace/stream.h"

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
static int take_name (struct lines *f, const struct pfw_line *l)
{
    char path[EVENT_NAME_MAX + 1];
    size_t n = pfw_unescape (&l->meta_name, path, EVENT_NAME_MAX);

    path[n] = '\0';
    return pfw_names_define (f->names, &l->meta_value, &l->meta_name) < 0
               ? -1
               : compat_tally_path (f->t, l->meta_value.p, l->meta_value.n,
                                    path);
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

static int take_line (void *cookie, const struct pfw_line *l)
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
                   ? take_name (f, l)
                   : 0;
    saw (f->t, l->ts + l->dur);
    e.bytes = l->has & PFW_HAS_SIZE_SUM ? (uint64_t)l->size_sum
              : l->ret > 0              ? (uint64_t)l->ret
                                        : 0;
    if (l->fhash.n && take_path (f, l, &e) < 0)
        return -1;
    return compat_tally_add (f->t, &e);
}

static int read_pfw (struct compat_tally *t, const char *path)
{
    struct lines f = {t, pfw_names_create ()};
    struct pfw_account account;
    int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), rc = -1;

    if (fd >= 0) {
        rc = f.names ? pfw_read (fd, &account, take_line, &f) : -1;
        (void)close (fd);
    }
    pfw_names_destroy (f.names);
    return rc;
}

/* --- ours --------------------------------------------------------------- */

static int take_event (struct compat_tally *to, const struct stream *t)
{
    const struct trace_process *who = t->part->who;
    const struct call_info *info = &call_table[t->ev.call];
    const struct name *name = decoder_name (&t->decoder, t->ev.file);
    const char *category = call_category_name (info->category);
    char path[EVENT_NAME_MAX + 1];
    struct compat_item e = {.category = category,
                            .category_length = strlen (category),
                            .name = info->name ? info->name : "",
                            .pid = who->p.pid,
                            .tid = t->tid,
                            .ts = trace_real_ns (who, t->ev.start) / 1000,
                            .host = who->text[SHARD_STRING_HOST],
                            .host_length =
                                strlen (who->text[SHARD_STRING_HOST])};

    e.name_length = strlen (e.name);
    e.dur = t->end / 1000 - e.ts;
    e.bytes = t->ev.ret > 0 ? (uint64_t)t->ev.ret : 0;
    if (info->category == CALL_CATEGORY_APP && name) {
        e.category = name->text;
        e.category_length = strnlen (name->text, name->length);
        e.name = e.category + e.category_length + 1;
        e.name_length = name->length > e.category_length
                            ? name->length - e.category_length - 1
                            : 0;
    } else if (name) {
        memcpy (path, name->text, name->length);
        path[name->length] = '\0';
        e.path = path;
    }
    saw (to, t->end / 1000);
    return compat_tally_add (to, &e);
}

/* All our own shards; DFTracer's files are left out here. */
static int read_shards (struct compat_tally *to, const struct parts *parts)
{
    struct streams streams;
    struct stream *t;
    int rc = 0;

    if (streams_open (&streams, parts) < 0)
        return -1;
    while (rc == 0 && (t = streams_top (&streams)))
        rc = take_event (to, t) < 0 || streams_next (&streams) < 0 ? -1 : 0;
    streams_close (&streams);
    return rc;
}

static void keep_shards (struct parts *parts, const struct job *job)
{
    size_t kept = 0;

    for (size_t i = 0; i < parts->count; i++)
        if (!job->source[parts->item[i].source].is_pfw)
            parts->item[kept++] = parts->item[i];
    parts->count = kept;
}

static void find_end (struct compat_tally *t, const struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++) {
        const struct shard_process *p = &parts->item[i].who->p;

        if (p->end_ns > p->start_ns)
            saw (t, (p->start_real + p->end_ns - p->start_ns) / 1000);
    }
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
    struct parts parts;
    int rc = parts_make (&parts, job);

    if (rc == 0) {
        find_end (t, &parts);
        keep_shards (&parts, job);
        rc = read_shards (t, &parts);
    }
    parts_clear (&parts);
    for (size_t i = 0; rc == 0 && i < job->sources; i++)
        if (job->source[i].file && job->source[i].is_pfw)
            rc = read_pfw (t, job->source[i].path);
    return rc;
}
