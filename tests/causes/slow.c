/* SPDX-License-Identifier: MIT
 *
 * slow.c - slow storage: a library whose calls sleep on files of certain names
 *
 * It is preloaded behind the tracing library, so that the time is inside the
 * calls that are recorded, as it is with a slow file system.
 *
 * In:  $SLOW_NAME, a text that paths of slow files contain (default: slow);
 *      $SLOW, the calls and their microseconds, "read=5000,open=1000": open,
 *      close, seek, read, write, copy, sync, stat, list, remove;
 *      $SLOW_STORAGE, if set: only storage is slow, so no read from the page
 *      cache and nothing in a memory file system or an overlay
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
#include <sys/uio.h>
#include <sys/vfs.h>
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
static int storage_only;

__attribute__ ((constructor)) static void setup (void)
{
    const char *text = getenv ("SLOW"), *at;
    char word[16];
    int i;

    slow_name = getenv ("SLOW_NAME") ? getenv ("SLOW_NAME") : "slow";
    storage_only = getenv ("SLOW_STORAGE") != NULL;
    for (i = 0; text && i < KINDS; i++) {
        (void)snprintf (word, sizeof (word), "%s=", kinds[i]);
        at = strstr (text, word);
        slow_us[i] = at ? atol (at + strlen (word)) : 0;
    }
}

/* No function of libc is called here: the tracing library would see it. */
static long direct (long number, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e,
                      r9 __asm__("r9") = f;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8),
                       "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
#else
    long result = syscall (number, a, b, c, d, e, f);

    return result < 0 ? -errno : result;
#endif
}

static void nap (int kind, int is_slow)
{
    struct timespec time = {slow_us[kind] / 1000000,
                            slow_us[kind] % 1000000 * 1000};

    if (is_slow && slow_us[kind])
        (void)direct (SYS_nanosleep, (long)&time, 0, 0, 0, 0, 0);
}

/* Is a file in memory, by the answer of statfs? */
static int in_memory (long answer, const struct statfs *s)
{
    return answer == 0 && (s->f_type == 0x01021994 /* tmpfs */ ||
                           s->f_type == 0x794c7630 /* overlay */);
}

static int path_is_slow (const char *path)
{
    struct statfs s;

    if (!path || !slow_name || !strstr (path, slow_name))
        return 0;
    return !storage_only ||
           !in_memory (direct (SYS_statfs, (long)path, (long)&s, 0, 0, 0, 0),
                       &s);
}

/* Will a call on fd be slow? A read at an offset, or -1: at the file's. */
static int fd_is_slow (int fd, int kind, long at)
{
    struct statfs s;
    char byte;
    struct iovec v = {&byte, 1};
    const int save = errno;

    if (fd < 0 || fd >= FDS || !slow_fds[fd] || !storage_only)
        return fd >= 0 && fd < FDS && slow_fds[fd];
    if (kind != READ)
        return !in_memory (direct (SYS_fstatfs, fd, (long)&s, 0, 0, 0, 0), &s);
    if (at < 0)
        at = direct (SYS_lseek, fd, 0, SEEK_CUR, 0, 0, 0);
    at = direct (SYS_preadv2, fd, (long)&v, 1, at, 0, RWF_NOWAIT);
    errno = save;
    return at == -EAGAIN;
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
        int error, slow = is_slow;                          \
        REAL (name)                                         \
        result = real ARGS;                                 \
        error = errno;                                      \
        nap (kind, slow);                                   \
        errno = error;                                      \
        return result;                                      \
    }
#define SLOW_FD(type, name, kind, HEAD, ARGS) \
    SLOW_CALL (type, name, kind, fd_is_slow (fd, kind, -1), HEAD, ARGS)
#define SLOW_PATH(type, name, kind, HEAD, ARGS) \
    SLOW_CALL (type, name, kind, path_is_slow (path), HEAD, ARGS)

SLOW_FD (ssize_t, read, READ, (int fd, void *to, size_t n), (fd, to, n))
#define SLOW_AT(type, name, HEAD, ARGS) \
    SLOW_CALL (type, name, READ, fd_is_slow (fd, READ, at), HEAD, ARGS)
SLOW_AT (ssize_t,
         pread,
         (int fd, void *to, size_t n, off_t at),
         (fd, to, n, at))
SLOW_AT (ssize_t,
         pread64,
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
SLOW_CALL (int,
           fflush,
           WRITE,
           fd_is_slow (f ? fileno (f) : -1, WRITE, -1),
           (FILE * f),
           (f))
SLOW_CALL (size_t,
           fread,
           READ,
           fd_is_slow (fileno (f), READ, -1),
           (void *to, size_t size, size_t n, FILE *f),
           (to, size, n, f))

__attribute__ ((visibility ("default"))) int close (int fd)
{
    int is_slow = fd_is_slow (fd, CLOSE, -1);
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
