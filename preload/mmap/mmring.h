/* SPDX-License-Identifier: MIT
 *
 * mmring.h - a perf event of one thread and its ring -> records in their order
 *
 * The event lives as long as its ring is mapped, so no descriptor is held. One
 * caller at a time for each ring; functions may change errno.
 */
#ifndef DFT_PRELOAD_MMRING_H
#define DFT_PRELOAD_MMRING_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct perf_event_mmap_page;

/* What is recorded. */
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

#endif
