/* SPDX-License-Identifier: MIT
 *
 * screen.h - one job -> what fits a terminal of 24 lines and any width
 */
#pragma once

#include <stdio.h>

#include "analyze/facts/failure.h"
#include "analyze/facts/summary.h"

/* -- one job -> what fits a terminal of 24 lines -- */

/* Print where the time went, what I/O costs, what could be saved. */
void screen_print (const struct result *r, FILE *out);

/* -- words -> a line of a terminal (for screen.c) -- */

enum {
    SCREEN_COLUMNS = 80, /* where no terminal says another number */
    SCREEN_COLUMNS_LEAST = 40,
    SCREEN_COLUMNS_MOST = 200,
    SCREEN_LINES = 24,
    SCREEN_KEPT = 96, /* lines; what comes after them is dropped */
    SCREEN_BYTES = 4 * SCREEN_COLUMNS_MOST + 1
};

/* A screen that is too long drops the lines of the last one first. */
enum screen_keep {
    KEEP_ALWAYS,
    KEEP_REMEDY,
    KEEP_WARNING,
    KEEP_ADVICE,
    KEEP_NOTE
};

struct screen {
    FILE *out;
    int columns;
    enum screen_keep keep; /* of the lines that end now */
    size_t found;          /* findings with a line of their own */
    enum failed failed;    /* what the line of the failure says */
    int lines;
    struct screen_line {
        enum screen_keep keep;
        char text[SCREEN_BYTES];
    } kept[SCREEN_KEPT];
    char line[SCREEN_BYTES]; /* on its way */
};

/* Add to the line what there is room for. */
__attribute__ ((format (printf, 2, 3))) void
screen_add (struct screen *s, const char *format, ...);

/* Add that, and end the line. */
__attribute__ ((format (printf, 2, 3))) void
screen_line (struct screen *s, const char *format, ...);

/* Add words to a list; where they do not fit, on a line of their own. */
void screen_flow (struct screen *s, const char *words, int first);

void screen_end_line (struct screen *s);

/* The line about the kernel's count of bytes: viewcoverage.c. */
enum { COVERAGE_WORDS = 128 };

/* "1.5 MB read, 83.1 % recorded, rest 0.0 %"; c is known. Returns text. */
char *
coverage_words (char text[COVERAGE_WORDS], const struct coverage *c, int side);

/* Nothing where the kernel's count of no process is known. */
void screencoverage_put (struct screen *s, const struct result *r);
