/* SPDX-License-Identifier: MIT
 *
 * mmwork.h - a process that mmjoin.c is working on (private to analyze/mm*.c)
 */
#pragma once

#include "analyze/facts/mmjoin.h"
#include "lib/base/array.h"

/* By what a file has grown in an interval; AS_BEFORE: as by what was used
 * last. */
enum mm_way { BY_TOUCHED, BY_FAULTS, BY_LOADED, MM_WAYS, AS_BEFORE = MM_WAYS };

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
    uint32_t node;
};

/* A file of the log, or what is of none. */
struct join_file {
    struct mm_file sum;
    struct mm_cache *cache;
    struct mm_bin *bin; /* MM_BINS; NULL: none */
    double weight[AS_BEFORE + 1];
};

/* The log's lists are in the order of their times. */
struct join {
    struct mm_totals *t;
    struct mm_log *log;
    struct mm_process *p; /* of the totals, at the index */
    size_t index;
    size_t files;
    struct join_file *file;   /* by ordinal of the log, and one for no file */
    size_t look, fault, miss; /* next of the lists */
    uint64_t pending;         /* bytes nobody has been found for */
    uint64_t pending_from;    /* the first of them came after that time */
    struct taken *taken;      /* of mmregions.c: per part */
};

static inline uint64_t mm_minus (uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

void mm_sort (struct mmlist *l,
              size_t n,
              int (*order) (const void *, const void *));

/* The ordinal of a key in a map that is made when it is NULL; its value is
 * zeroed when it is new. */
size_t mm_at (struct strmap **map, const char *key, size_t length, size_t size);

/* Return the bin of a file, or of none, at a time; made if need be. */
struct mm_bin *mm_bin_at (struct join *j, size_t file, uint64_t ns);

/* Note the sizes of the cached parts of a process's files. */
void mm_note_caches (struct join *j, const struct mm_process *p);

/* mmregions.c: faults and bytes by region; first what each slept, to which its
 * faults are cut. Sorts faults by thread.
 *
 * A sleep is taken for a fault's when the fault is over shortly after it. Of
 * one that lasted from before a region of the thread to the fault inside it
 * only the end can be the fault's: in between the thread ran. */
void mm_trust_fault (struct join *j);
void mm_regions (struct join *j, struct mm_process *p);
