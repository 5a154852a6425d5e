/* SPDX-License-Identifier: MIT
 *
 * mmwork.h - a process that mmjoin.c is working on (private to analyze/mm*.c)
 */
#pragma once

#include "analyze/facts/mmjoin.h"
#include "lib/base/array.h"

/* By what a file has grown in an interval. */
enum mm_way { BY_TOUCHED, BY_FAULTS, BY_LOADED, MM_WAYS };

/* The page cache of a node for a file, as its processes saw it. */
struct mm_cache {
    /* looks at the page cache: */
    size_t looks;
    uint64_t first_t, last_t; /* ns */
    uint64_t first, last; /* bytes in the cache before all, and at the end */
    uint64_t most;        /* at any time */
    uint64_t mapped;      /* of a look */
    int mixed;            /* looks at mappings of several lengths */
    /* all: */
    uint64_t given;      /* bytes by faults, as processes were told apart */
    uint64_t call_bytes; /* by calls */
    uint64_t length;     /* at most */
    /* mmfiles.c: */
    int exact, seeded;
    double wanted, sum;
    size_t ordinal; /* of mm_totals.files */
};

/* The log's lists are in the order of their times. */
struct join {
    struct mm_totals *t;
    struct mm_log *log;
    size_t index;
    size_t files;
    struct mm_file *file;    /* by ordinal of the log */
    struct mm_cache **cache; /* the same */
    double *weight[MM_WAYS]; /* per file */
    struct mm_bin **bin;     /* per file, and one for no file: MM_BINS, NULL
                                none */
    size_t look, fault;      /* next of the lists */
    uint64_t pending;        /* bytes nobody has been found for */
    uint64_t pending_from;   /* the first of them came after that time */
    double *settled;         /* per file: the weights that were used last */
    struct taken *taken;     /* of mmregions.c: per part */
};

static inline uint64_t mm_minus (uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static inline int mm_compare (uint64_t a, uint64_t b)
{
    return ORDER (a, b);
}

void mm_sort (struct mmlist *l,
              size_t n,
              int (*order) (const void *, const void *));

/* The value of a key in a map that is made when it is NULL; zeroed when it is
 * new. NULL (ENOMEM). */
void *
mm_value (struct strmap **map, const char *key, size_t length, size_t size);

/* Return the bin of a file at a time, made if need be; NULL (ENOMEM). */
struct mm_bin *mm_bin_at (struct join *j, uint32_t file, uint64_t ns);

/* Share out bytes by the faults that layer kernel recorded, for all processes;
 * they replace the estimates. Return 0, or -1 (ENOMEM). */
enum { MM_FEW = 20 /* one in so many is nothing */ };
int mm_kernel_told (struct mm_totals *t);

/* Note the sizes of the cached parts of a process's files. Return 0, or -1
 * (ENOMEM). */
int mm_note_caches (struct join *j, const struct mm_process *p);

/* mmregions.c: faults and bytes by region; first what each slept, to which its
 * faults are cut. Sorts faults by thread. 0, or -1 (ENOMEM).
 *
 * A sleep is taken for a fault's when the fault is over shortly after it. Of
 * one that lasted from before a region of the thread to the fault inside it
 * only the end can be the fault's: in between the thread ran. */
int mm_trust_fault (struct join *j);
int mm_regions (struct join *j, struct mm_process *p);

/* Return the ns of a thread in [start, end) in which a fault may have slept
 * that is not in the trace, since it was not watched wholly. Call
 * mm_sort_watched first. */
void mm_sort_watched (struct join *j);
uint64_t
mm_unwatched (const struct join *j, uint32_t tid, uint64_t start, uint64_t end);

/* Return that time summed over all threads that were watched at all, from the
 * first mapping of the process on; UINT64_MAX: there was none. */
uint64_t mm_unwatched_all (const struct join *j);
