/* SPDX-License-Identifier: MIT
 *
 * once.h - one of several processes does a step, the others take its result
 *
 * The tasks of a step of Slurm are forks of one process and need the same
 * directories. The first that comes makes them.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct once;

/* Before the forks. size: bytes of the result. NULL and errno when there is no
 * memory. */
struct once *once_create (size_t size);

/* Only in this process. Accepts NULL. */
void once_destroy (struct once *o);

/* step (data) in the first process that calls this; each has its result, its
 * errno and what it changed in the size bytes of data. The others wait: when
 * the first dies the next begins; when it does not end, -1 with ETIMEDOUT after
 * ms milliseconds, and data is as it was. o NULL: each for itself. */
int once_run (struct once *o,
              int (*step) (void *data),
              void *data,
              size_t size,
              uint64_t ms);
