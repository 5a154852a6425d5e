/* SPDX-License-Identifier: MIT
 *
 * batch.c - chunks of a thread -> events in columns
 *
 * In:  chunks, from parts.c
 * Out: struct batch, to all that counts or prints events
 */
#include "config.h"

#include "analyze/trace/batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/core/record/event.h"

/* The memory of the columns. */
struct batch_columns {
    uint64_t start[BATCH_EVENTS], end[BATCH_EVENTS];
    uint64_t size[BATCH_EVENTS], flags[BATCH_EVENTS];
    uint64_t bytes_read[BATCH_EVENTS], bytes_written[BATCH_EVENTS];
    int64_t ret[BATCH_EVENTS], offset[BATCH_EVENTS];
    uint32_t name[BATCH_EVENTS], name2[BATCH_EVENTS], arg[BATCH_EVENTS + 1];
    int32_t error[BATCH_EVENTS], fd[BATCH_EVENTS];
    uint16_t call[BATCH_EVENTS];
};

struct batch_reader {
    struct dict *dict;
    struct batch batch;
    struct batch_columns column;
    struct decoder decoder;
    unsigned char *payload; /* SHARD_CHUNK_MAX bytes */
    uint32_t *number;       /* dictionary id of the chunk -> number; 0: not
                               looked up yet */
    size_t numbers;
    size_t args_room;
    uint64_t events;
    int failed; /* errno with which the chunk ended */
};

struct batch_reader *batch_reader_create (struct dict *dict)
{
    struct batch_reader *r = calloc (1, sizeof (*r));
    struct batch_columns *c = r ? &r->column : NULL;

    if (!r)
        return NULL;
    r->dict = dict;
    r->payload = malloc (SHARD_CHUNK_MAX);
    r->args_room = BATCH_EVENTS + EVENT_ARGS_MAX;
    r->batch = (struct batch){.start = c->start,
                              .end = c->end,
                              .call = c->call,
                              .name = c->name,
                              .name2 = c->name2,
                              .ret = c->ret,
                              .size = c->size,
                              .offset = c->offset,
                              .error = c->error,
                              .bytes_read = c->bytes_read,
                              .bytes_written = c->bytes_written,
                              .fd = c->fd,
                              .flags = c->flags,
                              .arg = c->arg};
    r->batch.args = calloc (r->args_room, sizeof (*r->batch.args));
    if (r->payload && r->batch.args)
        return r;
    batch_reader_destroy (r);
    errno = ENOMEM;
    return NULL;
}

void batch_reader_destroy (struct batch_reader *r)
{
    int saved = errno;

    if (!r)
        return;
    decoder_end (&r->decoder);
    free (r->batch.args);
    free (r->payload);
    free (r->number);
    free (r);
    errno = saved;
}

/* --- names ---------------------------------------------------------------- */

/* Room for the numbers of all names that the chunk has defined so far. */
static int batch_grow_numbers (struct batch_reader *r)
{
    size_t room = r->numbers ? r->numbers : 256;
    uint32_t *number;

    if (r->decoder.st.names < r->numbers)
        return 0;
    while (room <= r->decoder.st.names)
        room *= 2;
    if (!(number = reallocarray (r->number, room, sizeof (*number))))
        return -1;
    memset (number + r->numbers, 0, (room - r->numbers) * sizeof (*number));
    r->number = number;
    r->numbers = room;
    return 0;
}

/* 0, or -1 (ENOMEM). */
static int batch_number (struct batch_reader *r, uint32_t id, uint32_t *out)
{
    const struct name *name = decoder_name (&r->decoder, id);

    *out = 0;
    if (!name)
        return 0;
    if (batch_grow_numbers (r) < 0)
        return -1;
    if (!r->number[id])
        r->number[id] = dict_number (r->dict, (enum shard_name_kind)name->kind,
                                     (enum file_class)name->class, name->text,
                                     name->length);
    *out = r->number[id];
    return *out ? 0 : -1;
}

/* --- events --------------------------------------------------------------- */

