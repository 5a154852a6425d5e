/* SPDX-License-Identifier: MIT
 *
 * outbuf.c - text that grows: bytes and whole numbers
 *
 * In:  pieces of lines, from pfw.c and pfwline.c
 * Out: memory that holds them
 */
#include "config.h"

#include "lib/util/outbuf.h"

#include <stdlib.h>

#include "lib/util/json.h"

enum { FIRST_ROOM = 4096 };

int outbuf_grow (struct outbuf *b, size_t n)
{
    size_t room = b->room ? b->room : FIRST_ROOM;
    char *p;

    if (b->failed)
        return 0;
    while (room - b->n < n)
        room *= 2;
    if (!(p = realloc (b->p, room))) {
        b->failed = 1;
        return 0;
    }
    b->p = p;
    b->room = room;
    return 1;
}

void outbuf_clear (struct outbuf *b)
{
    free (b->p);
    memset (b, 0, sizeof (*b));
}

void outbuf_escaped (struct outbuf *b, const char *text, size_t n)
{
    if (outbuf_has (b, JSON_ESCAPE_MAX * n))
        b->n += json_escape_to (b->p + b->n, text, n);
}

void outbuf_double (struct outbuf *b, double d)
{
    char number[32];
    const char *text = json_number (number, sizeof (number), d);

    outbuf_put (b, text, strlen (text));
}

/* Digits of values below 100, two for each. */
static const char pairs[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353"
    "6373839404142434445464748495051525354555657585960616263646566676869707172"
    "737475767778798081828384858687888990919293949596979899";

void outbuf_u64 (struct outbuf *b, uint64_t value)
{
    char digits[OUTBUF_NUMBER], *p = digits + sizeof (digits);

    while (value >= 100) {
        p -= 2;
        memcpy (p, pairs + value % 100 * 2, 2);
        value /= 100;
    }
    if (value >= 10) {
        p -= 2;
        memcpy (p, pairs + value * 2, 2);
    } else
        *--p = (char)('0' + value);
    outbuf_put (b, p, (size_t)(digits + sizeof (digits) - p));
}

void outbuf_i64 (struct outbuf *b, int64_t value)
{
    if (value < 0)
        OUTBUF_PUT (b, "-");
    outbuf_u64 (b, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}
