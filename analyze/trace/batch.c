/* SPDX-License-Identifier: MIT
 *
 * batch.c - chunks of a thread -> events in columns
 *
 * In:  chunks, from parts.c: plain records or dense records
 * Out: struct batch, to all that counts or prints events
 * Caveat: payloads are hostile after the checksum, too. The rules are those of
 *         lib/format's decoder; tests/unit/analyze/batchsame.c compares them.
 *
 * The numbers of a shape of dense records have one column each, all equally
 * long: they are unpacked 64 events at a time, and an event takes the next row.
 */
#include "config.h"

#include "analyze/trace/batch.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"
#include "lib/format/dense.h"
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

static const struct batch_rule batch_rules[CALL_MAX] = {
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

/* A shape of dense records, and 64 of its numbers of each column. */
struct batch_shape;

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
    int is_dense;
    struct dense_reader dense;
    struct batch_shape *shape; /* of dense; owned */
    uint64_t *value;           /* of shapes; owned */
    size_t shapes_room, values_room;
};

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

/* The times of event i: ticks from end to end, and length. 0, or -1: damage. */
static inline __attribute__ ((always_inline)) int
batch_times (struct batch_reader *r,
             struct event_state *st,
             size_t i,
             uint64_t step,
             uint64_t length)
{
    uint64_t tick, start, end;

    if (__builtin_add_overflow (st->end, step, &tick) || length > tick ||
        tick > INT64_MAX)
        return -1;
    decoder_place (&r->decoder, tick, length, &start, &end);
    r->column.start[i] = start + r->real;
    r->column.end[i] = end + r->real;
    st->end = tick;
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
    if (batch_times (r, st, i, code->step, code->length) < 0)
        return -1;
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

/* --- names and arguments -------------------------------------------------- */

/* Take a record that is no event, whose first byte stood before the decoder's
 * place, and look up the names that the chunk has defined since. 0, or -1. */
static int batch_other (struct batch_reader *r, unsigned first)
{
    if (decoder_other (&r->decoder, first) < 0)
        return -1;
    GROW_ZEROED (r->number, r->numbers, r->decoder.st.names + 1u);
    while (r->known < r->decoder.st.names) {
        const struct name *name = decoder_name (&r->decoder, ++r->known);

        r->number[r->known] = 0;
        if (r->need != BATCH_REGIONS || name->kind == SHARD_NAME_EVENT)
            r->number[r->known] = dict_number (
                r->dict, (enum shard_name_kind)name->kind,
                (enum file_class)name->class, name->text, name->length);
    }
    return 0;
}

/* Room for EVENT_ARGS_MAX more arguments. */
static void batch_args_room (struct batch_reader *r, uint32_t used)
{
    GROW (r->batch.args, r->args_room, (size_t)used + EVENT_ARGS_MAX);
}

/* --- records ---------------------------------------------------------------
 */

enum { NUMBERS_MAX = 7 + 1 /* behind the times */ };

/* How many bits are set in numbers below 128. */
#define RECORDS_2(N) (N), (N) + 1, (N) + 1, (N) + 2
#define RECORDS_4(N) \
    RECORDS_2 (N), RECORDS_2 ((N) + 1), RECORDS_2 ((N) + 1), RECORDS_2 ((N) + 2)
#define RECORDS_6(N) \
    RECORDS_4 (N), RECORDS_4 ((N) + 1), RECORDS_4 ((N) + 1), RECORDS_4 ((N) + 2)
static const uint8_t records_numbers[128] = {RECORDS_6 (0), RECORDS_6 (1)};

/* One argument; NULL: damage. */
static const unsigned char *records_arg (struct batch_reader *r,
                                         struct batch_arg *a,
                                         const unsigned char *p)
{
    const unsigned char *limit = r->decoder.limit;
    uint32_t names = r->decoder.st.names;
    uint64_t v;

    if (!(p = get_varint (p, limit, &v)) || v > names || p >= limit)
        return NULL;
    a->key = r->number[v];
    a->type = *p++;
    if (a->type == EVENT_ARG_DOUBLE) {
        if (limit - p < (ptrdiff_t)sizeof (a->d))
            return NULL;
        memcpy (&a->d, p, sizeof (a->d));
        return p + sizeof (a->d);
    }
    if (!(p = get_varint (p, limit, &v)))
        return NULL;
    if (a->type == EVENT_ARG_INT)
        a->i = unzigzag (v);
    else if (a->type == EVENT_ARG_TEXT && v <= names)
        a->text = r->number[v];
    else
        return NULL;
    return p;
}

/* Those of event i, which begin at args[*used]. NULL: damage. */
static const unsigned char *
records_args (struct batch_reader *r, uint32_t *used, const unsigned char *p)
{
    unsigned n;

    if (p >= r->decoder.limit || (n = *p++) > EVENT_ARGS_MAX)
        return NULL;
    batch_args_room (r, *used);
    for (; p && n; n--)
        p = records_arg (r, &r->batch.args[(*used)++], p);
    return p;
}

/* The numbers behind the times, as many as the masks say. NULL: damage. */
static inline const unsigned char *records_fields (const unsigned char *p,
                                                   const unsigned char *limit,
                                                   unsigned mask,
                                                   unsigned mask2,
                                                   uint64_t *v)
{
    unsigned numbers = records_numbers[mask & ~(unsigned)SHARD_HAS_MORE] +
                       (mask2 & SHARD_HAS_FILE2);

    for (unsigned i = 0; p && i < numbers; i++)
        p = get_varint (p, limit, &v[i]);
    return p;
}

/* Event i, whose call stands before p. NULL: damage. */
static inline const unsigned char *records_event (struct batch_reader *r,
                                                  struct event_state *st,
                                                  size_t i,
                                                  const unsigned char *p,
                                                  const unsigned char *limit)
{
    uint64_t v[NUMBERS_MAX];
    struct batch_code c = {.call = p[-1],
                           .kind = (enum batch_kind)batch_rules[p[-1]].kind,
                           .v = v,
                           .stride = 1};
    uint32_t used = r->column.arg[i];

    if (limit - p < 2)
        return NULL;
    c.mask = *p++;
    if (c.mask & SHARD_HAS_MORE) {
        c.mask2 = *p++;
        if (c.mask2 & ~(unsigned)(SHARD_HAS_FILE2 | SHARD_HAS_ARGS))
            return NULL; /* their bytes could not be stepped over */
    }
    if (!(p = get_varint (p, limit, &c.step)) ||
        !(p = get_varint (p, limit, &c.length)) ||
        (c.mask && !(p = records_fields (p, limit, c.mask, c.mask2, v))) ||
        batch_put (r, st, i, &c) < 0 ||
        (c.mask2 & SHARD_HAS_ARGS && !(p = records_args (r, &used, p))))
        return NULL;
    r->column.arg[i + 1] = used;
    return p;
}

/* Add events of the chunk to the batch until it is full or the chunk ends;
 * sets r->failed then. */
static void batch_read_records (struct batch_reader *r)
{
    struct decoder *d = &r->decoder;
    struct event_state st = d->st;
    const unsigned char *p = d->p, *limit = d->limit;
    size_t n = 0, most = r->events_max;

    errno = EBADMSG; /* unless memory is short */
    while (n < most) {
        unsigned first;

        if (p >= limit || (first = *p++) == SHARD_RECORD_END) {
            r->failed = ENODATA;
            break;
        }
        if (first < CALL_MAX) {
            if (!(p = records_event (r, &st, n, p, limit))) {
                r->failed = errno;
                break;
            }
            n++;
            continue;
        }
        d->st = st;
        d->p = p;
        if (batch_other (r, first) < 0) {
            r->failed = errno;
            break;
        }
        errno = EBADMSG;
        p = d->p;
        st = d->st;
    }
    r->batch.count = n;
    d->st = st;
    d->p = p;
}

/* Numbers of column k are value[k * DENSE_GROUP + …]. */
struct batch_shape {
    struct dense_column *column;
    uint64_t *value;
    unsigned at, count; /* of the rows that are unpacked */
    uint8_t call, mask, mask2, numbers;
    uint8_t relative;
    uint8_t kind;            /* enum batch_kind */
    uint8_t app;             /* a region */
    uint8_t unpacks;         /* the first so many columns are needed */
    uint8_t args, first_arg; /* how many; the number of the first */
    uint32_t key[EVENT_ARGS_MAX];
    uint8_t type[EVENT_ARGS_MAX];
};

/* --- shapes ----------------------------------------------------------------
 */

/* Keys and types of the arguments; dense_shape_read has checked them. */
static int shape_args (struct batch_shape *to, const struct dense_shape *s)
{
    const unsigned char *p = s->literal + 3, *limit = s->literal + s->length;
    uint64_t key;

    to->args = *p++;
    to->first_arg = (uint8_t)(to->numbers - to->args);
    for (int i = 0; i < to->args; i++) {
        if (!(p = get_varint (p, limit, &key)) || key > UINT32_MAX)
            return batch_bad ();
        to->key[i] = (uint32_t)key;
        to->type[i] = *p++;
    }
    return 0;
}

static int shape_begin (struct batch_shape *to, const struct dense_shape *s)
{
    memset (to, 0, sizeof (*to));
    to->call = s->literal[0];
    to->mask = s->literal[1];
    to->mask2 = to->mask & SHARD_HAS_MORE ? s->literal[2] : 0;
    to->numbers = s->numbers;
    to->kind = batch_rules[to->call].kind;
    to->app = batch_rules[to->call].app;
    return to->mask2 & SHARD_HAS_ARGS ? shape_args (to, s) : 0;
}

/* Times come first, then the name. */
static uint8_t shape_unpacks (const struct batch_reader *r,
                              const struct batch_shape *s)
{
    if (r->need == BATCH_ALL)
        return s->numbers;
    return s->mask & SHARD_HAS_FILE && (s->app || r->need == BATCH_FILES) ? 3
                                                                          : 2;
}

/* Begin with the n stored bytes of a dense chunk in payload, which its header
 * says to be `bytes` of records. 0, or -1. */
static int batch_begin_dense (struct batch_reader *r, size_t n, size_t bytes)
{
    const struct dense_reader *d = &r->dense;
    size_t columns = 0;

    if (dense_reader_open (&r->dense, r->payload, n, bytes) < 0)
        return -1;
    for (size_t i = 0; i < d->shapes; i++)
        columns += d->shape[i].numbers;
    GROW (r->shape, r->shapes_room, r->dense.shapes);
    GROW (r->value, r->values_room, columns * DENSE_GROUP);
    columns = 0;
    for (size_t i = 0; i < d->shapes; i++) {
        struct batch_shape *s = &r->shape[i];

        if (shape_begin (s, &d->shape[i]) < 0)
            return -1;
        s->relative = d->relative[i];
        s->unpacks = shape_unpacks (r, s);
        s->column = &d->column[d->first[i]];
        s->value = r->value + columns * DENSE_GROUP;
        columns += s->numbers;
    }
    return 0;
}

/* --- rows ------------------------------------------------------------------
 */

static int shape_fill (struct batch_shape *s)
{
    for (unsigned k = 0; k < s->unpacks; k++)
        if (dense_unpack (&s->column[k], s->value + k * DENSE_GROUP,
                          &s->count) < 0)
            return batch_bad ();
    s->at = 0;
    return 0;
}

static int dense_args (struct batch_reader *r,
                       const struct batch_shape *s,
                       const uint64_t *row,
                       uint32_t *used)
{
    uint32_t names = r->decoder.st.names;

    batch_args_room (r, *used);
    row += s->first_arg * DENSE_GROUP;
    for (int i = 0; i < s->args; i++, row += DENSE_GROUP) {
        struct batch_arg *a = &r->batch.args[(*used)++];

        if (s->key[i] > names)
            return batch_bad ();
        a->key = r->number[s->key[i]];
        a->type = s->type[i];
        if (a->type == EVENT_ARG_INT)
            a->i = unzigzag (*row);
        else if (a->type == EVENT_ARG_DOUBLE)
            memcpy (&a->d, row, sizeof (a->d));
        else if (*row > names)
            return batch_bad ();
        else
            a->text = r->number[*row];
    }
    return 0;
}

static inline int dense_event (struct batch_reader *r,
                               struct event_state *st,
                               struct batch_shape *s)
{
    size_t i = r->batch.count;
    uint32_t used = r->column.arg[i];
    const uint64_t *row;

    if (s->at == s->count && shape_fill (s) < 0)
        return -1;
    row = s->value + s->at++;
    if (batch_put (r, st, i,
                   &(struct batch_code){
                       .call = s->call,
                       .kind = (enum batch_kind)s->kind,
                       .mask = s->mask,
                       .mask2 = s->mask2,
                       .step = row[0] + (s->relative ? row[DENSE_GROUP] : 0),
                       .length = row[DENSE_GROUP],
                       .v = row + 2 * DENSE_GROUP,
                       .stride = DENSE_GROUP}) < 0)
        return batch_bad ();
    if (s->args && dense_args (r, s, row, &used) < 0)
        return -1;
    r->column.arg[i + 1] = used;
    r->batch.count++;
    return 0;
}

/* A record that is no event. */
static int dense_other (struct batch_reader *r)
{
    struct decoder *d = &r->decoder;
    size_t n;

    if (!(d->p = dense_reader_raw (&r->dense, &n)))
        return batch_bad ();
    d->limit = d->p + n;
    d->p++;
    if (batch_other (r, d->p[-1]) < 0)
        return -1;
    return d->p == d->limit ? 0 : batch_bad ();
}

/* Decode times, call and name only. */
static inline int dense_some (struct batch_reader *r,
                              struct event_state *st,
                              struct batch_shape *s)
{
    struct batch_columns *c = &r->column;
    size_t i = r->batch.count;
    const uint64_t *row;
    uint32_t *slot = s->app ? &st->app : &st->file, name;

    if (s->at == s->count && shape_fill (s) < 0)
        return -1;
    row = s->value + s->at++;
    if (batch_times (r, st, i, row[0] + (s->relative ? row[DENSE_GROUP] : 0),
                     row[DENSE_GROUP]) < 0)
        return batch_bad ();
    c->call[i] = s->call;
    r->batch.count++;
    if (!s->app && r->need == BATCH_REGIONS) {
        c->name[i] = 0;
        return 0;
    }
    name = *slot & (uint32_t)batch_rules[s->call].file;
    if (s->unpacks > 2) {
        if (row[2 * DENSE_GROUP] > st->names) {
            r->batch.count--;
            return batch_bad ();
        }
        name = (uint32_t)row[2 * DENSE_GROUP];
    }
    c->name[i] = r->number[name];
    if (s->app || batch_rules[s->call].file)
        *slot = name;
    return 0;
}

/* some: times, call and name alone. */
static inline __attribute__ ((always_inline)) void
dense_read_batch (struct batch_reader *r, int some)
{
    struct event_state st = r->decoder.st;
    uint64_t token;
    int rc = 0;

    while (rc == 0 && r->batch.count < r->events_max) {
        if (r->dense.token.at == r->dense.token.count && !r->dense.token.left) {
            r->failed = ENODATA;
            break;
        }
        if (dense_next (&r->dense.token, &token) < 0 || token > r->dense.shapes)
            rc = batch_bad ();
        else if (token < r->dense.shapes)
            rc = some ? dense_some (r, &st, &r->shape[token])
                      : dense_event (r, &st, &r->shape[token]);
        else {
            r->decoder.st = st;
            rc = dense_other (r);
            st = r->decoder.st;
        }
    }
    if (rc < 0)
        r->failed = errno;
    r->decoder.st = st;
}

struct batch_reader *batch_reader_create_small (struct dict *dict,
                                                size_t events)
{
    struct batch_reader *r = ZEROED (r, 1);
    struct batch_columns *c = &r->column;

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
    NEW (r->batch.args, r->args_room);
    return r;
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
    if (!r)
        return;
    decoder_end (&r->decoder);
    dense_reader_close (&r->dense);
    free (r->shape);
    free (r->value);
    free (r->batch.args);
    free (r->payload);
    free (r->number);
    free (r);
}

/* --- chunks --------------------------------------------------------------- */

static int batch_begin (struct batch_reader *r,
                        const struct tracefile *f,
                        const struct trace_chunk *c)
{
    ssize_t got = tracefile_read_stored (f, c, r->payload);

    if (got < 0 ||
        decoder_begin (&r->decoder, &c->head, r->payload, (size_t)got) < 0)
        return -1;
    GROW_ZEROED (r->number, r->numbers, r->decoder.st.names + 1u);
    if (c->head.type != SHARD_BLOCK_DENSE || !c->present)
        return 0;
    r->is_dense = 1;
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
    r->is_dense = 0;
    dense_reader_close (&r->dense);
    memset (r->column.arg, 0, sizeof (r->column.arg));
    GROW (r->payload, r->payload_room, tracefile_stored (c) + 1);
    if (batch_begin (r, part->file, c) < 0) {
        if (errno == ENOMEM)
            xalloc_die ();
        return -1;
    }
    r->failed = 0;
    return 0;
}

static void batch_read (struct batch_reader *r)
{
    if (!r->is_dense)
        batch_read_records (r);
    else if (r->need == BATCH_ALL)
        dense_read_batch (r, 0);
    else
        dense_read_batch (r, 1);
}

int batch_reader_next (struct batch_reader *r, const struct batch **b)
{
    r->batch.count = 0;
    r->batch.arg[0] = 0;
    if (!r->failed)
        batch_read (r);
    if (r->failed == ENOMEM)
        xalloc_die ();
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

static const char *evname_text (const struct dict *d, uint32_t number)
{
    const struct dict_entry *e = dict_entry (d, number);

    return e ? e->text : "";
}

struct evname evname_of (const struct dict *d, const struct batch *b, size_t i)
{
    const struct call_info *info = &call_table[b->call[i]];
    const struct dict_entry *e = dict_entry (d, b->name[i]);
    struct evname n = {call_category_name (info->category), info->name, "",
                       evname_text (d, b->name2[i])};
    size_t category;

    if (!e)
        return n;
    if (info->category != CALL_CATEGORY_APP) {
        n.file = e->text;
        return n;
    }
    n.category = e->text;
    category = strlen (e->text);
    n.name = e->text + (category < e->length ? category + 1 : category);
    return n;
}

void evarg_json (struct json *j,
                 const struct dict *d,
                 const struct batch_arg *arg)
{
    const struct dict_entry *text;
    const char *key = evname_text (d, arg->key);

    if (arg->type == EVENT_ARG_INT)
        json_int (j, key, arg->i);
    else if (arg->type == EVENT_ARG_DOUBLE)
        json_double (j, key, arg->d);
    else {
        text = dict_entry (d, arg->text);
        json_bytes (j, key, text ? text->text : "", text ? text->length : 0);
    }
}
