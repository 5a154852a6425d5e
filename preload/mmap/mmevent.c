/* SPDX-License-Identifier: MIT
 *
 * mmevent.c - pages, faults, totals -> struct record
 */
#include "config.h"

#include <string.h>

#include "lib/format/event.h"
#include "lib/base/sys.h"
#include "preload/mmap/mmevent.h"
#include "preload/mmap/mmreg.h"

enum { BLOCK_BYTES = 512, NS_PER_US = 1000 };

struct totals {
    uint64_t major, minor, read;
};

static struct totals base, before;
static uint64_t outside_before; /* ns */
static int told;                /* `before` is in the trace */
static uint32_t deliveries;

unsigned mmevent_cached;

/* The chunk that ticks write to, and the time they were taken at; 0: none is
 * being taken in this thread. */
static struct recorder_thread own;
static __thread struct {
    struct recorder_thread before;
    uint64_t tick;
    int swapped;
} self __attribute__ ((tls_model ("initial-exec")));

/* The end of a process that had no tick: nothing can be late, so that its
 * thread's chunk will do. */
int mmevent_begin (int last)
{
    if (recorder_self.busy)
        return 0;
    self.tick = clock_tick ();
    self.swapped = own.tbuf || !last;
    if (self.swapped) {
        self.before = recorder_self;
        recorder_self = own;
    }
    recorder_self.busy = 1;
    return 1;
}

void mmevent_end (int last)
{
    recorder_self.busy = 0;
    self.tick = 0;
    if (!self.swapped)
        return;
    if (last)
        recorder_thread_end ();
    own = recorder_self;
    recorder_self = self.before;
}

static void write_record (struct record *r)
{
    if (self.tick) {
        recorder_record (r);
        return;
    }
    if (recorder_self.busy || !recorder_enter ())
        return;
    recorder_record (r);
    recorder_leave ();
}

static uint64_t now_tick (void)
{
    return self.tick ? self.tick : clock_tick ();
}

static struct record at_now (enum call call)
{
    uint64_t tick = now_tick ();

    return (struct record){.start = tick,
                           .end = tick,
                           .call = (uint16_t)call,
                           .fd = -1,
                           .offset = -1};
}

/* Never less than it was: what another thread's recorder has just had may be in
 * the kernel's count before it is in ours. */
static uint64_t program_had (uint64_t all, uint64_t ours, uint64_t was)
{
    return all > ours && all - ours > was ? all - ours : was;
}

/* What the recorder had is not in it. */
static struct totals mmevent_look (void)
{
    struct usage_process p;
    struct totals t;
    struct rusage r;

    if (sys_call (SYS_getrusage, RUSAGE_SELF, &r) < 0)
        return before;
    p = usage_process (); /* it has grown since then if at all */
    t.major = program_had ((uint64_t)r.ru_majflt, p.own_major, before.major);
    t.minor = program_had ((uint64_t)r.ru_minflt, p.own_minor, before.minor);
    t.read = program_had ((uint64_t)r.ru_inblock * BLOCK_BYTES, p.own_bytes,
                          before.read);
    return t;
}

void mmevent_start (void)
{
    base = before = mmevent_look ();
    told = 0;
}

void mmevent_atfork_child (void)
{
    memset (&base, 0, sizeof (base));
    memset (&before, 0, sizeof (before));
    memset (&own, 0, sizeof (own)); /* its page was wiped */
    memset (&self, 0, sizeof (self));
    told = 0;
    outside_before = 0;
    mmevent_cached = 0;
}

int mmevent_any_read (void)
{
    return mmevent_look ().read != base.read;
}

uint32_t mmevent_usage (void)
{
    struct record_arg args[EVENT_ARGS_MAX];
    struct record r = at_now (CALL_mm_usage);
    struct usage_process p = usage_process ();
    struct totals now = mmevent_look ();
    uint32_t n = 0;

    if (now.read != before.read)
        deliveries++;
    if (told ? now.read == before.read && now.major == before.major &&
                   p.outside_wait_ns == outside_before
             : !recorder_has_file () && now.read == base.read)
        return deliveries;
    n = usage_put (args, n, USAGE_READ, now.read - base.read);
    n = usage_put (args, n, USAGE_MAJOR, now.major - base.major);
    n = usage_put (args, n, USAGE_MINOR, now.minor - base.minor);
    if (p.outside_bytes || p.outside_wait_ns) {
        n = usage_put (args, n, USAGE_OUTSIDE, p.outside_bytes);
        n = usage_put (args, n, USAGE_WAIT, p.outside_wait_ns / NS_PER_US);
    }
    if (p.own_bytes)
        n = usage_put (args, n, USAGE_OWN, p.own_bytes);
    r.args = args;
    r.nargs = (uint8_t)n;
    write_record (&r);
    before = now;
    outside_before = p.outside_wait_ns;
    told = 1;
    return deliveries;
}

