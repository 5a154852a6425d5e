/* SPDX-License-Identifier: MIT
 *
 * traceproc.h - the processes of a trace (private to tracefile.c)
 */
#ifndef DFT_CORE_TRACEPROC_H
#define DFT_CORE_TRACEPROC_H

#include "lib/format/tracefile.h"

enum {
    TRACEPROC_BYTES_MAX = 1 << 20, /* of a process block */
    TRACEPROC_BYTES_MIN =
        sizeof (struct shard_block) + sizeof (struct shard_process)
};

struct traceproc {
    struct trace_process *all; /* [0 … count - 1]; owned */
    char **text;               /* strings of each, NULL none; owned */
    size_t count, room;
    uint32_t *slot;   /* number -> index + 1, 0 none; of a shared file; owned */
    size_t slots;     /* a power of 2, or 0 */
    int paged;        /* numbers are those of pages */
    uint32_t version; /* the one we cannot read, else 0 */
};

/* pread, but whole: bytes read, fewer at the end of the file; or -1. */
ssize_t traceproc_read (int fd, void *buf, size_t n, uint64_t offset);

/* Append the process of block b, which lies at offset. -1: ENOMEM, as read,
 * or EPROTONOSUPPORT and t->version set. */
int traceproc_take (struct traceproc *t,
                    int fd,
                    const struct shard_block *b,
                    uint64_t offset);

/* Append a process whose n bytes of strings are elsewhere. -1: ENOMEM. */
int traceproc_add (struct traceproc *t,
                   const struct shard_process *p,
                   const char *strings,
                   size_t n);

/* Index of process number `proc`, which exists from now on: those whose blocks
 * are damaged are nobody, with what can be saved of the first. -1: ENOMEM. */
int64_t traceproc_index (struct traceproc *t, int fd, uint32_t proc);

void traceproc_free (struct traceproc *t);

#endif
