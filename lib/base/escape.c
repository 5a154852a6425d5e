/* SPDX-License-Identifier: MIT
 *
 * escape.c - text of strangers -> text that cannot pose as ours
 *
 * In:  any bytes
 * Out: UTF-8 on one line
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/escape.h"

size_t escape_char (const char *text, size_t n, uint32_t *c)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *p = (const unsigned char *)text;
    size_t length = *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : 2;

    *c = *p;
    if (*p < 0x80)
        return 1;
    if (*p < 0xc2 || *p > 0xf4 || length > n)
        return 0;
    *c = *p & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        *c = *c << 6 | (p[i] & 0x3f);
    }
    if (*c < least[length] || *c > 0x10ffff || (*c >= 0xd800 && *c < 0xe000))
        return 0;
    return length;
}

int escape_is_plain (uint32_t c)
{
    static const struct {
        uint32_t first, last;
    } not [] = {
        {0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},   {0x200e, 0x200f},
        {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfdd0, 0xfdef}, {0xfeff, 0xfeff},
    };

    for (size_t i = 0; i < sizeof (not ) / sizeof (not [0]); i++)
        if (c >= not [i].first && c <= not [i].last)
            return 0;
    return (c & 0xfffe) != 0xfffe;
}

static int escape_digit (char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
}

int escape_byte_of (const char *p, size_t n)
{
    int high, low;

    if (n < 4 || p[0] != '\\' || p[1] != 'x')
        return -1;
    high = escape_digit (p[2]);
    low = escape_digit (p[3]);
    return high < 0 || low < 0 ? -1 : high << 4 | low;
}

size_t escape_bytes (char out[ESCAPE_BYTES_MAX],
                     const char *p,
                     size_t n,
                     size_t *taken)
{
    static const char digits[] = "0123456789abcdef";
    uint32_t c;
    size_t length = escape_char (p, n, &c);

    if (length == 0 || escape_byte_of (p, n) >= 0) {
        *taken = 1;
        out[0] = '\\';
        out[1] = 'x';
        out[2] = digits[(unsigned char)*p >> 4];
        out[3] = digits[(unsigned char)*p & 15];
        return 4;
    }
    memcpy (out, p, length);
    *taken = length;
    return length;
}

/* The character of n bytes at p (0: a raw byte), not plain, in words. */
static int in_words (char buf[16], const char *p, size_t n, uint32_t c)
{
    if (*p == '\n')
        return snprintf (buf, 16, "\\n");
    if (*p == '\t')
        return snprintf (buf, 16, "\\t");
    if (n <= 1)
        return snprintf (buf, 16, "\\x%02x", (unsigned char)*p);
    return snprintf (buf, 16, "\\u{%x}", (unsigned)c);
}

char *
escape_text (char *out, size_t size, const char *text, enum escape_lines lines)
{
    size_t left = strlen (text), used = 0;

    while (left > 0) {
        char buf[16];
        uint32_t c;
        size_t n = escape_char (text, left, &c), taken = n ? n : 1;
        const char *from = text;

        if (n == 0 || (!escape_is_plain (c) &&
                       !(c == '\n' && lines == ESCAPE_KEEP_LINES))) {
            n = (size_t)in_words (buf, text, n, c);
            from = buf;
        }
        if (used + n >= size)
            break;
        memcpy (out + used, from, n);
        used += n;
        text += taken;
        left -= taken;
    }
    if (size > 0)
        out[used] = '\0';
    return out;
}
