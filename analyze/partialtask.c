/* SPDX-License-Identifier: MIT
 *
 * partialtask.c - one partition of a job -> a file
 *
 * In:  a job directory that all tasks can reach
 * Out: DIR/partials/N-of-M.part; in the second round of a view by key, which
 *      DIR/partials/context begins, N-of-M.rows
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/partialrun.h"
#include "analyze/query/querypartial.h"
#include "analyze/trace/parts.h"
#include "lib/util/fsutil.h"

enum { PARTIAL_DIR_MODE = 0700 };

struct work {
    struct job *job;
    const struct analyze_options *o;
    struct division d;
    struct query_context context; /* of groups */
};

/* What this task is to do: groups once the context is there. */
static void choose (struct work *w)
{
    char *path = analyze_asks (w->o) ? division_context_path (w->job) : NULL;
    struct errtext err;

    w->d = division_of_totals (w->o);
    if (path && division_is_young (w->job, path) &&
        query_context_read (&w->context, path, w->d.rules, &err) == 0) {
        w->context.label = w->job->label;
        w->d = division_of_groups (w->o, &w->context);
    }
    free (path);
}

static char *make_path (const struct work *w, struct errtext *err)
{
    const struct job *job = w->job;
    char *dir = path_join (job->dir, "partials"), *path = NULL;

    if (!dir)
        (void)errf (err, "%s: %s", job->dir, strerror (ENOMEM));
    else if (make_own_dir (dir, PARTIAL_DIR_MODE, err) == 0)
        path = partial_path (job->dir, w->d.what, w->o->partition,
                             w->o->partitions);
    free (dir);
    return path;
}

static int do_totals (const struct work *w,
                      const char *path,
                      const struct partial_head *head,
                      int *damaged,
                      struct errtext *err)
{
    const struct analyze_options *o = w->o;
    struct totals t = {0};
    int rc;

    if (totals_load (&t, w->job, &o->rules, analyze_asks (o) ? NULL : &o->where,
                     o->threads, err) < 0)
        return -1;
    for (size_t i = 0; i < t.sources; i++)
        *damaged |= source_damaged (&w->job->source[i], &t.health[i]);
    rc = partial_write (path, head, w->job, &t, err);
    totals_clear (&t);
    return rc;
}

static int do_work (const struct work *w,
                    const char *path,
                    int *damaged,
                    struct errtext *err)
{
    const struct analyze_options *o = w->o;
    struct partial_head head = {o->partition, o->partitions, w->d.rules,
                                w->job->sources};

    if (job_open (w->job, err) < 0)
        return -1;
    if (w->d.what == PARTIAL_TOTALS)
        return do_totals (w, path, &head, damaged, err);
    const struct querypartial q = {w->job, &o->by, &w->context, &o->rules,
                                   o->threads};

    return querypartial_write (path, &head, &q, err);
}

int partial_task (struct job *job,
                  const struct analyze_options *o,
                  int *damaged,
                  struct errtext *err)
{
    struct work w = {.job = job, .o = o};
    int timed = !analyze_asks (o) && where_has (&o->where, WHERE_time), rc = -1;
    char *path;

    if (!job->dir)
        return errf (err, "%s: no job directory: partitions are of directories",
                     job->label);
    if (job_take_partition (job, o->partition, o->partitions, timed, err) < 0)
        goto done;
    choose (&w);
    if ((path = make_path (&w, err)))
        rc = division_is_young (job, path) &&
                     division_has (&w.d, job, o->partition)
                 ? 0
                 : do_work (&w, path, damaged, err);
    free (path);
done:
    query_context_clear (&w.context);
    return rc;
}
