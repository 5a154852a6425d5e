/* SPDX-License-Identifier: MIT
 *
 * viewrows.h - the tables of ranks, processes, kinds and files' health
 *              (private to views.c)
 */
#ifndef DFT_ANALYZE_VIEWROWS_H
#define DFT_ANALYZE_VIEWROWS_H

#include "analyze/render/views.h"

/* Columns and rows; top as in view_make. */
void fill_percentile (struct textable *t, const struct result *r, size_t top);
void fill_health (struct textable *t, const struct result *r, size_t top);
void fill_point (struct textable *t, const struct result *r, size_t top);
void fill_insight (struct textable *t, const struct result *r, size_t top);
void fill_rank (struct textable *t, const struct result *r, size_t top);
void fill_process (struct textable *t, const struct result *r, size_t top);
void fill_sum (struct textable *t, const struct result *r, size_t top);
void fill_kind (struct textable *t, const struct result *r, size_t top);

#endif
