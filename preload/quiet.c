/* SPDX-License-Identifier: MIT
 *
 * quiet.c - files that are left out -> a line, where there is no trace
 *
 * In:  what files.c passes over; the end of a process
 * Out: untraced_quiet
 */
#include "config.h"

#include "preload/record/recorder.h"
#include "preload/record/shardlive.h"
#include "lib/base/sys.h"
#include "preload/quiet.h"
#include "preload/untraced.h"

static SYS_STATE unsigned left_out;

void quiet_leave_out (enum file_class class)
{
    unsigned n = __atomic_load_n (&left_out, __ATOMIC_RELAXED);

    if (class == FILE_CLASS_STORAGE || class == FILE_CLASS_SHM)
        __atomic_store_n (&left_out, n + 1, __ATOMIC_RELAXED);
}

void quiet_forked (void)
{
    if (left_out)
        left_out = 0;
}

/* Where events were lost, or programs could not be followed, it was not quiet.
 */
void quiet_finish (void)
{
    const struct shard_process *p = shardlive ();

    if (!recorder_has_file () && !recorder_left && !p->lost_space &&
        !p->lost_busy && !p->untraced)
        untraced_quiet (left_out);
}
