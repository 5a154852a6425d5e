/* SPDX-License-Identifier: MIT
 *
 * pfwtext.c - a text of a DFTracer line -> its bytes without escapes
 *
 * In:  struct pfw_text, from pfwlex.c
 * Out: names and values, to pfwnames.c
 */
#include "config.h"

#include <string.h>

#include "analyze/import/pfw/pfwlex.h"
#include "lib/base/escape.h"

static int hex4 (const char *p, const char *limit, unsigned *out)
{
    *out = 0;
    if (limit - p < 4)
        return 0;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        unsigned d = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                     : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                     : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                            : 16;

        if (d > 15)
            return 0;
        *out = *out << 4 | d;
    }
    return 1;
}

/* Halves of pairs stay what they are: such names are rare and only have to
 * be told apart. */
static size_t put_utf8 (unsigned c, char *out)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 63));
        return 2;
    }
    out[0] = (char)(0xe0 | c >> 12);
    out[1] = (char)(0x80 | (c >> 6 & 63));
    out[2] = (char)(0x80 | (c & 63));
    return 3;
}

/* One escape at p, whose first byte is a backslash, to out; returns how many
 * bytes it has, *n those of out. */
static size_t
pfw_unescape_one (const char *p, const char *limit, char out[3], size_t *n)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    const char *known;
    unsigned c;
    int byte;

    *n = 1;
    out[0] = p[0];
    if (p + 1 == limit)
        return 1;
    out[0] = p[1];
    if (p[1] == 'u' && hex4 (p + 2, limit, &c)) {
        *n = put_utf8 (c, out);
        return 6;
    }
    if (p[1] == '\\' &&
        (byte = escape_byte_of (p + 1, (size_t)(limit - p - 1))) >= 0) {
        out[0] = (char)byte; /* as we write them */
        return 5;
    }
    if (p[1] && (known = strchr (from, p[1])))
        out[0] = to[known - from];
    return 2;
}

size_t pfw_unescape (const struct pfw_text *t, char *out, size_t room)
{
    const char *p = t->p, *limit = p + t->n;
    size_t n = 0, more;
    char one[3];

    if (!t->escaped) {
        n = t->n < room ? t->n : room;
        memcpy (out, p, n);
        return n;
    }
    while (p < limit) {
        size_t taken = 1;

        one[0] = *p;
        more = 1;
        if (*p == '\\')
            taken = pfw_unescape_one (p, limit, one, &more);
        if (n + more > room)
            break;
        memcpy (out + n, one, more);
        n += more;
        p += taken;
    }
    return n;
}
