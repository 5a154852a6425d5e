/* SPDX-License-Identifier: MIT
 *
 * pfwproc.h - a process of a DFTracer trace (private to pfwtrace.c)
 */
#ifndef DFT_ANALYZE_PFWPROC_H
#define DFT_ANALYZE_PFWPROC_H

#include "analyze/trace/pfw/pfwwrite.h"
#include "lib/core/shard.h"

struct pfw_proc {
    struct shard_process p;
    uint64_t offset, first;   /* of its block; ns of its first event */
    uint64_t around;          /* the same of aggregated ones, rounded down */
    uint32_t host, exe, argv; /* names; 0 not known */
};

/* Write it, with the sums of its chunks, to fd. 0, or -1. */
int pfw_proc_write (struct pfw_proc *p,
                    struct pfw_names *names,
                    const struct pfw_writer *writer,
                    int fd,
                    uint32_t number);

#endif
