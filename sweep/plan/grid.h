/* SPDX-License-Identifier: MIT
 *
 * grid.h - struct spec -> points; pure, no I/O
 */
#ifndef DFT_PLAN_GRID_H
#define DFT_PLAN_GRID_H

#include "lib/util/sha256.h"
#include "sweep/spec/spec.h"

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
    struct arena *arena;
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
void grid_destroy (struct grid *g);

#endif
