/* SPDX-License-Identifier: MIT
 *
 * lastword.h - the call that a thread is in -> 8 bytes of its chunk's header
 *
 * They stand where the checksum will be once the chunk is sealed, and are 0
 * between calls. Only where the file system keeps what it promised
 * (preload/record/shardfile.h): a store there may end the process elsewhere.
 *
 * The descriptor is one whose file is recorded, below LASTWORD_LEFT; or says
 * why its file is not; or that a path follows: behind the bytes that are
 * committed, the word again, and the path with its NUL. A call for a path has
 * one where it can be copied at no cost that counts (span.c).
 */
#pragma once

#include <stdint.h>

enum {
    LASTWORD_CALL_BITS = 8,
    LASTWORD_FD_BITS = 16,
    LASTWORD_LOW = LASTWORD_CALL_BITS + LASTWORD_FD_BITS,
    LASTWORD_SHIFT = 12, /* of the tick at which it began: 1 to 4 us */
    LASTWORD_TICK_BITS = 64 - LASTWORD_LOW + LASTWORD_SHIFT,
    LASTWORD_LEFT = 0x8000, /* and the reason, enum leftout */
    LASTWORD_PATH = 0xfffe,
    LASTWORD_NO_FD = 0xffff
};

/* The regions of the application that a thread is in: at the end of its chunk,
 * behind all records, in a thread that has begun one. */
enum {
    LASTWORD_REGIONS = 4,
    LASTWORD_REGION_MAX = 64,
    LASTWORD_REGION_MARK = 0x52544644 /* "DFTR" */
};
struct lastword_regions {
    uint32_t mark;
    uint32_t in; /* the innermost is text[in - 1]; 0: none */
    char text[LASTWORD_REGIONS][LASTWORD_REGION_MAX]; /* CATEGORY.NAME */
};

/* Numbers of what is no call of calls.def: a wait. */
enum lastword_wait {
    LASTWORD_WAIT_FIRST = 244,
    LASTWORD_sleep = LASTWORD_WAIT_FIRST,
    LASTWORD_poll,
    LASTWORD_select,
    LASTWORD_epoll_wait,
    LASTWORD_waitpid, /* for the end of a child */
    LASTWORD_lock,
    LASTWORD_WAIT_END
};

/* what: a descriptor below LASTWORD_LEFT, or one of the words above. */
static inline uint64_t
lastword_put (unsigned call, unsigned what, uint64_t start)
{
    return start >> LASTWORD_SHIFT << LASTWORD_LOW |
           what << LASTWORD_CALL_BITS | call;
}

/* Negative descriptors and large ones are none. */
static inline unsigned lastword_descriptor (int fd)
{
    return (unsigned)fd < LASTWORD_LEFT ? (unsigned)fd : LASTWORD_NO_FD;
}

static inline unsigned lastword_call (uint64_t word)
{
    return word & 0xff;
}

static inline unsigned lastword_what (uint64_t word)
{
    return (unsigned)(word >> LASTWORD_CALL_BITS) & LASTWORD_NO_FD;
}

/* -1: none. */
static inline int lastword_fd (uint64_t word)
{
    return lastword_what (word) < LASTWORD_LEFT ? (int)lastword_what (word)
                                                : -1;
}

/* 0: it is not known when the call began. */
static inline int lastword_has_tick (uint64_t word)
{
    return word >> LASTWORD_LOW != 0;
}

/* The tick at which the call began, at or after base but for what was cut. */
static inline uint64_t lastword_tick (uint64_t word, uint64_t base)
{
    const uint64_t round = (uint64_t)1 << LASTWORD_TICK_BITS;
    uint64_t tick = (base & -round) | (word >> LASTWORD_LOW << LASTWORD_SHIFT);

    return tick + ((uint64_t)1 << LASTWORD_SHIFT) <= base ? tick + round : tick;
}
