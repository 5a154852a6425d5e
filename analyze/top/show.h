/* SPDX-License-Identifier: MIT
 *
 * show.h - dftrace top: what processes do now, as text
 */
#pragma once

#include <stdio.h>

#include "analyze/top/live.h"

/* --- show.c: what processes do now -> a page of text, or a line of JSON --- */

/* Which processes come first; the key `s` goes through them in this order. */
enum show_order {
    SORT_io,    /* most time inside I/O calls */
    SORT_read,  /* most bytes read */
    SORT_write, /* most bytes written */
    SORT_calls, /* most calls */
    SORT_stall, /* most time waiting for data */
    SORT_idle,  /* longest without an event */
    SORT_pid,   /* by process id */
    SORT_COUNT
};

/* Word -> order, -1 unknown. */
int show_order_parse (const char *word);

struct page {
    const char *title;
    enum show_order order;
    size_t rows; /* processes shown, 0 all */
    int columns; /* of the terminal; lines are cut there, 0 never */
    int utf8;    /* small charts may be drawn */
    uint64_t now_ns;
};

/* Busiest first, by page->order; those that ended come last. */
void show_page (const struct live *l, const struct page *page, FILE *out);

/* {"time_s":…,"seconds":…,"total":{…},"processes":[…]} and a newline. */
void show_json (const struct live *l, const struct page *page, FILE *out);

/* -- the terminal while a page is kept up to date on it -- */

/* From now on SIGINT, SIGTERM and SIGHUP end screen_wait instead of the
 * program. draw: also take the terminal (its other screen, no echo), when
 * standard output and standard input are one; else screen_on () is 0. One at a
 * time; not thread safe. */
void screen_begin (int draw);
void screen_end (void);
int screen_on (void);

/* Rows and columns, 24 and 80 when not known. */
void screen_size (int *rows, int *columns);

/* Show text from the top left corner; the rest becomes blank. */
void screen_show (const char *text);

enum screen_key { SCREEN_KEY_NONE, SCREEN_KEY_QUIT, SCREEN_KEY_SORT };

/* Wait ns nanoseconds, or until a key that means something. */
enum screen_key screen_wait (uint64_t ns);
