/* SPDX-License-Identifier: MIT
 *
 * pathlist.c - one more element at the head of LD_PRELOAD or PYTHONPATH
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "lib/settings/pathlist.h"
#include "lib/settings/settings.h"

int pathlist_has (const char *list, const char *path, const char *separators)
{
    size_t n = strlen (path);

    while (list && *list) {
        size_t m = strcspn (list, separators);
        if (m == n && memcmp (list, path, n) == 0)
            return 1;
        list += m + (list[m] != '\0');
    }
    return 0;
}

int pathlist_add (const char *list,
                  const char *path,
                  const char *separators,
                  char *out,
                  size_t size)
{
    size_t n = pathlist_has (list, path, separators) ? 0 : strlen (path);
    size_t m = list ? strlen (list) : 0;
    size_t colon = n > 0 && m > 0 ? 1 : 0;

    if (size > 0)
        out[0] = '\0';
    if (!*path || strpbrk (path, separators)) {
        errno = EINVAL;
        return -1;
    }
    if (n + colon + m >= size) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy (out, path, n);
    if (colon)
        out[n] = ':';
    if (m > 0)
        memcpy (out + n + colon, list, m);
    out[n + colon + m] = '\0';
    return 0;
}

static int is_named (const char *element, size_t n, const char *name)
{
    const char *slash = memrchr (element, '/', n);
    size_t skip = slash ? (size_t)(slash - element) + 1 : 0;

    return strlen (name) == n - skip &&
           memcmp (element + skip, name, n - skip) == 0;
}

int pathlist_drop (const char *list,
                   const char *name,
                   const char *separators,
                   char *out,
                   size_t size)
{
    size_t used = 0;
    int dropped = 0;

    if (strlen (list) >= size) {
        errno = ENAMETOOLONG;
        return -1;
    }
    while (*list) {
        size_t n = strcspn (list, separators);

        if (is_named (list, n, name))
            dropped++;
        else {
            if (used > 0)
                out[used++] = ':';
            memcpy (out + used, list, n);
            used += n;
        }
        list += n + (list[n] != '\0');
    }
    out[used] = '\0';
    return dropped;
}

int list_has_prefix (const char *list, const char *path, size_t length)
{
    while (*list) {
        size_t n = (size_t)(strchrnul (list, ':') - list);
        size_t m = n;

        while (m > 1 && list[m - 1] == '/')
            m--;
        if (m > 0 && m <= length && memcmp (list, path, m) == 0 &&
            (m == length || path[m] == '/' || list[m - 1] == '/'))
            return 1;
        list += n;
        if (*list == ':')
            list++;
    }
    return 0;
}
