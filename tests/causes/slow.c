/* SPDX-License-Identifier: MIT
 *
 * slow.c - slow storage: a library whose calls sleep on files of certain names
 *
 * It is preloaded behind the tracing library, so that the time is inside the
 * calls that are recorded, as it is with a slow file system.
 *
 * In:  $SLOW_NAME, a text that paths of slow files contain (default: slow);
 *      $SLOW, the calls and their microseconds, "read=5000,open=1000": open,
 *      close, seek, read, write, copy, sync, stat, list, remove
 */
#undef _FORTIFY_SOURCE /* it defines read () and its kin in headers */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef __clang__
#pragma GCC diagnostic ignored "-Wnonnull-compare"
#endif

#define FDS 4096

static const char *const kinds[] = {"open", "close", "seek", "read", "write",
                                    "copy", "sync",  "stat", "list", "remove"};
enum { OPEN, CLOSE, SEEK, READ, WRITE, COPY, SYNC, STAT, LIST, REMOVE, KINDS };
static long slow_us[KINDS];
static const char *slow_name;
static char slow_fds[FDS];

__attribute__ ((constructor)) static void setup (void)
{
    const char *text = getenv ("SLOW"), *at;
    char word[16];
    int i;

    slow_name = getenv ("SLOW_NAME") ? getenv ("SLOW_NAME") : "slow";
    for (i = 0; text && i < KINDS; i++) {
        (void)snprintf (word, sizeof (word), "%s=", kinds[i]);
        at = strstr (text, word);
        slow_us[i] = at ? atol (at + strlen (word)) : 0;
    }
}

/* No function of libc sleeps here: the tracing library would see its call. */
static void nap (int kind, int is_slow)
{
    struct timespec time = {slow_us[kind] / 1000000,
                            slow_us[kind] % 1000000 * 1000};

    if (!is_slow || !slow_us[kind])
        return;
#if defined(__x86_64__)
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(SYS_nanosleep), "D"(&time), "S"(NULL)
                     : "rcx", "r11", "memory");
#else
    (void)syscall (SYS_nanosleep, &time, NULL);
#endif
}

static int path_is_slow (const char *path)
{
    return path && slow_name && strstr (path, slow_name);
}

static int fd_is_slow (int fd)
{
    return fd >= 0 && fd < FDS && slow_fds[fd];
}

static int opened (int fd, const char *path)
{
    if (fd >= 0 && fd < FDS)
        slow_fds[fd] = (char)path_is_slow (path);
    nap (OPEN, path_is_slow (path));
    return fd;
}

#define REAL(name)                  \
    static __typeof__ (&name) real; \
    if (!real)                      \
        real = (__typeof__ (&name))dlsym (RTLD_NEXT, #name);

#define SLOW_OPEN(name, HEAD, ARGS)                                           \
    __attribute__ ((visibility ("default"))) int name HEAD                    \
    {                                                                         \
        mode_t mode;                                                          \
        va_list list;                                                         \
        REAL (name)                                                           \
        va_start (list, flags);                                               \
        mode = (flags & (O_CREAT | __O_TMPFILE)) ? va_arg (list, mode_t) : 0; \
        va_end (list);                                                        \
        return opened (real ARGS, path);                                      \
    }
SLOW_OPEN (open, (const char *path, int flags, ...), (path, flags, mode))
SLOW_OPEN (open64, (const char *path, int flags, ...), (path, flags, mode))
SLOW_OPEN (openat,
           (int dir, const char *path, int flags, ...),
           (dir, path, flags, mode))
SLOW_OPEN (openat64,
           (int dir, const char *path, int flags, ...),
           (dir, path, flags, mode))

#define SLOW_CALL(type, name, kind, is_slow, HEAD, ARGS)    \
    __attribute__ ((visibility ("default"))) type name HEAD \
    {                                                       \
        type result;                                        \
        int error;                                          \
        REAL (name)                                         \
        result = real ARGS;                                 \
        error = errno;                                      \
        nap (kind, is_slow);                                \
        errno = error;                                      \
        return result;                                      \
    }
#define SLOW_FD(type, name, kind, HEAD, ARGS) \
    SLOW_CALL (type, name, kind, fd_is_slow (fd), HEAD, ARGS)
#define SLOW_PATH(type, name, kind, HEAD, ARGS) \
    SLOW_CALL (type, name, kind, path_is_slow (path), HEAD, ARGS)

SLOW_FD (ssize_t, read, READ, (int fd, void *to, size_t n), (fd, to, n))
SLOW_FD (ssize_t,
         pread,
         READ,
         (int fd, void *to, size_t n, off_t at),
         (fd, to, n, at))
SLOW_FD (ssize_t,
         pread64,
         READ,
         (int fd, void *to, size_t n, off64_t at),
         (fd, to, n, at))
SLOW_FD (
    ssize_t, write, WRITE, (int fd, const void *from, size_t n), (fd, from, n))
SLOW_FD (ssize_t,
         pwrite,
         WRITE,
         (int fd, const void *from, size_t n, off_t at),
         (fd, from, n, at))
SLOW_FD (ssize_t,
         copy_file_range,
         COPY,
         (int fd,
          off64_t *at,
          int out,
          off64_t *out_at,
          size_t n,
          unsigned int flags),
         (fd, at, out, out_at, n, flags))
SLOW_FD (off_t, lseek, SEEK, (int fd, off_t at, int whence), (fd, at, whence))
SLOW_FD (int, fsync, SYNC, (int fd), (fd))
SLOW_FD (int, fdatasync, SYNC, (int fd), (fd))
SLOW_CALL (int, msync, SYNC, 1, (void *at, size_t n, int flags), (at, n, flags))
SLOW_PATH (int, stat, STAT, (const char *path, struct stat *to), (path, to))
SLOW_PATH (int, access, STAT, (const char *path, int mode), (path, mode))
SLOW_PATH (int, unlink, REMOVE, (const char *path), (path))
SLOW_PATH (int, rename, REMOVE, (const char *path, const char *to), (path, to))
SLOW_PATH (DIR *, opendir, LIST, (const char *path), (path))
SLOW_PATH (int, mkdir, OPEN, (const char *path, mode_t mode), (path, mode))
SLOW_CALL (
    int, fflush, WRITE, fd_is_slow (f ? fileno (f) : -1), (FILE * f), (f))
SLOW_CALL (size_t,
           fread,
           READ,
           fd_is_slow (fileno (f)),
           (void *to, size_t size, size_t n, FILE *f),
           (to, size, n, f))

__attribute__ ((visibility ("default"))) int close (int fd)
{
    int is_slow = fd_is_slow (fd);
    REAL (close)

    if (is_slow)
        slow_fds[fd] = 0;
    nap (CLOSE, is_slow);
    return real (fd);
}

__attribute__ ((visibility ("default"))) FILE *fopen (const char *path,
                                                      const char *mode)
{
    FILE *f;
    REAL (fopen)

    f = real (path, mode);
    if (f)
        (void)opened (fileno (f), path);
    return f;
}
