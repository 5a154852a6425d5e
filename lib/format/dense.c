/* SPDX-License-Identifier: MIT
 *
 * dense.c - columns of few bits -> records of a chunk
 *
 * In:  dense records of a merged trace, hostile
 * Out: the payload that they were, to tracefile.c
 */

/* Design. Merged chunks are bit-packed columns: 64 rows at a time they go
 * into the columns of a batch, and so do the records of shards; only who
 * copies chunks has them made records again (tracefile_read). */

#include "config.h"

#include "lib/base/array.h"
#include "lib/format/dense.h"
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
    c->left = n;
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
    r->shapes = shapes;
    TRY_NEW (r->shape, r->shapes + 1);
    TRY_NEW (r->first, r->shapes + 1);
    r->relative = calloc (r->shapes + 1, 1);
    if (!r->shape || !r->first || !r->relative)
        return -1;
    for (size_t i = 0; i < r->shapes; i++) {
        if (take_shape (r, &r->shape[i]) < 0)
            return -1;
        r->first[i] = columns;
        columns += r->shape[i].numbers;
    }
    TRY_NEW (r->column, columns + 1);
    return r->column ? 0 : -1;
}

int dense_reader_open (struct dense_reader *r,
                       const unsigned char *p,
                       size_t n,
                       size_t bytes)
{
    uint64_t tokens;

    ZERO (r);
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
    ZERO (r);
    errno = saved;
}

const unsigned char *dense_other_end (const unsigned char *p,
                                      const unsigned char *limit)
{
    uint64_t v = 0;
    unsigned type = *p++, numbers;

    if (type == SHARD_RECORD_NAME && limit - p > 2) {
        p += 2;
        numbers = 1;
    } else if (type == SHARD_RECORD_LIKE)
        numbers = 4;
    else if (type == SHARD_RECORD_CLOCK)
        numbers = 3;
    else
        return NULL;
    while (p && numbers-- > 0)
        p = get_varint (p, limit, &v);
    if (!p || type == SHARD_RECORD_CLOCK)
        return p;
    return v <= (uint64_t)(limit - p) ? p + v : NULL;
}

const unsigned char *dense_reader_raw (struct dense_reader *r, size_t *n)
{
    uint64_t length;
    const unsigned char *raw = get_varint (r->raw, r->raw_limit, &length);

    if (!raw || !length || length > (uint64_t)(r->raw_limit - raw) ||
        dense_other_end (raw, raw + length) != raw + length)
        return NULL;
    r->raw = raw + length;
    *n = length;
    return raw;
}

/* *good gets the bytes of the whole records before damage, or before the one
 * for which there is no room (EOVERFLOW). */
