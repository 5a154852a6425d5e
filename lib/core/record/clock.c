/* SPDX-License-Identifier: MIT
 *
 * clock.c - which clock, and pairs of tick and nanosecond
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>

#include "lib/core/record/clock.h"
#include "lib/core/sys.h"

enum {
    TRIES = 4,         /* for a pair that no interrupt pulled apart */
    TIGHT_TICKS = 400, /* such a pair */
    INTERVAL_US_MIN = 10,
    INTERVAL_MS_MAX = 50
};

int clock_cycles;

static struct clock_pair first;

#ifdef __x86_64__

static const char clock_source[] =
    "/sys/devices/system/clocksource/clocksource0/current_clocksource";

/* The kernel trusts the counter. */
static int counter_is_good (void)
{
    char text[8] = "";
    int fd = sys_open (clock_source, O_RDONLY | O_CLOEXEC, 0);

    if (fd < 0)
        return 0;
    (void)sys_read (fd, text, sizeof (text) - 1);
    (void)sys_close (fd);
    return strncmp (text, "tsc\n", 4) == 0;
}

int clock_allowed (void)
{
    int allowed = PR_TSC_ENABLE;

    (void)sys_call (SYS_prctl, PR_GET_TSC, &allowed, 0, 0, 0);
    return allowed == PR_TSC_ENABLE;
}

#else

int clock_allowed (void)
{
    return 1;
}

static int counter_is_good (void)
{
    return 0;
}

#endif

void clock_start (void)
{
    int saved_errno = errno;

    clock_cycles = clock_allowed () && counter_is_good ();
    first = clock_pair ();
    errno = saved_errno;
}

struct clock_pair clock_pair (void)
{
    struct clock_pair best = {0, 0};
    uint64_t narrowest = UINT64_MAX;

    for (int i = 0; i < TRIES && narrowest > TIGHT_TICKS; i++) {
        uint64_t before = clock_tick ();
        uint64_t ns = clock_ns (CLOCK_MONOTONIC);
        uint64_t width = clock_tick () - before;

        if (width < narrowest) {
            narrowest = width;
            best.tick = clock_cycles ? before + width / 2 : ns;
            best.ns = ns;
        }
    }
    return best;
}

uint64_t clock_hz (const struct clock_pair *p)
{
    uint64_t ticks = p->tick - first.tick, ns = p->ns - first.ns;

    if (!clock_cycles || ns == 0)
        return CLOCK_NS_PER_S;
    return (uint64_t)((unsigned __int128)ticks * CLOCK_NS_PER_S / ns);
}

uint64_t clock_interval (const struct clock_pair *p)
{
    uint64_t us = clock_hz (p) / 1000000;
    uint64_t ticks = p->tick - first.tick;

    if (!clock_cycles)
        return UINT64_MAX;
    if (ticks > us * 1000 * INTERVAL_MS_MAX)
        return us * 1000 * INTERVAL_MS_MAX;
    return ticks < us * INTERVAL_US_MIN ? us * INTERVAL_US_MIN : ticks;
}
