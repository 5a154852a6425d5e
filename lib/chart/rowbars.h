/* SPDX-License-Identifier: MIT
 *
 * rowbars.h - rows of bars, put together value by value
 */
#ifndef DFT_CHART_ROWBARS_H
#define DFT_CHART_ROWBARS_H

#include "lib/chart/chart.h"

enum { ROWBARS_PARTS_MAX = 8 };

struct rowbars;

/* Bars of so many parts, whose names stay the caller's. NULL: ENOMEM. */
struct rowbars *rowbars_create (size_t parts, const char *const *part);
void rowbars_destroy (struct rowbars *b); /* NULL is fine */

/* Begin a row; name is copied. 0, or -1 (ENOMEM). */
int rowbars_row (struct rowbars *b, const char *name);
/* The value of a part in the last row; NaN counts as 0. */
void rowbars_value (struct rowbars *b, size_t part, double value);

size_t rowbars_rows (const struct rowbars *b);
double rowbars_longest (const struct rowbars *b);

/* Draw them. full: the value at the right end, 0: the longest row. */
int rowbars_draw (FILE *out,
                  const struct chart *c,
                  const struct rowbars *b,
                  double full);

#endif
