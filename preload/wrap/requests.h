/* SPDX-License-Identifier: MIT
 *
 * requests.h - asynchronous requests between submission and result
 *
 * Lock-free, no allocation. A request that found no room, or is fetched by
 * another thread before it was added, is not found.
 */
#ifndef DFT_PRELOAD_REQUESTS_H
#define DFT_PRELOAD_REQUESTS_H

#include <stdint.h>

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

#endif
