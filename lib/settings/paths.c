/* SPDX-License-Identifier: MIT
 *
 * paths.c - working directory, descriptor, path -> absolute text
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "lib/base/sys.h"
#include "lib/settings/paths.h"

SYS_START int paths_of_thread;

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

/* --- directories without a path ------------------------------------------- */

/* Put text before the n bytes in out. */
static ssize_t paths_before (const char *text, char *out, size_t n, size_t room)
{
    size_t length = strlen (text);

    if (n + length > room) {
        errno = ERANGE;
        return -1;
    }
    memmove (out + length, out, n);
    memcpy (out, text, length);
    return (ssize_t)(n + length);
}

/* Digits of n, at the end of text; returns the first. */
static char *paths_digits (char *end, uint64_t n)
{
    *--end = '\0';
    do {
        *--end = (char)('0' + n % 10);
        n /= 10;
    } while (n > 0);
    return end;
}

/* A descriptor, or AT_FDCWD. */
static ssize_t paths_by_inode (int fd, char *out, size_t room)
{
    char digits[24], *number;
    struct stat st;
    size_t n;

    if (sys_call (SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH) < 0)
        return -1;
    number = paths_digits (digits + sizeof (digits), st.st_ino);
    n = strlen (number);
    if (n > room) {
        errno = ERANGE;
        return -1;
    }
    memcpy (out, number, n);
    return paths_before ("/(too long)/", out, n, room);
}

static ssize_t paths_read_link (const char *name, char *out, size_t room)
{
    ssize_t n = sys_readlink (name, out, room);

    if (n >= 0 && (size_t)n == room) {
        errno = ERANGE;
        return -1;
    }
    return n;
}

/* The kernel has its last path, with a word behind it. */
static ssize_t paths_removed_cwd (char *out, size_t room)
{
    static const char word[] = " (deleted)";
    ssize_t n = paths_read_link (paths_of_thread ? "/proc/thread-self/cwd"
                                                 : "/proc/self/cwd",
                                 out, room);
    ssize_t before = n - (ssize_t)(sizeof (word) - 1);

    if (before > 0 && memcmp (out + before, word, sizeof (word) - 1) == 0)
        return before;
    return n;
}

/* --- what the kernel says ------------------------------------------------- */

ssize_t paths_cwd (char *out, size_t room)
{
    long n = sys_call (SYS_getcwd, out, room); /* counts the NUL */

    if (n < 1 && errno == ENOENT)
        n = paths_removed_cwd (out, room) + 1;
    if (n < 1)
        return errno == ERANGE ? -1 : paths_by_inode (AT_FDCWD, out, room);
    n--;
    while (n > 0 && out[n - 1] == '/')
        n--;
    return n > 0 && out[0] != '/' ? paths_before ("/", out, (size_t)n, room)
                                  : n;
}

ssize_t paths_of_fd (int fd, char *out, size_t room)
{
    static const char prefix[] = "/proc/self/fd/",
                      thread[] = "/proc/thread-self/fd/";
    const char *folder = paths_of_thread ? thread : prefix;
    size_t length = strlen (folder);
    char name[sizeof (thread) + 12], *p;
    ssize_t n;

    if (fd < 0) {
        errno = EBADF;
        return -1;
    }
    p = paths_digits (name + sizeof (name), (uint64_t)fd) - length;
    memcpy (p, folder, length);
    n = paths_read_link (p, out, room);
    return n < 0 && errno == ENAMETOOLONG ? paths_by_inode (fd, out, room) : n;
}
