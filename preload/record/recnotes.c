/* SPDX-License-Identifier: MIT
 *
 * recnotes.c - what a process says of itself besides its events
 *
 * In:  what the wrappers notice
 * Out: live words of the process block; nothing where there is no file, so
 *      that a process without events leaves none
 */
#include "config.h"

#include "preload/record/recorder.h"
#include "preload/record/shardlive.h"
#include "lib/base/sys.h"

int recorder_hooked;
SYS_STATE int recorder_left;

static SYS_START int (*check) (void); /* of recorder_begin_by */

void recorder_begin_by (int (*function) (void))
{
    check = function;
}

int recorder_begun (void)
{
    const struct recorder_wiped *w = check ? recorder_wiped () : NULL;

    return !w || w->alive || check ();
}

int recorder_begin (void)
{
    const struct recorder_wiped *w = check ? recorder_wiped () : NULL;

    return w && !w->alive && check ();
}

void recorder_lose_name (void)
{
    shardlive_count (&shardlive ()->lost_names, 1);
}

void recorder_count_untraced (void)
{
    shardlive_count (&shardlive ()->untraced, 1);
}

void recorder_count_ring (void)
{
    (void)__atomic_fetch_add (&shardlive ()->rings, 1, __ATOMIC_RELAXED);
}

void recorder_count_requests (uint64_t n)
{
    shardlive_count (&shardlive ()->requests, n);
}

void recorder_exec (int begins)
{
    uint64_t ns = begins ? clock_ns (CLOCK_MONOTONIC) : 0;

    if (!recorder_has_file ()) /* the counters may be an ancestor's */
        return;
    __atomic_store_n (&shardlive ()->exec_ns, ns, __ATOMIC_RELAXED);
}
