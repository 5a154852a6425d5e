/* SPDX-License-Identifier: MIT
 *
 * evstream.h - the events of a job -> a stream of Arrow's record batches
 *
 * Threads of the stream read ahead of who takes the batches, by a few batches
 * only. Batches come in one order: by process (host, start, pid), thread, and
 * time of the event's end; they do not depend on the number of threads. A
 * stream may be used by any one thread at a time, with or without Python's
 * lock, and may be released at any time. In a child of fork it gives an error.
 */
#ifndef DFT_PYTHON_EVSTREAM_H
#define DFT_PYTHON_EVSTREAM_H

#include "analyze/python/arrow.h"
#include "analyze/python/evfill.h"
#include "analyze/python/readjob.h"
#include "analyze/scan/where.h"

struct evstream_asked {
    const char *const
        *where; /* conditions, all have to hold; NULL-terminated */
    const char *const *columns; /* words; NULL-terminated; NULL: the default */
    size_t rows;                /* of a batch, about; 0: EVSTREAM_ROWS */
    int strict;                 /* missing events are an error at the end */
};

enum { EVSTREAM_ROWS = 1 << 17, EVSTREAM_ROWS_MAX = 1 << 24 };

/* Is the question well-formed? 0, or -1 with err (errno EINVAL). */
int evstream_check (const struct evstream_asked *asked, struct errtext *err);

/* The job is held until the stream is released. 0, or -1 with err (errno
 * EINVAL: the question is wrong). */
int evstream_open (struct ArrowArrayStream *out,
                   struct readjob *j,
                   const struct evstream_asked *asked,
                   struct errtext *err);

#endif
