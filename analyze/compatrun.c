/* SPDX-License-Identifier: MIT
 *
 * compatrun.c - DFAnalyzer's tables of a job that several tasks read
 *
 * In:  a job directory that all tasks can reach
 * Out: DIR/partials/N-of-M.sums, of each task; struct compat, of all. With
 *      files of DFTracer DIR/partials/origin begins a second round.
 */
#include "config.h"

#include "analyze/compatrun.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compat/compatread.h"
#include "analyze/compat/compatpartial.h"
#include "analyze/partialrun.h"
#include "lib/util/fsutil.h"

enum { ORIGIN_MODE = 0600 };

/* --- when the job began ------------------------------------------------------
 */

static void take_start (uint64_t *start, const struct tracefile *f)
{
    for (size_t i = 0; f && i < tracefile_processes (f); i++) {
        uint64_t ns = tracefile_process (f, i)->p.start_real;

        if (ns && ns / 1000 < *start)
            *start = ns / 1000;
    }
}

/* From the heads of our own traces; 0: there are others, or they do not say. */
static uint64_t start_of_heads (const struct job *job)
{
    uint64_t start = UINT64_MAX;

    for (size_t i = 0; i < job->sources; i++)
        if (job->source[i].is_pfw)
            return 0;
    for (size_t i = 0; i < job->sources; i++) {
        struct tracefile *f = tracefile_open (job->source[i].path, NULL);

        take_start (&start, f);
        tracefile_close (f);
    }
    return start == UINT64_MAX ? 0 : start;
}

/* What the reduction of the first round wrote down, unless traces came later.
 */
static uint64_t start_of_origin (const struct job *job)
{
    char *path = division_origin_path (job);
    FILE *in =
        path && division_is_young (job, path) ? fopen (path, "re") : NULL;
    uint64_t start = 0;

    if (in && fscanf (in, "%" SCNu64, &start) != 1)
        start = 0;
    if (in)
        (void)fclose (in);
    free (path);
    return start;
}

static int
write_origin (const struct job *job, uint64_t start, struct errtext *err)
{
    char *path = division_origin_path (job);
    struct atomic_file *a = path ? atomic_open (path, ORIGIN_MODE, err) : NULL;

    if (!path)
        (void)errf (err, "%s: %s", job->dir, strerror (ENOMEM));
    free (path);
    if (!a)
        return -1;
    (void)fprintf (atomic_stream (a), "%" PRIu64 "\n", start);
    return atomic_commit (a, err);
}

/* --- a partition
 * ------------------------------------------------------------------
 */

int compat_work_make (struct compat_work *w,
                      const struct job *job,
                      const struct analyze_options *o,
                      struct errtext *err)
{
    memset (w, 0, sizeof (*w));
    if (compat_layers_load (&w->layers, o->compat_version, o->layers, err) < 0)
        return -1;
    if (!(w->start = start_of_heads (job)))
        w->start = start_of_origin (job);
    w->d = division_of_layers (o, &w->layers, w->start);
    return 0;
}

void compat_work_clear (struct compat_work *w)
{
    compat_layers_clear (&w->layers);
    memset (w, 0, sizeof (*w));
}

static int compatrun_count (const struct compat_work *w,
                            const char *path,
                            const struct partial_head *head,
                            const struct job *job,
                            const struct compat_lines *lines,
                            struct errtext *err)
{
    struct compat_tally t = {0};
    int rc = compat_tally_init (&t, &w->layers, w->start);

    if (rc == 0)
        rc = compat_read (&t, job, lines);
    if (rc < 0)
        (void)errf (err, "%s: %s", job->label, strerror (errno));
    else
        rc = compatpartial_write (path, head, job, &t, err);
    compat_tally_clear (&t);
    return rc;
}

int compat_work_do (const struct compat_work *w,
                    const char *path,
                    const struct partial_head *head,
                    struct job *job,
                    struct errtext *err)
{
    struct compat_lines lines;
    int rc;

