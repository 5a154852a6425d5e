/* SPDX-License-Identifier: MIT
 *
 * dense.c - columns of few bits -> records of a chunk
 *
 * In:  dense records of a merged trace, hostile
 * Out: the payload that they were, to tracefile.c
 */
#include "config.h"

#include "lib/format/dense.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format/densebits.h"
#include "lib/format/event.h"
#include "lib/format/varint.h"

enum { RECORD_MAX = 4 + 11 * DENSE_NUMBERS_MAX + DENSE_SHAPE_BYTES };

/* --- shapes ------------------------------------------------------------- */

static int
add_part (struct dense_shape *s, unsigned from, unsigned to, int kind)
{
    if (s->parts > DENSE_NUMBERS_MAX ||
        (kind != DENSE_NOTHING && s->numbers == DENSE_NUMBERS_MAX))
        return -1;
    s->part[s->parts].at = (uint8_t)from;
    s->part[s->parts].length = (uint8_t)(to - from);
    s->part[s->parts++].kind = (uint8_t)kind;
    s->numbers = (uint8_t)(s->numbers + (kind != DENSE_NOTHING));
    return 0;
}

/* Number of arguments, then key and type of each. */
static int add_args (struct dense_shape *s, unsigned at)
{
    unsigned from = at, n;
    const unsigned char *limit = s->literal + s->length;

    if (at >= s->length || (n = s->literal[at++]) > EVENT_ARGS_MAX)
        return -1;
    for (unsigned i = 0; i < n; i++) {
        uint64_t key;
        const unsigned char *p = get_varint (s->literal + at, limit, &key);
        unsigned type;

        if (!p || p >= limit)
            return -1;
        type = *p++;
        at = (unsigned)(p - s->literal);
        if (type < EVENT_ARG_INT || type > EVENT_ARG_TEXT ||
            add_part (s, from, at,
                      type == EVENT_ARG_DOUBLE ? DENSE_WORD : DENSE_VARINT) < 0)
            return -1;
        from = at;
    }
    if (at != s->length)
        return -1;
    return n ? 0 : add_part (s, from, at, DENSE_NOTHING);
}

int dense_shape_read (struct dense_shape *s)
{
    unsigned mask, mask2 = 0, at = 2, numbers;

    s->numbers = s->parts = 0;
    if (s->length < 2 || !s->literal[0] || s->literal[0] >= CALL_MAX ||
        !call_table[s->literal[0]].name[0])
        return -1;
    mask = s->literal[1];
    if (mask & SHARD_HAS_MORE) {
        if (s->length < 3)
            return -1;
        mask2 = s->literal[at++];
    }
    if (mask2 & ~(unsigned)(SHARD_HAS_FILE2 | SHARD_HAS_ARGS))
        return -1;
    numbers = 2 + (unsigned)__builtin_popcount (mask & ~SHARD_HAS_MORE) +
              (mask2 & SHARD_HAS_FILE2 ? 1 : 0);
    for (unsigned i = 0; i < numbers; i++)
        if (add_part (s, i ? at : 0, at, DENSE_VARINT) < 0)
            return -1;
    if (mask2 & SHARD_HAS_ARGS)
        return add_args (s, at);
    return at == s->length ? 0 : -1;
}

/* --- reading ------------------------------------------------------------ */

static int dense_bad (void)
{
    errno = EBADMSG;
    return -1;
}

static int dense_take_number (struct dense_reader *r, uint64_t *out)
{
    const unsigned char *p = get_varint (r->p, r->limit, out);

    if (!p)
        return dense_bad ();
    r->p = p;
    return 0;
}

/* The next length bytes, of which the length stands before them. */
static int take_part (struct dense_reader *r,
                      const unsigned char **begin,
                      const unsigned char **end)
{
    uint64_t length;

    if (dense_take_number (r, &length) < 0)
        return -1;
    if (length > (uint64_t)(r->limit - r->p))
        return dense_bad ();
    *begin = r->p;
    *end = r->p += length;
    return 0;
}

static int
take_column (struct dense_reader *r, struct dense_column *c, uint64_t n)
{
    c->left = (size_t)n;
    return take_part (r, &c->p, &c->limit);
}

static int take_shape (struct dense_reader *r, struct dense_shape *s)
{
    const unsigned char *p, *end;

    if (take_part (r, &p, &end) < 0)
        return -1;
    if (end - p > DENSE_SHAPE_BYTES)
        return dense_bad ();
    s->length = (uint8_t)(end - p);
    memcpy (s->literal, p, s->length);
    return dense_shape_read (s) < 0 ? dense_bad () : 0;
}

/* Read the columns of a shape: number of events, form of times, columns. */
static int take_columns (struct dense_reader *r, size_t shape)
{
    uint64_t events;

    if (dense_take_number (r, &events) < 0)
        return -1;
    if (r->p >= r->limit || events > DENSE_BYTES_MAX)
        return dense_bad ();
    r->relative[shape] = *r->p++;
    for (unsigned i = 0; i < r->shape[shape].numbers; i++)
        if (take_column (r, &r->column[r->first[shape] + i], events) < 0)
            return -1;
    return 0;
}

