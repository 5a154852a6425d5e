/* SPDX-License-Identifier: MIT
 *
 * viewphases.h - tables of start, training and checkpoints (for views.c)
 */
#ifndef DFT_ANALYZE_VIEWPHASES_H
#define DFT_ANALYZE_VIEWPHASES_H

#include "analyze/render/views.h"

void fill_clock (struct textable *t, const struct result *r, size_t top);
void fill_gap (struct textable *t, const struct result *r, size_t top);
void fill_startup (struct textable *t, const struct result *r, size_t top);
void fill_checkpoint (struct textable *t, const struct result *r, size_t top);
void fill_checkpointkind (struct textable *t,
                          const struct result *r,
                          size_t top);

#endif
