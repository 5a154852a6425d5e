/* SPDX-License-Identifier: MIT
 *
 * sketch.h - times of a job -> bars and a map of blocks, for a terminal
 */
#ifndef DFT_ANALYZE_SKETCH_H
#define DFT_ANALYZE_SKETCH_H

#include <stdio.h>

#include "analyze/tables/groups.h"

/* Is standard output a terminal that shows UTF-8? */
int sketch_terminal (void);
int sketch_width (void); /* its columns, else 80 */

/* Draw the time of the job: a bar for each kind that has any. */
void sketch_times (const struct summary *s, FILE *out, int width);

/* One key: a bar for each group, as many as top (0: all). Two: a map, the
 * values of the first from top to bottom, those of the second from left to
 * right. Both of union times. More keys: nothing. 0, or -1 (ENOMEM). */
int sketch_groups (const struct query_answer *a,
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

#endif
