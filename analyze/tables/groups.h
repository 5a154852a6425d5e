/* SPDX-License-Identifier: MIT
 *
 * groups.h - answers about groups of events, as tables and as sketches for a
 * terminal
 */
#pragma once

#include <stdio.h>

#include "analyze/query/show.h"
#include "analyze/tables/views.h"

/* --- groups.c: events grouped by keys: --by, --view KEY, with --show and
 * --sort ---
 */

/* Read the events of a job again and group them. Return 0, or -1 with err; the
 * answer is then empty. */
int groups_answer (struct query_answer *a,
                   const struct query *q,
                   const struct result *r,
                   const struct kind_rules *rules,
                   int threads,
                   struct errtext *err);

/* Add the columns of the keys and measures; without --show (items 0) ten usual
 * ones. */
void groups_columns (struct textable *t,
                     const struct query *q,
                     const struct show *s);

/* Add at most top rows (0: all), sorted by --sort, else by the keys that are
 * numbers and the first measure (usual columns: the time), with `by_measure`
 * by the measure only. */
void groups_rows (struct textable *t,
                  const struct query *q,
                  const struct show *s,
                  const struct query_answer *a,
                  int by_measure,
                  size_t top);

/* --- sketch.c: times of a job -> bars and a map of blocks, for a terminal ---
 */

/* Is standard output a terminal that shows UTF-8? */
int sketch_terminal (void);
int sketch_width (void); /* its columns, else 80 */

/* Draw the time of the job: a bar for each kind that has any. */
void sketch_times (const struct summary *s, FILE *out, int width);

/* One key: a bar for each group, as many as top (0: all). Two: a map, the
 * values of the first from top to bottom, those of the second from left to
 * right. Both of union times. More keys: nothing. */
void sketch_groups (const struct query_answer *a,
                    const struct query *q,
                    FILE *out,
                    int width,
                    size_t top);

/* Time in I/O calls by rank and time; nothing for traces that are long to read
 * again. 0, or -1 with err. */
int sketch_ranks (const struct result *r,
                  const struct kind_rules *rules,
                  int threads,
                  FILE *out,
                  int width,
                  struct errtext *err);
