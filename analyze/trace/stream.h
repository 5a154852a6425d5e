/* SPDX-License-Identifier: MIT
 *
 * stream.h - events of all threads of a job, one after the other by time
 */
#ifndef DFT_ANALYZE_STREAM_H
#define DFT_ANALYZE_STREAM_H

#include "analyze/trace/parts.h"
#include "lib/core/record/event.h"

/* The events of one thread. */
struct stream {
    const struct part *part;
    const struct trace_chunk **chunk; /* of part; the next one to read */
    size_t chunks;                    /* still to be read, that included */
    uint32_t tid;
    struct decoder decoder;
    unsigned char *payload; /* owned, of the chunk at hand */
    struct event ev;
    uint64_t end; /* ns of CLOCK_REALTIME */
};

struct streams {
    struct stream *item;  /* owned */
    struct stream **heap; /* owned; the one that ends first on top */
    size_t count, live;
    uint64_t bad; /* events in chunks that could not be decoded */
};

/* 0, or -1 (ENOMEM). */
int streams_open (struct streams *s, const struct parts *parts);

/* The thread whose event at hand ended first; its event and names are valid
 * until streams_next. NULL at the end. */
struct stream *streams_top (const struct streams *s);

/* Go on with the next event. 0, or -1 (ENOMEM). */
int streams_next (struct streams *s);

void streams_close (struct streams *s); /* zeroed is fine, keeps errno */

#endif
