/* SPDX-License-Identifier: MIT
 *
 * partialtask.c - one share of a job -> a file
 *
 * In:  a job directory that all tasks can reach
 * Out: DIR/partials/N-of-M.part; in the second round of a view by key, which
 *      DIR/partials/frame begins, N-of-M.rows
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze/groupshare.h"
#include "analyze/partialrun.h"
#include "analyze/share.h"
#include "analyze/summary.h"
#include "lib/util/fsutil.h"

enum { PARTIAL_DIR_MODE = 0700 };

struct work {
    struct job *job;
    const struct analyze_options *o;
    struct division d;
    struct group_frame frame; /* of groups */
};

static int younger (const struct stat *a, const char *than)
{
    struct stat b;

    if (stat (than, &b) < 0)
        return 0;
    return a->st_mtim.tv_sec > b.st_mtim.tv_sec ||
           (a->st_mtim.tv_sec == b.st_mtim.tv_sec &&
            a->st_mtim.tv_nsec > b.st_mtim.tv_nsec);
}

/* Is the file there, and younger than the traces of the share? */
static int is_young (const struct job *job, const char *path)
{
    struct stat st;

    if (stat (path, &st) < 0)
        return 0;
    for (size_t i = 0; i < job->sources; i++)
        if (!younger (&st, job->source[i].path))
            return 0;
    return 1;
}

/* What this task is to do: groups once the frame is there. */
static void choose (struct work *w)
{
    char *path = w->o->by.keys ? division_frame_path (w->job) : NULL;
    struct errtext err;

    w->d = division_of_totals (w->o);
    if (path && is_young (w->job, path) &&
        groupframe_read (&w->frame, path, w->d.rules, &err) == 0)
        w->d = division_of_groups (w->o, &w->frame);
    free (path);
}

static char *make_path (const struct work *w, struct errtext *err)
{
    const struct job *job = w->job;
    char *dir = path_join (job->dir, "partials"), *path = NULL;

    if (!dir)
        (void)errf (err, "%s: %s", job->dir, strerror (ENOMEM));
    else if (make_dirs (dir, PARTIAL_DIR_MODE, err) == 0)
        path = partial_path (job->dir, w->d.what, w->o->share, w->o->shares);
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

    if (totals_scan (&t, w->job, &o->rules, o->by.keys ? NULL : &o->where,
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
    struct partial_head head = {o->share, o->shares, w->d.rules,
                                w->job->sources};

    if (job_open (w->job, err) < 0)
        return -1;
    return w->d.what == PARTIAL_TOTALS
               ? do_totals (w, path, &head, damaged, err)
               : groupshare_write (path, &head, w->job, &o->by, &w->frame, err);
}

int partial_task (struct job *job,
                  const struct analyze_options *o,
                  int *damaged,
                  struct errtext *err)
{
    struct work w = {.job = job, .o = o};
    int timed = !o->by.keys && where_has (&o->where, WHERE_TIME), rc = -1;
    char *path;

    if (!job->dir)
        return errf (err, "%s: no job directory: shares are of directories",
                     job->label);
    if (job_take_share (job, o->share, o->shares, timed, err) < 0)
        return -1;
    choose (&w);
    if ((path = make_path (&w, err)))
        rc = is_young (job, path) && division_has (&w.d, job, o->share)
                 ? 0
                 : do_work (&w, path, damaged, err);
    free (path);
    groupframe_clear (&w.frame);
    return rc;
}
