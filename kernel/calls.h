/* SPDX-License-Identifier: MIT
 *
 * calls.h - system calls -> events of their threads, as layer posix has them
 */
#ifndef DFT_KERNEL_CALLS_H
#define DFT_KERNEL_CALLS_H

#include <stddef.h>

#include "kernel/abi.h"
#include "kernel/opens.h"
#include "kernel/procs.h"
#include "lib/core/path/pathfilter.h"

struct calls {
    const struct settings *settings;
    struct pathfilter filter;
    unsigned char how[CALL_MAX]; /* FILTER_* */
    struct opens *opens;
    struct procs *procs;
    uint64_t told; /* records that were lost, by what threads said */
};

/* One record of the ring, of n bytes. */
void calls_take (struct calls *c, const void *record, size_t n);

#endif
