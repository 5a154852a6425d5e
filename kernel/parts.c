/* SPDX-License-Identifier: MIT
 *
 * parts.c - "c\0b\0a\0", "../d" -> "/a/b/d"
 */
#include "config.h"

#include <string.h>

#include "kernel/parts.h"
#include "lib/settings/paths.h"

size_t
parts_path (const char *parts, size_t n, const char *path, char out[PARTS_MAX])
{
    size_t used = 0;
    ssize_t all;

    if (path && path[0] == '/')
        n = 0;
    while (n > 0) {
        size_t end = --n, length; /* parts[end] is a NUL */

        while (n > 0 && parts[n - 1] != '\0')
            n--;
        length = end - n;
        if (length == 0 || used + length + 2 > PARTS_MAX)
            continue;
        out[used] = '/';
        memcpy (out + used + 1, parts + n, length);
        used += length + 1;
    }
    if (path && (all = paths_append (out, used, PARTS_MAX - 2, path)) >= 0)
        used = (size_t)all;
    if (used == 0)
        out[used++] = '/';
    out[used] = '\0';
    return used;
}
