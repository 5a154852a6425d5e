/* SPDX-License-Identifier: MIT
 *
 * stage_side.h - shards staged on the node -> the job directory, in time
 *
 * A stage may lie in a /tmp that only the tasks of the job see, and that is
 * gone before any epilog. So the first task hands its stage as a descriptor to
 * slurmstepd, which collects when the last task has ended.
 */
#ifndef DFT_SPANK_STAGE_SIDE_H
#define DFT_SPANK_STAGE_SIDE_H

#include <sys/types.h>

#include "lib/settings/plan.h"
#include "spank/jobenv.h"
#include "spank/letter.h"
#include "spank/spank_api.h"

/* -- shards staged on the node -> the job directory, in time -- */

/* In slurmstepd, before there are tasks. */
void stage_side_start (spank_t sp);

/* Before that, as root: how many jobs this one stands for (struct plan). */
void stage_side_weigh (uint64_t jobs);

/* In the first task of the step, as root: until its stage is collected, the
 * job's marker is held. */
void stage_side_hold (const struct jobenv *job);

/* In the first task, as the user, when its directories are made: what
 * slurmstepd has to know of them. */
void stage_side_send (spank_t sp,
                      const struct plan *p,
                      const struct jobenv *job);

/* In slurmstepd, as root, for each task: after the last one, collect, and say
 * why there is no trace. Takes at most epilog_timeout, once for a step. */
void stage_side_task_ended (spank_t sp);

/* In slurmstepd, as root. With the extern step the job's own /tmp goes, and
 * before Slurm 24.05 that may be first of all: wait for the others. */
void stage_side_step_ended (spank_t sp);

/* -- a job that left no trace -> one line of its output, why -- */

/* In slurmstepd, as root, when the last task of the step here has ended and
 * its stage is collected. Looks into the job directory as the user, through
 * dirfd when that is no -1, for a few seconds at most. */
void end_side_say (const struct letter *letter,
                   int dirfd,
                   uid_t uid,
                   gid_t gid);

/* In slurmstepd: before there are tasks of a step, and as each one has ended.
 * end_side_say writes the lines of those that failed. */
void end_side_start (void);
void end_side_task_ended (spank_t sp);

#endif
