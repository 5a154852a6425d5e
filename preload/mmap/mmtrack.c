/* SPDX-License-Identifier: MIT
 *
 * mmtrack.c - faults and context switches of one thread -> how long it slept
 */
#include "config.h"

#include <string.h>

#include "lib/base/clock.h"
#include "lib/base/highfd.h"
#include "lib/base/sys.h"
#include "preload/mmap/mmtrack.h"

enum {
    CHAIN_NS = 200000 /* on the CPU between two sleeps of one fault */
};

static void forget_fault (struct mmtrack *t)
{
    t->entered = t->slept = t->woke = 0;
    t->sleeps = 0;
}

static void wake (struct mmtrack *t, uint64_t time, int paired)
{
    if (paired ? !t->entered : t->woke && t->asleep - t->woke > CHAIN_NS)
        forget_fault (t);
    t->slept += time - t->asleep;
    t->slept_ns += time - t->asleep;
    t->woke = time;
    t->sleeps++;
}

/* A thread that was switched out before it was watched may have waited for a
 * CPU all the time. */
static void on_run (struct mmtrack *t, uint64_t time, int paired)
{
    if (!t->preempted && !t->asleep)
        t->preempted = t->since;
    if (t->preempted && time > t->preempted)
        t->preempted_ns += time - t->preempted;
    if (t->asleep && time > t->asleep)
        wake (t, time, paired);
    t->asleep = t->preempted = 0;
}

static int end_fault (struct mmtrack *t,
                      const struct mmring_record *r,
                      int minor,
                      struct mm_fault *f)
{
    *f = (struct mm_fault){.start = r->time - t->slept,
                           .end = r->time,
                           .addr = minor ? t->addr : r->addr,
                           .minor = (uint32_t)minor};
    if (t->sleeps)
        t->slow++;
    if (minor)
        t->minor_ns += t->slept;
    forget_fault (t);
    return 1;
}

static int on_fault (struct mmtrack *t,
                     enum mmring_event event,
                     const struct mmring_record *r,
                     int paired,
                     struct mm_fault *f)
{
    switch (event) {
    case MMRING_ENTRY:
        forget_fault (t);
        t->entered = r->time;
        t->addr = r->addr;
        return 0;
    case MMRING_MINOR:
        t->minors++;
        if (t->entered && t->sleeps)
            return end_fault (t, r, 1, f);
        forget_fault (t);
        return 0;
    default:
        if (paired ? !t->entered : r->time - t->woke > CHAIN_NS)
            forget_fault (t);
        return end_fault (t, r, 0, f);
    }
}

int mmtrack_record (struct mmtrack *t,
                    enum mmring_event event,
                    const struct mmring_record *r,
                    int paired,
                    struct mm_fault *f)
{
    switch (r->kind) {
    case MMRING_SLEEP:
        t->asleep = r->time;
        t->switches++;
        return 0;
    case MMRING_PREEMPT:
        t->preempted = r->time;
        t->switches++;
        return 0;
    case MMRING_RUN:
        on_run (t, r->time, paired);
        t->switches++;
        return 0;
    case MMRING_LOST:
        t->lost += r->lost;
        forget_fault (t);
        t->asleep = t->preempted = 0;
        t->since = r->time;
        return 0;
    case MMRING_FAULT:
        return on_fault (t, event, r, paired, f);
    default:
        return 0;
    }
}

/* --- waiting for a CPU ------------------------------------------------------
 */

static char *mmtrack_put_number (char *to, uint32_t n)
{
    char digits[10];
    int count = 0;

    do
        digits[count++] = (char)('0' + n % 10);
    while (n /= 10);
    while (count)
        *to++ = digits[--count];
    return to;
}

/* The second number of schedstat: "running delay slices". 0: not known. */
static uint64_t delay_of (uint32_t tid)
{
    static const char before[] = "/proc/self/task/", behind[] = "/schedstat";
    char path[sizeof (before) + 10 + sizeof (behind)], buf[96], *p;
    uint64_t ns = 0;
    ssize_t n;
    int fd;

    memcpy (path, before, sizeof (before));
    p = mmtrack_put_number (path + sizeof (before) - 1, tid);
    memcpy (p, behind, sizeof (behind));
    if ((fd = highfd_open (AT_FDCWD, path, O_RDONLY, 0)) < 0)
        return 0;
    n = sys_read (fd, buf, sizeof (buf) - 1);
    (void)sys_close (fd);
    buf[n > 0 ? n : 0] = '\0';
    if ((p = strchr (buf, ' ')))
        for (p++; *p >= '0' && *p <= '9'; p++)
            ns = ns * 10 + (uint64_t)(*p - '0');
    return ns;
}

void mmtrack_start (struct mmtrack *t, uint32_t tid)
{
    memset (t, 0, sizeof (*t));
    t->delay_ns = delay_of (tid);
    t->since = clock_ns (CLOCK_MONOTONIC);
}

void mmtrack_delays (struct mmtrack *t,
                     uint32_t tid,
                     struct mm_fault *f,
                     unsigned n)
{
    uint64_t delay = delay_of (tid), off = 0;

    if (delay > t->delay_ns + t->preempted_ns)
        off = delay - t->delay_ns - t->preempted_ns;
    if (off > t->slept_ns)
        off = t->slept_ns;
    for (unsigned i = 0; off && i < n; i++)
        f[i].start += (uint64_t)((double)(f[i].end - f[i].start) * (double)off /
                                 (double)t->slept_ns);
    t->delay_ns = delay;
    t->slept_ns = t->preempted_ns = 0;
}

void mmtrack_judged (struct mmtrack *t)
{
    t->switches = t->slow = t->minors = 0;
    t->minor_ns = t->lost = 0;
}
