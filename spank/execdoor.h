/* SPDX-License-Identifier: MIT
 *
 * execdoor.h - the last word on a task's environment, after TaskProlog
 *
 * Slurm calls the plugin for a task, runs TaskProlog and what the user gave as
 * --task-prolog, takes their "export" and "unset" lines into the environment of
 * the task, and starts it. Nobody is called in between.
 */
#ifndef DFT_SPANK_EXECDOOR_H
#define DFT_SPANK_EXECDOOR_H

/* The environment to start the task with: envp, or another one. */
typedef char *const *(*execdoor_fn) (char *const envp[]);

/* In the process that becomes a task: when it calls execve, fn is asked. Its
 * children, as TaskProlog, are not. Changes one pointer of this process's own
 * copy of slurmstepd, which ends with that execve. 0; -1 when slurmstepd does
 * not call execve by a pointer. */
int execdoor_open (execdoor_fn fn);

#endif
