/* SPDX-License-Identifier: MIT
 *
 * treetable.h - a call tree -> rows, folded stacks, speedscope's JSON
 */
#pragma once

#include "analyze/query/calltree.h"
#include "lib/util/textable.h"

/* `indented` for people: names are moved to the right; else a column has the
 * path. Rows of less than `least` of all time (0 … 1) are left out, and all
 * but the first `top` (0: all). */
void treetable_columns (struct textable *t, int indented);
void treetable_rows (struct textable *t,
                     const struct calltree *tree,
                     int indented,
                     double least,
                     size_t top);

/* A line for each path: "a;b;POSIX/read 1200", ns of its own, as flamegraph.pl
 * and its relatives read them. Errors of writing stay in
 * out. */
void treetable_folded (FILE *out, const struct calltree *tree);
/* Print the tree as a file that speedscope opens. */
void treetable_speedscope (FILE *out,
                           const struct calltree *tree,
                           const char *title);
