/* SPDX-License-Identifier: MIT
 *
 * lookahead.c - forks of this process -> clock, the node's file, space in it
 */
#include "config.h"

#include "lib/base/clock.h"
#include "preload/record/lookahead.h"
#include "preload/record/shardpart.h"
#include "lib/base/sys.h"

enum {
    LOOKS_MAX = 4,       /* forks before which the file is looked for */
    LOOK_TICKS = 5000000 /* 5 ms, or less where a tick is a cycle */
};

static SYS_STATE struct {
    unsigned looks;  /* for the file */
    uint64_t looked; /* tick */
} ahead;

int lookahead_due (void)
{
    return ahead.looks < LOOKS_MAX || clock_tick () - ahead.looked > LOOK_TICKS;
}

void lookahead (const struct settings *s, const struct procinfo *info)
{
    if (!s)
        ahead.looks = LOOKS_MAX;
    if (ahead.looks < LOOKS_MAX) {
        ahead.looks++;
        if (shardpart_look (s, info) == 0)
            ahead.looks = LOOKS_MAX;
    }
    shardpart_before_fork ();
    ahead.looked = clock_tick ();
}
