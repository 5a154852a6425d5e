/* SPDX-License-Identifier: MIT
 *
 * pool.h - n independent pieces of work over the cores
 */
#pragma once

#include <stddef.h>

/* bytes: what several workers write all the time, in one array, lies so far
 * apart. A line of the cache that two of them write, or two neighbours that the
 * processor fetches together, goes to and fro between them */
enum { POOL_APART = 128 };

/* Call work (cookie, index, worker) for every index < count, on at most
 * `threads` threads (0: one per core of the affinity mask, at most 64);
 * worker is 0 … threads - 1. Indices are handed out in order. Returns when
 * all are done: 0, or -1 (errno) when not even one thread could run. */
int pool_run (size_t count,
              int threads,
              void (*work) (void *cookie, size_t index, int worker),
              void *cookie);

/* How workers take, make and put items in one order. Each has an item of its
 * own, of zeroed bytes at first. take and put are called by one worker at a
 * time, put in the order of take; make is called by all at the same time. take
 * returns 1, or 0 if there is nothing more; all return -1 with errno on
 * failure. clear is called for each item at the end. */
struct pool_line {
    int (*take) (void *cookie, void *item);
    int (*make) (void *cookie, void *item);
    int (*put) (void *cookie, void *item);
    void (*clear) (void *item);
    size_t bytes;
};

/* Take, make and put all items, on `threads` threads (0: as pool_run). 0, or
 * the errno of the first failure, also if there is no memory. */
int pool_line (const struct pool_line *line, int threads, void *cookie);

/* From now on 0 means this number instead; 0: one per core again. */
void pool_use (int threads);

/* How many threads pool_run (…, 0, …) would use. */
int pool_threads (void);
