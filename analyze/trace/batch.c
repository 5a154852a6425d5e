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

#include "analyze/trace/batchread.h"

#define BATCH_MASK(YES) ((YES) ? UINT64_MAX : 0)
#define BATCH_MOVES(CLASS, OTHER)              \
    BATCH_MASK (CALL_CLASS_##CLASS == OTHER || \
                CALL_CLASS_##CLASS == CALL_CLASS_COPY)

/* enum batch_kind, from a row of calls.def. */
#define BATCH_KIND(CATEGORY, FIELDS, RET)                                  \
    ((CATEGORY) == CALL_CATEGORY_APP                                       \
         ? ((FIELDS)&F_FILE && !((FIELDS) & (F_FD | F_SIZE | F_OFFSET)) && \
                    (RET) == CALL_RET_ZERO                                 \
                ? BATCH_REGION                                             \
                : BATCH_ANY)                                               \
     : ((FIELDS)&BATCH_CARRIED) == BATCH_CARRIED && (RET) == CALL_RET_SIZE \
         ? BATCH_TRANSFER                                                  \
     : ((FIELDS)&BATCH_CARRIED) == F_FD + F_FILE && (RET) == CALL_RET_ZERO \
         ? BATCH_META                                                      \
         : BATCH_ANY)

enum { BATCH_CARRIED = F_FD | F_FILE | F_SIZE | F_OFFSET };

const struct batch_rule batch_rules[CALL_MAX] = {
#define CALL(NUMBER, NAME, CATEGORY, CLASS, FIELDS, RET)                       \
    [NUMBER] = {                                                               \
        .kind = BATCH_KIND (CALL_CATEGORY_##CATEGORY, FIELDS, CALL_RET_##RET), \
        .app = CALL_CATEGORY_##CATEGORY == CALL_CATEGORY_APP,                  \
        .file = BATCH_MASK ((FIELDS)&F_FILE),                                  \
        .fd = BATCH_MASK ((FIELDS)&F_FD),                                      \
        .size = BATCH_MASK ((FIELDS)&F_SIZE),                                  \
        .offset = BATCH_MASK ((FIELDS)&F_OFFSET),                              \
        .ret_fd = BATCH_MASK (CALL_RET_##RET == CALL_RET_FD),                  \
        .ret_size = BATCH_MASK (CALL_RET_##RET == CALL_RET_SIZE),              \
        .ret_offset = BATCH_MASK (CALL_RET_##RET == CALL_RET_OFFSET),          \
        .next_ret = BATCH_MASK (CALL_RET_##RET == CALL_RET_OFFSET),            \
        .next_behind =                                                         \
            BATCH_MASK ((FIELDS)&F_OFFSET && CALL_RET_##RET == CALL_RET_SIZE), \
        .read = BATCH_MOVES (CLASS, CALL_CLASS_READ),                          \
        .written = BATCH_MOVES (CLASS, CALL_CLASS_WRITE)},
#include "lib/format/calls.def"
#undef CALL
};

struct batch_reader *batch_reader_create_small (struct dict *dict,
                                                size_t events)
{
    struct batch_reader *r = calloc (1, sizeof (*r));
    struct batch_columns *c = r ? &r->column : NULL;

    if (!r)
        return NULL;
    r->dict = dict;
    r->failed = ENODATA;
    r->events_max = events;
    r->args_room = events + EVENT_ARGS_MAX;
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
    if ((r->batch.args = calloc (r->args_room, sizeof (*r->batch.args))))
        return r;
    batch_reader_destroy (r);
    errno = ENOMEM;
    return NULL;
}

struct batch_reader *batch_reader_create (struct dict *dict)
{
    return batch_reader_create_small (dict, BATCH_EVENTS);
}

void batch_reader_needs (struct batch_reader *r, enum batch_need need)
{
    r->need = need;
}

void batch_reader_destroy (struct batch_reader *r)
{
    int saved = errno;

    if (!r)
        return;
    decoder_end (&r->decoder);
    batch_end_dense (r);
    batch_end_pfw (r);
    free (r->shape);
    free (r->value);
    free (r->batch.args);
    free (r->payload);
    free (r->number);
    free (r);
    errno = saved;
}

/* --- names and arguments -------------------------------------------------- */

int batch_numbers_room (struct batch_reader *r, uint32_t names)
{
    size_t room = r->numbers ? r->numbers : 256;
    uint32_t *number;

    if (names < r->numbers)
        return 0;
    while (room <= names)
        room *= 2;
    if (!(number = reallocarray (r->number, room, sizeof (*number))))
        return -1;
    number[0] = 0;
    r->number = number;
    r->numbers = room;
    return 0;
}

int batch_new_names (struct batch_reader *r)
{
    if (batch_numbers_room (r, r->decoder.st.names) < 0)
        return -1;
    while (r->known < r->decoder.st.names) {
        const struct name *name = decoder_name (&r->decoder, ++r->known);

        r->number[r->known] = 0;
        if (r->need == BATCH_REGIONS && name->kind != SHARD_NAME_EVENT)
            continue;
        if (!(r->number[r->known] = dict_number (
                  r->dict, (enum shard_name_kind)name->kind,
                  (enum file_class)name->class, name->text, name->length)))
            return -1;
    }
    return 0;
}

int batch_args_room (struct batch_reader *r, uint32_t used)
{
    size_t room = r->args_room;
    struct batch_arg *args;

    while (used + EVENT_ARGS_MAX > room)
        room *= 2;
    if (room == r->args_room)
        return 0;
    if (!(args = reallocarray (r->batch.args, room, sizeof (*args))))
        return -1;
    r->batch.args = args;
    r->args_room = room;
    return 0;
}

/* --- chunks --------------------------------------------------------------- */

static int batch_payload_room (struct batch_reader *r, size_t n)
{
    unsigned char *payload;

    if (n <= r->payload_room)
        return 0;
    if (!(payload = realloc (r->payload, n)))
        return -1;
    r->payload = payload;
    r->payload_room = n;
    return 0;
}

/* A chunk of a trace of ours. */
static int batch_begin_native (struct batch_reader *r,
                               const struct tracefile *f,
                               const struct trace_chunk *c)
{
    ssize_t got = tracefile_read_stored (f, c, r->payload);

    if (got < 0 ||
        decoder_begin (&r->decoder, &c->head, r->payload, (size_t)got) < 0 ||
        batch_numbers_room (r, r->decoder.st.names) < 0)
        return -1;
    if (c->head.type != SHARD_BLOCK_DENSE || !c->present)
        return 0;
    r->source = BATCH_DENSE;
    return batch_begin_dense (r, (size_t)got, c->used);
}

int batch_reader_chunk (struct batch_reader *r,
                        const struct part *part,
                        size_t process,
                        const struct trace_chunk *c)
{
    r->batch.who = part->who;
    r->batch.process = process;
    r->batch.chunk = c;
    r->batch.tid = c->head.tid;
    r->batch.count = 0;
    r->events = 0;
    r->failed = ENODATA;
    r->known = 0;
    r->real = trace_real_ns (part->who, 0);
    r->source = part->store ? BATCH_PFW : BATCH_RECORDS;
    batch_end_dense (r);
    memset (r->column.arg, 0, sizeof (r->column.arg));
    if (batch_payload_room (r, tracefile_stored (c) + 1) < 0 ||
        (part->store ? batch_begin_pfw (r, part->store, c)
                     : batch_begin_native (r, part->file, c)) < 0)
        return -1;
    r->failed = 0;
    return 0;
}

int batch_reader_next (struct batch_reader *r, const struct batch **b)
{
    r->batch.count = 0;
    r->batch.arg[0] = 0;
    if (!r->failed)
        (r->source == BATCH_PFW     ? batch_read_pfw
         : r->source != BATCH_DENSE ? batch_read_records
         : r->need == BATCH_ALL     ? batch_read_dense
                                    : batch_read_some) (r);
    if (r->failed == ENOMEM) {
        errno = ENOMEM;
        return -1;
    }
    r->batch.begins = r->events == 0;
    r->events += r->batch.count;
    *b = &r->batch;
    if (r->batch.count)
        return 1;
    errno = r->failed;
    return r->failed == ENODATA ? 0 : -1;
}

uint64_t batch_reader_events (const struct batch_reader *r)
{
    return r->events;
}
