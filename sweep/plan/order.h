/* SPDX-License-Identifier: MIT
 *
 * order.h - runs of a sweep: the grid of its axes, and their order
 */
#pragma once

#include "lib/util/sha256.h"
#include "sweep/spec/spec.h"

/* --- grid.c: struct spec -> points; pure, no I/O --- */

enum { LABEL_MAX = 80 }; /* bytes */

/* A variable of the task (NULL: unset) or an option of sbatch (NULL: bare). */
struct name_text {
    const char *name, *text;
};

/* The bounds of a check at a point: low <= mean <= high. */
struct point_limit {
    int applies;
    double low, high; /* -INFINITY, INFINITY: none */
};

struct point {
    const struct value *column; /* per spec->column */
    char digest[SHA256_HEX + 1];
    const char *id; /* first digits of digest, unique in the grid */
    const char *label;
    struct name_text *env; /* per spec->env */
    struct name_text *option;
    size_t options;
    const char **data;   /* per spec->data */
    const char *task_id; /* SLURM_ARRAY_TASK_ID of its runs; NULL: Slurm's */
    const char *trace;   /* "posix,max_bytes=1G"; NULL: not traced */
    struct point_limit *limit; /* per spec->check */
    int control;               /* its runs have an untraced control */
    int group; /* points of one group have the same options and tracing */
};

struct grid {
    struct point *point;
    size_t count;
    size_t product;  /* before exclusions, without extra points */
    size_t *dropped; /* per spec->exclude */
    size_t excluded; /* sum of the above */
    int groups;
};

/* The spec must outlive the grid. NULL and err ("FILE:LINE:COLUMN: …", with
 * the point's values) on failure. */
struct grid *grid_expand (const struct spec *s, struct errtext *err);

/* --- order.c: points -> runs in the order they are to run -> arrays; pure ---
 */

struct run {
    int point; /* index in the grid */
    int repeat;
    int control; /* the untraced control of the run */
};

/* One job array: what fits one sbatch. Task i of it does run[i]. */
struct chunk {
    char name[48]; /* "g0.0": group, chunk of the group; "a1.g0.0" */
    int group;
    int round; /* 0: submit; then one per resume or extend */
    int count;
    const struct run *run;
    const size_t *position; /* per task: of the run in its round's order */
    int throttle;           /* %N of --array; 0: none */
    int after;              /* index of the chunk that must end first, or -1 */
    double grow_time, grow_mem; /* factors of --time and --mem; 0: none */
    const char *nodes;          /* it must have these; NULL: any */
};

struct layout {
    struct run *run; /* all, in order over the whole sweep */
    size_t runs;
    struct chunk *chunk;
    size_t chunks;
};

/* Out of a's memory. max_tasks is the most tasks of one array, at least 1. */
struct layout *
layout_make (const struct spec *s, const struct grid *g, int max_tasks);

/* Some of the runs, in the order of the sweep. */
struct round_runs {
    const struct run *run;
    size_t runs;
    const char *const *nodes; /* per run: the nodes it must have, NULL: any; or
                                 NULL. Runs of different nodes get chunks of
                                 their own */
    int max_tasks, round;
};

/* As layout_make, for the chunks of another round. */
struct layout *layout_of_runs (const struct spec *s,
                               const struct grid *g,
                               const struct round_runs *r);

/* Jobs that a chunk is to Slurm. */
int chunk_jobs (const struct chunk *c, enum sweep_mode mode);

/* In how many waves the chunks go when at most `wave` jobs (0: any number)
 * may be in Slurm at a time. */
size_t layout_waves (const struct layout *l, enum sweep_mode mode, int wave);

/* Does the run have an untraced control in its own task? And one at all? */
int run_has_paired (const struct spec *s, const struct grid *g, struct run r);
int run_has_control (const struct spec *s, const struct grid *g, struct run r);

/* With a control: does the control go first? By a seeded coin. */
int run_control_first (const struct spec *s,
                       const struct grid *g,
                       struct run r);

/* "3f9a1c02.r0"; its control "3f9a1c02.r0c" */
const char *run_id (const struct grid *g, struct run r);

/* SplitMix64: the next number, and a number below n (n > 0). */
uint64_t splitmix64 (uint64_t *state);
uint64_t splitmix64_below (uint64_t *state, uint64_t n);

/* Seeds a run gets: of its own, and of its repeat (equal over all points). */
uint64_t seed_of_run (const struct spec *s, const struct point *p, int repeat);
uint64_t seed_of_repeat (const struct spec *s, int repeat);
