/* SPDX-License-Identifier: MIT
 *
 * spanmerge.h - packed times of many logs in a piece of the time -> lengths of
 *               unions (private to spanunion.c)
 */
#ifndef DFT_ANALYZE_SPANMERGE_H
#define DFT_ANALYZE_SPANMERGE_H

#include "analyze/query/spans/spancursor.h"
#include "analyze/query/spans/spansort.h"
#include "analyze/query/spans/spanunion.h"

/* A union on its way. */
struct span_sum {
    uint64_t done; /* the end of all so far */
    uint64_t length;
};

/* What the times of a cursor count for. */
struct merger_target {
    struct span_sum *const *sum;
    uint32_t sums, charges;
    struct {
        struct spanbill_sweep *bill;
        uint32_t class;
    } charge[SPAN_CHARGES];
};

struct merger {
    struct span_cursor *cursor; /* owned, as all of these */
    uint64_t *starts;
    uint32_t *lengths;
    struct spansort sort; /* start - lo << 32 | place in starts, lengths */
    size_t count;         /* of cursors */
    uint64_t lo;          /* of the round */
    unsigned shift;       /* place >> shift: which cursor it was at first */
    struct merger_target *target; /* of each of these; owned */
    struct span_sum **sums_of;    /* of all targets; owned */
    struct span_sum *sum;              /* owned */
    struct spanbill_sweep *bill;       /* owned */
    size_t bills;
};

/* What is wanted of n logs, none of which is empty; all the caller's. */
struct span_wanted {
    const struct span_member *members;
    size_t n, sums, bills;
    const struct spanbill *bill; /* whose `asks` are set */
};

/* Begin with the times inside [lo, hi). 0, or -1 (ENOMEM, or the temporary
 * file cannot be read); merger_close in any case. */
int merger_open (struct merger *m,
                 const struct span_wanted *w,
                 uint64_t lo,
                 uint64_t hi);

/* Find m->sum and m->bill. 0, or -1 as above. */
int merger_run (struct merger *m);
void merger_close (struct merger *m);

#endif
