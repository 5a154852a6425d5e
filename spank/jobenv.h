/* SPDX-License-Identifier: MIT
 *
 * jobenv.h - what slurmstepd knows of a step -> struct jobinfo
 */
#pragma once

#include "lib/settings/jobdir.h"
#include "lib/settings/marker.h"
#include "lib/settings/plan.h"
#include "lib/settings/site.h"
#include "spank/spank_api.h"

/* -- what slurmstepd knows of a step -> struct jobinfo -- */

struct jobenv {
    enum step_kind step;
    uint32_t own_id; /* of this job or het component: the epilog's id */
    gid_t gid;
    int local_task; /* on this node, from 0 */
    struct jobinfo info;
    char job_name[JOBDIR_NAME_MAX];
    char user[JOBDIR_NAME_MAX];
    char host[JOBDIR_NAME_MAX];
    char point[JOBDIR_NAME_MAX];
    char partition[JOBDIR_NAME_MAX];
    char account[JOBDIR_NAME_MAX];
    char home[SETTING_TEXT_MAX];
    char workdir[SETTING_TEXT_MAX];
    char nodelist[SETTING_TEXT_MAX];
    char program[SETTING_TEXT_MAX];
    char path[SETTING_TEXT_MAX];
    char script[SETTING_TEXT_MAX];
};

/* In slurmstepd, before there are tasks: it is in the job's working directory,
 * as the user, with his groups. */
void jobenv_start (spank_t sp);

/* Return the groups of the job as Slurm knows them; empty if it did not tell.
 */
const struct marker_groups *jobenv_groups (void);

/* Fill e, whose info points into it. Before there are tasks, or in task_init.
 */
void jobenv_read (spank_t sp, struct jobenv *e);

/* Return the number of this task on this node, from 0. */
int jobenv_local_task (spank_t sp);

/* Value of a variable of the task, or NULL when it is unset (errno 0) or
 * longer than size - 1 (ENAMETOOLONG). */
const char *jobenv_get (spank_t sp, const char *name, char *buf, size_t size);

/* -- a directory -> does it go with the job's private /tmp -- */

/* In the task: say so when the job directory lies on a mount that
 * job_container/tmpfs made for this job, which removes it at its end. known:
 * the directory that the job has heard of before, or NULL. */
void privatetmp_tell (const char *dir,
                      const struct jobenv *job,
                      const char *known);

/* -- the site's settings in this process -- */

/* From the arguments of the plugin and the file. */
void site_start (int ac, char **av);

/* Log what was bad, for the admin. */
void site_complain (void);

/* Valid after site_start. */
const struct site *site_now (void);
