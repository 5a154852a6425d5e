/* SPDX-License-Identifier: MIT
 *
 * grid_work.h - what the parts of the expansion share
 */
#ifndef DFT_SWEEP_GRID_WORK_H
#define DFT_SWEEP_GRID_WORK_H

#include "sweep/plan/grid.h"

struct expansion {
    const struct spec *spec;
    struct grid *grid;
    struct errtext *err;
};

/* -1 and err at the node, with the point's axes. */
int grid_fail_at (const struct expansion *x,
                  const struct ynode *n,
                  const struct value *column,
                  const char *key,
                  const char *problem);

/* Of one point; -1 and err where they can fail. */
void grid_point_digest (const struct expansion *x, struct point *p);
int grid_give_label (const struct expansion *x, struct point *p);
int grid_give_env (const struct expansion *x, struct point *p);
int grid_give_options (const struct expansion *x, struct point *p);
int grid_give_data (const struct expansion *x, struct point *p);
int grid_give_trace (const struct expansion *x, struct point *p);
/* place is that in the grid before exclusions. */
int grid_give_task_id (const struct expansion *x,
                       struct point *p,
                       size_t place);
int grid_give_limits (const struct expansion *x, struct point *p);

/* Is a condition of the sweep file true at a point; key is for the message. */
int grid_condition (const struct expansion *x,
                    const struct named_expr *c,
                    const char *key,
                    const struct value *column,
                    int *truth);

/* Of all points. */
int grid_give_ids (const struct expansion *x);
int grid_labels_are_unique (const struct expansion *x);
void grid_give_groups (const struct expansion *x);

#endif
