/* SPDX-License-Identifier: MIT
 *
 * pfwtext.c - a text of a DFTracer line -> its bytes without escapes
 *
 * In:  struct pfw_text, from pfwlex.c
 * Out: names and values, to pfwnames.c
 */
#include "config.h"

#include <string.h>

#include "analyze/trace/pfw/pfwlex.h"

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

size_t pfw_unescape (const struct pfw_text *t, char *out, size_t room)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    const char *p = t->p, *limit = p + t->n;
    size_t n = 0;
    unsigned c;

    if (!t->escaped) {
        n = t->n < room ? t->n : room;
        memcpy (out, p, n);
        return n;
    }
    while (p < limit && n + 3 <= room) {
        const char *known;

        if (*p != '\\' || p + 1 == limit) {
            out[n++] = *p++;
            continue;
        }
        p += 2;
        if (p[-1] == 'u' && hex4 (p, limit, &c)) {
            n += put_utf8 (c, out + n);
            p += 4;
        } else if (p[-1] && (known = strchr (from, p[-1])))
            out[n++] = to[known - from];
        else
            out[n++] = p[-1];
    }
    return n;
}
