/* SPDX-License-Identifier: MIT
 *
 * task_side.h - from the settings to the environment of a task
 *
 * What becomes of a step is decided once, in slurmstepd. Its tasks are forks of
 * it, and do what is left in the task's own process, before it becomes the
 * user's program.
 */
#ifndef DFT_SPANK_TASK_SIDE_H
#define DFT_SPANK_TASK_SIDE_H

#include "lib/settings/plan.h"
#include "spank/jobenv.h"
#include "spank/spank_api.h"

/* In slurmstepd, as root, first of all: a step from outside joins its job. */
void task_side_join (spank_t sp);

/* In slurmstepd, after that: what becomes of the tasks of this step, as far as
 * it is known by then; and who they are of. Until the next of these calls. */
const struct plan *task_side_plan (spank_t sp, const struct jobenv **of);

/* In slurmstepd, as the user, before there are tasks: decide for all of them.
 */
void task_side_begin (spank_t sp);

/* In a task, as root: tell this node's epilog. */
void task_side_prepare (spank_t sp);

/* As the user: make the job directory, compose the environment. 0; with the
 * layer `strict` a task that cannot be traced does not return. */
int task_side_start (spank_t sp);

#endif
