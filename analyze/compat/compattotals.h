/* SPDX-License-Identifier: MIT
 *
 * compattotals.h - what a trace has in all: events, processes, nodes, files
 * (private to compat*.c)
 */
#ifndef DFT_ANALYZE_COMPATTOTALS_H
#define DFT_ANALYZE_COMPATTOTALS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/util/strmap.h"

/* What is counted once however often it comes. */
enum compat_thing {
    COMPAT_PROCESSES,
    COMPAT_NODES,
    COMPAT_FILES,
    COMPAT_THINGS
};

struct compat_totals {
    uint64_t events, first, last; /* us; first UINT64_MAX: no event yet */
    struct strmap *thing[COMPAT_THINGS];
};

/* All return 0, or -1 (ENOMEM). */
int compat_totals_init (struct compat_totals *t);
void compat_totals_clear (struct compat_totals *t); /* zeroed is fine */
int compat_totals_merge (struct compat_totals *to,
                         const struct compat_totals *from);
int compat_totals_add (struct compat_totals *t,
                       enum compat_thing what,
                       const void *key,
                       size_t n);

/* An event of these us. */
static inline void
compat_totals_event (struct compat_totals *t, uint64_t ts, uint64_t dur)
{
    t->events++;
    if (ts < t->first)
        t->first = ts;
    if (ts + dur > t->last)
        t->last = ts + dur;
}

#endif
