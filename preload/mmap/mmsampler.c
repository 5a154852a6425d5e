/* SPDX-License-Identifier: MIT
 *
 * mmsampler.c - ticks: faults, totals and pages of the mappings -> events
 *
 * In:  rings (mmperf), registry (mmreg), page tables (mmpages), getrusage
 * Out: page_fault, mm_pages, mm_usage, mm_sources events
 *
 * A tick is taken under a lock that nobody waits for: by the sampler's
 * thread, by a thread that unmaps, or by the one that ends the process. What
 * it may cost is a share of the time since the tick before.
 */
#include "config.h"

#include "lib/base/sys.h"
#include "lib/format/event.h"
#include "preload/mmap/mm.h"
#include "preload/mmap/mmperf.h"
#include "preload/mmap/mmregistry.h"
#include "preload/mmap/mmsampler.h"
#include "preload/mmap/mmwalk.h"
#include "preload/ownthread.h"
#include "preload/waits.h"
#include "preload/waitsample.h"

enum {
    INTERVAL_MIN_MS = 100,
    INTERVAL_MAX_MS = 1000,
    INTERVAL_FULL_MS = 20,     /* while rings fill up */
    FULL_PERCENT = 40,         /* of a ring: too full */
    COST_SHARE = 250,          /* of the interval: 1/250, and as much again */
    COST_LIMIT = 100,          /* more than 1/100 at the longest one: stop */
    COSTLY_TICKS = 3,          /* so many times in a row */
    WALK_SHARE = 500,          /* for walking mappings, which is saved up */
    WALK_CREDIT_NS = 20000000, /* at most */
    WALK_FIRST_NS = 500000,
    CARE_NS = 100000000,  /* between looks for new threads */
    ALONE_NS = 500000000, /* between looks whether there is any */
    WAITS_SHARE = 40,     /* samples of threads may take 1/40 of a core */
    LAST_NS = 10000000,   /* for the last tick, at least, and */
    LAST_SHARE = 100,     /* this share of the time so far, but */
    LAST_NS_MAX = 1000000000,
    REBASE_NAPS = 20, /* when a mapping goes */
    NS_PER_MS = 1000000,
    FAULTS = 4096,   /* taken at a time */
    LOCK_NAPS = 500, /* of 100 us, when the process ends */
    NAP_NS = 100000
};

enum state { IDLE = 0, RUNNING, PAUSED, OVER };

/* Of self.lock. Nothing of the thread's is open or locked during a fork, so
 * that no child has it. */
enum { LOCK_FORK = 2 };

enum mm_use { MM_IDLE = 0, MM_TICKS, MM_COSTLY };

static struct {
    int perf;    /* wanted */
    uint32_t mm; /* enum mm_use: has the thread mappings to look at? */
    int waits;   /* has it threads to sample? */
    uint32_t state;
    uint32_t lock;
    uint64_t began_ns;
    uint64_t tick_ns;   /* of the tick before */
    uint64_t walked_ns; /* CPU time it spent on pages */
    unsigned sources, stopped;
    int whole;             /* the last tick saw all that it was to see */
    struct mm_losses lost; /* as told last */
    struct mm_fault *faults;
} self SYS_NEAR;

/* --- faults --------------------------------------------------------------- */

static unsigned take_faults (uint64_t elapsed, int may_open, int last)
{
    struct mm_watched w;
    unsigned full, n;

    if (!self.faults || !mmperf_sources ())
        return 0;
    do {
        n = mmperf_drain (self.faults, FAULTS, last);
        mmevent_faults (self.faults, n);
    } while (n == FAULTS);
    full = mmperf_judge (elapsed, may_open, last);
    for (unsigned i = 0; (n = (unsigned)mmperf_watched (i, &w)) <= 1; i++)
        if (n)
            mmevent_watched (&w);
    return full;
}

/* --- a tick --------------------------------------------------------------- */

