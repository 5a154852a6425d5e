/* SPDX-License-Identifier: MIT
 *
 * profreadmap.c - a map of time in a profile -> its bins
 *
 * In:  a record of a thread, perhaps while it is folded (profile.h); hostile
 * Out: struct profbin of the bins that are not empty
 */
#include "config.h"

#include <string.h>

#include "analyze/trace/profread_own.h"

enum { PROFREAD_SHIFT_MAX = 62 }; /* of a bin */

struct profread_bins {
    const unsigned char *bin; /* the spare one */
    uint64_t base;
    uint32_t shift, odd;
};

/* The bin at a place, which is the number-th of those with this shift. */
static int profread_bin (struct profrows *p,
                         const struct profread_thread *t,
                         const struct profread_bins *b,
                         size_t place,
                         uint64_t number,
                         uint32_t shift)
{
    static const struct profile_bin none;
    struct profile_bin bin;
    struct profbin *r;

    memcpy (&bin, b->bin + place * sizeof (bin), sizeof (bin));
    if (memcmp (&bin, &none, sizeof (bin)) == 0)
        return 0;
    if (!(r = profrows_bin (p)))
        return -1;
    r->proc = t->proc;
    r->tid = t->tid;
    r->start = ((b->base >> shift) + number) << shift;
    r->width = (uint64_t)1 << shift;
    memcpy (r->n, bin.n, sizeof (r->n));
    return 0;
}

int profread_map (struct profrows *p,
                  const struct profread_thread *t,
                  const unsigned char *at,
                  size_t bytes)
{
    struct profread_bins b;
    struct profile_map m;
    uint64_t bins, done, first;

    if (bytes < sizeof (m))
        return 0;
    memcpy (&m, at, sizeof (m));
    bins = (bytes - sizeof (m)) / sizeof (struct profile_bin);
    done = m.state >> PROFILE_DONE_SHIFT;
    b = (struct profread_bins){.bin = at + sizeof (m),
                               .base = m.base,
                               .shift = m.state & (PROFILE_SPARE - 1)};
    b.odd =
        b.shift > PROFREAD_SHIFT_MAX ? 0 : (uint32_t)(m.base >> b.shift) & 1;
    if (!m.head.number || m.head.number > PROFILE_BINS_MAX ||
        m.head.number + 1 > bins || b.shift > PROFREAD_SHIFT_MAX ||
        done > m.head.number)
        return 0;
    for (uint64_t i = 0; i < done; i++)
        if (profread_bin (p, t, &b,
                          m.state & PROFILE_SPARE && i == b.odd ? 0
                                                                : (size_t)i + 1,
                          i, b.shift + 1) < 0)
            return -1;
    first = done ? 2 * done - b.odd : 0;
    for (uint64_t i = first; i < m.head.number; i++)
        if (profread_bin (p, t, &b, (size_t)i + 1, i, b.shift) < 0)
            return -1;
    return 1;
}