    if (!w->start)
        return job_open (job, err) < 0
                   ? -1
                   : compatpartial_write (path, head, job, NULL, err);
    if ((rc = compat_lines_listen (&lines, job, &w->layers)) < 0)
        (void)errf (err, "%s: %s", job->label, strerror (errno));
    else if ((rc = job_open (job, err)) == 0)
        rc = compatrun_count (w, path, head, job, &lines, err);
    compat_lines_clear (&lines, job);
    return rc;
}

/* --- all partitions
 * ---------------------------------------------------------------
 */

/* The partitions of the division are there, or made. */
static int find_partitions (struct division *d,
                            const struct job *job,
                            const struct analyze_options *o,
                            struct errtext *err)
{
    if (o->tasks)
        return partial_srun (job, o, d, err);
    if (!d->partitions)
        division_find (d, job);
    if (!d->partitions)
        return errf (
            err,
            "%s: no partitions of these tables in partials/: run dftrace "
            "analyze --partial with the same --compat or --layers",
            job->label);
    return division_missing (d, job) ? division_say_missing (d, job, err) : 0;
}

static int read_partitions (struct compat_work *w,
                            struct compat_tally *t,
                            uint64_t *start,
                            struct job *job,
                            struct errtext *err)
{
    const struct partial_head head = {.partitions = w->d.partitions};

    return compatpartial_read_all (&head, job, t, start, err);
}

/* The first round is done: the second one begins. */
static int compatrun_begin_round (struct compat_work *w,
                                  const struct analyze_options *o,
                                  struct job *job,
                                  struct errtext *err)
{
    unsigned partitions;

    if (find_partitions (&w->d, job, o, err) < 0 ||
        read_partitions (w, NULL, &w->start, job, err) < 0 ||
        write_origin (job, w->start, err) < 0)
        return -1;
    partitions = w->d.partitions;
    w->d = division_of_layers (o, &w->layers, w->start);
    w->d.partitions = partitions;
    return 0;
}

/* Only where a second round is to follow is anything said of it. */
static int find_sums (struct compat_work *w,
                      const struct analyze_options *o,
                      int second,
                      const struct job *job,
                      struct errtext *err)
{
    if (!second || o->tasks || division_missing (&w->d, job) == 0)
        return find_partitions (&w->d, job, o, err);
    errno = ENOENT;
    return errf (
        err,
        "%s: the first of two rounds is done: now run dftrace "
        "analyze --partial with the same words again for all partitions, "
        "then --reduce",
        job->label);
}

static int compatrun_join (struct compat *c,
                           struct compat_work *w,
                           struct job *job,
                           struct errtext *err)
{
    struct compat_tally t;
    uint64_t start;
    int rc;

    if (compat_tally_init (&t, &w->layers, w->start) < 0)
        return errf (err, "%s: %s", job->label, strerror (errno));
    if ((rc = read_partitions (w, &t, &start, job, err)) == 0 &&
        (rc = compat_make (c, &t, &w->layers)) < 0)
        (void)errf (err, "%s: %s", job->label, strerror (errno));
    compat_tally_clear (&t);
    return rc;
}

int compat_reduce (struct compat *c,
                   struct job *job,
                   const struct analyze_options *o,
                   struct errtext *err)
{
    struct compat_work w;
    int rc, second;

    memset (c, 0, sizeof (*c));
    if (!job->dir)
        return errf (err, "%s: no job directory: partitions are of directories",
                     job->label);
    if (job_list (job, err) < 0 || compat_work_make (&w, job, o, err) < 0)
        return -1;
    second = !w.start;
    rc = second ? compatrun_begin_round (&w, o, job, err) : 0;
    if (rc == 0 && (rc = find_sums (&w, o, second, job, err)) == 0)
        rc = compatrun_join (c, &w, job, err);
    compat_work_clear (&w);
    return rc;
}

int compatrun_load (struct compat *c,
                    struct job *job,
                    const struct analyze_options *o,
                    struct errtext *err)
{
    if (o->reduce || o->tasks)
        return compat_reduce (c, job, o, err);
    return compat_load (c, job, o->compat_version, o->layers, err);
}
