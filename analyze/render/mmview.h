/* SPDX-License-Identifier: MIT
 *
 * mmview.h - layer mmap -> tables of files, regions, processes, times
 */
#ifndef DFT_ANALYZE_MMVIEW_H
#define DFT_ANALYZE_MMVIEW_H

#include "analyze/render/views.h"

void fill_mapping (struct textable *t, const struct result *r, size_t top);
void fill_fault (struct textable *t, const struct result *r, size_t top);
void fill_worker (struct textable *t, const struct result *r, size_t top);
void fill_faulttime (struct textable *t, const struct result *r, size_t top);

/* Words for a sum of enum mm_source, and why some are missing. Returns buf. */
const char *mm_sources_text (const struct mm_process *p, char *buf, size_t n);

#endif
