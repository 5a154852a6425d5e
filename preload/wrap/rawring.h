/* SPDX-License-Identifier: MIT
 *
 * rawring.h - io_urings of the program's own making -> transfers among requests
 *
 * An event loop (libuv, in Node.js and PyTorch) has a ring for requests that
 * move no bytes of files. Where such a ring lies is known from the calls that
 * make and map it; its memory is read through the kernel, since the program may
 * unmap it at any time. Lock-free; errno may change.
 */
#pragma once

#include <stdint.h>

/* -- io_urings of the program's own making -> transfers among requests -- */

struct io_uring_params;

/* Flag of io_uring_enter: the ring is not a descriptor. */
enum { RAWRING_BY_NUMBER = 1u << 4 };

/* Some ring was made. */
extern int rawring_any __attribute__ ((visibility ("hidden")));

/* The descriptor is a new ring, as how says. */
void rawring_made (int fd, const struct io_uring_params *how);

/* One of the last RAWRINGS that were made. */
int rawring_is (int fd);

/* It was mapped at addr, which may be MAP_FAILED. */
void rawring_mapped (int fd, const void *addr, int64_t offset);

/* Count reads, writes and syncs of files that may be recorded among the last n
 * requests; n if the ring cannot be read. */
uint64_t rawring_transfers (int fd, unsigned n);

/* Memory is about to be unmapped: of a ring, what was submitted without a call
 * that is seen is counted. Keeps errno. */
void rawring_unmapping (const void *addr);

/* Count the rest of all rings at the end of the process. Keeps errno. */
void rawring_finish (void);

/* -- asynchronous requests between submission and result -- */

enum request_kind { REQUEST_READ = 1, REQUEST_WRITE, REQUEST_SYNC };

struct request {
    uint64_t start; /* tick of the call that submitted it */
    uint64_t size;  /* bytes asked for */
    int64_t offset; /* -1: not known */
    int32_t fd;
    uint32_t name; /* of its file */
    enum request_kind kind;
};

/* key, not 0, is the program's own for it; an older request of the same key
 * has gone. */
void requests_add (uintptr_t key, const struct request *q);

/* The request of a key, which is then forgotten; false: not found. */
int requests_take (uintptr_t key, struct request *q);
