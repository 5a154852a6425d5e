/* SPDX-License-Identifier: MIT
 *
 * figgrid.h - a metric of a sweep as panels x rows x columns of cells
 */
#ifndef DFT_REPORT_FIGGRID_H
#define DFT_REPORT_FIGGRID_H

#include "analyze/report/study/roles.h"
#include "analyze/report/study/sweepdata.h"

struct figgrid {
    size_t nx, ny, panels, cells; /* at least 1 each; cells: their product */
    struct cell *cell;            /* (panel * ny + y) * nx + x */
    long *point;                  /* of a cell; -1 not in the sweep */
    const char **x, **y;          /* words of the levels */
    const char **inner;           /* of each cell its x word */
    const char **y_words;         /* "seq 512" */
    const char **group;           /* of each panel and y: "mmap, seq 512" */
    const char **panel;
    const char *x_name, *y_name; /* NULL without such an axis */
    const char *group_name;
    char **text; /* owned */
    size_t texts;
};

/* NULL when memory is short. Nothing of d may go before the grid. */
struct figgrid *figgrid_create (const struct sweepdata *d,
                                const struct axis_roles *roles,
                                const char *metric);
void figgrid_destroy (struct figgrid *g);

#endif
