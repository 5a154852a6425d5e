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
#include "lib/settings/pathfilter.h"

struct calls {
    const struct settings *settings;
    struct pathfilter filter;
    unsigned char how[CALL_MAX]; /* FILTER_* */
    struct opens *opens;
    struct procs *procs;
    uint64_t told;     /* records that were lost, by what threads said */
    uint64_t unplaced; /* that no process of the job is there for */
};

/* One record of the ring, of n bytes. */
void calls_take (struct calls *c, const void *record, size_t n);

/* --- private to calls.c, blocks.c, requests.c and faults.c -----------------
 */

/* The name of an open file; 0: it is not recorded. Where nobody knows it,
 * *name has none and that is counted. */
int calls_name (struct calls *c,
                struct thread *h,
                uint64_t address,
                uint32_t number,
                struct chunk_name *name);

/* The user does not want this call. */
int calls_drops (const struct calls *c, const struct event *ev);

/* A request of an io_uring: an event of the thread that submitted it, from then
 * to its completion. */
void requests_take (struct calls *c, const struct abi_request *r);

/* A file keeps its name, by its number alone. */
void blocks_keep (struct calls *c, const struct abi_keep *r);

/* A request to a block device, or pages that a call has added to the page
 * cache.
 */
void blocks_take (struct calls *c, const struct abi_block *r);
void blocks_cached (struct calls *c, const struct abi_cache *r);

/* A page fault; the first one of a process comes with its source. */
void faults_take (struct calls *c, const struct abi_fault *r);

#endif
