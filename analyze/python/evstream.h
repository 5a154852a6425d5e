/* SPDX-License-Identifier: MIT
 *
 * evstream.h - events as a stream of Arrow
 */
#pragma once

#include "analyze/python/arrow.h"
#include "analyze/python/readjob.h"
#include "analyze/scan/column.h"
#include "analyze/scan/evfilter.h"
#include "analyze/trace/batch.h"

/* --- evstream.c: the events of a job -> a stream of Arrow's record batches ---
 *
 * Threads of the stream read ahead of who takes the batches, by a few batches
 * only. Batches come in one order: by process (host, start, pid), thread, and
 * time of the event's end; they do not depend on the number of threads. A
 * stream may be used by any one thread at a time, with or without Python's
 * lock, and may be released at any time. In a child of fork it gives an error.
 */

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

/* --- evfill.c: batches of a trace -> columns of Arrow, for one worker --- */

/* -- the columns of events that are asked for -- */

enum evcolumn_from {
    EVCOLUMN_NUMBER, /* a row of groupkeys.def or eventcolumns.def */
    EVCOLUMN_TEXT,
    EVCOLUMN_REAL_TIME, /* ns since 1970 */
    EVCOLUMN_ARGS,      /* all arguments, as JSON */
    EVCOLUMN_ARGUMENT   /* one of them */
};

struct evcolumn {
    char word[KEYS_WORD_MAX];
    enum evcolumn_from from;
    enum arrowcol_type type;  /* of an argument: NONE until it is learnt */
    enum where_column column; /* of numbers and texts */
    struct query_key key;     /* of texts */
    const char *unit;         /* NULL: none */
};

enum { EVCOLUMNS_MAX = 64 };

struct evcolumns {
    struct evcolumn item[EVCOLUMNS_MAX];
    size_t count;
};

/* Those of dftrace export -f csv. */
extern const char *const evcolumns_default[];

/* Add a column. 0, or -1 with err. */
int evcolumns_add (struct evcolumns *c, const char *word, struct errtext *err);

/* Does any of them need what is known only when the job has been read: steps,
 * epochs? */
int evcolumns_need_context (const struct evcolumns *c);

/* Return the columns of a batch that they and a condition (NULL: none) need. */
enum batch_need evcolumns_need (const struct evcolumns *c,
                                const struct where *where);

/* Fields of the schema; room for `count` of them. */
void evcolumns_fields (const struct evcolumns *c, struct arrowcol_field *field);

/* -- batches of a trace -> columns of Arrow, for one worker -- */

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
 * caller's. */
void evfill_init (struct evfill *f,
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

/* Make an array of the rows; f is then empty. */
void evfill_array (struct evfill *f, struct ArrowArray *out);
