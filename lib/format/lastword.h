/* SPDX-License-Identifier: MIT
 *
 * lastword.h - the call that a thread is in -> 8 bytes of its chunk's header
 *
 * They stand where the checksum will be once the chunk is sealed, and are 0
 * between calls. Only where the file system keeps what it promised
 * (filespace.h): a store there may end the process elsewhere.
 */
#ifndef DFT_CORE_LASTWORD_H
#define DFT_CORE_LASTWORD_H

#include <stdint.h>

enum {
    LASTWORD_CALL_BITS = 8,
    LASTWORD_FD_BITS = 16,
    LASTWORD_LOW = LASTWORD_CALL_BITS + LASTWORD_FD_BITS,
    LASTWORD_SHIFT = 12, /* of the tick at which it began: 1 to 4 us */
    LASTWORD_TICK_BITS = 64 - LASTWORD_LOW + LASTWORD_SHIFT,
    LASTWORD_NO_FD = 0xffff
};

/* fd: negative and large ones are none. */
static inline uint64_t lastword_make (unsigned call, int fd, uint64_t start)
{
    unsigned short_fd =
        (unsigned)fd < LASTWORD_NO_FD ? (unsigned)fd : LASTWORD_NO_FD;

    return start >> LASTWORD_SHIFT << LASTWORD_LOW |
           short_fd << LASTWORD_CALL_BITS | call;
}

static inline unsigned lastword_call (uint64_t word)
{
    return word & 0xff;
}

/* -1: none. */
static inline int lastword_fd (uint64_t word)
{
    unsigned fd = (unsigned)(word >> LASTWORD_CALL_BITS) & LASTWORD_NO_FD;

    return fd == LASTWORD_NO_FD ? -1 : (int)fd;
}

/* The tick at which the call began, at or after base but for what was cut. */
static inline uint64_t lastword_tick (uint64_t word, uint64_t base)
{
    const uint64_t round = (uint64_t)1 << LASTWORD_TICK_BITS;
    uint64_t tick = (base & -round) | (word >> LASTWORD_LOW << LASTWORD_SHIFT);

    return tick + ((uint64_t)1 << LASTWORD_SHIFT) <= base ? tick + round : tick;
}

#endif
