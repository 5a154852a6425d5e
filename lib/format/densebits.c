/* SPDX-License-Identifier: MIT
 *
 * densebits.c - a column of numbers <-> few bits for each
 *
 * In:  numbers, from densewrite.c; hostile bytes, from dense.c
 * Out: the other
 */
#include "config.h"

#include <string.h>

#include "lib/format/densebits.h"
#include "lib/format/varint.h"

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
