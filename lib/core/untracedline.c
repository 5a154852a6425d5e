/* SPDX-License-Identifier: MIT
 *
 * untracedline.c - pid, path, reason -> a line
 */
#include "config.h"

#include <string.h>

#include "lib/core/untracedline.h"

enum { REASON_MAX = 200 };

static void put (struct untracedline *l, char c)
{
    if (l->used < sizeof (l->text))
        l->text[l->used++] = c;
}

static void put_number (struct untracedline *l, unsigned n)
{
    char digits[12];
    int i = 0;

    do
        digits[i++] = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    while (i > 0)
        put (l, digits[--i]);
}

static void put_text (struct untracedline *l, const char *text, size_t n)
{
    static const char hex[] = "0123456789abcdef";

    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c > ' ' && c < 127 && c != '%') {
            put (l, (char)c);
            continue;
        }
        put (l, '%');
        put (l, hex[c >> 4]);
        put (l, hex[c & 15]);
    }
}

/* What does not fit into the line ends it. */
void untracedline_make (struct untracedline *l,
                        pid_t pid,
                        const char *exe,
                        size_t n,
                        const char *what,
                        const char *reason)
{
    l->used = 0;
    put_number (l, (unsigned)pid);
    put (l, ' ');
    put_text (l, exe, n);
    put (l, ' ');
    put_text (l, what, strlen (what));
    put_text (l, reason, strnlen (reason, REASON_MAX));
    if (l->used == sizeof (l->text))
        l->used--;
    l->text[l->used++] = '\n';
}
