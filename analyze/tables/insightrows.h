/* SPDX-License-Identifier: MIT
 *
 * insightrows.h - a finding -> the rows of its view that it came from
 */
#ifndef DFT_ANALYZE_INSIGHTROWS_H
#define DFT_ANALYZE_INSIGHTROWS_H

#include "analyze/facts/insight.h"
#include "analyze/tables/views.h"

enum { INSIGHT_ROWS_MAX = 3 };

struct insight_rows {
    size_t count;
    size_t row[INSIGHT_ROWS_MAX]; /* of the whole view, from 1 */
    char *name[INSIGHT_ROWS_MAX]; /* what a reader calls it; owned */
};

/* 0, or -1 (ENOMEM). */
int insight_rows (struct insight_rows *rows,
                  enum insight i,
                  const struct result *r);
void insight_rows_clear (struct insight_rows *rows);

#endif
