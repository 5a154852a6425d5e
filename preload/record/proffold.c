/* SPDX-License-Identifier: MIT
 *
 * proffold.c - paths of many files -> names of few series
 *
 * In:  a path for which there is no row any more
 * Out: its pattern: /data/shard-0017.bin -> /data/shard-#.bin, /data/ and so on
 */
#include "config.h"

#include <string.h>

#include "preload/record/prof.h"

static int fold_is_digit (char c)
{
    return c >= '0' && c <= '9';
}

/* Runs of digits become one sign. */
static size_t fold_digits (const char *text, size_t n, char *buf)
{
    size_t out = 0;

    for (size_t i = 0; i < n; i++)
        if (!fold_is_digit (text[i]))
            buf[out++] = text[i];
        else if (i == 0 || !fold_is_digit (text[i - 1]))
            buf[out++] = '#';
    return out;
}

size_t prof_fold (enum prof_fold how, const char *text, size_t n, char *buf)
{
    const char *slash = n ? memrchr (text, '/', n) : NULL;
    size_t dir = slash ? (size_t)(slash - text) + 1 : 0;

    switch (how) {
    case PROF_FOLD_NOT:
        break;
    case PROF_FOLD_DIGITS:
        return fold_digits (text, n, buf);
    case PROF_FOLD_DIR:
        if (dir) /* numbered directories are a series, too */
            return fold_digits (text, dir, buf);
        /* fall through */
    case PROF_FOLD_ALL:
        if (n)
            buf[0] = '*';
        return n ? 1 : 0;
    }
    memcpy (buf, text, n);
    return n;
}
