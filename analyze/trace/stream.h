/* SPDX-License-Identifier: MIT
 *
 * stream.h - events of all threads of a job, one after the other by time
 */
#pragma once

#include "analyze/trace/batch.h"

/* The events of one thread. */
struct stream {
    const struct part *part;
    const struct trace_chunk **chunk; /* of part; the next one to read */
    size_t chunks;                    /* still to be read, that included */
    uint32_t tid;
    struct batch_reader *reader; /* owned; NULL: not begun, or at its end */
    const struct batch *batch;
    size_t at;    /* the event of batch at hand */
    uint64_t end; /* when it ended: ns of CLOCK_REALTIME */
};

struct streams {
    struct dict *dict;    /* owned */
    struct stream *item;  /* owned */
    struct stream **heap; /* owned; the one that ends first on top */
    const struct parts *parts;
    size_t count, live;
    uint64_t bad; /* events in chunks that could not be decoded */
};

void streams_open (struct streams *s, const struct parts *parts);

/* The thread whose event at hand ended first; the event is valid until
 * streams_next, its names until streams_close. NULL at the end. */
struct stream *streams_top (const struct streams *s);

/* Go on with the next event. */
void streams_next (struct streams *s);

void streams_close (struct streams *s); /* zeroed is fine */
