/* SPDX-License-Identifier: MIT
 *
 * kernelio.h - /proc/self/io -> what the kernel has counted of this process
 */
#ifndef DFT_PRELOAD_KERNELIO_H
#define DFT_PRELOAD_KERNELIO_H

#include <stdint.h>

struct kernelio {
    int known;
    uint64_t read, written; /* rchar, wchar */
};

/* all: with the children that were waited for. own: without them, known where
 * there were none, where this process has one thread only, or where it is known
 * what its ended threads had. Both since the last fork, over execs, and with
 * the bytes that asking takes. Keeps errno. */
void kernelio_take (struct kernelio *all,
                    struct kernelio *own,
                    const struct kernelio *ended);

/* Read the counters of this thread before and after a call; the difference is
 * its part. Return the bytes that reading took, which io includes. */
uint64_t kernelio_now (struct kernelio *io);

/* Read the counters of this thread, including the bytes of this read. Keeps
 * errno. */
void kernelio_thread (struct kernelio *io);

/* Read the counters of threads that ended; not known once a child was waited
 * for. Keeps errno. */
void kernelio_ended (struct kernelio *ended);

#endif
