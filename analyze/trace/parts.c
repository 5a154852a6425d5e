/* SPDX-License-Identifier: MIT
 *
 * parts.c - sources of a job -> its processes with their chunks, in order
 *
 * In:  open trace files, from find.c
 * Out: struct parts, to load.c, merge.c and pfw.c
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trace/copies.h"
#include "analyze/trace/parts.h"
#include "analyze/trace/partition.h"

int same_process (const struct trace_process *a, const struct trace_process *b)
{
    return a->p.pid == b->p.pid && a->p.start_real == b->p.start_real &&
           strcmp (a->text[SHARD_STRING_HOST], b->text[SHARD_STRING_HOST]) == 0;
}

int process_order (const struct trace_process *a, const struct trace_process *b)
{
    int order = strcmp (a->text[SHARD_STRING_HOST], b->text[SHARD_STRING_HOST]);

    if (order)
        return order;
    if (a->p.start_real != b->p.start_real)
        return a->p.start_real < b->p.start_real ? -1 : 1;
    return (a->p.pid > b->p.pid) - (a->p.pid < b->p.pid);
}

static int parts_by_start (const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    int order = process_order (x->who, y->who);

    return order ? order : (x->source > y->source) - (x->source < y->source);
}

static int by_thread (const void *a, const void *b)
{
    const struct trace_chunk *x = *(const struct trace_chunk *const *)a;
    const struct trace_chunk *y = *(const struct trace_chunk *const *)b;

    if (x->head.proc != y->head.proc)
        return x->head.proc < y->head.proc ? -1 : 1;
    if (x->head.tid != y->head.tid)
        return x->head.tid < y->head.tid ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Events of chunks that are cut are found, or not, when they are decoded. */
static uint64_t missing_in (const struct tracefile *f)
{
    uint64_t missing = tracefile_health (f)->missing;

    for (size_t i = 0; i < tracefile_chunks (f); i++) {
        const struct trace_chunk *c = tracefile_chunk (f, i);

        if (c->present < c->used)
            missing -= c->events;
    }
    return missing;
}

/* All chunks of a file, by process and thread. NULL: ENOMEM. */
static const struct trace_chunk **sorted_chunks (const struct tracefile *f)
{
    size_t n = tracefile_chunks (f);
    const struct trace_chunk **chunk = calloc (n + 1, sizeof (*chunk));

    if (!chunk)
        return NULL;
    for (size_t i = 0; i < n; i++)
        chunk[i] = tracefile_chunk (f, i);
    qsort (chunk, n, sizeof (*chunk), by_thread);
    return chunk;
}

static int parts_collect (struct parts *p, const struct job *job, size_t source)
{
    const struct tracefile *f = job->source[source].file;
    const struct trace_chunk **chunk = sorted_chunks (f);
    size_t n = tracefile_chunks (f), at = 0;

    if (!(p->chunks[source] = chunk))
        return -1;
    for (size_t i = 0; i < tracefile_processes (f); i++) {
        struct part *part = &p->item[p->count++];

        part->source = source;
        part->file = f;
        part->store = job->source[source].store;
        part->who = tracefile_process (f, i);
        part->missing = i == 0 ? missing_in (f) : 0;
        part->chunk = chunk + at;
        while (at < n && chunk[at]->head.proc == i)
            at++;
        part->chunks = (size_t)(chunk + at - part->chunk);
    }
    return 0;
}

size_t part_thread_end (const struct part *part, size_t first)
{
    size_t i = first + 1;

    while (i < part->chunks &&
           part->chunk[i]->head.tid == part->chunk[first]->head.tid &&
           part->chunk[i]->head.seq != 0)
        i++;
    return i;
}

/* Only the processes of the job's partition: the large ones are dealt first. */
static int keep_partition (struct parts *p, const struct job *job)
{
    uint64_t *size = calloc (p->count + 1, sizeof (*size));
    unsigned *partition = calloc (p->count + 1, sizeof (*partition));
    size_t kept = 0;
    int rc = size && partition ? 0 : -1;

    for (size_t i = 0; rc == 0 && i < p->count; i++)
        for (size_t c = 0; c < p->item[i].chunks; c++)
            size[i] += p->item[i].chunk[c]->used;
    if (rc == 0)
        rc = partitions_deal (partition, size, p->count, job->partitions);
    for (size_t i = 0; rc == 0 && i < p->count; i++)
        if (partition[i] == job->partition)
            p->item[kept++] = p->item[i];
    if (rc == 0)
        p->count = kept;
    free (size);
    free (partition);
    return rc;
}

int parts_make (struct parts *p, const struct job *job)
{
    size_t n = 0;

    memset (p, 0, sizeof (*p));
    for (size_t i = 0; i < job->sources; i++)
        if (job->source[i].file)
            n += tracefile_processes (job->source[i].file);
    p->sources = job->sources;
    p->item = calloc (n + 1, sizeof (*p->item));
    p->chunks = calloc (p->sources + 1, sizeof (*p->chunks));
    p->copies = calloc (p->sources + 1, sizeof (*p->copies));
    if (!p->item || !p->chunks || !p->copies)
        goto error;
    for (size_t i = 0; i < job->sources; i++)
        if (job->source[i].file && parts_collect (p, job, i) < 0)
            goto error;
    qsort (p->item, p->count, sizeof (*p->item), parts_by_start);
    parts_drop_copies (p, job);
    return job->partitions ? keep_partition (p, job) : 0;
error:
    parts_clear (p);
    return -1;
}

struct part_thread *parts_threads (const struct parts *p, size_t *n)
{
    struct part_thread *thread;
    size_t count = 0;

    for (size_t i = 0; i < p->count; i++)
        for (size_t c = 0; c < p->item[i].chunks; count++)
            c = part_thread_end (&p->item[i], c);
    *n = 0;
    if (!(thread = calloc (count + 1, sizeof (*thread))))
        return NULL;
    for (size_t i = 0; i < p->count; i++)
        for (size_t c = 0, next; c < p->item[i].chunks; c = next) {
            next = part_thread_end (&p->item[i], c);
            thread[(*n)++] =
                (struct part_thread){i, p->item[i].chunk + c, next - c};
        }
    return thread;
}

ssize_t part_records (const struct part *part,
                      const struct trace_chunk *c,
                      unsigned char *buf)
{
    return part->store ? pfw_store_records (part->store, c, buf)
                       : tracefile_read (part->file, c, buf);
}

uint64_t parts_start (const struct parts *p)
{
    uint64_t start = UINT64_MAX;

    for (size_t i = 0; i < p->count; i++)
        if (p->item[i].who->p.start_real < start)
            start = p->item[i].who->p.start_real;
    return start;
}

void parts_clear (struct parts *p)
{
    int saved = errno;

    for (size_t i = 0; p->chunks && i < p->sources; i++)
        free (p->chunks[i]);
    free (p->chunks);
    free (p->copies);
    free (p->item);
    memset (p, 0, sizeof (*p));
    errno = saved;
}
