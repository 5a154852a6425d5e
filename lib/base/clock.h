/* SPDX-License-Identifier: MIT
 *
 * clock.h - the tick of all events, and wall time
 *
 * A tick is a cycle of the time stamp counter where the kernel itself keeps
 * time by it (clock source "tsc": constant, synchronized over cores), else a
 * nanosecond of CLOCK_MONOTONIC. Nothing is calibrated in advance: chunks
 * carry pairs of tick and nanosecond, near enough to each other that the
 * reader can place every tick between them (see doc/trace-format.md).
 */
#pragma once

#include <stdint.h>
#include <time.h>

enum { CLOCK_NS_PER_S = 1000000000 };

/* 1 when ticks are cycles, 0 when they are not, -1: not looked yet, which the
 * first tick does. */
extern int clock_cycles __attribute__ ((visibility ("hidden")));

/* Return clock_cycles while another thread may be deciding about it. */
static inline int clock_known (void)
{
    return __atomic_load_n (&clock_cycles, __ATOMIC_RELAXED);
}

struct clock_pair {
    uint64_t tick;
    uint64_t ns; /* CLOCK_MONOTONIC at that tick */
};

/* Whether this thread may read clocks at all: where the time stamp counter is
 * forbidden (PR_SET_TSC), those of libc give SIGSEGV, too. */
int clock_allowed (void);

/* Whether the kernel keeps time by the time stamp counter: 20 us. */
int clock_cycles_good (void);

/* It does, says who has looked on this node: not to be looked again. */
void clock_told (void);

/* A moment by both clocks, for when it is not known yet which will count: what
 * the kernel keeps time by is in a file, and reading that takes 20 us, which a
 * process that does nothing need not pay. */
struct clock_mark {
    uint64_t cycles, ns;
};

/* Begin: the first pair is now. Where clock_allowed; once, before threads. */
void clock_start (void);

/* This moment; good to some 50 ns. Async-signal-safe; keeps errno. */
struct clock_mark clock_mark (void);

/* CLOCK_REALTIME at moment ns of CLOCK_MONOTONIC, by the difference of both
 * now. Good to half of the time that two reads of a clock take, even if this
 * thread has to wait for a processor in one of a few tries. Async-signal-safe;
 * keeps errno. */
uint64_t clock_real (uint64_t ns);

/* That moment by the chosen clock, which is chosen now at the latest. */
struct clock_pair clock_at (const struct clock_mark *m);

/* A pair of now, good to some 50 ns. Async-signal-safe; keeps errno. */
struct clock_pair clock_pair (void);

/* Ticks a second, as far as is known: from the first pair to p. */
uint64_t clock_hz (const struct clock_pair *p);

/* Nanoseconds that so many ticks are; good to 0.1 %. */
uint64_t clock_ns_of (uint64_t ticks);

/* Nanoseconds from a tick to now; 0 where ticks are not cycles. */
uint64_t clock_ns_since (const struct clock_mark *now, uint64_t tick);

/* Ticks after which the next pair is due, when p was the last: what lies
 * between two pairs is at most as long as what lies before them (so their
 * error does not grow), at least 10 us, at most 50 ms. UINT64_MAX where ticks
 * are nanoseconds. */
uint64_t clock_interval (const struct clock_pair *p);

/* The clock_gettime that the kernel maps into each process; NULL: it was not
 * looked for yet. */
typedef int clock_function (clockid_t id, struct timespec *ts);
extern clock_function *clock_reader __attribute__ ((visibility ("hidden")));

/* Find the vDSO's clock function again. Async-signal-safe. */
clock_function *clock_find_reader (void);

/* Never through libc: another library that is preloaded (libfaketime) may
 * stand in front of its clocks. */
static inline uint64_t clock_ns (clockid_t id)
{
    clock_function *reader = __atomic_load_n (&clock_reader, __ATOMIC_RELAXED);
    struct timespec ts = {0, 0};

    if (__builtin_expect (!reader, 0))
        reader = clock_find_reader ();
    reader (id, &ts);
    return (uint64_t)ts.tv_sec * CLOCK_NS_PER_S + (uint64_t)ts.tv_nsec;
}

/* A tick where it is not cycles, or not known. */
uint64_t clock_tick_slowly (void);

static inline uint64_t clock_tick (void)
{
#ifdef __x86_64__
    if (__builtin_expect (clock_known () > 0, 1))
        return __builtin_ia32_rdtsc ();
#endif
    return clock_tick_slowly ();
}
