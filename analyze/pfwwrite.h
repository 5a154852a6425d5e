/* SPDX-License-Identifier: MIT
 *
 * pfwwrite.h - events of many threads, as they come -> chunks of a trace
 */
#ifndef DFT_ANALYZE_PFWWRITE_H
#define DFT_ANALYZE_PFWWRITE_H

#include "analyze/pfwnames.h"
#include "lib/core/event.h"

/* An event with the names of struct pfw_names, and so its args: keys and
 * texts are their numbers. Times are ns. */
struct pfw_event {
    uint64_t start, end, size, flags;
    int64_t offset, ret;
    uint32_t name; /* file, or category and name */
    int32_t fd, err;
    uint16_t call;
    uint16_t nargs;
    uint32_t args; /* the writer's */
};

struct pfw_thread;
struct pfw_writer;

/* Write to fd, from `offset` on; names and fd stay the caller's. */
struct pfw_writer *pfw_writer_create (int fd, struct pfw_names *names);
void pfw_writer_destroy (struct pfw_writer *w); /* NULL is fine */

/* Room for a process block; its offset in *offset. Number from 0, or -1. */
int64_t pfw_writer_process (struct pfw_writer *w, uint64_t *offset);

/* The thread tid of process number proc; NULL: ENOMEM. */
struct pfw_thread *
pfw_writer_thread (struct pfw_writer *w, uint32_t proc, uint32_t tid);

/* ev->args is set here. 0, or -1 (ENOMEM, or the write failed). */
int pfw_writer_add (struct pfw_writer *w,
                    struct pfw_thread *t,
                    struct pfw_event *ev,
                    const struct event_arg *args);

/* Write all that is left. 0 or -1. Then, for a process: what was written. */
int pfw_writer_flush (struct pfw_writer *w);
void pfw_writer_sums (const struct pfw_writer *w,
                      uint32_t proc,
                      uint64_t *events,
                      uint64_t *chunks);

/* pwrite, but whole. 0 or -1. */
int pfw_write_at (int fd, const void *data, size_t n, uint64_t offset);

#endif
