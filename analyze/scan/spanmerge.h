/* SPDX-License-Identifier: MIT
 *
 * spanmerge.h - packed times of many logs in a piece of the time -> lengths of
 *               unions (private to spanunion.c)
 */
#ifndef DFT_ANALYZE_SPANMERGE_H
#define DFT_ANALYZE_SPANMERGE_H

#include "analyze/scan/spancursor.h"
#include "analyze/scan/spanlinks.h"
#include "analyze/scan/spansort.h"

/* A union on its way. */
struct span_sum {
    uint64_t done; /* the end of all so far */
    uint64_t length;
};

/* The unions that the times of a cursor count for. */
struct merger_target {
    struct span_sum *const *link, *const *end;
};

/* Cursors that had nothing to give in the last round they were in sleep in a
 * heap, that with the earliest start on top, until a round reaches them: a
 * round costs only as much as it has cursors that give something. */
struct merger {
    struct span_cursor *cursor; /* owned, as all of these */
    uint32_t *awake, *asleep;   /* of cursor; asleep is the heap */
    size_t awakes, asleeps;
    uint64_t *starts;
    uint32_t *lengths;
    struct spansort sort; /* start - lo << 32 | place in starts, lengths */
    size_t count;         /* of cursors */
    size_t sums;          /* that are wanted */
    uint64_t lo;          /* of the round */
    uint64_t rounds;      /* so far */
    uint64_t looks;       /* at cursors, in all rounds */
    unsigned shift;       /* place >> shift: which cursor it is */
    struct merger_target *target; /* of each of these; owned */
    struct span_sum **link;       /* of all of these; owned */
    struct span_sum *sum; /* owned; behind the last one is what nobody wants */
};

/* Begin with the times inside [lo, hi). 0, or -1 (ENOMEM, or the temporary
 * file cannot be read); merger_close in any case. */
int merger_open (struct merger *m,
                 const struct spanlinks *w,
                 uint64_t lo,
                 uint64_t hi);

/* Find m->sum. 0, or -1 as above. */
int merger_run (struct merger *m);
void merger_close (struct merger *m);

#endif
