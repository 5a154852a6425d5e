/* SPDX-License-Identifier: MIT
 *
 * scanabove.h - calls of layers above POSIX (MPI-IO, HDF5, NetCDF) and the
 * calls of other layers inside them
 *
 * A call is inside another one when it ended in that time in the same thread:
 * calls nest, and an asynchronous POSIX transfer belongs to the call that
 * fetched its result. Events come in the order of their ends, so what is inside
 * a call comes before it. What has ended waits in two lists until a call around
 * it ends, which takes it out and puts itself there with all that was inside.
 */
#ifndef DFT_ANALYZE_SCANABOVE_H
#define DFT_ANALYZE_SCANABOVE_H

#include "lib/model/metric.h"

#include <stddef.h>
#include <stdint.h>

struct step;

/* A POSIX call. */
struct above_posix {
    uint64_t start, end; /* of an aio: from its submission */
    uint64_t bytes : 60;
    uint64_t meta : 1;   /* moves none */
    uint64_t placed : 3; /* enum placed */
};

struct above_sum {
    uint64_t count, bytes, ns;
};

/* A call of a layer, with what was inside. */
struct above_call {
    uint64_t start, end;
    enum above layer;
    uint64_t bytes;
    struct above_sum inside[ABOVE_COUNT];
    uint64_t placed, random; /* of ABOVE_DATA: place known; anywhere */
};

/* Calls that have ended in a thread and may be inside a call that has not. */
struct scanabove {
    struct above_posix *posix; /* owned */
    size_t posix_count, posix_room;
    struct above_call *call; /* owned */
    size_t calls, calls_room;
};

/* The step is a call of such a layer. 0, or -1 (ENOMEM). */
int scanabove_event (struct step *e);

/* It is a POSIX call that may be inside one. 0, or -1. */
int scanabove_below (struct step *e);

void scanabove_clear (struct scanabove *a); /* zeroed is fine */

#endif
