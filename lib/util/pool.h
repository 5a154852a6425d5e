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

/* From now on 0 means this number instead; 0: one per core again. */
void pool_use (int threads);

/* How many threads pool_run (…, 0, …) would use. */
int pool_threads (void);
