/* SPDX-License-Identifier: MIT
 *
 * runner_work.h - what the parts of a run share
 */
#ifndef DFT_SWEEP_RUNNER_WORK_H
#define DFT_SWEEP_RUNNER_WORK_H

#include <stdio.h>

#include "sweep/run/runner.h"
#include "sweep/run/runstatus.h"

struct runner {
    const struct sweepdir *sweep;
    struct arena *arena;
    const struct point *point;
    struct run run;
    const char *array;  /* "" without Slurm */
    const char *layers; /* NULL: not traced, by file or as control */
    int attempt;
    const char *path; /* of the attempt */
    struct runstatus status;
    struct errtext *err;
};

struct variables {
    struct arena *arena;
    const char **name, **value; /* value NULL: unset */
    size_t count;
};

/* "ATTEMPT/NAME" */
const char *runner_in (const struct runner *x, const char *name);

/* The job directory of a traced run, unless steps of srun alone are traced,
 * for which the plugin makes it. -1 and x->err. */
int runner_trace_make (const struct runner *x);

/* Lines of ATTEMPT/script that start the tracer, between setup and run. -1 and
 * x->err. */
int runner_trace_write (const struct runner *x, FILE *out);

/* After a traced run: what became of its trace; why in x->status. */
enum trace_state runner_trace_check (struct runner *x);

void variables_set (struct variables *v, const char *name, const char *value);

/* What a run has besides the variables of its point. */
void runner_variables (const struct runner *x, struct variables *v);

/* ATTEMPT/env, ATTEMPT/script and ATTEMPT/teardown; -1 and x->err. */
int runner_write_env (const struct runner *x, const struct variables *v);
int runner_write_script (const struct runner *x);

/* bash ATTEMPT/SCRIPT with these variables, its output into the files of the
 * attempt. Signals go on to it; the last is x->status.caught. *status as of
 * waitpid; -1 and x->err when it could not be started. */
int runner_bash (struct runner *x,
                 const struct variables *v,
                 const char *script,
                 int append,
                 int *status);

#endif
