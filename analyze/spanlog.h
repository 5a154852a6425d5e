/* SPDX-License-Identifier: MIT
 *
 * spanlog.h - the times of one thread, packed: a few bytes for each; their
 *             union and what two of them have in common, by streaming
 *
 * Exact for any order of adding; small and fast in the order in which a
 * thread's events end. What no longer fits into memory goes to an unnamed
 * temporary file.
 */
#ifndef DFT_ANALYZE_SPANLOG_H
#define DFT_ANALYZE_SPANLOG_H

#include "analyze/interval.h"

struct span_block;

/* All zero is empty. */
struct spanlog {
    struct intervals tail;           /* the youngest, not packed yet */
    struct intervals late;           /* begin before what is packed ends */
    struct span_block *first, *last; /* owned */
    uint64_t packed_end;             /* of the youngest packed one */
};

/* Add [start, end). An empty one adds nothing. 0, or -1 (ENOMEM, or the
 * temporary file cannot be written). */
int spanlog_add (struct spanlog *log, uint64_t start, uint64_t end);
int spanlog_empty (const struct spanlog *log);
void spanlog_clear (struct spanlog *log); /* keeps errno */

/* Length of the union of n logs; NULL entries are empty. 0, or -1 (ENOMEM,
 * or the temporary file cannot be read). */
int spans_length (const struct spanlog *const *logs, size_t n, uint64_t *out);

/* Length of what the union of a has in common with the union of b. */
int spans_common (const struct spanlog *const *a,
                  size_t na,
                  const struct spanlog *const *b,
                  size_t nb,
                  uint64_t *out);

/* Bytes of packed times that stay in memory, over all logs (64 MiB). */
void spanlog_limit (uint64_t bytes);

#endif
