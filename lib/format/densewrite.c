/* SPDX-License-Identifier: MIT
 *
 * densewrite.c - records of a chunk -> columns of few bits
 *
 * In:  payload of a chunk, from merge.c
 * Out: dense records
 *
 * The end of a record is told from its start (`relative`) where no record of
 * its shape lasts longer than since the record before: what lies between two
 * calls varies less than that and the call together.
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/format/dense.h"
#include "lib/format/event.h"
#include "lib/format/varint.h"

enum { SLOTS = 4 * DENSE_SHAPES_MAX, PLAIN_SHAPES = 1 << 16 };

struct values {
    uint64_t *item; /* owned */
    size_t count, room;
};

struct shape {
    struct dense_shape form;
    struct values column[DENSE_NUMBERS_MAX];
    size_t count; /* of events */
    int negative; /* some began before the end of the one before */
};

struct dense_writer {
    struct shape *shape[DENSE_SHAPES_MAX]; /* owned; kept for the next chunk */
    size_t shapes;
    uint16_t slot[SLOTS];         /* hash of literal -> shape + 1 */
    uint16_t plain[PLAIN_SHAPES]; /* call and mask -> shape + 1 */
    struct values token;
    unsigned char *raw, *out; /* owned */
    size_t raws, raw_room, out_room;
};

/* One event in the payload. */
struct event_bytes {
    unsigned char literal[DENSE_SHAPE_BYTES];
    unsigned length, numbers;
    uint64_t number[DENSE_NUMBERS_MAX];
};

struct dense_writer *dense_writer_create (void)
{
    return calloc (1, sizeof (struct dense_writer));
}

void dense_writer_destroy (struct dense_writer *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < DENSE_SHAPES_MAX && w->shape[i]; i++) {
        for (int c = 0; c < DENSE_NUMBERS_MAX; c++)
            free (w->shape[i]->column[c].item);
        free (w->shape[i]);
    }
    free (w->token.item);
    free (w->raw);
    free (w->out);
    free (w);
}

static int densewrite_push (struct values *v, uint64_t value)
{
    if (TRY_GROW (v->item, v->room, v->count + 1) < 0)
        return -1;
    v->item[v->count++] = value;
    return 0;
}

/* --- one event ---------------------------------------------------------- */

static const unsigned char *densewrite_number (struct event_bytes *e,
                                               const unsigned char *p,
                                               const unsigned char *limit)
{
    return get_varint (p, limit, &e->number[e->numbers++]);
}

static const unsigned char *densewrite_args (struct event_bytes *e,
                                             const unsigned char *p,
                                             const unsigned char *limit)
{
    unsigned n;
    uint64_t key;

    if (p >= limit || (n = *p++) > EVENT_ARGS_MAX)
        return NULL;
    e->literal[e->length++] = (unsigned char)n;
    for (unsigned i = 0; i < n; i++) {
        const unsigned char *from = p;

        if (!(p = get_varint (p, limit, &key)) || p >= limit)
            return NULL;
        p++;
        memcpy (e->literal + e->length, from, p - from);
        e->length += (unsigned)(p - from);
        if (p[-1] != EVENT_ARG_DOUBLE)
            p = densewrite_number (e, p, limit);
        else if (limit - p < 8)
            return NULL;
        else {
            memcpy (&e->number[e->numbers++], p, 8);
            p += 8;
        }
        if (!p)
            return NULL;
    }
    return p;
}

/* Divide an encoded event into literal bytes and numbers. Return NULL if it is
 * not an event. */
static const unsigned char *split (struct event_bytes *e,
                                   const unsigned char *p,
                                   const unsigned char *limit)
{
    unsigned mask, mask2 = 0, numbers;

    if (limit - p < 3)
        return NULL;
    e->length = e->numbers = 0;
    e->literal[e->length++] = *p++;
    mask = e->literal[e->length++] = *p++;
    if (mask & SHARD_HAS_MORE)
        mask2 = e->literal[e->length++] = *p++;
    numbers = 2 + (unsigned)__builtin_popcount (mask & ~SHARD_HAS_MORE) +
              (mask2 & SHARD_HAS_FILE2 ? 1 : 0);
    for (unsigned i = 0; p && i < numbers; i++)
        p = densewrite_number (e, p, limit);
    return p && mask2 & SHARD_HAS_ARGS ? densewrite_args (e, p, limit) : p;
}

/* --- its shape ---------------------------------------------------------- */

static int add_shape (struct dense_writer *w, const struct event_bytes *e)
{
    struct shape *s;

    if (w->shapes == DENSE_SHAPES_MAX) {
        errno = EINVAL;
        return -1;
    }
    if (!(s = w->shape[w->shapes]) &&
        !(s = w->shape[w->shapes] = calloc (1, sizeof (*s))))
        return -1;
    s->count = 0;
    s->negative = 0;
    for (int c = 0; c < DENSE_NUMBERS_MAX; c++)
        s->column[c].count = 0;
    memcpy (s->form.literal, e->literal, e->length);
    s->form.length = (uint8_t)e->length;
    if (dense_shape_read (&s->form) < 0 || s->form.numbers != e->numbers) {
        errno = EINVAL;
        return -1;
    }
    w->shapes++;
    return 0;
}

