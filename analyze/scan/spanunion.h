/* SPDX-License-Identifier: MIT
 *
 * spanunion.h - packed times of many threads -> length of their union
 *
 * Exact, in parallel over slices of the time, with memory that depends on the
 * number of logs only.
 */
#pragma once

#include "analyze/scan/spanbill.h"
#include "analyze/scan/spanlog.h"

/* The times of a log are of this class in that bill. */
struct span_charge {
    uint32_t bill, class;
};

enum { SPAN_CHARGES = 8 }; /* of one log */

/* Weights of the time, for bills in which an instant counts for less where it
 * is shared: a clock that runs at another speed from each start on. Exact
 * however the time is divided: sums of integers. */
struct span_weight {
    uint64_t start;   /* ns */
    uint64_t weight;  /* of a ns, of 2^SPAN_WEIGHT_BITS; from then on */
    uint128_t before; /* the clock at its start; of spanweights_begin */
};

enum { SPAN_WEIGHT_BITS = 52 };

struct span_weights {
    struct span_weight *item; /* by start, the first one's is 0; owned */
    size_t count, room;
    unsigned fraction; /* weighted times are in units of 2^-fraction ns */
};

/* From a start, not before the last one, a ns is shared by n; 0: is of nobody.
 * */
void spanweights_add (struct span_weights *w, uint64_t start, uint64_t n);

/* All have been added, and the last time is `end`. */
void spanweights_begin (struct span_weights *w, uint64_t end);

/* The weighted length of [start, end), in its units. */
uint64_t
spanweights_length (const struct span_weights *w, uint64_t start, uint64_t end);

void spanweights_clear (struct span_weights *w);

/* A log, and to which unions and bills its times belong. */
struct span_member {
    const struct spanlog *log; /* NULL is empty */
    const uint32_t *sum;       /* which ones; the caller's */
    uint32_t sums;
    uint32_t charges;
    struct span_charge charge[SPAN_CHARGES];
};

struct span_bills {
    struct spanbill *bill; /* `asks`, `unions`, `weighted` set, the rest zero */
    size_t count;
    const struct span_weights *weights; /* NULL: no bill is weighted */
};

/* Many unions and bills in one sweep over the times of all logs: length[s] is
 * that of the union of the logs that belong to s. */
void spans_bills (const struct span_member *members,
                  size_t n,
                  uint64_t *length,
                  size_t sums,
                  const struct span_bills *to);

/* Length of the union of n logs; NULL entries are empty. */
void spans_length (const struct spanlog *const *logs, size_t n, uint64_t *out);

/* As above, only inside [lo, hi). */
void spans_length_in (const struct spanlog *const *logs,
                      size_t n,
                      uint64_t lo,
                      uint64_t hi,
                      uint64_t *out);

/* Length of what the union of a has in common with the union of b. */
void spans_common (const struct spanlog *const *a,
                   size_t na,
                   const struct spanlog *const *b,
                   size_t nb,
                   uint64_t *out);

/* --- its parts, for unit tests ------------------------------------- */

enum { SPANSORT_BUCKETS = 1 << 16 };

struct spansort {
    uint64_t *a, *b;  /* owned by the caller, of the same length */
    size_t *run;      /* where each run of a begins, and the end of the last */
    uint32_t *bucket; /* SPANSORT_BUCKETS of them; the caller's */
};

/* Sort the runs of a; what is sorted is then a, which may have changed places
 * with b. */
void spansort_runs (struct spansort *s, size_t runs);

/* A log that is to be swept. */
struct span_target {
    const struct spanlog *log; /* not empty */
    const uint32_t *link;      /* unions that it belongs to */
    uint32_t links;            /* > 0 */
};

struct spanlinks {
    struct span_target *target; /* owned, as all of these */
    size_t targets;
    uint64_t *length;    /* of each union; known ones have theirs, others 0 */
    uint128_t *weighted; /* of each; NULL: there are no weights */
    const struct span_weights *weights;
    size_t first_weighted; /* union: it and all behind it are weighted */
    uint32_t *same;        /* of each, the one whose length it has */
    size_t sums; /* unions that were asked for, then those of the bills */
    uint32_t *link;
    size_t links, room;
    struct spanbill_plan *plan; /* of each bill */
};

/* spanlinks_clear frees it. */
void spanlinks_make (struct spanlinks *l,
                     const struct span_member *members,
                     size_t n,
                     size_t sums,
                     const struct span_bills *to);
void spanlinks_clear (struct spanlinks *l);

/* A union on its way. */
struct span_sum {
    uint64_t done; /* the end of all so far */
    uint64_t length;
};

/* The weighted length of a union: found where the weight changes, so that the
 * sweep does no more for each interval than compare two numbers. */
struct span_weighted {
    uint128_t length;
    uint64_t ns;   /* of the union's length, that are in it */
    size_t weight; /* index of the one that counts for the others */
};

/* The unions that the times of a cursor count for. */
struct merger_target {
    struct span_sum *const *link, *const *end;
    size_t weight; /* that all of them have */
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
    struct span_weighted *weighted; /* of each sum; owned; NULL: no weights */
    const struct span_weights *weights;
    size_t weight;  /* at hand */
    uint64_t until; /* where the next one begins */
};

/* Begin with the times inside [lo, hi). ; merger_close in any case. */
void merger_open (struct merger *m,
                  const struct spanlinks *w,
                  uint64_t lo,
                  uint64_t hi);

/* Find m->sum. */
void merger_run (struct merger *m);
void merger_close (struct merger *m);
