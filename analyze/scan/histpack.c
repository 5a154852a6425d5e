/* SPDX-License-Identifier: MIT
 *
 * histpack.c - a histogram <-> a section of a file
 *
 * In:  struct hist
 * Out: the buckets that are not empty; and back
 */
#include "config.h"

#include "analyze/scan/histpack.h"

#include <string.h>

void hist_pack (struct packer *p, const struct hist *h)
{
    unsigned last = 0;

    pack_uint (p, h->count);
    pack_uint (p, h->sum);
    pack_uint (p, h->min);
    pack_uint (p, h->max);
    for (unsigned i = 0; h->count && i < HIST_BUCKETS; i++)
        if (h->bucket[i]) {
            pack_uint (p, i - last + 1);
            pack_uint (p, h->bucket[i]);
            last = i;
        }
    pack_uint (p, 0);
}

void hist_unpack (struct unpacker *u, struct hist *h)
{
    uint64_t step, at = 0;

    memset (h, 0, sizeof (*h));
    h->count = unpack_uint (u);
    h->sum = unpack_uint (u);
    h->min = unpack_uint (u);
    h->max = unpack_uint (u);
    while ((step = unpack_uint (u))) {
        at += step - 1;
        if (at >= HIST_BUCKETS || u->bad) {
            u->bad = 1;
            return;
        }
        h->bucket[at] = unpack_uint (u);
    }
}
