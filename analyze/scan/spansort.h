/* SPDX-License-Identifier: MIT
 *
 * spansort.h - sorted runs of numbers -> one (private to spanunion.c)
 */
#ifndef DFT_ANALYZE_SPANSORT_H
#define DFT_ANALYZE_SPANSORT_H

#include <stddef.h>
#include <stdint.h>

enum { SPANSORT_BUCKETS = 1 << 16 };

struct spansort {
    uint64_t *a, *b;  /* owned by the caller, of the same length */
    size_t *run;      /* where each run of a begins, and the end of the last */
    uint32_t *bucket; /* SPANSORT_BUCKETS of them; the caller's */
};

/* Sort the runs of a; what is sorted is then a, which may have changed places
 * with b. */
void spansort_runs (struct spansort *s, size_t runs);

#endif
