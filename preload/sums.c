/* SPDX-License-Identifier: MIT
 *
 * sums.c - bytes of calls that are not recorded -> sums by reason
 */
#include "config.h"

#include <string.h>

#include "lib/base/sys.h"
#include "preload/sums.h"
#include "preload/filter.h"

SYS_STATE struct sums sums[LEFTOUTS];
SYS_STATE struct sums sums_aio;
SYS_STATE unsigned sums_files;

void sums_dropped (const struct record *r)
{
    const struct call_info *info = &call_table[r->call];
    int sides = CALL_SIDES (r->call, info->category, info->class);

    if (sides & CALL_READS)
        sums_add_read (LEFTOUT_call, r->ret);
    if (sides & CALL_WRITES)
        sums_add_written (LEFTOUT_call, r->ret);
}

int sums_stream (struct file f, const struct record *r, int64_t in, int64_t out)
{
    int ignored = f.state == FILE_IGNORED;
    enum leftout why = ignored ? (enum leftout)f.class : LEFTOUT_call;

    if (!ignored && !filter_drops (r))
        return 0;
    sums_add_read (why, in);
    sums_add_written (why, out);
    return ignored;
}

void sums_forked (void)
{
    memset (sums, 0, sizeof (sums));
    memset (&sums_aio, 0, sizeof (sums_aio));
    sums_files = 0;
}

int sums_any (void)
{
    for (int i = 0; i < LEFTOUTS; i++)
        if (sums[i].read || sums[i].written)
            return 1;
    return sums_aio.read || sums_aio.written;
}
