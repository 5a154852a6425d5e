/* SPDX-License-Identifier: MIT
 *
 * partialrun.c - the partitions of a job -> its totals, its groups
 *
 * In:  DIR/partials, from partialtask.c
 * Out: struct totals, struct query_answer
 */
#include "config.h"

#include "analyze/partialrun.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/facts/jobcontext.h"
#include "analyze/query/querypartial.h"
#include "lib/util/fsutil.h"

/* --- totals --------------------------------------------------------------- */

static int partialrun_by_process (const void *a, const void *b)
{
    const struct process *x = a, *y = b;

    return process_order (x->who, y->who);
}

/* Nothing twice, nothing left out. */
static int partialrun_check (const struct totals *t,
                             const struct job *job,
                             struct errtext *err)
{
    if (partial_check_sources (job, err) < 0)
        return -1;
    errno = EINVAL;
    for (size_t i = 1; i < t->processes; i++)
        if (process_order (t->process[i - 1].who, t->process[i].who) == 0)
            return errf (err,
                         "%s: process %u is in two files: analyze it "
                         "without --partial",
                         job->label, t->process[i].who->p.pid);
    return 0;
}

static int partialrun_has_process (const void *cookie,
                                   const struct trace_process *who)
{
    const struct totals *t = cookie;
    struct process key = {.who = who};

    return t->processes &&
           bsearch (&key, t->process, t->processes, sizeof (*t->process),
                    partialrun_by_process);
}

static int partialrun_add_all (struct totals *t,
                               struct job *job,
                               unsigned partitions,
                               int threads,
                               struct errtext *err)
{
    int rc = partial_add_all (t, job, partitions, threads, err);

    if (t->processes)
        qsort (t->process, t->processes, sizeof (*t->process),
               partialrun_by_process);
    return rc == 0 && (rc = partialrun_check (t, job, err)) == 0
               ? partial_check_merged (job, partialrun_has_process, t, err)
               : rc;
}

/* What the second round began with is of other totals. */
static void drop_context (const struct job *job)
{
    char *path = division_context_path (job);

    if (path)
        (void)unlink (path);
    free (path);
}

static int find_totals (struct job *job,
                        const struct analyze_options *o,
                        struct division *d,
                        struct errtext *err)
{
    if (!job->dir)
        return errf (err, "%s: no job directory: partitions are of directories",
                     job->label);
    if (job_list (job, err) < 0)
        return -1;
    *d = division_of_totals (o);
    if (!d->partitions)
        division_find (d, job);
    if (!d->partitions)
        return errf (err,
                     "%s: no partitions in partials/: run dftrace analyze "
                     "--partial",
                     job->label);
    if (!division_missing (d, job))
        return 0;
    drop_context (job);
    return division_say_missing (d, job, err);
}

int partial_reduce (struct totals *t,
                    struct job *job,
                    const struct analyze_options *o,
                    struct errtext *err)
{
    struct division d;

    memset (t, 0, sizeof (*t));
    if (find_totals (job, o, &d, err) < 0)
        return -1;
    if (partialrun_add_all (t, job, d.partitions, o->threads, err) == 0)
        return 0;
    totals_clear (t);
    return -1;
}

/* --- groups --------------------------------------------------------------- */

/* Begin the second round, unless it began with the same context. */
static int partialrun_begin_round (struct query_context *context,
                                   const struct job *job,
                                   uint64_t rules,
                                   struct errtext *err)
{
    char *path = division_context_path (job);
    struct query_context old = {0};
    struct errtext why;
    int rc = -1;

    (void)errf (err, "%s: %s", job->label, strerror (ENOMEM));
    if (path && query_context_sum (context, rules) == 0)
        rc = query_context_read (&old, path, rules, &why) == 0 &&
                     old.sum == context->sum
                 ? 0
                 : query_context_write (context, path, rules, err);
    query_context_clear (&old);
    free (path);
    return rc;
}

static int find_groups (struct division *d,
                        const struct analyze_options *o,
                        const struct job *job,
                        struct errtext *err)
{
    if (o->tasks)
        return partial_srun (job, o, d, err);
    division_find (d, job);
    errno = ENOENT;
    if (d->partitions && division_missing (d, job) == 0)
        return 0;
    return errf (err,
                 "%s: the first of two rounds is done: now run dftrace "
                 "analyze --partial %s %s again for all partitions, then "
                 "--reduce",
                 job->label,
                 o->by_word     ? "--by"
                 : o->view_word ? "--view"
                                : "--show",
                 o->by_word     ? o->by_word
                 : o->view_word ? o->view_word
                                : o->show_word);
}

int partial_groups (struct query_answer *a,
                    const struct analyze_options *o,
                    const struct result *r,
                    struct errtext *err)
{
    struct query_context context;
    struct division d;
    int rc = -1;

    memset (a, 0, sizeof (*a));
    if (jobcontext_make (&context, &o->by, r->job, r->totals, r->summary, err) <
        0)
        return -1;
    d = division_of_totals (o);
    if (partialrun_begin_round (&context, r->job, d.rules, err) == 0) {
        d = division_of_groups (o, &context);
        rc = find_groups (&d, o, r->job, err);
    }
    if (rc == 0) {
        struct querypartial w = {r->job, &o->by, &context, &o->rules,
                                 o->threads};

        rc = querypartial_read_all (a, &w, d.partitions, err);
    }
    query_context_clear (&context);
    return rc;
}
