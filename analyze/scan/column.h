/* SPDX-License-Identifier: MIT
 *
 * column.h - a batch -> the values of one key, as ordinals (for query.c)
 *
 * A value that follows from the call, the name or the thread is found once for
 * each of these; other values are read event by event.
 */
#pragma once

#include "analyze/scan/context.h"
#include "analyze/scan/keys.h"
#include "analyze/scan/marks.h"
#include "analyze/scan/place.h"
#include "analyze/scan/where.h"
#include "analyze/trace/batch.h"
#include "lib/format/event.h"

/* Position of a thread in a file, within this chunk. */
struct column_place {
    struct place at;
    uint32_t chunk; /* of an older one: nowhere yet */
};

/* Input of all keys of a query. */
struct column_source {
    struct dict *dict;
    const struct query_context *context; /* NULL: none */
    uint64_t interval;
    /* the split at hand */
    const struct query_member *member;
    int64_t rank;
    uint32_t chunk;
    struct column_place *place; /* by name; owned */
    size_t places;
    /* the batch at hand */
    const struct batch *batch;
    uint64_t bytes[BATCH_EVENTS];     /* moved */
    unsigned char how[BATCH_EVENTS];  /* bits of enum column_how */
    uint8_t placed[BATCH_EVENTS];     /* enum placed; only when asked for */
    unsigned char how_call[CALL_MAX]; /* what of it follows from the call */
    int knows_calls;                  /* how_call is there */
    int times_only; /* the batches have no more (BATCH_FILES) */
    int wants_places;
    int layers_apart; /* no event of another layer is in the same cell */
};

enum column_how {
    COLUMN_MOVES = 1, /* a read, write or copy */
    COLUMN_FAILED = 2,
    COLUMN_APP = 4,
    COLUMN_IGNORED = 8,  /* metadata: no event of the program */
    COLUMN_MEASURED = 16 /* by layer mmap, or a wait: no call of the program */
};

/* The part of an event or of its process that decides the value of a key. A
 * value is looked up once for each ordinal of that part. */
enum column_by {
    COLUMN_BY_NUMBER, /* nothing but the event; a number, */
    COLUMN_BY_EVENT,  /* or a text, */
    COLUMN_BY_ERROR,  /* or the name of an error */
    COLUMN_BY_THREAD,
    COLUMN_BY_NAME,
    COLUMN_BY_NAME2,
    COLUMN_BY_REGION, /* the name of a region, else the call */
    COLUMN_BY_CALL,
    COLUMN_BY_PLACE /* enum placed */
};

struct column {
    const struct query_key *key;
    enum column_by by;
    struct strmap *texts; /* value -> ordinal; owned */
    int64_t *number;      /* of each ordinal; owned */
    size_t room;
    struct pairs numbers; /* number -> place in of_number */
    uint32_t *of_number;  /* ordinals; owned */
    size_t numbers_room;
    int64_t last;          /* number asked for before */
    uint32_t last_ordinal; /* + 1 */
    /* ordinals + 1; 0: not asked yet */
    uint32_t *of_name; /* owned */
    size_t names;
    uint32_t of_call[CALL_MAX]; /* the same; of COLUMN_BY_PLACE by place */
    uint32_t argument;          /* GROUP_argument: dictionary */
    uint32_t ordinal[BATCH_EVENTS];
};

/* The source stays the caller's; zero both before. */
void column_init (struct column *c,
                  const struct query_key *key,
                  struct column_source *from);
void column_clear (struct column *c);

/* A split of a thread begins; a batch of it is there. 0, or -1 (ESRCH: the
 * context lacks the process). */
int column_source_begin (struct column_source *s,
                         const struct trace_process *who);
void column_source_batch (struct column_source *s, const struct batch *b);
void column_source_clear (struct column_source *s);

/* The step or epoch of event i: the one it names, else the one its rank was
 * in; QUERY_NO_NUMBER: none. */
int64_t column_source_mark (const struct column_source *s,
                            size_t i,
                            enum mark_kind kind);

/* c->ordinal of all events of the batch. Not of GROUP_interval. */
void column_fill (struct column *c, const struct column_source *s);

/* The ordinal of a text with its number, of a number. */
int64_t column_text (struct column *c, const char *text, int64_t number);
int64_t
column_number (struct column *c, const struct column_source *s, int64_t number);

/* A key at a->at. *interval gets the length of interval (…). 0, or -1 with
 * err. */
int keycolumn_parse (struct asking *a,
                     struct query_key *key,
                     uint64_t *interval);

enum { KEYTEXT_MAX = EVENT_NAME_MAX + 1 };

/* Text of event i of the batch at hand. buf has room for KEYTEXT_MAX; the
 * result may be buf. */
const char *keytext_of (enum group_key key,
                        const struct column_source *s,
                        size_t i,
                        char *buf);
