/* SPDX-License-Identifier: MIT
 *
 * mmjoin.h - what layer mmap says of all processes -> who waited for what
 *
 * Storage bytes of a process are what the kernel counted for it. Of these,
 * calls take what they had themselves; the rest came by faults on mappings
 * and is shared out among the mapped files, interval by interval, by what
 * grew in it: pages of the file in the cache, else faults, else pages
 * touched.
 */
#pragma once

#include "analyze/scan/mmlog.h"

enum { MM_BINS = 100 }; /* of the job's time */

/* clang-format off */
#define MM_FILE_SUMS(X) \
    X (mapped)   /* bytes, longest look of each process, added up */ \
    X (touched)  /* bytes that became present in page tables */ \
    X (bytes)    /* from storage, by faults */ \
    X (faults)   /* major ones that were seen one by one */ \
    X (stall_ns) \
    X (first_mapped) X (first_cached) /* at the first look of each process, \
                                         where the cache could be seen */ \
    X (call_bytes) /* from storage, by calls */ \
    X (processes)
#define MM_PROCESS_SUMS(X) \
    X (bytes)       /* from storage, all */ \
    X (call_bytes)  /* by calls */ \
    X (fault_bytes) /* by faults on mappings */ \
    X (other_bytes) /* before it had a mapping */ \
    X (major)       /* since it had one */ \
    X (seen)        /* of these, one by one */ \
    X (touched) \
    X (stall_ns) X (system_us) \
    X (seen_ns)     /* of stall_ns, one by one */
/* clang-format on */
#define MM_SUM(NAME) uint64_t NAME;

/* A file, in the whole job or in one process. */
struct mm_file {
    MM_FILE_SUMS (MM_SUM)
    int about; /* bytes is an estimate */
};

/* Regions of one name, without what is inside them. */
struct mm_op {
    uint64_t regions; /* that had faults, or bytes by faults */
    uint64_t major, bytes, used;
    uint64_t stall_ns, system_us;
    int estimated; /* stall_ns: not running, for whatever reason */
};

/* One process. */
struct mm_process {
    uint32_t node;  /* number; by the caller, before the join */
    uint64_t start; /* ns; by the caller, before the join; 0: not known */
    MM_PROCESS_SUMS (MM_SUM)
    uint64_t unknown_bytes; /* of a sum: of processes without a known stall */
    int stall_known, estimated;
    int waited_else; /* the stall is unknown: threads waited for far longer than
                        the pages that came can take */
    int exact;       /* the kernel told each fault: stall and bytes by file */
    unsigned sources;
    int perf_errno;
    struct mm_losses lost;
};

/* Were nearly all faults, and all that threads slept, seen one by one? Else
 * what is known of a file, or of an instant, is too little. */
static inline int mm_all_seen (const struct mm_process *p)
{
    return p->stall_known && p->seen >= p->major - p->major / 20 &&
           p->seen_ns >= p->stall_ns - p->stall_ns / 20;
}

/* The file is not known: stalls of regions. */
#define MM_NO_FILE SIZE_MAX

/* A process and a file in one bin. */
struct mm_bin {
    size_t process; /* index of totals */
    size_t file;    /* ordinal of files */
    unsigned bin;
    uint64_t bytes, faults, stall_ns;
};

struct mm_totals {
    struct strmap *files; /* -> struct mm_file, owned; NULL: none */
    struct strmap *ops;   /* -> struct mm_op, owned; NULL: none */
    struct strmap
        *caches; /* -> struct mm_cache of mmwork.h, owned; NULL: none */
    struct mm_process *process;
    size_t processes;
    struct mmlist bins; /* of struct mm_bin, by process, file, bin */
    uint64_t start, bin_ns;
    uint64_t active_ns; /* of bins in which storage delivered something, summed
                           over processes */
    /* sums over the processes */
    struct mm_process sum;
    uint64_t used; /* bytes, of regions with faults and a size */
    uint64_t first_mapped, first_cached;
    unsigned measured; /* processes that layer mmap was traced in */
};

/* Zeroed before. start and end of the job in ns. */
void mmjoin_begin (struct mm_totals *t,
                   size_t processes,
                   uint64_t start,
                   uint64_t end);

/* All that one process says; changes the order in its lists. */
void mmjoin_process (struct mm_totals *t, size_t index, struct mm_log *log);

/* After the last one; nodes: how many there are. Bytes of files are those of
 * mmfiles.c then. */
void mmjoin_finish (struct mm_totals *t, uint32_t nodes);

void mmjoin_clear (struct mm_totals *t); /* keeps errno */
