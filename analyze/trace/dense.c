/* SPDX-License-Identifier: MIT
 *
 * dense.c - dense records of a chunk -> columns
 *
 * In:  checked payloads, from batch.c; still hostile
 * Out: events of a batch
 *
 * The numbers of a shape have one column each, all equally long: so they are
 * unpacked 64 events at a time, and an event of that shape takes the next row.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trace/batchread.h"

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

static int dense_rooms (struct batch_reader *r, size_t columns)
{
    size_t values = columns * DENSE_GROUP, shapes = r->dense.shapes;
    struct batch_shape *shape = r->shape;
    uint64_t *value = r->value;

    if (shapes > r->shapes_room) {
        if (!(shape = reallocarray (shape, shapes, sizeof (*shape))))
            return -1;
        r->shape = shape;
        r->shapes_room = shapes;
    }
    if (values > r->values_room) {
        if (!(value = reallocarray (value, values, sizeof (*value))))
            return -1;
        r->value = value;
        r->values_room = values;
    }
    return 0;
}

int batch_begin_dense (struct batch_reader *r, size_t n, size_t bytes)
{
    const struct dense_reader *d = &r->dense;
    size_t columns = 0;

    if (dense_reader_open (&r->dense, r->payload, n, bytes) < 0)
        return -1;
    for (size_t i = 0; i < d->shapes; i++)
        columns += d->shape[i].numbers;
    if (dense_rooms (r, columns) < 0)
        return -1;
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

void batch_end_dense (struct batch_reader *r)
{
    dense_reader_close (&r->dense);
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

    if (batch_args_room (r, *used) < 0)
        return -1;
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
    uint64_t step;

    if (s->at == s->count && shape_fill (s) < 0)
        return -1;
    row = s->value + s->at++;
    step = row[0] + (s->relative ? row[DENSE_GROUP] : 0);
    if (batch_put (r, st, i, s->call, (enum batch_kind)s->kind, s->mask,
                   s->mask2, step, row[DENSE_GROUP], row + 2 * DENSE_GROUP,
                   DENSE_GROUP) < 0)
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

    if (!(d->p = dense_reader_raw (&r->dense, &n)) || n == 0)
        return batch_bad ();
    d->limit = d->p + n;
    if (decoder_other (d, *d->p++) < 0 || batch_new_names (r) < 0)
        return -1;
    return d->p == d->limit ? 0 : batch_bad ();
}

/* The same with times, call and name alone. */
static inline int dense_some (struct batch_reader *r,
                              struct event_state *st,
                              struct batch_shape *s)
{
    struct batch_columns *c = &r->column;
    size_t i = r->batch.count;
    const uint64_t *row;
    uint64_t tick, length;
    uint32_t *slot = s->app ? &st->app : &st->file, name;

    if (s->at == s->count && shape_fill (s) < 0)
        return -1;
    row = s->value + s->at++;
    length = row[DENSE_GROUP];
    if (__builtin_add_overflow (st->end, row[0] + (s->relative ? length : 0),
                                &tick) ||
        length > tick || tick > INT64_MAX)
        return batch_bad ();
    decoder_place (&r->decoder, tick, length, &c->start[i], &c->end[i]);
    c->start[i] += r->real;
    c->end[i] += r->real;
    c->call[i] = s->call;
    st->end = tick;
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

void batch_read_dense (struct batch_reader *r)
{
    dense_read_batch (r, 0);
}

void batch_read_some (struct batch_reader *r)
{
    dense_read_batch (r, 1);
}
