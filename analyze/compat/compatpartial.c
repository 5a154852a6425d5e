/* SPDX-License-Identifier: MIT
 *
 * compatpartial.c - DFAnalyzer's sums of a partition of a job -> a file
 *
 * In:  struct compat_tally, from compatread.c
 * Out: sections: each source, process, path, then operations, threads and
 *      runs, whose numbers count from 0 in the file
 */
#include "config.h"

#include "analyze/compat/compatpartial.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compat/compatread.h"
#include "analyze/trace/parts.h"

static int
compatpartial_put_sources (struct packer *p, const struct job *job, FILE *out)
{
    for (size_t i = 0; i < job->sources; i++) {
        partial_pack_source (p, job, &job->source[i]);
        if (pack_section (p, LAYER_SOURCE, out) < 0)
            return -1;
    }
    return 0;
}

/* Those of our own traces. */
static int
compatpartial_put_processes (struct packer *p, const struct job *job, FILE *out)
{
    struct parts parts;
    int rc = parts_make (&parts, job);

    for (size_t i = 0; rc == 0 && i < parts.count; i++) {
        const struct trace_process *who = parts.item[i].who;

        if (job->source[parts.item[i].source].is_pfw)
            continue;
        pack_text (p, who->text[SHARD_STRING_HOST]);
        pack_uint (p, who->p.start_real);
        pack_uint (p, who->p.pid);
        rc = pack_section (p, LAYER_PROCESS, out);
    }
    parts_clear (&parts);
    return rc;
}

static int put_bounds (struct packer *p,
                       const struct job *job,
                       const struct compat_tally *t,
                       FILE *out)
{
    uint64_t start;

    if (compat_find_start (job, &start) < 0)
        return -1;
    pack_uint (p, start);
    pack_uint (p, t ? t->end : 0);
    return pack_section (p, LAYER_BOUNDS, out);
}

/* Keys in order of their numbers. */
static int put_keys (struct packer *p,
                     const struct strmap *m,
                     enum compat_section type,
                     FILE *out)
{
    for (size_t i = 0; i < strmap_count (m); i++) {
        const struct compat_thread *thread = strmap_value (m, i);
        const char *path = strmap_value (m, i);
        size_t n;
        const char *key = strmap_key (m, i, &n);

        pack_uint (p, n);
        pack_bytes (p, key, n);
        if (type == LAYER_THREAD)
            pack_uint (p, thread && thread->counts);
        if (type == LAYER_PATH)
            pack_text (p, path);
        if (pack_section (p, type, out) < 0)
            return -1;
    }
    return 0;
}

static int
put_totals (struct packer *p, const struct compat_totals *t, FILE *out)
{
    pack_uint (p, t->events);
    pack_uint (p, t->first);
    pack_uint (p, t->last);
    if (pack_section (p, LAYER_TOTALS, out) < 0)
        return -1;
    for (int i = 0; i < COMPAT_THINGS; i++)
        if (put_keys (p, t->thing[i],
                      (enum compat_section) (LAYER_PROCESS_ID + i), out) < 0)
            return -1;
    return 0;
}

static int put_run (struct packer *p, const struct compat_run *r, FILE *out)
{
    uint64_t last = 0;

    pack_uint (p, r->op);
    pack_uint (p, r->thread);
    pack_uint (p, r->seconds);
    for (size_t i = 0; i < r->seconds; i++) {
        pack_uint (p, r->second[i].number);
        pack_uint (p, r->second[i].us);
        pack_uint (p, r->second[i].n);
        pack_uint (p, r->second[i].bytes);
        pack_uint (p, r->second[i].first);
    }
    pack_uint (p, r->set.count);
    for (size_t i = 0; i < r->set.count; i++) {
        pack_uint (p, r->set.item[i].start - last);
        pack_uint (p, r->set.item[i].end - r->set.item[i].start);
        last = r->set.item[i].end;
    }
    return pack_section (p, LAYER_RUN, out);
}

struct compat_writer {
    const struct job *job;
    const struct compat_tally *t;
};

static int compatpartial_put_all (void *cookie, struct packer *p, FILE *out)
{
    const struct compat_writer *w = cookie;
    const struct compat_tally *t = w->t;

    if (compatpartial_put_sources (p, w->job, out) < 0 ||
        compatpartial_put_processes (p, w->job, out) < 0 ||
        put_bounds (p, w->job, t, out) < 0)
        return -1;
    if (t && (put_totals (p, &t->totals, out) < 0 ||
              put_keys (p, t->paths, LAYER_PATH, out) < 0 ||
              put_keys (p, t->ops, LAYER_OP, out) < 0 ||
              put_keys (p, t->threads, LAYER_THREAD, out) < 0))
        return -1;
    for (size_t i = 0; t && i < strmap_count (t->runs); i++)
        if (put_run (p, strmap_value (t->runs, i), out) < 0)
            return -1;
    return pack_section (p, LAYER_END, out);
}

int compatpartial_write (const char *path,
                         const struct partial_head *head,
                         const struct job *job,
                         const struct compat_tally *t,
                         struct errtext *err)
{
    struct compat_writer w = {job, t};

    return partial_write_file (path, head, compatpartial_put_all, &w, err);
}
