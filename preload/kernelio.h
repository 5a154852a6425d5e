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

/* The same for two looks at one call, whose difference is what this thread had
 * between them. Returns the bytes that asking took, which io has, too. */
uint64_t kernelio_now (struct kernelio *io);

/* What this thread had, with the bytes that asking takes. Keeps errno. */
void kernelio_thread (struct kernelio *io);

/* What the threads had that have ended, where no child was waited for yet; else
 * not known. Keeps errno. */
void kernelio_ended (struct kernelio *ended);

#endif
