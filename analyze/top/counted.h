/* SPDX-License-Identifier: MIT
 *
 * counted.h - profiles of a running job -> what each process has done so far
 */
#ifndef DFT_TOP_COUNTED_H
#define DFT_TOP_COUNTED_H

#include "lib/format/tracefile.h"

enum { COUNTED_TEXT_MAX = 512 };

/* Since the process began. All zero: it has no profile. */
struct counted {
    uint64_t events, calls;      /* with regions; without */
    uint64_t bytes[2];           /* read, written; files on storage */
    uint64_t io_ns, stall_ns;    /* as struct live_sums, of what has ended */
    uint64_t last_ns;            /* CLOCK_REALTIME of the last end */
    char last[COUNTED_TEXT_MAX]; /* a call, "category/name" of a region */
    char file[COUNTED_TEXT_MAX]; /* of it; "" none */
};

/* Add the profiles of a trace to all[], zeroed, one for each process of it. 0,
 * or -1 (ENOMEM); what makes no sense is left out. */
int counted_read (struct counted *all, const struct tracefile *t);

/* What of `now` is new since `before`, which may be more where a process
 * counts meanwhile. */
struct counted counted_since (const struct counted *now,
                              const struct counted *before);

#endif
