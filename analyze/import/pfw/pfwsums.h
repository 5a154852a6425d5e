/* SPDX-License-Identifier: MIT
 *
 * pfwsums.h - aggregated lines of a DFTracer trace -> sums by call
 *
 * Such a line (ph 3) stands for the calls of one name in one thread during an
 * interval. It has the sum, minimum and maximum of their durations and
 * results, but no call, no file and no time of its own. Its dft_cnt is the
 * count of any one of its arguments: a call that lacks that argument is not in
 * it, so that it may be too small, but never too large.
 */
#pragma once

#include "analyze/import/pfw/pfwlex.h"
#include "lib/util/strmap.h"

enum pfw_unknown {
    PFW_UNKNOWN_COUNT = 1, /* a count contradicts its durations */
    PFW_UNKNOWN_TIME = 2,  /* a line without durations */
    PFW_UNKNOWN_BYTES = 4  /* it moves no bytes, or a line does not say how
                              many: without a result, or with failed calls */
};

struct pfw_sum {
    uint64_t lines, count;
    uint64_t ns, min, max; /* of durations */
    uint64_t bytes;
    unsigned unknown; /* set of enum pfw_unknown */
};

/* All zero is empty. */
struct pfw_sums {
    struct strmap *of; /* "category NUL name" -> struct pfw_sum; owned */
};

/* An aggregated line. */
void pfw_sums_add (struct pfw_sums *s, const struct pfw_line *l);

/* Add the sum of one key; all sums of `more`. */
void pfw_sums_put (struct pfw_sums *s,
                   const char *key,
                   size_t length,
                   const struct pfw_sum *more);
void pfw_sums_merge (struct pfw_sums *s, const struct pfw_sums *more);

size_t pfw_sums_count (const struct pfw_sums *s);
void pfw_sums_clear (struct pfw_sums *s); /* keeps errno */
