/* SPDX-License-Identifier: MIT
 *
 * partialtime.c - a section of a partition -> a bin of maps of time
 */
#include "config.h"

#include "analyze/query/partialreader.h"
#include "analyze/scan/timemap.h"

int partial_get_time (struct partial_reader *r)
{
    uint64_t n[PROFILE_BIN_COUNTERS];
    struct timemap_bin bin;

    unpack_bytes (&r->u, &bin, sizeof (bin));
    unpack_bytes (&r->u, n, sizeof (n));
    return r->u.bad || !bin.width ? -1
                                  : timemap_add (&r->t->tally.time, &bin, n);
}
