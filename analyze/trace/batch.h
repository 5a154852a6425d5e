/* SPDX-License-Identifier: MIT
 *
 * batch.h - events of a thread in columns
 *
 * All that reads events reads these. Which columns follow from which: `call`
 * says what the others mean (calls.def); what a call does not carry is 0, or
 * -1 in offset and fd.
 */

/* Design. Events travel in batches. batch_reader_chunk begins a chunk of a
 * thread, batch_reader_next gives its events as columns
 * (analyze/trace/batch.h): up to 2048 of one thread, in the order they
 * ended. What counts or prints events reads batches and nothing below them.
 * A name is a number of the one dictionary of the job (dict.h), found once
 * for each chunk; what follows from a name (kind and class of a file, role
 * and layer of a region, what the key of an argument means) is kept with it
 * and never worked out for an event. Numbers differ from run to run, so
 * whatever is written is sorted by text. */

#pragma once

#include "analyze/trace/dict.h"
#include "analyze/trace/parts.h"
#include "lib/format/event.h" /* enum event_arg_type */
#include "lib/util/json.h"

enum { BATCH_EVENTS = 2048 }; /* so many columns stay in the L2 cache */

/* An argument of an event. */
struct batch_arg {
    uint32_t key; /* dictionary, SHARD_NAME_KEY */
    uint8_t type; /* enum event_arg_type: which of these it is */
    union {
        int64_t i;
        double d;
        uint32_t text; /* dictionary, SHARD_NAME_TEXT */
    };
};

/* Events of one thread, in the order they ended, which is that of the file.
 * All of one chunk; `begins` is set in the first batch of a chunk. */
struct batch {
    const struct trace_process *who;
    size_t process; /* index of parts */
    const struct trace_chunk *chunk;
    uint32_t tid;
    int begins;
    size_t count;
    uint64_t *start, *end;   /* ns of CLOCK_REALTIME of the node, corrected by
                                what merging found; start <= end */
    uint16_t *call;          /* enum call, one of calls.def */
    uint32_t *name, *name2;  /* dictionary: path of a call, region; 0: none */
    int64_t *ret;            /* as the call; -1 on failure */
    uint64_t *size;          /* bytes asked for */
    int64_t *offset;         /* bytes; -1: not known */
    int32_t *error;          /* errno of a call that failed, else 0 */
    uint64_t *bytes_read;    /* what the result says was moved: classes READ, */
    uint64_t *bytes_written; /* WRITE; COPY has both */
    int32_t *fd;             /* -1: none */
    uint64_t *flags;
    uint32_t *arg; /* [count + 1]: arguments of event i are args[arg[i]] up to
                      args[arg[i + 1]] */
    struct batch_arg *args;
};

struct batch_reader;

/* Columns of a batch that a reader needs; the others have any values that make
 * sense by themselves. Each one includes those behind it. */
enum batch_need {
    BATCH_ALL = 0,
    BATCH_FILES,  /* start, end, call, name */
    BATCH_REGIONS /* the same, but name only of regions, of which category is
                     APP: no names of files are looked up */
};

/* A reader of chunks, for one thread. Numbers are those of dict, which must
 * outlive it. */
struct batch_reader *batch_reader_create (struct dict *dict);
/* A reader with at most so many events in a batch, for many readers at once:
 * unused columns take no memory. */
struct batch_reader *batch_reader_create_small (struct dict *dict,
                                                size_t events);
void batch_reader_destroy (struct batch_reader *r); /* NULL is fine */

/* Read only so much of the chunks that follow; BATCH_ALL at first. */
void batch_reader_needs (struct batch_reader *r, enum batch_need need);

/* Begin a chunk of part, which has index `process`. 0, or -1: nothing can be
 * had of it (EBADMSG its checksum is wrong; EIO and so on). */
int batch_reader_chunk (struct batch_reader *r,
                        const struct part *part,
                        size_t process,
                        const struct trace_chunk *c);

/* The next batch of the chunk, which has at least one event; valid until the
 * next call. 1, 0 at the end, -1: EBADMSG, the rest makes no sense (what came
 * before holds). */
int batch_reader_next (struct batch_reader *r, const struct batch **b);

/* Events of the chunk that were given so far. */
uint64_t batch_reader_events (const struct batch_reader *r);

/* NUL-terminated, valid as long as the dictionary; never NULL, "" none. */
struct evname {
    const char *category, *name, *file, *file2;
};

/* Category, name and file of event i of a batch. */
struct evname evname_of (const struct dict *d, const struct batch *b, size_t i);

/* Thread of event i: waits are mostly written by another one. */
static inline uint32_t batch_tid (const struct batch *b, size_t i)
{
    return call_is_wait (b->call[i]) ? wait_tid (b->flags[i], b->tid) : b->tid;
}

/* The first argument of event i with this key; NULL: there is none. */
static inline const struct batch_arg *
batch_arg_of (const struct batch *b, size_t i, uint32_t key)
{
    for (uint32_t a = b->arg[i]; a < b->arg[i + 1]; a++)
        if (b->args[a].key == key)
            return &b->args[a];
    return NULL;
}

/* One argument of an event as a member of a JSON object. */
void evarg_json (struct json *j,
                 const struct dict *d,
                 const struct batch_arg *arg);
