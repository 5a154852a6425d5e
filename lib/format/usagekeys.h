/* SPDX-License-Identifier: MIT
 *
 * usagekeys.h - arguments of layer mmap and of file systems in a trace
 *
 * usage.def -> an enum and the text of each key, for those who write events
 * with them and for those who read them.
 */
#pragma once

#include <stdint.h>

/* -- arguments of layer mmap and of file systems in a trace -- */

enum usage_key {
#define USAGE(NAME, KEY, HELP) USAGE_##NAME,
#include "lib/format/usage.def"
#undef USAGE
    USAGE_COUNT
};

/* Sources of the numbers of layer mmap: flags of mm_sources. */
enum mm_source {
    MM_RUSAGE = 1,        /* getrusage of threads and of the process */
    MM_SAMPLER = 2,       /* a thread looked at the mappings */
    MM_PAGEMAP_SCAN = 4,  /* pages by PAGEMAP_SCAN */
    MM_PAGEMAP = 8,       /* pages by /proc/self/pagemap */
    MM_MINCORE = 16,      /* page cache of files that the user owns */
    MM_PERF = 32,         /* each major fault of user code */
    MM_PERF_KERNEL = 64,  /* and of system calls */
    MM_PERF_SWITCH = 128, /* with the time it was waited for */
    MM_STOPPED = 256,     /* the sampler has become too expensive */
    MM_KERNEL = 512 /* layer kernel: each fault that slept or brought bytes,
                       with these */
};

/* Text of a key. */
extern const char *const usage_keys[USAGE_COUNT];

/* Facts that layer mmap could not know of a process, so far: LOSS (field, row
 * of usage.def) for each. */
#define MM_LOSSES              \
    LOSS (maps, LOST_MAPS)     \
    LOSS (faults, LOST_FAULTS) \
    LOSS (unlooked, UNLOOKED)

struct mm_losses {
#define LOSS(FIELD, ROW) uint64_t FIELD;
    MM_LOSSES
#undef LOSS
};

static inline int mm_losses_same (const struct mm_losses *a,
                                  const struct mm_losses *b)
{
#define LOSS(FIELD, ROW) a->FIELD == b->FIELD &&
    return MM_LOSSES 1;
#undef LOSS
}

/* Join two reports of one process: its counts only grow, so the larger ones are
 * the later. */
static inline void mm_losses_meet (struct mm_losses *to,
                                   const struct mm_losses *from)
{
#define LOSS(FIELD, ROW)         \
    if (from->FIELD > to->FIELD) \
        to->FIELD = from->FIELD;
    MM_LOSSES
#undef LOSS
}

/* Add the counts of another process. */
static inline void mm_losses_add (struct mm_losses *to,
                                  const struct mm_losses *from)
{
#define LOSS(FIELD, ROW) to->FIELD += from->FIELD;
    MM_LOSSES
#undef LOSS
}