static int take_shapes (struct dense_reader *r)
{
    uint64_t shapes;
    size_t columns = 0;

    if (dense_take_number (r, &shapes) < 0)
        return -1;
    if (shapes > DENSE_SHAPES_MAX || shapes > (uint64_t)(r->limit - r->p))
        return dense_bad ();
    r->shapes = (size_t)shapes;
    r->shape = calloc (r->shapes + 1, sizeof (*r->shape));
    r->first = calloc (r->shapes + 1, sizeof (*r->first));
    r->relative = calloc (r->shapes + 1, 1);
    if (!r->shape || !r->first || !r->relative)
        return -1;
    for (size_t i = 0; i < r->shapes; i++) {
        if (take_shape (r, &r->shape[i]) < 0)
            return -1;
        r->first[i] = columns;
        columns += r->shape[i].numbers;
    }
    r->column = calloc (columns + 1, sizeof (*r->column));
    return r->column ? 0 : -1;
}

int dense_reader_open (struct dense_reader *r,
                       const unsigned char *p,
                       size_t n,
                       size_t bytes)
{
    uint64_t tokens;

    memset (r, 0, sizeof (*r));
    r->p = p;
    r->limit = p + n;
    if (take_shapes (r) < 0 || dense_take_number (r, &tokens) < 0)
        return -1;
    if (tokens > bytes) /* a record has one at least */
        return dense_bad ();
    if (take_column (r, &r->token, tokens) < 0 ||
        take_part (r, &r->raw, &r->raw_limit) < 0)
        return -1;
    for (size_t i = 0; i < r->shapes; i++)
        if (take_columns (r, i) < 0)
            return -1;
    return 0;
}

/* A record as it was; p has RECORD_MAX bytes. NULL: damage. */
static unsigned char *
dense_put_event (struct dense_reader *r, size_t shape, unsigned char *p)
{
    const struct dense_shape *s = &r->shape[shape];
    struct dense_column *c = &r->column[r->first[shape]];
    uint64_t step, length, v;

    if (dense_next (c, &step) < 0 || dense_next (c + 1, &length) < 0)
        return NULL;
    c += 2;
    memcpy (p, s->literal, s->part[0].length);
    p += s->part[0].length;
    p = put_varint (p, r->relative[shape] ? step + length : step);
    p = put_varint (p, length);
    for (unsigned i = 2; i < s->parts; i++) {
        memcpy (p, s->literal + s->part[i].at, s->part[i].length);
        p += s->part[i].length;
        if (s->part[i].kind == DENSE_NOTHING)
            continue;
        if (dense_next (c++, &v) < 0)
            return NULL;
        if (s->part[i].kind == DENSE_VARINT)
            p = put_varint (p, v);
        else {
            memcpy (p, &v, sizeof (v));
            p += sizeof (v);
        }
    }
    return p;
}

void dense_reader_close (struct dense_reader *r)
{
    int saved = errno;

    free (r->shape);
    free (r->first);
    free (r->relative);
    free (r->column);
    memset (r, 0, sizeof (*r));
    errno = saved;
}

const unsigned char *dense_reader_raw (struct dense_reader *r, size_t *n)
{
    uint64_t length;
    const unsigned char *raw = get_varint (r->raw, r->raw_limit, &length);

    if (!raw || length > (uint64_t)(r->raw_limit - raw))
        return NULL;
    r->raw = raw + length;
    *n = (size_t)length;
    return raw;
}

/* The next record that is no event. NULL: EBADMSG; EOVERFLOW: no room. */
static unsigned char *
put_raw (struct dense_reader *r, unsigned char *p, const unsigned char *limit)
{
    size_t n;
    const unsigned char *raw = dense_reader_raw (r, &n);

    if (!raw || n > (size_t)(limit - p)) {
        errno = raw ? EOVERFLOW : EBADMSG;
        return NULL;
    }
    memcpy (p, raw, n);
    return p + n;
}

/* *good gets the bytes of the whole records before damage, or before the one
 * for which there is no room (EOVERFLOW). */
static int put_records (struct dense_reader *r,
                        unsigned char *out,
                        size_t bytes,
                        size_t *good)
{
    const unsigned char *begin = out;
    unsigned char *limit = out + bytes, last[RECORD_MAX], *end;
    size_t tokens = r->token.left;
    uint64_t token;

    while (tokens-- > 0) {
        int near = limit - out < RECORD_MAX;

        *good = (size_t)(out - begin);
        if (dense_next (&r->token, &token) < 0 || token > r->shapes)
            return dense_bad ();
        if (token == r->shapes)
            end = put_raw (r, out, limit);
        else if (!(end = dense_put_event (r, (size_t)token, near ? last : out)))
            return dense_bad ();
        if (!end)
            return -1;
        if (token < r->shapes && near) {
            if (end - last > limit - out) {
                errno = EOVERFLOW;
                return -1;
            }
            memcpy (out, last, (size_t)(end - last));
            out += end - last;
        } else
            out = end;
    }
    *good = (size_t)(out - begin);
    return out == limit ? 0 : dense_bad ();
}

ssize_t dense_read_some (const unsigned char *p,
                         size_t n,
                         unsigned char *out,
                         size_t bytes)
{
    struct dense_reader r;
    size_t good = 0;
    int rc = dense_reader_open (&r, p, n, bytes);

    if (rc == 0 && put_records (&r, out, bytes, &good) < 0)
        rc = errno == EOVERFLOW ? -1 : 0;
    dense_reader_close (&r);
    return rc < 0 ? -1 : (ssize_t)good;
}

int dense_read (const unsigned char *p,
                size_t n,
                unsigned char *out,
                size_t bytes)
{
    struct dense_reader r;
    size_t good;
    int rc = dense_reader_open (&r, p, n, bytes);

    if (rc == 0 && (rc = put_records (&r, out, bytes, &good)) < 0)
        errno = EBADMSG;
    dense_reader_close (&r);
    return rc;
}
