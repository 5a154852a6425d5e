/* SPDX-License-Identifier: MIT
 *
 * batchread.h - decoding of a chunk into columns (private to batch.c and
 *               analyze/import/pfw/)
 */
#pragma once

#include <errno.h>

#include "analyze/trace/batch.h"
#include "lib/format/dense.h"
#include "lib/format/event.h"
#include "lib/format/varint.h"

/* Columns of a power of two would all want the same lines of the cache. */
enum { BATCH_ROOM = BATCH_EVENTS + 24 };

/* The memory of the columns. */
struct batch_columns {
    uint64_t start[BATCH_ROOM], end[BATCH_ROOM];
    uint64_t size[BATCH_ROOM], flags[BATCH_ROOM];
    uint64_t bytes_read[BATCH_ROOM], bytes_written[BATCH_ROOM];
    int64_t ret[BATCH_ROOM], offset[BATCH_ROOM];
    uint32_t name[BATCH_ROOM], name2[BATCH_ROOM], arg[BATCH_ROOM];
    int32_t error[BATCH_ROOM], fd[BATCH_ROOM];
    uint16_t call[BATCH_ROOM];
};

/* Calls of a kind have the same masks, but for read and written: the compiler
 * knows them. */
enum batch_kind {
    BATCH_UNKNOWN = 0, /* there is no such call */
    BATCH_ANY,         /* of no kind */
    BATCH_TRANSFER,    /* reads and writes: all that a call may carry */
    BATCH_META,        /* a file and descriptor: fstat, close */
    BATCH_REGION
};

/* Rules of calls.def for a call, as masks: all bits set, or none. */
struct batch_rule {
    uint64_t file, fd, size, offset;       /* the call carries it */
    uint64_t ret_fd, ret_size, ret_offset; /* its result, when not said */
    uint64_t next_ret, next_behind; /* where the next one is: at its result,
                                       behind what it moved */
    uint64_t read, written;         /* what its result says was moved */
    uint8_t app;
    uint8_t kind; /* enum batch_kind */
};

extern const struct batch_rule batch_rules[CALL_MAX];

/* A shape of dense records, and 64 of its numbers of each column. */
struct batch_shape;

/* A chunk of DFTracer's. */
struct batch_pfw;

enum batch_source { BATCH_RECORDS = 0, BATCH_DENSE, BATCH_PFW };

struct batch_reader {
    struct dict *dict;
    struct batch batch;
    size_t events_max; /* of a batch */
    enum batch_need need;
    struct batch_columns column;
    struct decoder decoder; /* names, clock and what is guessed */
    unsigned char *payload; /* owned */
    size_t payload_room;
    uint32_t *number; /* dictionary id of the chunk -> number */
    size_t numbers;   /* room */
    uint32_t known;   /* ids that have their number */
    size_t args_room;
    uint64_t events;
    uint64_t real; /* CLOCK_REALTIME - CLOCK_MONOTONIC */
    int failed;    /* errno with which the chunk ended; ENODATA: all read */
    enum batch_source source;
    struct batch_pfw *pfw; /* owned */
    struct dense_reader dense;
    struct batch_shape *shape; /* of dense; owned */
    uint64_t *value;           /* of shapes; owned */
    size_t shapes_room, values_room;
};

void batch_read_some (struct batch_reader *r); /* the same, r->need alone */

/* Begin a chunk of DFTracer, for which payload has the room. */
void batch_read_pfw (struct batch_reader *r);
int batch_begin_pfw (struct batch_reader *r,
                     const struct pfw_store *store,
                     const struct trace_chunk *c);
void batch_end_pfw (struct batch_reader *r);

/* Room for the numbers of so many names. 0, or -1 (ENOMEM). */
int batch_numbers_room (struct batch_reader *r, uint32_t names);

/* Look up the names that the chunk has defined since. 0, or -1 (ENOMEM). */
int batch_new_names (struct batch_reader *r);

/* Room for EVENT_ARGS_MAX more arguments. 0, or -1 (ENOMEM). */
int batch_args_room (struct batch_reader *r, uint32_t used);

/* EBADMSG; for `return batch_bad ();`. */
static inline int batch_bad (void)
{
    errno = EBADMSG;
    return -1;
}

/* The rule of a call of a kind. */
static inline __attribute__ ((always_inline)) struct batch_rule
batch_rule_of (unsigned call, enum batch_kind kind)
{
    struct batch_rule u = batch_rules[call];

    if (kind == BATCH_ANY)
        return u;
    u.file = UINT64_MAX;
    u.fd = kind == BATCH_REGION ? 0 : UINT64_MAX;
    u.size = u.offset = u.ret_size = u.next_behind =
        kind == BATCH_TRANSFER ? UINT64_MAX : 0;
    u.ret_fd = u.ret_offset = u.next_ret = 0;
    if (kind != BATCH_TRANSFER)
        u.read = u.written = 0;
    u.app = kind == BATCH_REGION;
    return u;
}

/* Fields of an event. */
struct batch_fields {
    uint64_t size, offset, ret, flags, fd;
    uint32_t file, file2; /* of the chunk */
    int32_t err;
};

/* One encoded event: its call and kind, the masks of the fields that are
 * present, their numbers in the order of the bits of the masks, each `stride`
 * behind the one before, and its times: ticks from end to end, and length. */
