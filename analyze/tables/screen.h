/* SPDX-License-Identifier: MIT
 *
 * screen.h - one job -> what fits a terminal of 80 columns and 24 lines
 */
#ifndef DFT_TABLES_SCREEN_H
#define DFT_TABLES_SCREEN_H

#include <stdint.h>
#include <stdio.h>

#include "analyze/facts/summary.h"

/* -- one job -> what fits a terminal of 80 columns and 24 lines -- */

/* Where the time went, what I/O costs, what could be saved. */
void screen_print (const struct result *r, FILE *out);

/* -- words -> a line of a terminal of 80 columns (for screen.c) -- */

enum { SCREEN_COLUMNS = 80 };

struct screen {
    FILE *out;
    int lines;
    char line[4 * SCREEN_COLUMNS + 1]; /* on its way */
};

/* Places that UTF-8 text takes. */
int screen_places (const char *text);

/* Add to the line what there is room for. */
__attribute__ ((format (printf, 2, 3))) void
screen_add (struct screen *s, const char *format, ...);

/* Add text, after blanks so that it ends at that column. */
void screen_add_right (struct screen *s, int column, const char *text);

/* Add words to a list; where they do not fit, on a line of their own. */
void screen_flow (struct screen *s, const char *words, int first);

void screen_end_line (struct screen *s);

/* "4 ranks, "; nothing for 0. */
void screen_put_count (struct screen *s,
                       uint64_t n,
                       const char *one,
                       const char *many);

/* The same as a line of its own where it does not fit, without its "; " at the
 * end of a line. */
void screen_put_loss (struct screen *s,
                      uint64_t n,
                      const char *one,
                      const char *many);

#endif
