/* SPDX-License-Identifier: MIT
 *
 * scanmpi.h - calls of MPI-IO and the POSIX calls inside them
 *
 * A call of POSIX is inside a call of MPI-IO when it ended in that time in the
 * same thread: calls nest, and an asynchronous transfer belongs to the call
 * that fetched its result. Events come in the order of their ends, so what is
 * inside a call comes before it; calls of MPI-IO are never inside each other.
 */
#ifndef DFT_ANALYZE_SCANMPI_H
#define DFT_ANALYZE_SCANMPI_H

#include <stddef.h>
#include <stdint.h>

struct step;

struct scanmpi_call {
    uint64_t start, end, bytes; /* of an aio: from its submission */
};

/* Reads and writes of a thread since its last call of MPI-IO. */
struct scanmpi {
    struct scanmpi_call *call; /* owned */
    size_t count, room;
};

/* The step is a call of MPI-IO. 0, or -1 (ENOMEM). */
int scanmpi_event (struct step *e);

/* It is a read or write of storage that may be inside one. 0, or -1. */
int scanmpi_below (struct step *e);

void scanmpi_clear (struct scanmpi *m); /* zeroed is fine */

#endif
