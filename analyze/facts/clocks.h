/* SPDX-License-Identifier: MIT
 *
 * clocks.h - events that nodes have in common -> how far their clocks are
 *            apart
 *
 * All ranks leave a barrier at the same time, within the network's latency:
 * the k-th barrier region ends everywhere at once. What is left of that on a
 * node, as the median over all of them, is the offset of its clock. Without
 * barriers the starts of the tasks of a step say something coarse, which is
 * shown and never applied.
 */
#pragma once

#include "analyze/facts/summary.h"

enum clock_source {
    CLOCK_NONE = 0, /* nothing in common */
    CLOCK_SELF,     /* the node that the others are compared with */
    CLOCK_BARRIERS,
    CLOCK_STARTS
};

struct node_clock {
    const char *host; /* of the totals */
    enum clock_source source;
    size_t events;   /* in common */
    int64_t offset;  /* ns: its clock minus the first node's */
    uint64_t spread; /* ns: half of the values are within this of it */
};

struct clocks {
    struct node_clock *node; /* owned; by host */
    size_t nodes;
};

void clocks_make (struct clocks *c, const struct totals *t);
void clocks_clear (struct clocks *c); /* zeroed is fine */

/* "n/a", "reference", "barriers", "starts". */
const char *clock_source_name (enum clock_source source);

/* Set the clocks of all open traces of the job right, where barriers say how;
 * *aligned gets how many nodes that are. 0, or -1 with err. */
int clocks_align (struct job *job, size_t *aligned, struct errtext *err);
