/* SPDX-License-Identifier: MIT
 *
 * scansides.h - a call -> bytes as the kernel counts them
 */
#ifndef DFT_ANALYZE_SCANSIDES_H
#define DFT_ANALYZE_SCANSIDES_H

#include "analyze/scan/tally.h"
#include "lib/format/calls.h"

/* Add a POSIX call or one on a stream: its bytes, and what libc read and wrote
 * for it. */
void scansides_add (struct counts *n,
                    enum call call,
                    uint64_t bytes,
                    uint64_t filled,
                    uint64_t flushed);

/* The sum of a POSIX call that has one side, or unused. */
uint64_t *scansides_one (struct counts *n, enum call call, uint64_t *unused);

#endif
