/* SPDX-License-Identifier: MIT
 *
 * mergeprofile.c - blocks of profiles of a job -> blocks of a merged trace
 *
 * In:  struct parts, from parts.c
 * Out: sealed blocks with the counters as they are now, to merge.c
 */
#include "config.h"

#include "analyze/trace/mergeprofile.h"

#include <errno.h>
#include <stdlib.h>

struct mergeprofile_block {
    size_t proc;
    const struct tracefile *file;
    const struct trace_chunk *chunk;
};

struct mergeprofile_list {
    struct mergeprofile_block *all; /* owned */
    size_t count, room;
};

static int list_add (struct mergeprofile_list *l,
                     const struct mergeprofile_block *b)
{
    size_t room = l->room ? 2 * l->room : 64;
    struct mergeprofile_block *all = l->all;

    if (l->count == l->room) {
        if (!(all = reallocarray (all, room, sizeof (*all))))
            return -1;
        l->all = all;
        l->room = room;
    }
    all[l->count++] = *b;
    return 0;
}

static int mergeprofile_order (const void *a, const void *b)
{
    const struct mergeprofile_block *x = a, *y = b;

    if (x->proc != y->proc)
        return x->proc < y->proc ? -1 : 1;
    return (x->chunk->offset > y->chunk->offset) -
           (x->chunk->offset < y->chunk->offset);
}

/* The blocks of the processes that parts have of one source. */
static int list_source (struct mergeprofile_list *l,
                        const struct parts *parts,
                        size_t source,
                        const struct tracefile *f)
{
    size_t n = tracefile_processes (f), *proc = calloc (n + 1, sizeof (*proc));
    const struct trace_process *first = tracefile_process (f, 0);
    int rc = proc ? 0 : -1;

    for (size_t i = 0; rc == 0 && i < parts->count; i++)
        if (parts->item[i].source == source && parts->item[i].file == f)
            proc[parts->item[i].who - first] = i + 1;
    for (size_t i = 0; rc == 0 && i < tracefile_profiles (f); i++) {
        const struct trace_chunk *c = tracefile_profile (f, i);
        const struct mergeprofile_block b = {proc[c->head.proc] - 1, f, c};

        if (proc[c->head.proc])
            rc = list_add (l, &b);
    }
    free (proc);
    return rc;
}

static int list_make (struct mergeprofile_list *l, const struct parts *parts)
{
    for (size_t s = 0; s < parts->sources; s++)
        for (size_t i = 0; i < parts->count; i++)
            if (parts->item[i].source == s) {
                if (tracefile_profiles (parts->item[i].file) &&
                    list_source (l, parts, s, parts->item[i].file) < 0)
                    return -1;
                break;
            }
    if (l->count)
        qsort (l->all, l->count, sizeof (*l->all), mergeprofile_order);
    return 0;
}

int mergeprofile (const struct parts *parts,
                  mergeprofile_f put,
                  void *cookie,
                  uint64_t *bad)
{
    struct mergeprofile_list l = {.all = NULL};
    unsigned char *buf = malloc (SHARD_CHUNK_MAX);
    int rc = buf ? list_make (&l, parts) : -1;

    for (size_t i = 0; rc == 0 && i < l.count; i++) {
        const struct mergeprofile_block *m = &l.all[i];
        ssize_t got = tracefile_read (m->file, m->chunk, buf);
        struct merge_piece p = {.b = m->chunk->head};

        *bad += got < (ssize_t)m->chunk->used;
        if (got <= 0)
            continue;
        p.bytes = buf;
        p.used = (size_t)got;
        p.b.commit = p.used;
        p.b.flags |= SHARD_SEALED;
        p.b.proc = (uint32_t)m->proc;
        p.b.capacity = merge_aligned (sizeof (p.b) + p.used);
        p.b.checksum = shard_events_sum (&p.b, p.bytes);
        p.b.check = shard_block_check (&p.b);
        rc = put (cookie, m->proc, &p);
    }
    free (l.all);
    free (buf);
    return rc;
}
