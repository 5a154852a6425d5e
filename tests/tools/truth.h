/* SPDX-License-Identifier: MIT
 *
 * truth.h - what is true of a made-up job, counted while it is made
 *
 * Times by marking each microsecond in an array: nothing of it is shared with
 * the analyzer.
 */
#ifndef DFT_TESTS_TRUTH_H
#define DFT_TESTS_TRUTH_H

#include <stdint.h>
#include <stdio.h>

enum { TRUTH_RANKS = 4, TRUTH_SLOTS = 1 << 20 /* microseconds of the job */ };

enum mark { MARK_READ, MARK_LOADER, MARK_STALL, MARK_CKPT, MARK_COUNT };

struct truth {
    uint64_t posix, app, reads, read_bytes, read_us, other_reads, writes,
        write_bytes, maps, mapped, samples, sample_bytes, sample_us, items,
        item_us, item_self_us, last_us, fetches;
    double sample_rate;
};

extern struct truth truth;

/* [start, end) in microseconds of the job; later than TRUTH_SLOTS is lost. */
void truth_mark (enum mark m, int rank, uint64_t start, uint64_t end);

/* "name value" lines. */
void truth_print (FILE *out);

#endif
