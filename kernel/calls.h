/* SPDX-License-Identifier: MIT
 *
 * calls.h - system calls -> events of their threads, as layer posix has them
 */
#pragma once

#include "kernel/abi.h"
#include "kernel/procs.h"
#include "lib/format/calls.h"
#include "lib/format/shard.h"
#include "lib/settings/paths.h"

/* -- system calls -> events of their threads, as layer posix has them -- */

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

/* --- private to calls.c and blocks.c ---------------------------------------
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

/* -- open files: what each is called, and whether it is recorded -- */

/* A file as the programs in the kernel know it: its address there, and a number
 * that says which of the files that had this address one after the other. */
struct open_file {
    uint64_t address;
    uint32_t number;
    uint16_t length;
    uint8_t class;  /* enum file_class */
    uint8_t wanted; /* 0: its calls are not recorded */
    char *path;     /* length bytes; owned */
};

struct opens;

/* NULL: ENOMEM. Not for several threads. */
struct opens *opens_create (void);
void opens_destroy (struct opens *o); /* NULL is fine */

/* From now on the address is that of this file; what it was is forgotten. The
 * path is copied. 0, or -1: no memory, nobody knows it then. */
int opens_set (struct opens *o, const struct open_file *f);

/* NULL: not known, or meanwhile another. Until the next opens_set. */
const struct open_file *
opens_get (const struct opens *o, uint64_t address, uint32_t number);

/* -- numbers of system calls -> what is done with them -- */

struct syscall_info {
    struct abi_shape shape;
    uint16_t call;              /* enum call; CALL_NONE: it is not recorded */
    uint8_t size, offset, word; /* numbers of arguments; ABI_NONE */
};

/* Return the row of a system call; NULL for numbers from ABI_SYSCALLS on. */
const struct syscall_info *syscalls_info (uint32_t number);