struct batch_code {
    unsigned call, mask, mask2;
    enum batch_kind kind;
    uint64_t step, length;
    const uint64_t *v;
    size_t stride;
};

/* Decode the fields of an event. 0, or -1: damage. */
static inline __attribute__ ((always_inline)) int
batch_take (struct batch_fields *f,
            const struct batch_rule *u,
            uint32_t names,
            const struct batch_code *code)
{
    const unsigned mask = code->mask;
    const uint64_t *v = code->v;
    const size_t stride = code->stride;
    uint64_t said = 0;

    if (mask & SHARD_HAS_FILE) {
        if (*v > names)
            return -1;
        f->file = (uint32_t)*v;
        v += stride;
    }
    if (mask & SHARD_HAS_FD) {
        f->fd = (uint64_t)(int64_t)(int32_t)unzigzag (*v);
        v += stride;
    }
    if (mask & SHARD_HAS_SIZE) {
        f->size = *v;
        v += stride;
    }
    if (mask & SHARD_HAS_OFFSET) {
        f->offset = *v - 1;
        v += stride;
    }
    f->ret = (f->size & u->ret_size) | (f->fd & u->ret_fd) |
             (f->offset & u->ret_offset);
    if (mask & (SHARD_HAS_RET | SHARD_HAS_ERR | SHARD_HAS_FLAGS)) {
        if (mask & SHARD_HAS_RET) {
            said = *v;
            v += stride;
        }
        if (mask & SHARD_HAS_ERR) {
            f->err = (int32_t)*v;
            v += stride;
            f->ret = f->err ? UINT64_MAX : f->ret;
        }
        if (mask & SHARD_HAS_RET)
            f->ret = (uint64_t)unzigzag (said);
        if (mask & SHARD_HAS_FLAGS) {
            f->flags = *v;
            v += stride;
        }
    }
    if (code->mask2 & SHARD_HAS_FILE2) {
        if (*v > names)
            return -1;
        f->file2 = (uint32_t)*v;
    }
    return 0;
}

/* batch_put for a call of a kind; its times are set. */
static inline __attribute__ ((always_inline)) int
batch_put_kind (struct batch_reader *r,
                struct event_state *st,
                size_t i,
                enum batch_kind kind,
                const struct batch_code *code)
{
    const unsigned call = code->call, mask = code->mask;
    const struct batch_rule u = batch_rule_of (call, kind);
    struct batch_columns *c = &r->column;
    struct batch_fields f = {.size = st->size & u.size,
                             .offset = (uint64_t)st->next | ~u.offset,
                             .fd = (uint64_t)st->fd | ~u.fd,
                             .file = (u.app ? st->app : st->file) &
                                     (uint32_t)u.file};
    uint64_t moved;

    f.ret =
        (f.size & u.ret_size) | (f.fd & u.ret_fd) | (f.offset & u.ret_offset);
    if (mask && batch_take (&f, &u, st->names, code) < 0)
        return -1;
    moved = f.ret & ~(uint64_t)((int64_t)f.ret >> 63);
    c->call[i] = (uint16_t)call;
    c->name[i] = r->number[f.file];
    c->name2[i] = r->number[f.file2];
    c->ret[i] = (int64_t)f.ret;
    c->size[i] = f.size;
    c->offset[i] = (int64_t)f.offset;
    c->error[i] = f.err;
    c->bytes_read[i] = moved & u.read;
    c->bytes_written[i] = moved & u.written;
    c->fd[i] = (int32_t)f.fd;
    c->flags[i] = f.flags;
    if (u.app) {
        st->app = f.file;
        return 0;
    }
    if (mask) { /* else they are as they were */
        st->file = (f.file & (uint32_t)u.file) | (st->file & ~(uint32_t)u.file);
        st->fd = (int32_t)((f.fd & u.fd) | ((uint64_t)st->fd & ~u.fd));
        st->size = (f.size & u.size) | (st->size & ~u.size);
    }
    if (u.next_behind)
        st->next =
            (int64_t)((int64_t)(f.offset | f.ret) < 0 ? f.offset
                                                      : f.offset + f.ret);
    else if (u.next_ret)
        st->next = (int64_t)f.ret;
    return 0;
}

/* Event i, but for its arguments. st is the state of the decoder, or a copy.
 * 0, or -1: damage. */
static inline __attribute__ ((always_inline)) int
batch_put (struct batch_reader *r,
           struct event_state *st,
           size_t i,
           const struct batch_code *code)
{
    uint64_t tick, start, end;

    if (__builtin_add_overflow (st->end, code->step, &tick) ||
        code->length > tick || tick > INT64_MAX)
        return -1;
    decoder_place (&r->decoder, tick, code->length, &start, &end);
    r->column.start[i] = start + r->real;
    r->column.end[i] = end + r->real;
    st->end = tick;
#define BATCH_PUT(KIND) \
    case KIND:          \
        return batch_put_kind (r, st, i, KIND, code)
    switch (code->kind) {
        BATCH_PUT (BATCH_TRANSFER);
        BATCH_PUT (BATCH_META);
        BATCH_PUT (BATCH_REGION);
        BATCH_PUT (BATCH_ANY);
    case BATCH_UNKNOWN:
        break;
    }
#undef BATCH_PUT
    return -1;
}