static int try_lock (void)
{
    uint32_t is_free = 0;

    return __atomic_compare_exchange_n (&self.lock, &is_free, 1, 0,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void unlock (void)
{
    __atomic_store_n (&self.lock, 0, __ATOMIC_RELEASE);
}

static int lock_within (int naps)
{
    int mine = try_lock ();

    for (int i = 0; !mine && i < naps; i++) {
        sys_nap (NAP_NS);
        mine = try_lock ();
    }
    return mine;
}

/* Record the sources of the numbers when they have changed. */
static void tell_sources (void)
{
    unsigned now = MM_RUSAGE | mmperf_sources () | mmwalk_how () |
                   self.stopped | mmevent_cached;
    struct mm_losses lost = {.maps = mmreg_lost (),
                             .faults = mmperf_lost (),
                             .unlooked = mmwalk_unlooked ()};

    if (__atomic_load_n (&self.mm, __ATOMIC_RELAXED) != MM_IDLE)
        now |= MM_SAMPLER;
    if (now == self.sources && mm_losses_same (&self.lost, &lost))
        return;
    self.sources = now;
    self.lost = lost;
    mmevent_sources (now, self.perf ? mmperf_errno () : 0, &lost);
}

/* Callers of a tick. */
enum taker { BY_SAMPLER, BY_PROGRAM, BY_END };

/* Returns how full the fullest ring was, in percent. The sampler goes on with
 * pages where the tick before stopped, others begin with the first. */
static unsigned
tick (uint64_t start, uint64_t end, uint64_t walk_ns, enum taker by)
{
    int last = by == BY_END;
    uint64_t now = clock_ns (CLOCK_MONOTONIC), cpu;
    uint32_t deliveries;
    unsigned full;

    self.whole = 0;
    if (!mmevent_begin (last))
        return 0;
    full = take_faults (now - self.tick_ns, by == BY_SAMPLER, last);
    self.tick_ns = now;
    deliveries = mmevent_usage ();
    cpu = mmwalk_cpu_ns ();
    if (walk_ns)
        self.whole = mmwalk_maps (start, end, cpu + walk_ns, by != BY_SAMPLER,
                                  deliveries);
    self.walked_ns = mmwalk_cpu_ns () - cpu;
    if (recorder_has_file ())
        tell_sources ();
    mmevent_end (last);
    return full;
}

/* --- the thread ----------------------------------------------------------- */

static uint64_t next_interval (uint64_t cost_ns, unsigned full)
{
    uint64_t ms = cost_ns * COST_SHARE / NS_PER_MS;

    if (full > FULL_PERCENT)
        return INTERVAL_FULL_MS;
    if (ms < INTERVAL_MIN_MS)
        return INTERVAL_MIN_MS;
    return ms > INTERVAL_MAX_MS ? INTERVAL_MAX_MS : ms;
}

/* State of the thread between ticks. */
struct pace {
    uint64_t ms;      /* to sleep */
    uint64_t last_ns; /* when it began the tick before */
    uint64_t care_ns; /* when it last looked for threads */
    int64_t walk_ns;  /* saved up for walking */
    int costly;       /* ticks in a row */
};

/* Do the work that is not needed 50 times a second. */
static void care (struct pace *p, uint64_t now)
{
    if (now - p->care_ns < CARE_NS)
        return;
    p->care_ns = now;
    if (self.perf)
        mmperf_watch_all (sys_gettid ());
    if (ownthread_is_alone ())
        __atomic_store_n (&self.state, OVER, __ATOMIC_RELEASE);
}

static void save_up (struct pace *p, uint64_t now)
{
    p->walk_ns += (int64_t)((now - p->last_ns) / WALK_SHARE);
    if (p->walk_ns > WALK_CREDIT_NS)
        p->walk_ns = WALK_CREDIT_NS;
    p->last_ns = now;
}

static void stop_costly (void)
{
    self.stopped = MM_STOPPED;
    __atomic_store_n (&self.mm, MM_COSTLY, __ATOMIC_RELEASE);
    if (!self.waits)
        __atomic_store_n (&self.state, OVER, __ATOMIC_RELEASE);
    if (mmevent_begin (0)) {
        tell_sources ();
        mmevent_end (0);
    }
}

static void thread_tick (struct pace *p)
{
    uint64_t now = clock_ns (CLOCK_MONOTONIC), began = mmwalk_cpu_ns (), cost;
    unsigned full;

    care (p, now);
    save_up (p, now);
    if (!try_lock ())
        return;
    full = tick (0, UINT64_MAX, p->walk_ns > 0 ? (uint64_t)p->walk_ns : 0,
                 BY_SAMPLER);
    p->walk_ns -= (int64_t)self.walked_ns;
    cost = mmwalk_cpu_ns () - began - self.walked_ns;
    p->costly = cost > (uint64_t)INTERVAL_MAX_MS * NS_PER_MS / COST_LIMIT
                    ? p->costly + 1
                    : 0;
    if (p->costly >= COSTLY_TICKS)
        stop_costly ();
    unlock ();
    p->ms = next_interval (cost, full);
}

static int sampler_running (void)
{
    return __atomic_load_n (&self.state, __ATOMIC_RELAXED) == RUNNING;
}

/* ms between samples. A program that does something each 20 ms would be seen
 * at the same moment of it again and again: by chance 12 to 27. */
static uint64_t samples_apart (void)
{
    static uint32_t chance = 1;

    chance = chance * 1664525 + 1013904223;
    return WAITSAMPLE_MS - 8 + (chance >> 28);
}

/* Sample the threads; returns ms to the next sample. */
static uint64_t sample_waits (uint32_t tid)
{
    uint64_t began = mmwalk_cpu_ns (), ms, least = samples_apart ();

    if (!try_lock ())
        return least;
    waitsample_tick (tid);
    unlock ();
    ms = (mmwalk_cpu_ns () - began) * WAITS_SHARE / NS_PER_MS;
    return ms < least ? least : ms > INTERVAL_MAX_MS ? INTERVAL_MAX_MS : ms;
}

/* The thread ends, or is paused. */
static void leave_waits (void)
{
    if (!self.waits || !try_lock ())
        return;
    waitsample_end (0);
    self.waits = 0;
    unlock ();
}

static void mmsampler_run (void)
{
    struct pace p = {.ms = 0};
    uint32_t tid = (uint32_t)sys_gettid ();
    uint64_t due = 0, alone = clock_ns (CLOCK_MONOTONIC);
    int looks = 0;

    while (sampler_running ()) {
        uint64_t now = clock_ns (CLOCK_MONOTONIC), ms = INTERVAL_MAX_MS;
        int mm = __atomic_load_n (&self.mm, __ATOMIC_ACQUIRE) == MM_TICKS;

        if (mm && !looks)
            p = (struct pace){.ms = INTERVAL_MIN_MS,
                              .last_ns = now,
                              .walk_ns = WALK_FIRST_NS};
        if (mm && now >= due) {
            thread_tick (&p);
            due = now + p.ms * NS_PER_MS;
        }
        looks = mm;
        if (self.waits)
            ms = sample_waits (tid);
        if (mm && due < now + ms * NS_PER_MS)
            ms = due > now ? (due - now) / NS_PER_MS + 1 : 1;
        if (!mm && now - alone > ALONE_NS) {
            alone = now;
            if (ownthread_is_alone ())
                break;
        }
        ownthread_sleep (&self.state, RUNNING, ms);
    }
    leave_waits ();
}

/* --- from outside --------------------------------------------------------- */

void mmsampler_init (int perf)
{
    self.perf = perf;
    self.began_ns = self.tick_ns = clock_ns (CLOCK_MONOTONIC);
    mmevent_start ();
}

int mmsampler_running (void)
{
    return sampler_running () &&
           __atomic_load_n (&self.mm, __ATOMIC_RELAXED) == MM_TICKS;
}

void mmsampler_watch_self (void)
{
    if (self.perf && mmsampler_running () && mmperf_sources ())
        mmperf_watch (sys_gettid ());
}

/* Begin the thread, unless there is one, or was one that is over. */
static void sampler_begin (void)
{
    uint32_t state = IDLE;

    if (__atomic_compare_exchange_n (&self.state, &state, RUNNING, 0,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED) &&
        ownthread_start (mmsampler_run) < 0)
        __atomic_store_n (&self.state, OVER, __ATOMIC_RELEASE);
}

void mmsampler_start (void)
{
    uint32_t mm = MM_IDLE;

    if (mmsampler_running () || !ownthread_may ())
        return;
    if (!__atomic_compare_exchange_n (&self.mm, &mm, MM_TICKS, 0,
                                      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        if (mm == MM_TICKS) /* it went away for a fork */
            sampler_begin ();
        return;
    }
    if (self.perf && !self.faults)
        self.faults = sys_memory (FAULTS * sizeof (*self.faults));
    if (try_lock ()) {
        mmevent_usage (); /* what came before is not the mapping's */
        unlock ();
    }
    sampler_begin ();
    if (sampler_running ())
        waits_have_thread ();
}

int mmsampler_start_waits (void)
{
    if (!ownthread_may () || !try_lock ())
        return 0;
    if (!self.waits)
        self.waits = waitsample_begin () == 0;
    unlock ();
    if (self.waits)
        sampler_begin ();
    return self.waits && sampler_running ();
}

void mmsampler_end_waits (int last)
{
    if (!self.waits || !lock_within (last ? LOCK_NAPS : REBASE_NAPS))
        return;
    waitsample_end (last);
    if (last)
        self.waits = 0;
    else
        self.waits = waitsample_begin () == 0;
    unlock ();
}

void mmsampler_stop (int wait)
{
    __atomic_store_n (&self.state, OVER, __ATOMIC_RELEASE);
    ownthread_wake (&self.state);
    if (wait)
        ownthread_wait ();
}

void mmsampler_pause (void)
{
    uint32_t state = RUNNING;

    ownthread_rest (0);
    if (__atomic_compare_exchange_n (&self.state, &state, PAUSED, 0,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        ownthread_wake (&self.state);
    ownthread_wait (); /* it may have ended by itself, just now */
    __atomic_store_n (&self.mm, MM_IDLE, __ATOMIC_RELEASE);
    state = PAUSED;
    __atomic_compare_exchange_n (&self.state, &state, IDLE, 0, __ATOMIC_ACQ_REL,
                                 __ATOMIC_RELAXED);
}

/* It must not begin within the fork, nor at what the program reads behind it.
 */
static void fork_rest (void)
{
    ownthread_rest (1);
    waits_paused ();
}

void mmsampler_before_fork (void)
{
    uint32_t state = RUNNING;

    if (!ownthread_is_noticed ()) {
        if (sampler_running () && lock_within (REBASE_NAPS))
            __atomic_store_n (&self.lock, LOCK_FORK, __ATOMIC_RELAXED);
        return;
    }
    fork_rest ();
    if (__atomic_compare_exchange_n (&self.state, &state, PAUSED, 0,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        ownthread_wake (&self.state);
        ownthread_wait ();
        __atomic_store_n (&self.state, IDLE, __ATOMIC_RELEASE);
    }
}

void mmsampler_after_fork (void)
{
    if (__atomic_load_n (&self.lock, __ATOMIC_RELAXED) == LOCK_FORK)
        unlock ();
    if (ownthread_is_noticed ())
        fork_rest (); /* it may have taken seconds */
}

int mmsampler_rebase (uint32_t id, int may)
{
    if (!lock_within (REBASE_NAPS))
        return 0;
    mmwalk_rebase (id, may);
    unlock ();
    return 1;
}

/* Return how many nanoseconds the last tick may take. */
static uint64_t last_ns (void)
{
    uint64_t ns = (clock_ns (CLOCK_MONOTONIC) - self.began_ns) / LAST_SHARE;

    if (ns < LAST_NS)
        return LAST_NS;
    return ns < LAST_NS_MAX ? ns : LAST_NS_MAX;
}

int mmsampler_look (uint64_t start, uint64_t end, int last)
{
    int whole;

    if (!lock_within (last ? LOCK_NAPS : REBASE_NAPS))
        return 0;
    tick (start, end, last ? last_ns () : LAST_NS, last ? BY_END : BY_PROGRAM);
    whole = self.whole;
    if (!last)
        unlock ();
    return whole;
}

/* Pages that are written are copied: what is as it was is left alone. */
static void sampler_forked (void)
{
    if (self.state != IDLE || self.mm || self.waits) {
        self.state = IDLE;
        self.mm = MM_IDLE;
        self.waits = 0;
        waitsample_forked ();
    }
    if (self.lock)
        self.lock = 0;
    ownthread_atfork_child ();
}

void mmsampler_forked (void)
{
    sampler_forked ();
}

void mmsampler_atfork_child (void)
{
    sampler_forked ();
    self.sources = self.stopped = 0;
    self.lost.faults = self.lost.unlooked = 0;
    self.began_ns = self.tick_ns = clock_ns (CLOCK_MONOTONIC);
    mmwalk_atfork_child ();
    mmperf_atfork_child ();
    mmevent_atfork_child ();
}
