/* SPDX-License-Identifier: MIT
 *
 * screencoverage.h - the kernel's count of a job, and what is recorded of it
 *                    (for screen.c and the page of a job)
 */
#ifndef DFT_ANALYZE_SCREENCOVERAGE_H
#define DFT_ANALYZE_SCREENCOVERAGE_H

#include "analyze/facts/summary.h"
#include "analyze/tables/screen.h"

enum { COVERAGE_WORDS = 128 };

/* "1.5 MB read, 83.1 % recorded, rest 0.0 %"; c is known. Returns text. */
char *
coverage_words (char text[COVERAGE_WORDS], const struct coverage *c, int side);

/* Nothing where the kernel's count of no process is known. */
void screencoverage_put (struct screen *s, const struct result *r);

#endif
