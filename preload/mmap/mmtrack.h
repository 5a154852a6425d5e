/* SPDX-License-Identifier: MIT
 *
 * mmtrack.h - records of one thread, in their order -> faults that slept
 *
 * A page fault sleeps where its page has to come from storage, or is on its
 * way from there already: the kernel calls the first a major fault, the
 * second a minor one.
 */
#ifndef DFT_PRELOAD_MMTRACK_H
#define DFT_PRELOAD_MMTRACK_H

#include <stdint.h>

#include "preload/mmap/mmring.h"

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

#endif
