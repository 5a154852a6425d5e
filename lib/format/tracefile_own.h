/* SPDX-License-Identifier: MIT
 *
 * tracefile_own.h - what tracefile.c and traceaccount.c share
 */
#ifndef DFT_CORE_TRACEFILE_OWN_H
#define DFT_CORE_TRACEFILE_OWN_H

#include "lib/format/tracefile.h"
#include "lib/format/traceproc.h"
#include "lib/format/tracewindow.h"

struct tracefile {
    int fd;
    uint64_t size;
    struct traceproc procs;
    struct shard_node node; /* of a shared file; version 0: none */
    struct trace_chunks {
        struct trace_chunk *all; /* owned */
        size_t count, room;
    } chunks, profiles; /* profiles: their blocks, without events */
    struct trace_health health;
    struct tracewindow window;
};

/* Fill f->health: data found, cut off, and promised but missing. */
void tracefile_account (struct tracefile *f);

#endif
