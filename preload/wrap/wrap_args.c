/* SPDX-License-Identifier: MIT
 *
 * wrap_args.c - wrappers of variadic calls
 *
 * The optional argument is handed on as libc itself would fetch it.
 */
#include "config.h"

#include "preload/follow/locks.h"
#include "preload/wrap/facts.h"
#include "preload/real.h"
#include "preload/span.h"

/* The mode of open, present only where a file may be made. */
static mode_t mode_arg (int flags, va_list ap)
{
    if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE)
        return va_arg (ap, mode_t);
    return 0;
}

#define OPEN(F)                                          \
    int F (const char *path, int flags, ...)             \
    {                                                    \
        va_list ap;                                      \
        va_start (ap, flags);                            \
        mode_t mode = mode_arg (flags, ap);              \
        va_end (ap);                                     \
        return open_with (REAL (F), path, flags, mode,   \
                          __builtin_return_address (0)); \
    }

static int open_with (int (*function) (const char *, int, ...),
                      const char *path,
                      int flags,
                      mode_t mode,
                      const void *caller)
{
    struct span sp = {.call = CALL_open, .caller = caller};
    int fd;

    if (!span_open_path (&sp, path))
        return function (path, flags, mode);
    span_says (&sp);
    fd = function (path, flags, mode);
    span_returned (&sp);
    facts_open (&sp, fd, AT_FDCWD, path, flags);
    return fd;
}

OPEN (open)
OPEN (open64)
OPEN (__open)
OPEN (__open64)

#define OPENAT(F)                                               \
    int F (int dirfd, const char *path, int flags, ...)         \
    {                                                           \
        va_list ap;                                             \
        va_start (ap, flags);                                   \
        mode_t mode = mode_arg (flags, ap);                     \
        va_end (ap);                                            \
        return openat_with (REAL (F), dirfd, path, flags, mode, \
                            __builtin_return_address (0));      \
    }

static int openat_with (int (*function) (int, const char *, int, ...),
                        int dirfd,
                        const char *path,
                        int flags,
                        mode_t mode,
                        const void *caller)
{
    struct span sp = {.call = CALL_openat, .caller = caller};
    int fd;

    if (!span_open_path (&sp, path))
        return function (dirfd, path, flags, mode);
    span_says (&sp);
    fd = function (dirfd, path, flags, mode);
    span_returned (&sp);
    facts_open (&sp, fd, dirfd, path, flags);
    return fd;
}

OPENAT (openat)
OPENAT (openat64)

static int is_dup (int cmd)
{
    return cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC;
}

static int is_lock (int cmd)
{
    return cmd == F_SETLK || cmd == F_SETLKW || cmd == F_GETLK ||
           cmd == F_OFD_SETLK || cmd == F_OFD_SETLKW || cmd == F_OFD_GETLK;
}

static int
fcntl_lock (int (*function) (int, int, ...), int fd, int cmd, void *arg)
{
    struct span sp = {.call = CALL_fcntl};
    int rc;

    if (!span_open_fd (&sp, fd))
        return function (fd, cmd, arg);
    span_says (&sp);
    rc = function (fd, cmd, arg);
    span_returned (&sp);
    facts_flags (&sp, rc, (unsigned)cmd);
    return rc;
}

static int
fcntl_with (int (*function) (int, int, ...), int fd, int cmd, void *arg)
{
    struct span sp = {.call = CALL_dup};
    int rc;

    (void)locks_note (cmd);
    if (is_lock (cmd))
        return fcntl_lock (function, fd, cmd, arg);
    if (!(is_dup (cmd) ? span_open_fd_any (&sp, fd)
                       : cmd == F_SETFL && span_open_fd (&sp, fd)))
        return function (fd, cmd, arg);
    rc = function (fd, cmd, arg);
    if (is_dup (cmd))
        facts_dup (&sp, rc);
    else if (rc == 0)
        fdmap_set_append (fd, ((int)(intptr_t)arg & O_APPEND) != 0);
    return rc;
}

/* The third argument is an int, a long or a pointer, or is not there. */
#define FCNTL(F)                                    \
    int F (int fd, int cmd, ...)                    \
    {                                               \
        va_list ap;                                 \
        va_start (ap, cmd);                         \
        void *arg = va_arg (ap, void *);            \
        va_end (ap);                                \
        return fcntl_with (REAL (F), fd, cmd, arg); \
    }

FCNTL (fcntl)
FCNTL (fcntl64)

/* The address is there only with MREMAP_FIXED or MREMAP_DONTUNMAP; libc hands
 * whatever the register holds on as well. */
void *mremap (void *addr, size_t old, size_t n, int flags, ...)
{
    struct span sp = {.call = CALL_mremap};
    struct mm_map moved;
    void *to, *p;
    va_list ap;

    va_start (ap, flags);
    to = va_arg (ap, void *);
    va_end (ap);
    mm_find (addr, &moved);
    if (!span_open_unmap (&sp, addr, old))
        return REAL (mremap) (addr, old, n, flags, to);
    p = REAL (mremap) (addr, old, n, flags, to);
    maps_add (p == MAP_FAILED ? addr : p, sp.file.name);
    mm_moved (&moved, addr, p == MAP_FAILED ? addr : p,
              p == MAP_FAILED ? old : n);
    facts_size (&sp, p == MAP_FAILED ? -1 : 0, n);
    return p;
}

/* Cannot fail; closes whatever is open from first on. */
void closefrom (int first)
{
    int active = span_active ();

    REAL (closefrom) (first);
    if (active)
        fdmap_forget_range (first > 0 ? (unsigned)first : 0, FDMAP_MAX);
}
