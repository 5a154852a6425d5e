/* SPDX-License-Identifier: MIT
 *
 * views.h - totals of a job -> the tables of views.def
 */
#pragma once

#include "analyze/facts/metrics.h"
#include "analyze/scan/tally.h"
#include "lib/model/view.h"
#include "lib/util/textable.h"

/* -- totals of a job -> the tables of views.def -- */

/* Return 1 if --view all shows the view for this job: column "shown" of
 * views.def. */
int view_is_shown (const struct result *r, enum view v);

/* A new table, to be destroyed by the caller; at most top rows where rows are
 * sorted by weight (0: all). */
struct textable *view_make (const struct result *r, enum view v, size_t top);

/* As view_make, but the rows behind the first `keep` are only counted
 * (textable_left); 0: all are kept. */
struct textable *
view_make_first (const struct result *r, enum view v, size_t keep);

/* Add findings to a new table of VIEW_insight; rows[i]: where the i-th one came
 * from, to be cleared. */
struct finding;
struct insight_rows;
void view_findings (struct textable *t,
                    const struct result *r,
                    const struct finding *found,
                    size_t n,
                    struct insight_rows *rows);

/* One row per job: label, then the study metrics or all of them. */
struct textable *study_make (int all);
void study_row (struct textable *t, const struct result *r, int all);

/* -- cells and the order of rows, for the tables of views.def -- */

/* The rows of each view, under columns that are there: fill_health (), … top
 * is that of view_make. */
#define VIEW(WORD, FILE, HEADING, SHOWN, HELP) \
    void fill_##WORD (struct textable *t, const struct result *r, size_t top);
#include "lib/model/views.def"
#undef VIEW

/* An item of a map: its key, the text behind the first NUL of the key, and its
 * value. */
struct view_item {
    const char *key, *second;
    size_t length; /* of all of the key */
    const void *value;
    int kind; /* that of struct view_map */
};

/* Put a row of an item; return 1 if it counts as one of the `top` rows. */
typedef int view_item_fn (struct textable *t,
                          const struct result *r,
                          const struct view_item *item);

struct view_map {
    const struct strmap *map; /* NULL: none */
    size_t *order;            /* of its items; malloc'd */
    view_item_fn *put;
    int kind;
};

/* Put the items of a map, as many as top says, 0: all. Free the order. */
void view_items (struct textable *t,
                 const struct result *r,
                 size_t top,
                 struct view_map of);

void cell_seconds (struct textable *t, uint64_t ns);
void cell_micros (struct textable *t, int known, uint64_t ns);
/* n/a when it is not known. */
void cell_known_seconds (struct textable *t, int known, uint64_t ns);
/* The mean with so many digits; n/a of nothing. */
void cell_mean (struct textable *t, uint64_t sum, uint64_t count, int digits);
/* MiB/s; n/a when it took no time. */
void cell_rate (struct textable *t, uint64_t bytes, uint64_t ns);
/* Put a number that needs the time of each event: n/a for a profile. */
void cell_union (struct textable *t, const struct result *r, uint64_t ns);
void cell_union_rate (struct textable *t,
                      const struct result *r,
                      uint64_t bytes,
                      uint64_t ns);
/* n/a for a process that is of no rank. */
void cell_rank (struct textable *t, const struct process *p);
