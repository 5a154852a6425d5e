/* SPDX-License-Identifier: MIT
 *
 * mmperf.h - the faults of each thread that slept, as the kernel reports them
 *
 * A thread is watched wholly while all its faults are reported when they begin
 * and when they end; with major faults only where that would cost too much;
 * not at all where even its context switches are too many. What is given up is
 * tried again after a second, then two, and so on.
 */
#pragma once

#include <sys/types.h>

#include "preload/record/usage.h"

/* -- a perf event of one thread and its ring -> records in their order -- */

struct perf_event_mmap_page;

/* Events of a ring. */
enum mmring_event {
    MMRING_MAJOR, /* major faults when they are over, and context switches */
    MMRING_ENTRY, /* all faults when they begin */
    MMRING_MINOR, /* minor faults when they are over */
    MMRING_EVENTS
};

enum mmring_kind {
    MMRING_NOTHING = 0,
    MMRING_SLEEP,   /* the thread was switched out, and could not have run */
    MMRING_PREEMPT, /* it was switched out, and could have */
    MMRING_RUN,     /* it was switched in */
    MMRING_FAULT,   /* the sample of the ring's event */
    MMRING_LOST     /* some records could not be written */
};

struct mmring_record {
    enum mmring_kind kind;
    uint64_t time; /* ns of CLOCK_MONOTONIC */
    uint64_t addr; /* of a fault; of MMRING_MINOR 0 */
    uint64_t lost; /* records, at least */
};

/* Zeroed: no ring. */
struct mmring {
    struct perf_event_mmap_page *page;
    size_t bytes;
    uint64_t head, tail;       /* of the present pass */
    size_t size;               /* of the next record */
    struct mmring_record next; /* kind NOTHING: there is none */
};

/* As much as is allowed. *what gets bits of enum mm_source. 0, or -1 with
 * errno. */
int mmring_open (struct mmring *r,
                 pid_t tid,
                 enum mmring_event event,
                 unsigned *what);
void mmring_close (struct mmring *r);

/* Begin a pass over what is in the ring, at r->next; how full it is, in
 * percent. Then on to the record behind. What was passed is free again after
 * mmring_end. */
unsigned mmring_begin (struct mmring *r);
void mmring_pass (struct mmring *r);
void mmring_end (struct mmring *r);

/* -- records of one thread, in their order -> faults that slept -- */

/* A fault that slept, or a major one. */
struct mm_fault {
    uint64_t start, end; /* ns of CLOCK_MONOTONIC; the time between is what the
                            thread slept for it, up to its end */
    uint64_t addr;
    uint32_t tid;
    uint32_t minor; /* 1: its page was on its way already */
};

struct mmtrack {
    uint64_t entered, addr; /* fault under way; 0: none is known */
    uint64_t slept, woke;   /* ns of its sleeps so far; end of the last one */
    uint64_t asleep, preempted; /* switched out then; 0: running */
    uint64_t since;             /* nothing is known from before */
    uint32_t sleeps;            /* of this fault */
    /* since the run delay, delay_ns, was asked for */
    uint64_t slept_ns, preempted_ns, delay_ns;
    /* since mmtrack_judged */
    uint32_t switches, slow, minors;
    uint64_t minor_ns; /* that minor faults slept */
    uint64_t lost;     /* records */
};

/* All anew, for a thread that is about to be watched. */
void mmtrack_start (struct mmtrack *t, uint32_t tid);

/* The next record, of that event. paired: all faults are reported when they
 * begin and when they end; else a sleep is taken for that of the major fault
 * that ends within CHAIN_NS after it. 1 when it is a fault that belongs into
 * *f. */
int mmtrack_record (struct mmtrack *t,
                    enum mmring_event event,
                    const struct mmring_record *r,
                    int paired,
                    struct mm_fault *f);

/* Take the time that threads waited for a CPU after they had been woken off
 * the n faults, all of this thread and since the call before: their part of
 * what the kernel says (/proc/self/task/TID/schedstat). */
void mmtrack_delays (struct mmtrack *t,
                     uint32_t tid,
                     struct mm_fault *f,
                     unsigned n);

/* Begin to count anew. */
void mmtrack_judged (struct mmtrack *t);

/* -- the faults of each thread that slept, as the kernel reports them -- */

/* A thread was watched wholly, and nothing was lost; ns of CLOCK_MONOTONIC. */
struct mm_watched {
    uint64_t start, end;
    uint32_t tid;
};

/* Watch a thread of this process. 0, also when it is watched already; -1 when
 * it cannot be. Any thread, any time. */
int mmperf_watch (pid_t tid);

/* Watch all threads but one. May take milliseconds. One caller at a time. */
void mmperf_watch_all (pid_t except);

/* Take faults out of the rings: at most room, those of one thread in their
 * order; returns how many. Call again while it is room. One caller at a time,
 * as for the next two. last: nothing comes after it. */
unsigned mmperf_drain (struct mm_fault *faults, unsigned room, int last);

/* After the last of these: what the time since the call before showed, of
 * elapsed ns. Threads that have ended are forgotten. may_open: rings may be
 * opened, too. Returns how full the fullest ring was, in percent; 100 after
 * one was opened. */
unsigned mmperf_judge (uint64_t elapsed, int may_open, int last);

/* Get the result of mmperf_judge for the i-th thread. Return 1, 0 if there is
 * none for it, -1 behind the last thread. */
int mmperf_watched (unsigned i, struct mm_watched *w);

/* Bits of enum mm_source; why there are none (errno, or 0); records lost. */
unsigned mmperf_sources (void);
int mmperf_errno (void);
uint64_t mmperf_lost (void);

void mmperf_atfork_child (void);