void mmevent_pages (const struct mmevent_pages *p)
{
    struct record_arg args[EVENT_ARGS_MAX];
    struct record r = at_now (CALL_mm_pages);
    uint32_t n = 0;

    r.file = p->map->name;
    r.size = p->map->end - p->map->start;
    r.offset = (int64_t)p->map->offset;
    n = usage_put (args, n, USAGE_PRESENT, p->present);
    n = usage_put (args, n, USAGE_TOUCHED, p->touched);
    if (p->cached_known) {
        n = usage_put (args, n, USAGE_CACHED, p->cached);
        n = usage_put (args, n, USAGE_LOADED, p->loaded);
        mmevent_cached = MM_MINCORE;
    }
    r.args = args;
    r.nargs = (uint8_t)n;
    write_record (&r);
}

/* Tick of a time of CLOCK_MONOTONIC, near now. */
static uint64_t tick_of (const struct clock_pair *now, uint64_t hz, uint64_t ns)
{
    uint64_t past = now->ns > ns ? now->ns - ns : 0;

    return now->tick -
           (uint64_t)((unsigned __int128)past * hz / CLOCK_NS_PER_S);
}

static void sort_by_end (struct mm_fault *f, unsigned n)
{
    for (unsigned gap = n / 2; gap; gap /= 2)
        for (unsigned i = gap; i < n; i++) {
            struct mm_fault one = f[i];
            unsigned at = i;

            for (; at >= gap && f[at - gap].end > one.end; at -= gap)
                f[at] = f[at - gap];
            f[at] = one;
        }
}

void mmevent_faults (struct mm_fault *faults, unsigned n)
{
    struct clock_pair now = clock_pair ();
    uint64_t hz = clock_hz (&now);
    struct mm_map m = {.name = 0};
    struct record_arg minor[EVENT_ARGS_MAX];
    uint32_t args = usage_put (minor, 0, USAGE_MINOR, 1);

    sort_by_end (faults, n);
    for (unsigned i = 0; i < n; i++) {
        const struct mm_fault *f = &faults[i];
        struct record r = at_now (CALL_page_fault);

        r.args = minor;
        r.nargs = f->minor ? (uint8_t)args : 0;
        r.start = tick_of (&now, hz, f->start);
        r.end = tick_of (&now, hz, f->end);
        r.flags = f->tid;
        if (m.name && f->addr >= m.start && f->addr < m.end)
            r.file = m.name;
        else if (mmreg_find (f->addr, &m))
            r.file = m.name;
        if (r.file)
            r.offset = (int64_t)(m.offset + (f->addr - m.start));
        write_record (&r);
    }
}

void mmevent_watched (const struct mm_watched *w)
{
    struct clock_pair now = clock_pair ();
    uint64_t hz = clock_hz (&now);
    struct record r = at_now (CALL_mm_watched);

    r.start = tick_of (&now, hz, w->start);
    r.end = tick_of (&now, hz, w->end);
    r.flags = w->tid;
    write_record (&r);
}

void mmevent_sources (unsigned sources,
                      int perf_errno,
                      const struct mm_losses *lost)
{
    struct record_arg args[EVENT_ARGS_MAX];
    struct record r = at_now (CALL_mm_sources);
    uint32_t n = 0;

    r.flags = sources;
    if (perf_errno)
        n = usage_put (args, n, USAGE_ERRNO, (uint64_t)perf_errno);
#define LOSS(FIELD, ROW) \
    if (lost->FIELD)     \
        n = usage_put (args, n, USAGE_##ROW, lost->FIELD);
#include "lib/format/mmlosses.def"
#undef LOSS
    r.args = args;
    r.nargs = (uint8_t)n;
    write_record (&r);
}