static int put_records (struct dense_reader *r,
                        unsigned char *out,
                        size_t bytes,
                        size_t *good)
{
    unsigned char event[RECORD_MAX];
    uint64_t token;

    *good = 0;
    for (size_t tokens = r->token.left; tokens > 0; tokens--) {
        const unsigned char *from = event, *end = NULL;
        size_t n = 0;

        if (dense_next (&r->token, &token) < 0 || token > r->shapes)
            return dense_bad ();
        if (token == r->shapes)
            from = dense_reader_raw (r, &n);
        else if ((end = dense_put_event (r, token, event)))
            n = end - event;
        if (!n)
            return dense_bad ();
        if (n > bytes - *good) {
            errno = EOVERFLOW;
            return -1;
        }
        memcpy (out + *good, from, n);
        *good += n;
    }
    return *good == bytes ? 0 : dense_bad ();
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

/* ---- a column of numbers <-> few bits for each ---- */

enum {
    WIDTHS = 65,
    EXCEPTION_BITS = 16 /* about: its place and one byte of the rest */
};

static unsigned width_of (uint64_t v)
{
    return v ? 64 - (unsigned)__builtin_clzll (v) : 0;
}

static uint64_t low_bits (unsigned width)
{
    return width < 64 ? ((uint64_t)1 << width) - 1 : UINT64_MAX;
}

/* --- writing ------------------------------------------------------------ */

/* The width with which all numbers take the fewest bits. */
static unsigned best_width (const uint64_t *v, unsigned n)
{
    unsigned count[WIDTHS] = {0}, best = 0, over = 0, rest = 0;
    unsigned least = UINT32_MAX;

    for (unsigned i = 0; i < n; i++)
        count[width_of (v[i])]++;
    for (unsigned width = WIDTHS; width-- > 0;) {
        unsigned bits = n * width + over * EXCEPTION_BITS + rest;

        if (bits < least) {
            least = bits;
            best = width;
        }
        over += count[width]; /* would be exceptions of a smaller width, */
        rest += over;         /* each with one more bit */
    }
    return best;
}

static unsigned char *
put_bits (unsigned char *p, const uint64_t *v, unsigned n, unsigned width)
{
    unsigned __int128 bits = 0;
    unsigned have = 0;

    for (unsigned i = 0; i < n; i++) {
        bits |= (unsigned __int128)(v[i] & low_bits (width)) << have;
        for (have += width; have >= 8; have -= 8, bits >>= 8)
            *p++ = (unsigned char)bits;
    }
    if (have)
        *p++ = (unsigned char)bits;
    return p;
}

static unsigned char *
put_group (unsigned char *p, const uint64_t *v, unsigned n)
{
    unsigned width = best_width (v, n);
    unsigned char *exceptions = p + 1;

    *p = (unsigned char)width;
    *exceptions = 0;
    p = put_bits (p + 2, v, n, width);
    for (unsigned i = 0; width < 64 && i < n; i++)
        if (v[i] >> width) {
            ++*exceptions;
            *p++ = (unsigned char)i;
            p = put_varint (p, v[i] >> width);
        }
    return p;
}

unsigned char *dense_put (unsigned char *p, const uint64_t *value, size_t n)
{
    uint64_t least = UINT64_MAX, any = 0, group[DENSE_GROUP];
    unsigned shift;

    for (size_t i = 0; i < n; i++)
        if (value[i] < least)
            least = value[i];
    for (size_t i = 0; i < n; i++)
        any |= value[i] - least;
    shift = any ? (unsigned)__builtin_ctzll (any) : 0;
    if (!n)
        return p;
    p = put_varint (p, least);
    *p++ = (unsigned char)shift;
    for (size_t i = 0; i < n; i += DENSE_GROUP) {
        unsigned m = n - i < DENSE_GROUP ? (unsigned)(n - i) : DENSE_GROUP;

        for (unsigned k = 0; k < m; k++)
            group[k] = (value[i + k] - least) >> shift;
        p = put_group (p, group, m);
    }
    return p;
}

/* --- reading ------------------------------------------------------------ */

/* Numbers of at most 56 bits: eight bytes from any of theirs hold them, and of
 * those of at most 28 bits the next one, too. */
static void get_narrow (const struct dense_column *c,
                        const unsigned char *p,
                        unsigned n,
                        unsigned width,
                        uint64_t *value)
{
    uint64_t low = low_bits (width), least = c->least, word;
    unsigned shift = c->shift, i = 0, at = 0;

    for (; width <= 28 && i + 1 < n; i += 2, at += 2 * width) {
        memcpy (&word, p + at / 8, sizeof (word));
        word >>= at % 8;
        value[i] = ((word & low) << shift) + least;
        value[i + 1] = ((word >> width & low) << shift) + least;
    }
    for (; i < n; i++, at += width) {
        memcpy (&word, p + at / 8, sizeof (word));
        value[i] = ((word >> at % 8 & low) << shift) + least;
    }
}

static void get_wide (const struct dense_column *c,
                      const unsigned char *p,
                      unsigned n,
                      unsigned width,
                      uint64_t *value)
{
    uint64_t low = low_bits (width), word;

    for (unsigned i = 0, at = 0; i < n; i++, at += width) {
        memcpy (&word, p + at / 8, sizeof (word));
        word >>= at % 8;
        if (width + at % 8 > 64)
            word |= (uint64_t)p[at / 8 + 8] << (64 - at % 8);
        value[i] = ((word & low) << c->shift) + c->least;
    }
}

/* bytes of c->p hold n numbers; behind them there may be nothing to be read. */
static void get_bits (const struct dense_column *c,
                      size_t bytes,
                      unsigned n,
                      unsigned width,
                      uint64_t *value)
{
    unsigned char copy[8 * DENSE_GROUP + 16];
    const unsigned char *p = c->p;

    if (!width) {
        for (unsigned i = 0; i < n; i++)
            value[i] = c->least;
        return;
    }
    if ((size_t)(c->limit - p) < bytes + 16) {
        memcpy (copy, p, bytes);
        memset (copy + bytes, 0, 16);
        p = copy;
    }
    if (width <= 56)
        get_narrow (c, p, n, width, value);
    else
        get_wide (c, p, n, width, value);
}

static int get_exceptions (struct dense_column *c,
                           unsigned exceptions,
                           unsigned width,
                           uint64_t *value,
                           unsigned n)
{
    while (exceptions-- > 0) {
        unsigned i;
        uint64_t rest;

        if (c->p >= c->limit || width > 63 || (i = *c->p++) >= n ||
            !(c->p = get_varint (c->p, c->limit, &rest)))
            return -1;
        value[i] += rest << width << c->shift;
    }
    return 0;
}

static int densebits_get_head (struct dense_column *c)
{
    if (!(c->p = get_varint (c->p, c->limit, &c->least)) || c->p >= c->limit ||
        (c->shift = *c->p++) > 63)
        return -1;
    c->begun = 1;
    return 0;
}

int dense_unpack (struct dense_column *c, uint64_t *value, unsigned *n)
{
    unsigned width, exceptions, count;
    size_t bytes;

    *n = 0;
    if (!c->left || !c->p || (!c->begun && densebits_get_head (c) < 0) ||
        c->limit - c->p < 2)
        return -1;
    width = *c->p++;
    exceptions = *c->p++;
    count = c->left < DENSE_GROUP ? (unsigned)c->left : DENSE_GROUP;
    bytes = (count * width + 7) / 8;
    if (width > 64 || bytes > (size_t)(c->limit - c->p))
        return -1;
    get_bits (c, bytes, count, width, value);
    c->p += bytes;
    if (exceptions && get_exceptions (c, exceptions, width, value, count) < 0)
        return -1;
    c->left -= count;
    *n = count;
    return 0;
}

int dense_fill (struct dense_column *c)
{
    c->at = 0;
    return dense_unpack (c, c->value, &c->count);
}
