/* SPDX-License-Identifier: MIT
 *
 * pfwstore.h - what was read of a DFTracer trace: its processes, and chunks of
 *              columns in an unnamed temporary file
 */
#ifndef DFT_ANALYZE_PFWSTORE_H
#define DFT_ANALYZE_PFWSTORE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "analyze/import/pfw/pfwnames.h"
#include "analyze/import/pfw/pfwread.h"
#include "lib/format/tracefile.h"

/* A process, as far as its lines say. */
struct pfw_proc {
    struct shard_process p;
    uint64_t first;           /* ns of its first event */
    uint64_t around;          /* the same of aggregated ones, rounded down */
    uint32_t host, exe, argv; /* names; 0 not known */
};

struct pfw_store;

/* An empty one, with names of its own. NULL: ENOMEM, or no file can be had. */
struct pfw_store *pfw_store_create (void);
void pfw_store_destroy (struct pfw_store *s); /* NULL is fine, keeps errno */

struct pfw_names *pfw_store_names (const struct pfw_store *s);

/* A new process. Number from 0, or -1 (ENOMEM). The process is valid until
 * there is another one. */
int64_t pfw_store_add_process (struct pfw_store *s, uint64_t pid);
struct pfw_proc *pfw_store_process (struct pfw_store *s, int64_t number);

/* The first and the last line that a thread has in a batch; batches in their
 * order. 1: it goes back, 0, -1 (ENOMEM). */
int pfw_store_mark (struct pfw_store *s,
                    uint32_t proc,
                    uint32_t tid,
                    const struct pfw_mark *first,
                    const struct pfw_mark *last);

/* Room for so many bytes of chunks; where it is. */
uint64_t pfw_store_room (struct pfw_store *s, size_t bytes);

/* A chunk that is, or will be, there, the next one of its thread. 0, or -1
 * (ENOMEM). */
int pfw_store_add_chunk (struct pfw_store *s,
                         uint32_t proc,
                         uint32_t tid,
                         const struct trace_chunk *chunk);

/* Write the bytes for which there is room. 0, or -1. Thread safe. */
int pfw_store_write (const struct pfw_store *s,
                     const void *data,
                     size_t n,
                     uint64_t offset);

/* All is there, and names are explained: processes and chunks as those of a
 * trace of ours, whose chunks only pfw_store_read can read. NULL: ENOMEM. */
struct tracefile *pfw_store_index (struct pfw_store *s);

/* The chunk's bytes (c->used) into buf. 0, or -1 with errno. Thread safe. */
int pfw_store_read (const struct pfw_store *s,
                    const struct trace_chunk *c,
                    unsigned char *buf);

/* The chunk as records, into buf with room for SHARD_CHUNK_MAX. Their number
 * of bytes, or -1 with errno. Thread safe. */
ssize_t pfw_store_records (const struct pfw_store *s,
                           const struct trace_chunk *c,
                           unsigned char *buf);

#endif
