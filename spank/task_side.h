/* SPDX-License-Identifier: MIT
 *
 * task_side.h - from the settings to the environment of a task
 *
 * Both run in the task's own process, before it becomes the user's program.
 */
#ifndef DFT_SPANK_TASK_SIDE_H
#define DFT_SPANK_TASK_SIDE_H

#include "spank/spank_api.h"

/* As root: decide, and tell this node's epilog. */
void task_side_prepare (spank_t sp);

/* As the user: make the job directory, compose the environment. 0; with the
 * layer `strict` a task that cannot be traced does not return. */
int task_side_start (spank_t sp);

#endif
