/* SPDX-License-Identifier: MIT
 *
 * filelimit.c - how much a process may write
 */
#include "config.h"

#include "lib/format/profile.h"
#include "preload/record/filelimit.h"
#include "preload/record/memlimit.h"
#include "preload/record/shardlive.h"
#include "lib/format/layers.h"
#include "lib/base/sys.h"

static SYS_STATE struct {
    uint64_t bytes, events;
    int profiles; /* from the start */
} filelimit;

void filelimit_start (const struct settings *s)
{
    filelimit.bytes = s->max_bytes;
    filelimit.events = s->max_events;
    memlimit_start (s);
    filelimit.profiles =
        s->layers & LAYER_PROFILE && !(s->given & SETTING_BIT (detail));
}

uint64_t filelimit_bytes (int profile)
{
    return filelimit.bytes && profile && !filelimit.profiles
               ? filelimit.bytes + PROFILE_BYTES_MAX
               : filelimit.bytes;
}

int filelimit_is_reached (int profile)
{
    if (profile)
        return 0;
    return (filelimit.events &&
            __atomic_load_n (&shardlive ()->events_sealed, __ATOMIC_RELAXED) >=
                filelimit.events) ||
           memlimit_is_reached ();
}
