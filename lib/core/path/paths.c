/* SPDX-License-Identifier: MIT
 *
 * paths.c - working directory, descriptor, path -> absolute text
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "lib/core/sys.h"
#include "lib/core/path/paths.h"

static size_t parent (const char *out, size_t n)
{
    while (n > 0 && out[--n] != '/')
        ;
    return n;
}

ssize_t paths_append (char *out, size_t n, size_t room, const char *path)
{
    size_t length;

    for (;; path += length) {
        while (*path == '/')
            path++;
        if (*path == '\0')
            return (ssize_t)n;
        length = (size_t)(strchrnul (path, '/') - path);
        if (length == 1 && path[0] == '.')
            continue;
        if (length == 2 && path[0] == '.' && path[1] == '.') {
            n = parent (out, n);
            continue;
        }
        if (length + 1 > room - n) {
            errno = ERANGE;
            return -1;
        }
        out[n] = '/';
        memcpy (out + n + 1, path, length);
        n += length + 1;
    }
}

ssize_t paths_cwd (char *out, size_t room)
{
    long n = sys_call (SYS_getcwd, out, room); /* counts the NUL */

    if (n < 1)
        return -1;
    return n == 2 && out[0] == '/' ? 0 : n - 1;
}

ssize_t paths_of_fd (int fd, char *out, size_t room)
{
    static const char prefix[] = "/proc/self/fd/";
    char name[sizeof (prefix) + 12];
    char *p = name + sizeof (name);
    ssize_t n;

    if (fd < 0) {
        errno = EBADF;
        return -1;
    }
    *--p = '\0';
    do {
        *--p = (char)('0' + fd % 10);
        fd /= 10;
    } while (fd > 0);
    p -= sizeof (prefix) - 1;
    memcpy (p, prefix, sizeof (prefix) - 1);
    n = sys_readlink (p, out, room);
    if (n >= 0 && (size_t)n == room) {
        errno = ERANGE;
        return -1;
    }
    return n;
}
