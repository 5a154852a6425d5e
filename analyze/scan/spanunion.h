/* SPDX-License-Identifier: MIT
 *
 * spanunion.h - packed times of many threads -> length of their union
 *
 * Exact, in parallel over pieces of the time, with memory that depends on the
 * number of logs only.
 */
#ifndef DFT_ANALYZE_SPANUNION_H
#define DFT_ANALYZE_SPANUNION_H

#include "analyze/scan/spanbill.h"
#include "analyze/scan/spanlog.h"

/* The times of a log are of this class in that bill. */
struct span_charge {
    uint32_t bill, class;
};

enum { SPAN_CHARGES = 3 }; /* of one log */

/* A log, and to which unions and bills its times belong. */
struct span_member {
    const struct spanlog *log; /* NULL is empty */
    const uint32_t *sum;       /* which ones; the caller's */
    uint32_t sums;
    uint32_t charges;
    struct span_charge charge[SPAN_CHARGES];
};

/* Many unions in one sweep over the times of all logs: length[s] is that of
 * the union of the logs that belong to s. 0, or -1 as below. */
int spans_lengths (const struct span_member *members,
                   size_t n,
                   uint64_t *length,
                   size_t sums);

/* The same, and all bills, whose `asks` and `unions` are set and the rest zero.
 * On failure neither are. */
int spans_bills (const struct span_member *members,
                 size_t n,
                 uint64_t *length,
                 size_t sums,
                 struct spanbill *bill,
                 size_t bills);

/* Length of the union of n logs; NULL entries are empty. 0, or -1 (ENOMEM,
 * or the temporary file cannot be read). */
int spans_length (const struct spanlog *const *logs, size_t n, uint64_t *out);

/* The same of the part of it inside [lo, hi). */
int spans_length_in (const struct spanlog *const *logs,
                     size_t n,
                     uint64_t lo,
                     uint64_t hi,
                     uint64_t *out);

/* Length of what the union of a has in common with the union of b. */
int spans_common (const struct spanlog *const *a,
                  size_t na,
                  const struct spanlog *const *b,
                  size_t nb,
                  uint64_t *out);

#endif
