/* SPDX-License-Identifier: MIT
 *
 * taskenv.h - a plan -> directories, and the environment of a task
 *
 * As the user whose task it is.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/programkind.h"
#include "lib/settings/plan.h"

/* -- a plan -> directories, and the environment of a task -- */

/* The environment of the task. get: NULL and errno ENAMETOOLONG when the
 * variable is longer than TASKENV_LIST_MAX - 1. set: an empty environment
 * variable is not an unset one; value NULL unsets. -1 when it did not work. */
enum { TASKENV_LIST_MAX = 16384 };
struct taskenv {
    const char *(*get) (void *cookie, const char *name);
    int (*set) (void *cookie, const char *name, const char *value);
    void *cookie;
};

/* Results that the tasks of a step on this node share. */
struct taskenv_made {
    char stage[SETTING_TEXT_MAX]; /* of the step, or "" */
    char node[SETTING_TEXT_MAX];  /* see nodename.h, or "" */
    int python;                   /* its modules are there */
    char apart[SETTING_TEXT_MAX]; /* the job directory, where the plan's is that
                                     of another job; or "" */
    struct errtext err;
};

/* Look at the library, make the job directory and the stage. 0; -1 and
 * made->err, after start_timeout at the latest. */
int taskenv_make (const struct plan *p,
                  const struct jobinfo *job,
                  struct taskenv_made *made);

/* With what was made: compose the environment. -1 and err: then LD_PRELOAD is
 * as it was. */
int taskenv_compose (const struct taskenv *env,
                     const struct plan *p,
                     const struct jobinfo *job,
                     const struct taskenv_made *made,
                     struct errtext *err);

/* Add the library's directory and dir to the bind lists of Apptainer and
 * Singularity. -1: the environment did not take them. */
int taskenv_bind (const struct taskenv *env,
                  const char *preload,
                  const char *dir);

/* Both. */
int taskenv_trace (const struct taskenv *env,
                   const struct plan *p,
                   const struct jobinfo *job,
                   struct errtext *err);

/* Only say where the job directory is, and the settings: whoever starts
 * programs there may trace them as the plugin would. */
int taskenv_tell (const struct taskenv *env,
                  const struct plan *p,
                  const struct jobinfo *job);

/* The program that a task starts, as a path, and its kind; "": not known, or
 * the kernel will not start it. */
enum program_kind taskenv_program (const struct jobinfo *job,
                                   char path[PATH_MAX]);

/* Whatever the environment brought along must not trace this task. */
void taskenv_silence (const struct taskenv *env, const struct plan *p);

/* -- a plan -> the job directory of a task -- */

/* Make it, or one beside it where it is another job's (made->apart), and leave
 * the markers there; made->stage is known. 0, or -1 and made->err. */
int taskdir_make (const struct plan *p,
                  const struct jobinfo *job,
                  struct taskenv_made *made);

/* -- a step that may hang -> its result, or a deadline -- */

/* Run step (data) in a process of its own, which is no child of this one, with
 * /dev/null as its standard files and no other descriptor but that of `keep`,
 * if it is no -1, which is APART_KEPT there; what it changes in
 * the size bytes of data is here afterwards. Its result and errno; -1 with
 * ETIMEDOUT when it has not come back after ms milliseconds (then data is as it
 * was, and that process stays until it can go), or with the errno of fork.
 * shares: step neither allocates nor takes a lock of libc, so its process may
 * run in the memory of this one, which saves a copy; when its time is over it
 * is killed. Its stack is freed when this process ends or starts a program. */
enum { APART_KEPT = 4 };
int apart_run (int (*step) (void *data),
               void *data,
               size_t size,
               uint64_t ms,
               int shares,
               int keep);
