/* SPDX-License-Identifier: MIT
 *
 * partition.c - the traces of a job -> what each of several tasks reads
 *
 * In:  a job directory, which nobody writes to at the moment
 * Out: a job with some of its sources, to load.c
 */
#include "config.h"

#include "analyze/trace/partition.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct thing {
    uint64_t size;
    size_t index;
};

static int by_size (const void *a, const void *b)
{
    const struct thing *x = a, *y = b;

    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* --- a heap of partitions; the one with least on top
 * ----------------------------
 */

struct load_of {
    uint64_t size;
    unsigned partition;
};

static int less (const struct load_of *a, const struct load_of *b)
{
    return a->size != b->size ? a->size < b->size : a->partition < b->partition;
}

static void partition_sink (struct load_of *heap, unsigned n)
{
    struct load_of top = heap[0];
    unsigned i = 0;

    for (unsigned child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && less (&heap[child + 1], &heap[child]))
            child++;
        if (!less (&heap[child], &top))
            break;
        heap[i] = heap[child];
    }
    heap[i] = top;
}

int partitions_deal (unsigned *partition,
                     const uint64_t *size,
                     size_t n,
                     unsigned partitions)
{
    struct thing *thing = calloc (n + 1, sizeof (*thing));
    struct load_of *heap = calloc (partitions + 1, sizeof (*heap));
    int rc = thing && heap && partitions ? 0 : -1;

    for (unsigned i = 0; rc == 0 && i < partitions; i++)
        heap[i].partition = i;
    for (size_t i = 0; rc == 0 && i < n; i++)
        thing[i] = (struct thing){size[i], i};
    if (rc == 0)
        qsort (thing, n, sizeof (*thing), by_size);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        partition[thing[i].index] = heap[0].partition;
        heap[0].size += thing[i].size + 1; /* an empty one is work, too */
        partition_sink (heap, partitions);
    }
    free (thing);
    free (heap);
    return rc;
}

/* --- sources -------------------------------------------------------------- */

/* The others' names may explain hashes of ours. */
static int
keep_sources (struct job *job, const unsigned *partition_of, unsigned partition)
{
    size_t kept = 0;

    if (!(job->other = calloc (job->sources + 1, sizeof (*job->other))))
        return -1;
    for (size_t i = 0; i < job->sources; i++) {
        if (partition_of[i] == partition)
            job->source[kept++] = job->source[i];
        else if (job->source[i].is_pfw)
            job->other[job->others++] = job->source[i].path;
        else
            free (job->source[i].path);
    }
    job->sources = kept;
    return 0;
}

static int deal_files (struct job *job, unsigned partition, unsigned partitions)
{
    uint64_t *size = calloc (job->sources + 1, sizeof (*size));
    unsigned *of = calloc (job->sources + 1, sizeof (*of));
    struct stat st;
    int rc = size && of ? 0 : -1;

    for (size_t i = 0; rc == 0 && i < job->sources; i++)
        if (stat (job->source[i].path, &st) == 0)
            size[i] = (uint64_t)st.st_size;
    if (rc == 0)
        rc = partitions_deal (of, size, job->sources, partitions);
    if (rc == 0)
        rc = keep_sources (job, of, partition);
    free (size);
    free (of);
    return rc;
}

static uint64_t start_of (const struct tracefile *f)
{
    uint64_t start = UINT64_MAX;

    for (size_t i = 0; i < tracefile_processes (f); i++)
        if (tracefile_process (f, i)->p.start_real < start)
            start = tracefile_process (f, i)->p.start_real;
    return start;
}

static int find_start (struct job *job, struct errtext *err)
{
    uint64_t start = UINT64_MAX;

    for (size_t i = 0; i < job->sources; i++) {
        struct tracefile *f;

        if (job->source[i].is_pfw) {
            errno = EINVAL;
            return errf (
                err,
                "%s: says when it began only when it is read: no "
                "partitions with --where time: run dftrace merge first",
                job->source[i].path);
        }
        if (!(f = tracefile_open (job->source[i].path, NULL)))
            continue; /* it is said when it is read */
        if (start_of (f) < start)
            start = start_of (f);
        tracefile_close (f);
    }
    job->start = start;
    return 0;
}

int job_take_partition (struct job *job,
                        unsigned partition,
                        unsigned partitions,
                        int start,
                        struct errtext *err)
{
    int rc = 0;

    if (job_list (job, err) < 0 || (start && find_start (job, err) < 0))
        return -1;
    if (job->sources == 1 && !job->source[0].is_pfw) {
        job->partition = partition;
        job->partitions = partitions;
    } else
        rc = deal_files (job, partition, partitions);
    return rc < 0 ? errf (err, "%s: %s", job->label, strerror (ENOMEM)) : 0;
}
