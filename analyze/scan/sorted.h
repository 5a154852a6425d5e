/* SPDX-License-Identifier: MIT
 *
 * sorted.h - maps of names -> the order of the tables: heaviest first
 */
#ifndef DFT_ANALYZE_SORTED_H
#define DFT_ANALYZE_SORTED_H

#include "analyze/scan/tally.h"

/* Indices of a map, the heaviest value first; keys decide where that is equal.
 * malloc'd; NULL when memory is short, or m is NULL. */
size_t *rows_sorted (const struct strmap *m,
                     uint64_t (*weight) (const void *value));

/* Operations and files in the order of the tables: longest first, names
 * decide where that is equal. Indices into the maps of the tally; malloc'd,
 * NULL when memory is short. */
size_t *operations_sorted (const struct tally *t);
size_t *files_sorted (const struct tally *t);

#endif
