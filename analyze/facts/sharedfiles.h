/* SPDX-License-Identifier: MIT
 *
 * sharedfiles.h - files that several ranks used: how many, the slowest, the
 *                 fastest, how far apart they are
 */
#pragma once

#include "analyze/facts/summary.h"

/* The use of a file by one rank. */
struct sharedfile_rank {
    size_t rank;        /* index of the summary's ranks */
    uint64_t ns, bytes; /* sum of its calls' durations; moved */
};

struct sharedfile {
    const char *path;               /* of the totals */
    const struct file_total *total; /* of all processes */
    size_t ranks;                   /* that read or wrote it */
    size_t readers, writers;        /* of these: that moved bytes */
    uint64_t reads, read_bytes, writes, write_bytes;
    uint64_t ns, write_ns; /* sums over the ranks */
    struct sharedfile_rank slowest,
        fastest;                          /* by ns; of equal ones the first */
    double ns_deviation, bytes_deviation; /* standard deviation over the ranks:
                                             sqrt (mean of squares of the
                                             distances from the mean) */
};

struct sharedfiles {
    struct sharedfile *item; /* owned; by ns, the most first, then by path */
    size_t count;
};

/* Files of `least` ranks or more. */
void sharedfiles_make (struct sharedfiles *s,
                       const struct totals *t,
                       size_t least);
void sharedfiles_clear (struct sharedfiles *s);
