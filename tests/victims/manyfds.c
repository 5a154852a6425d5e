/* SPDX-License-Identifier: MIT
 *
 * manyfds.c - more descriptors than this machine allows, built by the tests
 *
 * A library to be preloaded behind us: opening /fake/… gives the next of a
 * million numbers, which can be written to and closed; all else is libc's.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <string.h>
#include <sys/types.h>

enum { FIRST = 40000, LAST = 1100000 };

static int next_fd = FIRST;

static int is_fake (int fd)
{
    return fd >= FIRST && fd < LAST;
}

int open (const char *path, int flags, ...)
{
    static int (*real) (const char *, int, ...);
    va_list ap;
    int mode;

    va_start (ap, flags);
    mode = va_arg (ap, int);
    va_end (ap);
    if (strncmp (path, "/fake/", 6) == 0)
        return next_fd < LAST ? next_fd++ : -1;
    if (!real)
        real = (int (*) (const char *, int, ...))dlsym (RTLD_NEXT, "open");
    return real (path, flags, mode);
}

ssize_t write (int fd, const void *buf, size_t n)
{
    static ssize_t (*real) (int, const void *, size_t);

    if (is_fake (fd))
        return (ssize_t)n;
    if (!real)
        real =
            (ssize_t (*) (int, const void *, size_t))dlsym (RTLD_NEXT, "write");
    return real (fd, buf, n);
}

int close (int fd)
{
    static int (*real) (int);

    if (is_fake (fd))
        return 0;
    if (!real)
        real = (int (*) (int))dlsym (RTLD_NEXT, "close");
    return real (fd);
}
