/* SPDX-License-Identifier: MIT
 *
 * nest.h - regions of one thread and calls of one layer above another: what
 * each spent inside
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/model/metric.h"

/* --- nest.c: regions of one thread, in the order they end -> what each one
 * spent in the regions inside it; which ones are outermost ---
 *
 * A region ends after everything inside it has ended, so a stack of ended
 * regions that have no parent yet is enough. Those that no longer fit into
 * memory go to a temporary file (spool.h).
 */

/* A tag is a number of the caller's. A region that holds some with this bit has
 * their sum for its own, and the bit; else one whose tag is 0 has the sum of
 * those that it holds. */
#define NEST_WINS ((uint64_t)1 << 63)

struct nest_region {
    uint64_t start, end; /* ns */
    uint64_t tag;
};

struct nest_block;

/* A region that may also hold regions that ended before the first one here. */
struct nest_orphan {
    uint64_t start, low; /* all from low on is accounted for */
    void *owner;
};

/* [start, end): of a region, what is in no region inside it */
struct nest_gap {
    uint64_t start, end;
};

/* Ended regions without a parent, by end. All zero is empty. */
struct nest {
    struct nest_block *top;                   /* owned */
    struct nest_region *floor, *next, *limit; /* of its regions, behind the
                                                 youngest, of its room */
    size_t count;
    int continues; /* set it when others came before: orphans are kept */
    struct nest_orphan *orphan; /* owned */
    size_t orphans, room;
    int keeps_gaps;       /* set it to have the gaps of the region added last */
    struct nest_gap *gap; /* the youngest first; owned */
    size_t gaps, gaps_room;
};

/* A region ended. Return the time covered by the regions in it (their union,
 * should they overlap), which leave the stack; the region goes on it. An
 * interval that begins later than this one is in it; one that begins earlier
 * only overlaps and stays. owner: for nest_join. With keeps_gaps n->gap is what
 * remains of it; of an orphan the oldest gap is not among them until nest_join.
 * */
uint64_t nest_add (
    struct nest *n, uint64_t start, uint64_t end, uint64_t tag, void *owner);

/* Put the regions of later, which ended after all of n, on n; later is then
 * empty. more: time inside a region of later that was in n, whose gaps there
 * are n->gap; NULL: not wanted. */
void nest_join (struct nest *n,
                struct nest *later,
                void (*more) (void *cookie, void *owner, uint64_t inside),
                void *cookie);

/* Take all regions off the stack and call each, the youngest first. */
void nest_drain (struct nest *n,
                 void (*each) (void *cookie, const struct nest_region *r),
                 void *cookie);

void nest_clear (struct nest *n);

/* --- scanabove.c: calls of layers above POSIX (MPI-IO, HDF5, NetCDF) and the
 * calls of other layers inside them ---
 *
 * A call is inside another one when it ended in that time in the same thread:
 * calls nest, and an asynchronous POSIX transfer belongs to the call that
 * fetched its result. Events come in the order of their ends, so what is inside
 * a call comes before it. What has ended waits in two lists until a call around
 * it ends, which takes it out and puts itself there with all that was inside.
 */

struct step;

/* Calls, what they moved, and how long they took. */
struct transfer {
    uint64_t count, bytes, ns;
};

/* A POSIX call. */
struct above_posix {
    uint64_t start, end; /* of an aio: from its submission */
    uint64_t bytes : 60;
    uint64_t meta : 1;   /* moves none */
    uint64_t placed : 3; /* enum placed */
};

/* A call of a layer, with what was inside. */
struct above_call {
    uint64_t start, end;
    enum above layer;
    uint64_t bytes;
    struct transfer inside[ABOVE_COUNT];
    uint64_t placed, random; /* of ABOVE_DATA: place known; anywhere */
};

/* Calls that have ended in a thread and may be inside a call that has not. */
struct scanabove {
    struct above_posix *posix; /* owned */
    size_t posix_count, posix_room;
    struct above_call *call; /* owned */
    size_t calls, calls_room;
};

/* The step is a call of such a layer. */
void scanabove_event (struct step *e);

/* It is a POSIX call that may be inside one. */
void scanabove_below (struct step *e);

void scanabove_clear (struct scanabove *a); /* zeroed is fine */
