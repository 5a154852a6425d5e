/* SPDX-License-Identifier: MIT
 *
 * submit_analysis.c - the job after the arrays of a wave: tables, and whatever
 *      is still to be submitted
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/util/fsutil.h"
#include "lib/util/strmap.h"
#include "sweep/submit/batch.h"
#include "sweep/submit/slurm.h"
#include "sweep/submit/submit_work.h"

/* The arrays of this wave, and the earlier ones that Slurm still has. */
static const char *awaited (struct submission *s)
{
    const char *list = "";

    struct strmap *going = strmap_create ();
    struct slurm_queue q = {.count = 0};

    (void)slurm_queue_read (s->arena, submit_job_list (s->sweep, &s->journal),
                            0, &q, NULL);
    for (size_t i = 0; i < q.count; i++)
        if (!slurm_task_is_over (&q.task[i]))
            (void)strmap_intern (going, q.task[i].array,
                                 strlen (q.task[i].array), NULL);
    for (size_t i = 0; i < s->sweep->layout->chunks; i++) {
        const char *job = s->journal.job[i];

        if (job &&
            (wave_has (s, i) || strmap_find (going, job, strlen (job)) >= 0))
            list =
                arena_format (s->arena, "%s%s%s", list, *list ? ":" : "", job);
    }
    strmap_destroy (going);
    slurm_queue_free (&q);
    return list;
}

const char *wave_jobs (const struct submission *s)
{
    const char *list = "";

    for (size_t i = 0; i < s->sweep->layout->chunks; i++)
        if (wave_has (s, i))
            list = arena_format (s->arena, "%s%s%s", list, *list ? "," : "",
                                 s->journal.job[i]);
    return list;
}

/* Are we in that job ourselves? */
int wave_is_own_job (const char *job)
{
    const char *own = getenv ("SLURM_JOB_ID");

    return own && !strcmp (own, job);
}

/* The one that waits for the arrays of before would make tables too early. */
static void drop_analysis (struct submission *s)
{
    const char *jobs[] = {s->journal.analysis, NULL};

    if (wave_is_own_job (s->journal.analysis))
        return;
    if (slurm_cancel (s->arena, jobs, 1, NULL) == 0)
        s->say (s->cookie, arena_format (s->arena,
                                         "analysis %s: cancelled if "
                                         "it was still waiting",
                                         s->journal.analysis));
}

/* No room below the limit for the job that goes on: give up an array. */
static int submit_analysis_make_room (struct submission *s)
{
    size_t last = s->sweep->layout->chunks, first = last;
    const char *jobs[2] = {NULL, NULL};

    for (size_t i = 0; i < s->sweep->layout->chunks; i++)
        if (wave_has (s, i)) {
            first = first == s->sweep->layout->chunks ? i : first;
            last = i;
        }
    if (last == s->sweep->layout->chunks ||
        (first == last && s->sweep->layout->chunk[last].count < 2))
        return wave_explain (s, "analysis");
    jobs[0] = s->journal.job[last];
    if (journal_add (s->sweep, s->err, "withdrawn", "array",
                     s->sweep->layout->chunk[last].name, "job", jobs[0],
                     NULL) < 0 ||
        slurm_cancel (s->arena, jobs, 0, s->err) < 0 ||
        journal_read (s->sweep, &s->journal, s->err) < 0)
        return -1;
    s->say (s->cookie,
            arena_format (s->arena,
                          "%s: job %s withdrawn: the analysis "
                          "needs its place below the limit",
                          s->sweep->layout->chunk[last].name, jobs[0]));
    if (first != last)
        return 0;
    if (wave_halve (s, last) < 0)
        return -1;
    return wave_submit_chunk (s, last) < 0 ? wave_explain (s, "analysis") : 0;
}

static int submit_analysis_once (struct submission *s)
{
    struct sweepdir *d = s->sweep;
    struct arena *a = s->arena;
    const char *what = arena_format (a, "analysis.%d", s->journal.analyses);
    const char *name = sweepdir_job_name (d, what), *job = NULL;
    int goes_on = d->spec->retry.on || wave_runs_to_come (s), rc = SLURM_TAKEN;
    const char **argv = batch_analysis_arguments (d, awaited (s));

    if (s->journal.analysis_intended == s->journal.analyses &&
        slurm_find (a, name, &job, s->err) < 0)
        return SLURM_FAILED;
    if (write_file (batch_script_path (d, "analysis"), 0755,
                    batch_analysis_script (d, name, argv, goes_on),
                    s->err) < 0 ||
        journal_add (d, s->err, "intent", "array", what, "job_name", name,
                     NULL) < 0)
        return SLURM_FAILED;
    if (!job)
        rc = slurm_submit (a, name, argv, &job, s->err);
    if (rc < 0)
        return rc;
    s->journal.analysis = job;
    s->say (s->cookie,
            arena_format (a, "analysis: job %s, after %s", job, wave_jobs (s)));
    return journal_add (d, s->err, "analysis", "job", job, "goes_on",
                        goes_on ? "1" : "0", "round",
                        arena_format (a, "%d", d->rounds - 1), NULL) < 0
               ? SLURM_FAILED
               : SLURM_TAKEN;
}

int wave_submit_analysis (struct submission *s)
{
    int rc;

    if (!s->journal.analysis_behind)
        return 0;
    if (s->journal.analysis)
        drop_analysis (s);
    while ((rc = submit_analysis_once (s)) == SLURM_LIMIT)
        if (submit_analysis_make_room (s) < 0)
            return -1;
    return rc == SLURM_FAILED ? wave_explain (s, "analysis") : rc < 0 ? -1 : 0;
}
