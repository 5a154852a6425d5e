/* SPDX-License-Identifier: MIT
 *
 * show.h - what processes do now -> a page of text, or a line of JSON
 */
#ifndef DFT_TOP_SHOW_H
#define DFT_TOP_SHOW_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyze/top/live.h"

enum show_order {
#define SORT(NAME, HELP) SORT_##NAME,
#include "analyze/top/sorts.def"
#undef SORT
    SORT_COUNT
};

/* Word -> order, -1 unknown; order -> word; all words, commas between. */
int show_order_parse (const char *word);
const char *show_order_name (enum show_order order);
const char *show_order_words (void);

struct page {
    const char *title;
    enum show_order order;
    size_t rows; /* processes shown, 0 all */
    int columns; /* of the terminal; lines are cut there, 0 never */
    int utf8;    /* small charts may be drawn */
    uint64_t now_ns;
};

/* Busiest first, by page->order; those that ended come last. 0, or -1
 * (ENOMEM). */
int show_page (const struct live *l, const struct page *page, FILE *out);

/* {"time_s":…,"seconds":…,"total":{…},"processes":[…]} and a newline. */
void show_json (const struct live *l, const struct page *page, FILE *out);

#endif
