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
 * there were none, or this process has one thread only. Both since the last
 * fork, over execs, and with the bytes that asking takes. Keeps errno. */
void kernelio_take (struct kernelio *all, struct kernelio *own);

#endif
