/* SPDX-License-Identifier: MIT
 *
 * screencoverage.h - the kernel's count of a job, and what is recorded of it
 *                    (for screen.c)
 */
#ifndef DFT_ANALYZE_SCREENCOVERAGE_H
#define DFT_ANALYZE_SCREENCOVERAGE_H

#include "analyze/derive/summary.h"
#include "analyze/render/screenline.h"

/* Nothing where the kernel's count of no process is known. */
void screencoverage_put (struct screen *s, const struct result *r);

#endif
