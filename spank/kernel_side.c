/* SPDX-License-Identifier: MIT
 *
 * kernel_side.c - slurmstepd, its tasks -> dftrace-kernel
 *
 * In:  the site's `kernel`, the plan of the step
 * Out: a child of slurmstepd that is the user, follows the tasks that ask for
 *      it, and writes into a directory that a task has opened
 * Caveat: slurmstepd may wait for any of its children, this one, too.
 */
#include "config.h"

#include "lib/settings/kernelside.h"
#include "lib/format/calls.h"
#include "lib/settings/nodename.h"
#include "spank/sides.h"
#include "spank/message.h"
#include "spank/jobenv.h"

enum { END_MS = 5000 };

/* Recorder of this step; the tasks have a copy. */
static struct kernelside recorder;
static struct errtext refused; /* why there is none */
static uint32_t tasks_ended;

static int kernel_side_load (const struct plan *plan, const struct jobenv *job)
{
    static struct settings s;
    char text[SETTING_TEXT_MAX], user[64];

    s = plan->settings;
    snprintf (user, sizeof (user), "%u:%u", (unsigned)job->info.uid,
              (unsigned)job->gid);
    if (settings_set (&s, "job_dir", plan->dir, &refused) < 0 ||
        settings_set (&s, "node", nodename_describe (job->host, text),
                      &refused) < 0)
        return -1;
    return kernelside_start (&recorder, site_now ()->recorder, &s, user,
                             &refused);
}

void kernel_side_start (spank_t sp)
{
    const struct jobenv *job;
    const struct plan *plan;

    tasks_ended = 0;
    if (!site_now ()->kernel || geteuid () != 0)
        return;
    plan = task_side_plan (sp, &job);
    if (plan->decision != DECIDED_TRACE ||
        !(plan->settings.layers & LAYER_KERNEL))
        return;
    if (kernel_side_load (plan, job) < 0 || refused.text[0])
        say (SAY_LOG, "%s", refused.text);
}

void kernel_side_settle (struct plan *plan)
{
    if (!recorder.pid)
        plan_without_kernel (plan, refused.text[0]
                                       ? refused.text
                                       : "layer kernel: there is no recorder");
}

void kernel_side_follow (const struct plan *plan, const struct jobenv *job)
{
    char path[SETTING_TEXT_MAX + 16], stage[SETTING_TEXT_MAX];
    int dir;

    if (!recorder.pid || plan_step_stage (plan, &job->info, stage) < 0)
        return;
    snprintf (path, sizeof (path), "%s/shards", stage[0] ? stage : plan->dir);
    dir = open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0 || kernelside_place (&recorder, dir) < 0)
        say (SAY_USER, "%s: layer kernel: %s: %s: what it records is lost",
             job->host, path, strerror (errno));
    if (dir >= 0)
        close (dir);
    kernelside_follow ();
}

void kernel_side_end (void)
{
    struct errtext err;

    if (kernelside_end (&recorder, END_MS, &err) < 0)
        say (SAY_USER, "%s", err.text);
}

void kernel_side_task_ended (spank_t sp)
{
    uint32_t tasks = 0;

    if (spank_get_item (sp, S_JOB_LOCAL_TASK_COUNT, &tasks) == ESPANK_SUCCESS &&
        ++tasks_ended >= tasks)
        kernel_side_end ();
}
