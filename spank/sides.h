/* SPDX-License-Identifier: MIT
 *
 * sides.h - what the plugin does, by where and when
 */
#pragma once

#include <sys/types.h>

#include "lib/settings/plan.h"
#include "spank/jobenv.h"
#include "spank/message.h"
#include "spank/spank_api.h"

/* --- options.c: what --dftrace said in this process --- */

/* The name under which Slurm exports a given option to job and steps. */
#define OPTION_ENVIRONMENT "SLURM_SPANK__SLURM_SPANK_OPTION_dftrace_dftrace"

/* Register --dftrace. Failures are logged; the option is then unknown. */
void options_register (spank_t sp);

/* The last one said; text NULL when nobody said anything. Valid until the
 * option is said again. */
struct plan_word options_word (void);

/* -- what sbatch, srun and salloc check before they submit -- */

/* Say what is wrong with SLURM_DFTRACE. 0, or -1, with which a `required`
 * plugin stops the command; an `optional` one lets the job run untraced. */
int submit_side_check (void);

/* --- task_side.c: from the settings to the environment of a task ---
 *
 * What becomes of a step is decided once, in slurmstepd. Its tasks are forks of
 * it, and do what is left in the task's own process, before it becomes the
 * user's program.
 */

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

/* --- stage_side.c: shards staged on the node -> the job directory, in time ---
 *
 * A stage may lie in a /tmp that only the tasks of the job see, and that is
 * gone before any epilog. So the first task hands its stage as a descriptor to
 * slurmstepd, which collects when the last task has ended.
 */

/* -- shards staged on the node -> the job directory, in time -- */

/* In slurmstepd, before there are tasks. */
void stage_side_start (spank_t sp);

/* Before that, as root: how many jobs this one stands for (struct plan). */
void stage_side_set_weight (uint64_t jobs);

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
 * dirfd when that is no -1, for a few seconds at most. 1: there is a trace, in
 * few and small shards. */
int end_side_say (const struct message *message,
                  int dirfd,
                  uid_t uid,
                  gid_t gid);

/* In slurmstepd: before there are tasks of a step, and as each one has ended.
 * end_side_say writes the lines of those that failed. */
void end_side_start (void);
void end_side_task_ended (spank_t sp);

/* --- kernel_side.c: layer kernel of a step: root's recorder, the user's tasks
 * ---
 */

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

/* --- execdoor.c: the last word on a task's environment, after TaskProlog ---
 *
 * Slurm calls the plugin for a task, runs TaskProlog and what the user gave as
 * --task-prolog, takes their "export" and "unset" lines into the environment of
 * the task, and starts it. Nobody is called in between.
 */

/* The environment to start the task with: envp, or another one. */
typedef char *const *(*execdoor_fn) (char *const envp[]);

/* In the process that becomes a task: when it calls execve, fn is asked. Its
 * children, as TaskProlog, are not. Changes one pointer of this process's own
 * copy of slurmstepd, which ends with that execve. 0; -1 when slurmstepd does
 * not call execve by a pointer. */
int execdoor_open (execdoor_fn fn);

/* In slurmstepd, before there are tasks: find that pointer for all of them. A
 * task's copy would first have to get the pages of slurmstepd's tables. */
void execdoor_look (void);
