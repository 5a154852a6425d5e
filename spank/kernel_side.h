/* SPDX-License-Identifier: MIT
 *
 * kernel_side.h - layer kernel of a step: root's recorder, the user's tasks
 */
#ifndef DFT_SPANK_KERNEL_SIDE_H
#define DFT_SPANK_KERNEL_SIDE_H

#include "lib/settings/plan.h"
#include "spank/jobenv.h"
#include "spank/spank_api.h"

/* In slurmstepd, as root, before there are tasks: where the site has `kernel`
 * and this step asks for it, a recorder is started; waits until it records. */
void kernel_side_start (spank_t sp);

/* In a task: without a recorder the layer is taken out of the plan, which says
 * why; strict: that fails the plan. */
void kernel_side_settle (struct plan *plan);

/* In a task, as the user, last of all: from now on it is recorded, into the
 * directory that it has just made. */
void kernel_side_follow (const struct plan *plan, const struct jobenv *job);

/* In slurmstepd, as root, for each task; and at the end of the step: after the
 * last one the trace is complete. */
void kernel_side_task_ended (spank_t sp);
void kernel_side_end (void);

#endif
