/* SPDX-License-Identifier: MIT
 *
 * keycolumn.h - "name", "log2(size)", "bin(dur, 1ms)" as keys (for keys.c,
 *               column.c)
 */
#ifndef DFT_ANALYZE_KEYCOLUMN_H
#define DFT_ANALYZE_KEYCOLUMN_H

#include "analyze/query/asking.h"
#include "analyze/query/column.h"

/* A key at a->at. *interval gets the length of interval (…). 0, or -1 with
 * err. */
int keycolumn_parse (struct asking *a,
                     struct query_key *key,
                     uint64_t *interval);

/* c->ordinal of all events of the batch. 0, or -1 (ENOMEM). */
int keycolumn_fill (struct column *c, const struct column_source *s);

#endif
