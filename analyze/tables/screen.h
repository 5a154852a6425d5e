/* SPDX-License-Identifier: MIT
 *
 * screen.h - one job -> what fits a terminal of 80 columns and 24 lines
 */
#ifndef DFT_ANALYZE_SCREEN_H
#define DFT_ANALYZE_SCREEN_H

#include <stdio.h>

#include "analyze/facts/summary.h"

/* Where the time went, what I/O costs, what could be saved. */
void screen_print (const struct result *r, FILE *out);

#endif
