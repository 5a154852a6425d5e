/* SPDX-License-Identifier: MIT
 *
 * program.h - this program's own path; other programs, run and listened to
 */
#pragma once

#include "lib/base/text.h"
#include "lib/util/xalloc.h"

/* Absolute path of the dftrace command as another process can start it: for
 * libtool's .libs/lt-dftrace it is the wrapper. */
const char *program_self (void);

/* Absolute path of the preload library: DFTRACE_PRELOAD, the build tree's
 * beside the program, or the installed one. The command ends when none is
 * there. */
const char *program_preload (void);

/* The directory for PYTHONPATH, found in the same ways, or NULL. */
const char *program_python (void);

struct program_result {
    int status; /* of waitpid */
    int timed_out;
    char *out; /* standard output and error, NUL-terminated, at most 16 MiB */
    char *errors;
};

/* Run argv[0] from PATH, without a shell, with standard input from /dev/null.
 * 0 when it ran (whatever its end), -1 and err when it could not be started.
 * The texts are in a's memory. */
int program_run (const char *const *argv,
                 char *const envp[],
                 int timeout_s,
                 struct program_result *r,
                 struct errtext *err);

/* Run argv as a query (program_environment (1)): its standard output; NULL and
 * err ("NAME: what it said") when it does not end with status 0 in time. */
const char *
program_output (const char *const *argv, int timeout_s, struct errtext *err);

/* True when it ended by itself with status 0. */
int program_succeeded (const struct program_result *r);

/* The first line of what it said on standard error, for messages. */
const char *program_complaint (const struct program_result *r);

/* The environment without what a surrounding job or test left there: SBATCH_*
 * SLURM_* SLURMD_* SRUN_* PMI* SQUEUE_* SACCT_* SCONTROL_* and our own point
 * variables; SLURM_CONF stays. With query, LC_ALL=C and times in seconds. */
char **program_environment (int query);

/* As program_environment without query, with PLAN_SWEEP set to name: for a job
 * of a sweep. */
char **program_environment_of (const char *name);

/* 'text' for bash. */
const char *shell_quote (const char *text);
