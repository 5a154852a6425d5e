/* SPDX-License-Identifier: MIT
 *
 * viewcells.h - cells and the order of rows, for the tables of views.def
 */
#ifndef DFT_ANALYZE_VIEWCELLS_H
#define DFT_ANALYZE_VIEWCELLS_H

#include "analyze/scan/tally.h"
#include "analyze/tables/views.h"
#include "lib/util/strmap.h"

/* The rows of each view, under columns that are there: fill_health (), … top
 * is that of view_make. */
#define VIEW(WORD, FILE, HEADING, HELP) \
    void fill_##WORD (struct textable *t, const struct result *r, size_t top);
#include "lib/model/views.def"
#undef VIEW

void cell_seconds (struct textable *t, uint64_t ns);
void cell_micros (struct textable *t, uint64_t ns);
/* n/a when it is not known. */
void cell_known (struct textable *t, int known, uint64_t value);
void cell_known_seconds (struct textable *t, int known, uint64_t ns);
/* MiB/s; n/a when it took no time. */
void cell_rate (struct textable *t, uint64_t bytes, uint64_t ns);
/* What is made of the time of each event: n/a of a profile. */
void cell_union (struct textable *t, const struct result *r, uint64_t ns);
void cell_union_rate (struct textable *t,
                      const struct result *r,
                      uint64_t bytes,
                      uint64_t ns);
/* n/a for a process that is of no rank. */
void cell_rank (struct textable *t, const struct process *p);

#endif
