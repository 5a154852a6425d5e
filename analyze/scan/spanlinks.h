/* SPDX-License-Identifier: MIT
 *
 * spanlinks.h - logs, unions and bills -> what each log counts for in the
 *               sweep, as little as possible (private to spanunion.c)
 */
#ifndef DFT_ANALYZE_SPANLINKS_H
#define DFT_ANALYZE_SPANLINKS_H

#include "analyze/scan/spanunion.h"

/* A log that is to be swept. */
struct span_target {
    const struct spanlog *log; /* not empty */
    const uint32_t *link;      /* unions that it belongs to */
    uint32_t links;            /* > 0 */
};

struct spanlinks {
    struct span_target *target; /* owned, as all of these */
    size_t targets;
    uint64_t *length; /* of each union; known ones have theirs, others 0 */
    uint32_t *same;   /* of each, the one whose length it has */
    size_t sums;      /* unions that were asked for, then those of the bills */
    uint32_t *link;
    size_t links, room;
    struct spanbill_plan *plan; /* of each bill */
};

/* 0, or -1 (ENOMEM); spanlinks_clear in any case. */
int spanlinks_make (struct spanlinks *l,
                    const struct span_member *members,
                    size_t n,
                    size_t sums,
                    const struct spanbill *bill,
                    size_t bills);
/* After the sweep: give every union its length, and find the bills. */
void spanlinks_end (struct spanlinks *l, struct spanbill *bill, size_t bills);
void spanlinks_clear (struct spanlinks *l);

#endif
