/* SPDX-License-Identifier: MIT
 *
 * merged.c - a job's trace.dft and its shards -> which has what
 *
 * In:  open traces, from sources.c
 * Out: yes or no
 */
#include "config.h"

#include "analyze/trace/merged.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "analyze/trace/parts.h"

/* The processes of a trace, in the order of process_order. */
struct merged_known {
    const struct trace_process **who; /* owned */
    size_t count;
};

static int merged_known_order (const void *a, const void *b)
{
    return process_order (*(const struct trace_process *const *)a,
                          *(const struct trace_process *const *)b);
}

static void merged_known_add (struct merged_known *k, const struct tracefile *f)
{
    for (size_t i = 0; i < tracefile_processes (f); i++)
        k->who[k->count++] = tracefile_process (f, i);
}

static int merged_known_make (struct merged_known *k, size_t count)
{
    k->count = 0;
    k->who = calloc (count + 1, sizeof (const struct trace_process *));
    return k->who ? 0 : -1;
}

static int merged_holds (const struct merged_known *k,
                         const struct trace_process *p)
{
    return bsearch (&p, k->who, k->count, sizeof (p), merged_known_order) !=
           NULL;
}

static int merged_whole (const struct tracefile *f)
{
    const struct trace_health *h = tracefile_health (f);

    for (size_t i = 0; i < tracefile_processes (f); i++)
        if (tracefile_process (f, i)->damaged)
            return 0;
    return !h->cut && !h->chunks_cut && !h->missing && !h->bytes_skipped;
}

static int merged_newer (const char *path, const char *than)
{
    struct stat a, b;

    if (stat (path, &a) < 0 || stat (than, &b) < 0)
        return 0;
    return a.st_mtim.tv_sec > b.st_mtim.tv_sec ||
           (a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
            a.st_mtim.tv_nsec > b.st_mtim.tv_nsec);
}

int merged_replaces (const char *path,
                     const struct tracefile *trace,
                     const struct job *job)
{
    struct merged_known k;
    int yes = merged_whole (trace);

    if (!yes || merged_known_make (&k, tracefile_processes (trace)) < 0)
        return 0;
    merged_known_add (&k, trace);
    qsort (k.who, k.count, sizeof (*k.who), merged_known_order);
    for (size_t i = 0; yes && i < job->sources; i++) {
        const struct source *s = &job->source[i];

        yes = s->file && merged_whole (s->file) && merged_newer (path, s->path);
        for (size_t p = 0; yes && p < tracefile_processes (s->file); p++)
            yes = merged_holds (&k, tracefile_process (s->file, p));
    }
    free (k.who);
    return yes;
}

int merged_adds (const struct tracefile *trace, const struct job *job)
{
    struct merged_known k;
    size_t n = 0;
    int yes = 0;

    for (size_t i = 0; i < job->sources; i++)
        if (job->source[i].file)
            n += tracefile_processes (job->source[i].file);
    if (merged_known_make (&k, n) < 0)
        return 1;
    for (size_t i = 0; i < job->sources; i++)
        if (job->source[i].file)
            merged_known_add (&k, job->source[i].file);
    qsort (k.who, k.count, sizeof (*k.who), merged_known_order);
    for (size_t p = 0; !yes && p < tracefile_processes (trace); p++)
        yes = !merged_holds (&k, tracefile_process (trace, p));
    free (k.who);
    return yes;
}
