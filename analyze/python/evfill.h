/* SPDX-License-Identifier: MIT
 *
 * evfill.h - batches of a trace -> columns of Arrow, for one worker
 */
#ifndef DFT_READER_EVFILL_H
#define DFT_READER_EVFILL_H

#include "analyze/python/evcolumns.h"
#include "analyze/scan/column.h"
#include "analyze/scan/evfilter.h"

/* A column of texts: which index of the array an ordinal has. */
struct evfill_words {
    struct column *column; /* owned; NULL of arguments */
    uint32_t *index;       /* by ordinal, + 1; 0: nothing; owned */
    uint32_t *batch;       /* of which array that is; owned */
    size_t room;
};

struct evfill {
    const struct evcolumns *columns;
    struct column_source source;
    struct evfilter filter;
    struct evfill_words words[EVCOLUMNS_MAX];
    uint32_t argument[EVCOLUMNS_MAX]; /* dictionary */
    struct arrowcol out[EVCOLUMNS_MAX];
    size_t rows; /* of each array, at most */
    uint32_t batch;
    /* the batch at hand */
    unsigned char wanted[BATCH_EVENTS], has[BATCH_EVENTS];
    uint16_t pick[BATCH_EVENTS];
    size_t picked;
    int64_t value[BATCH_EVENTS];
};

/* Start to fill: f is zero but for columns and rows (at least BATCH_EVENTS).
 * The columns, where (NULL: all), dict and context (NULL: none) stay the
 * caller's. Return 0, or -1 (ENOMEM); call evfill_clear in any case. */
int evfill_init (struct evfill *f,
                 const struct where *where,
                 struct dict *dict,
                 const struct query_context *context,
                 uint64_t start);
void evfill_clear (struct evfill *f); /* zeroed is fine */

/* Add the wanted events. 0, or -1 with errno. */
int evfill_take (struct evfill *f, const struct batch *b);

/* How many rows there are; is there no room for another batch? */
size_t evfill_count (const struct evfill *f);
int evfill_full (const struct evfill *f);

/* Make an array of the rows; f is then empty. Return 0, or -1 (ENOMEM). */
int evfill_array (struct evfill *f, struct ArrowArray *out);

#endif