static uint16_t *find_slot (struct dense_writer *w, const struct event_bytes *e)
{
    uint64_t h = e->length;

    for (unsigned i = 0; i < e->length; i++)
        h = (h ^ e->literal[i]) * 0x100000001b3u;
    for (h ^= h >> 32;; h++) {
        uint16_t *at = &w->slot[h % SLOTS];
        const struct dense_shape *s = *at ? &w->shape[*at - 1]->form : NULL;

        if (!s || (s->length == e->length &&
                   memcmp (s->literal, e->literal, e->length) == 0))
            return at;
    }
}

/* Number of the shape, or -1. */
static int shape_of (struct dense_writer *w, const struct event_bytes *e)
{
    uint16_t *at = e->length == 2
                       ? &w->plain[e->literal[0] | (unsigned)e->literal[1] << 8]
                       : find_slot (w, e);

    if (!*at) {
        if (add_shape (w, e) < 0)
            return -1;
        *at = (uint16_t)w->shapes;
    }
    return *at - 1;
}

static const unsigned char *densewrite_add_event (struct dense_writer *w,
                                                  const unsigned char *p,
                                                  const unsigned char *limit)
{
    struct event_bytes e;
    struct shape *s;
    int shape;

    errno = EINVAL;
    if (!(p = split (&e, p, limit)) || (shape = shape_of (w, &e)) < 0 ||
        densewrite_push (&w->token, shape) < 0)
        return NULL;
    s = w->shape[shape];
    for (unsigned i = 0; i < e.numbers; i++)
        if (densewrite_push (&s->column[i], e.number[i]) < 0)
            return NULL;
    s->negative |= e.number[0] < e.number[1];
    s->count++;
    return p;
}

/* --- the others --------------------------------------------------------- */

static const unsigned char *add_raw (struct dense_writer *w,
                                     const unsigned char *p,
                                     const unsigned char *limit)
{
    const unsigned char *end;

    errno = EINVAL;
    if (!(end = dense_other_end (p, limit)) ||
        densewrite_push (&w->token, UINT64_MAX) < 0 ||
        TRY_GROW (w->raw, w->raw_room,
                  w->raws + VARINT_MAX + (size_t)(end - p)) < 0)
        return NULL;
    w->raws = (put_varint (w->raw + w->raws, end - p) - w->raw);
    memcpy (w->raw + w->raws, p, end - p);
    w->raws += end - p;
    return end;
}

/* --- all of them -------------------------------------------------------- */

static size_t column_room (size_t n)
{
    return VARINT_MAX + DENSE_COLUMN_MAX +
           (n + DENSE_GROUP - 1) / DENSE_GROUP * DENSE_GROUP_MAX;
}

/* Length, then bytes. The length has always four bytes of a varint, so that
 * nothing has to move. */
static unsigned char *
put_column (unsigned char *p, const uint64_t *value, size_t n)
{
    unsigned char *begin = p + 4;
    size_t length;

    p = dense_put (begin, value, n);
    length = p - begin;
    for (int i = 0; i < 4; i++)
        begin[i - 4] =
            (unsigned char)((length >> 7 * i & 0x7f) | (i < 3 ? 0x80 : 0));
    return p;
}

static unsigned char *put_shape (unsigned char *p, struct shape *s)
{
    uint64_t *step = s->column[0].item, *length = s->column[1].item;

    p = put_varint (p, s->count);
    *p++ = !s->negative;
    for (size_t i = 0; !s->negative && i < s->count; i++)
        step[i] -= length[i];
    for (unsigned c = 0; c < s->form.numbers; c++)
        p = put_column (p, s->column[c].item, s->count);
    return p;
}

static size_t room_of (const struct dense_writer *w)
{
    size_t room = 4 * VARINT_MAX + column_room (w->token.count) + w->raws;

    for (size_t i = 0; i < w->shapes; i++)
        room += 2 * VARINT_MAX + DENSE_SHAPE_BYTES +
                w->shape[i]->form.numbers * column_room (w->shape[i]->count);
    return room;
}

static unsigned char *densewrite_put_all (struct dense_writer *w)
{
    unsigned char *p = w->out;

    p = put_varint (p, w->shapes);
    for (size_t i = 0; i < w->shapes; i++) {
        const struct dense_shape *s = &w->shape[i]->form;

        *p++ = s->length;
        memcpy (p, s->literal, s->length);
        p += s->length;
    }
    for (size_t i = 0; i < w->token.count; i++)
        if (w->token.item[i] == UINT64_MAX)
            w->token.item[i] = w->shapes;
    p = put_varint (p, w->token.count);
    p = put_column (p, w->token.item, w->token.count);
    p = put_varint (p, w->raws);
    if (w->raws)
        memcpy (p, w->raw, w->raws);
    p += w->raws;
    for (size_t i = 0; i < w->shapes; i++)
        p = put_shape (p, w->shape[i]);
    return p;
}

static void empty (struct dense_writer *w)
{
    w->shapes = w->token.count = w->raws = 0;
    ZERO (&w->slot);
    ZERO (&w->plain);
}

const unsigned char *dense_write (struct dense_writer *w,
                                  const unsigned char *p,
                                  size_t bytes,
                                  size_t *n)
{
    const unsigned char *limit = p + bytes;

    empty (w);
    errno = EINVAL;
    if (bytes > DENSE_BYTES_MAX)
        return NULL;
    while (p && p < limit)
        p = *p && *p < SHARD_RECORD_NAME ? densewrite_add_event (w, p, limit)
                                         : add_raw (w, p, limit);
    if (!p || TRY_GROW (w->out, w->out_room, room_of (w)) < 0)
        return NULL;
    *n = densewrite_put_all (w) - w->out;
    errno = EINVAL;
    return *n < bytes ? w->out : NULL;
}