static int batch_add_args (struct batch_reader *r, const struct event *ev)
{
    struct batch *b = &r->batch;
    uint32_t at = b->arg[b->count];

    if (at + ev->nargs > r->args_room) {
        struct batch_arg *args =
            reallocarray (b->args, 2 * r->args_room, sizeof (*args));

        if (!args)
            return -1;
        b->args = args;
        r->args_room *= 2;
    }
    for (int i = 0; i < ev->nargs; i++) {
        const struct event_arg *from = &ev->args[i];
        struct batch_arg *to = &b->args[at++];

        to->type = from->type;
        if (batch_number (r, from->key, &to->key) < 0)
            return -1;
        if (from->type == EVENT_ARG_INT)
            to->i = from->i;
        else if (from->type == EVENT_ARG_DOUBLE)
            to->d = from->d;
        else if (batch_number (r, from->text, &to->text) < 0)
            return -1;
    }
    b->arg[b->count + 1] = at;
    return 0;
}

static int batch_add (struct batch_reader *r, const struct event *ev)
{
    struct batch *b = &r->batch;
    enum call_class class = (enum call_class)call_table[ev->call].class;
    uint64_t moved = ev->ret > 0 ? (uint64_t)ev->ret : 0;
    size_t i = b->count;

    if (batch_number (r, ev->file, &b->name[i]) < 0 ||
        batch_number (r, ev->file2, &b->name2[i]) < 0 ||
        batch_add_args (r, ev) < 0)
        return -1;
    b->start[i] = trace_real_ns (b->who, ev->start);
    b->end[i] = trace_real_ns (b->who, ev->end);
    b->call[i] = ev->call;
    b->ret[i] = ev->ret;
    b->size[i] = ev->size;
    b->offset[i] = ev->offset;
    b->error[i] = ev->err;
    b->fd[i] = ev->fd;
    b->flags[i] = ev->flags;
    b->bytes_read[i] =
        class == CALL_CLASS_READ || class == CALL_CLASS_COPY ? moved : 0;
    b->bytes_written[i] =
        class == CALL_CLASS_WRITE || class == CALL_CLASS_COPY ? moved : 0;
    b->count++;
    return 0;
}

/* --- chunks --------------------------------------------------------------- */

int batch_reader_chunk (struct batch_reader *r,
                        const struct part *part,
                        size_t process,
                        const struct trace_chunk *c)
{
    ssize_t got;

    r->batch.who = part->who;
    r->batch.process = process;
    r->batch.tid = c->head.tid;
    r->batch.count = 0;
    r->events = 0;
    r->failed = ENODATA;
    got = tracefile_read (part->file, c, r->payload);
    if (got < 0 ||
        decoder_begin (&r->decoder, &c->head, r->payload, (size_t)got) < 0)
        return -1;
    if (r->number)
        memset (r->number, 0, r->numbers * sizeof (*r->number));
    r->failed = 0;
    r->batch.begins = 1;
    return 0;
}

/* 1, 0 or -1, for what ended the batch when it is not full. */
static int batch_end (struct batch_reader *r, const struct batch **b)
{
    r->batch.begins = r->events == 0;
    r->events += r->batch.count;
    *b = &r->batch;
    if (r->batch.count)
        return 1;
    errno = r->failed;
    return r->failed == ENODATA ? 0 : -1;
}

int batch_reader_next (struct batch_reader *r, const struct batch **b)
{
    struct event ev;
    int rc = 1;

    r->batch.count = 0;
    r->batch.arg[0] = 0;
    while (!r->failed && r->batch.count < BATCH_EVENTS) {
        if ((rc = decoder_next (&r->decoder, &ev)) == 0)
            r->failed = ENODATA;
        else if (rc < 0 || batch_add (r, &ev) < 0)
            r->failed = errno == EBADMSG ? EBADMSG : ENOMEM;
    }
    if (r->failed == ENOMEM) {
        errno = ENOMEM;
        return -1;
    }
    return batch_end (r, b);
}

uint64_t batch_reader_events (const struct batch_reader *r)
{
    return r->events;
}
