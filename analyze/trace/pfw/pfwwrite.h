/* SPDX-License-Identifier: MIT
 *
 * pfwwrite.h - packed events of threads -> blocks of a trace of ours
 */
#ifndef DFT_ANALYZE_PFWWRITE_H
#define DFT_ANALYZE_PFWWRITE_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/trace/pfw/pfwnames.h"
#include "analyze/trace/pfw/pfwseen.h"

struct pfw_writer;

/* Write to fd, from its begin on; names and fd stay the caller's. */
struct pfw_writer *pfw_writer_create (int fd, struct pfw_names *names);
void pfw_writer_destroy (struct pfw_writer *w); /* NULL is fine */

/* Room for a process block; its offset in *offset. Number from 0, or -1. */
int64_t pfw_writer_process (struct pfw_writer *w, uint64_t *offset);

/* A chunk of a thread: the dictionary, of which the names have numbers; then
 * the records. */
struct pfw_chunk {
    uint32_t proc, tid, events;
    uint64_t base; /* ns */
    const uint32_t *name;
    size_t names;
    const unsigned char *bytes;
    size_t used;
};

/* 0, or -1 (ENOMEM, or the write failed). */
int pfw_writer_chunk (struct pfw_writer *w, const struct pfw_chunk *c);

/* The first and the last line that a thread has in a batch; batches in their
 * order. 1: it goes back, 0, -1 (ENOMEM). */
int pfw_writer_mark (struct pfw_writer *w,
                     uint32_t proc,
                     uint32_t tid,
                     const struct pfw_mark *first,
                     const struct pfw_mark *last);

/* What was written of a process. */
void pfw_writer_sums (const struct pfw_writer *w,
                      uint32_t proc,
                      uint64_t *events,
                      uint64_t *chunks);

/* pwrite, but whole. 0 or -1. */
int pfw_write_at (int fd, const void *data, size_t n, uint64_t offset);

#endif
