/* SPDX-License-Identifier: MIT
 *
 * compattotals.c - what a trace has in all: events, processes, nodes, files
 *
 * In:  names of things, from compatread.c and compatjoin.c
 * Out: struct compat_totals, to compat.c
 */
#include "config.h"

#include "analyze/compat/compattotals.h"

#include <errno.h>
#include <string.h>

int compat_totals_init (struct compat_totals *t)
{
    memset (t, 0, sizeof (*t));
    t->first = UINT64_MAX;
    for (int i = 0; i < COMPAT_THINGS; i++)
        if (!(t->thing[i] = strmap_create ())) {
            compat_totals_clear (t);
            errno = ENOMEM;
            return -1;
        }
    return 0;
}

void compat_totals_clear (struct compat_totals *t)
{
    for (int i = 0; i < COMPAT_THINGS; i++)
        strmap_destroy (t->thing[i]);
    memset (t, 0, sizeof (*t));
}

int compat_totals_add (struct compat_totals *t,
                       enum compat_thing what,
                       const void *key,
                       size_t n)
{
    return strmap_intern (t->thing[what], key, n, NULL) < 0 ? -1 : 0;
}

int compat_totals_merge (struct compat_totals *to,
                         const struct compat_totals *from)
{
    to->events += from->events;
    if (from->first < to->first)
        to->first = from->first;
    if (from->last > to->last)
        to->last = from->last;
    for (int i = 0; i < COMPAT_THINGS; i++)
        for (size_t k = 0; k < strmap_count (from->thing[i]); k++) {
            size_t n;
            const char *key = strmap_key (from->thing[i], k, &n);

            if (compat_totals_add (to, (enum compat_thing)i, key, n) < 0)
                return -1;
        }
    return 0;
}
