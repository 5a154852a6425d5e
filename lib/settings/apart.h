/* SPDX-License-Identifier: MIT
 *
 * apart.h - a step that may hang -> its result, or a deadline
 *
 * A file server that does not answer keeps whoever asks it, sometimes beyond
 * SIGKILL. So somebody else asks: a process that nobody waits for.
 */
#ifndef DFT_CORE_APART_H
#define DFT_CORE_APART_H

#include <stddef.h>
#include <stdint.h>

/* Run step (data) in a process of its own, which is no child of this one, with
 * /dev/null as its standard files and no other descriptor; what it changes in
 * the size bytes of data is here afterwards. Its result and errno; -1 with
 * ETIMEDOUT when it has not come back after ms milliseconds (then data is as it
 * was, and that process stays until it can go), or with the errno of fork. */
int apart_run (int (*step) (void *data), void *data, size_t size, uint64_t ms);

#endif
