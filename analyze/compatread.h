/* SPDX-License-Identifier: MIT
 *
 * compatread.h - events -> sums by thread and second (private to compat.c)
 */
#ifndef DFT_ANALYZE_COMPATREAD_H
#define DFT_ANALYZE_COMPATREAD_H

#include "analyze/compat.h"
#include "analyze/interval.h"
#include "analyze/pfwnames.h"
#include "lib/util/strmap.h"

enum { US_PER_S = 1000000 };

struct compat_thread {
    uint32_t process;
    struct intervals set[LAYERSET_MAX]; /* us */
};

/* One thread in one second. */
struct compat_cell {
    uint64_t us[LAYERSET_MAX], n[LAYERSET_MAX], bytes[LAYERSET_MAX];
};

struct compat_reader {
    struct compat *c;
    uint64_t start, end; /* us, of the job */
    struct strmap *ops, *threads, *processes, *cells;
    struct pfw_names *names;
};

/* Count all events of the job; its maps are made already. 0, or -1 with errno.
 */
int compat_read (struct compat_reader *r, const struct job *job);

#endif
