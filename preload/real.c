/* SPDX-License-Identifier: MIT
 *
 * real.c - wraps.def -> pointers to the next definition of each symbol
 *
 * In:  symbol names
 * Out: struct real
 * Caveat: where dlsym must be asked, it may allocate, and the program's
 *         allocator may call what we wrap; such calls get the bare system
 *         call.
 */
#include "config.h"

#include <dlfcn.h>

#include "lib/base/array.h"
#include "lib/base/oldlibc.h"
#include "lib/base/highfd.h"
#include "lib/base/sys.h"
#include "preload/program.h"
#include "preload/next.h"
#include "preload/real.h"

OLDLIBC (dlsym);
OLDLIBC (dlerror);

SYS_START struct real real;

static _Thread_local int resolving __attribute__ ((tls_model ("initial-exec")));

/* The names, one behind the other, and where each begins: pointers would be
 * set by the loader, in each program that starts. */
static const struct names {
#define WRAP(R, F, CALL, PARAMS, OPEN, CLOSE) char F[sizeof (#F)];
#define HAND(R, F, PARAMS)                    char F[sizeof (#F)];
#include "preload/wrap/wraps.def"
#undef WRAP
#undef HAND
} names = {
#define WRAP(R, F, CALL, PARAMS, OPEN, CLOSE) .F = #F,
#define HAND(R, F, PARAMS)                    .F = #F,
#include "preload/wrap/wraps.def"
#undef WRAP
#undef HAND
};
static const uint16_t places[REAL_COUNT] = {
#define WRAP(R, F, CALL, PARAMS, OPEN, CLOSE) offsetof (struct names, F),
#define HAND(R, F, PARAMS)                    offsetof (struct names, F),
#include "preload/wrap/wraps.def"
#undef WRAP
#undef HAND
};
_Static_assert(sizeof (names) <= UINT16_MAX, "an offset fits");

static const char *symbol (enum real_index index)
{
    return (const char *)&names + places[index];
}

/* System calls that an allocator may need while dlsym runs, with the arguments
 * of the function. */
#define RAW(F, NUMBER)                                                   \
    static long raw_##F (long a, long b, long c, long d, long e, long f) \
    {                                                                    \
        return sys_call (NUMBER, a, b, c, d, e, f);                      \
    }
RAW (openat, SYS_openat)
RAW (close, SYS_close)
RAW (read, SYS_read)
RAW (pread, SYS_pread64)
RAW (write, SYS_write)
RAW (lseek, SYS_lseek)
RAW (fstat, SYS_fstat)
RAW (fcntl, SYS_fcntl)
RAW (mmap, SYS_mmap)
RAW (munmap, SYS_munmap)
RAW (ftruncate, SYS_ftruncate)
#undef RAW

static long raw_open (const char *path, int flags, long mode)
{
    return sys_call (SYS_openat, AT_FDCWD, path, flags, mode);
}

static long raw_access (const char *path, int mode)
{
    return sys_call (SYS_faccessat, AT_FDCWD, path, mode);
}

static long missing (void)
{
    errno = ENOSYS;
    return -1;
}

static void *raw_find (enum real_index index)
{
    switch (index) {
    case REAL_open:
    case REAL_open64:
    case REAL___open:
    case REAL___open64:
        return (void *)raw_open;
    case REAL_openat:
    case REAL_openat64:
        return (void *)raw_openat;
    case REAL_close:
    case REAL___close:
        return (void *)raw_close;
    case REAL_read:
    case REAL___read:
        return (void *)raw_read;
    case REAL_pread:
    case REAL_pread64:
    case REAL___pread64:
        return (void *)raw_pread;
    case REAL_write:
    case REAL___write:
        return (void *)raw_write;
    case REAL_lseek:
    case REAL_lseek64:
    case REAL___lseek:
        return (void *)raw_lseek;
    case REAL_fstat:
    case REAL_fstat64:
        return (void *)raw_fstat;
    case REAL_fcntl:
    case REAL_fcntl64:
        return (void *)raw_fcntl;
    case REAL_mmap:
    case REAL_mmap64:
        return (void *)raw_mmap;
    case REAL_munmap:
        return (void *)raw_munmap;
    case REAL_ftruncate:
    case REAL_ftruncate64:
        return (void *)raw_ftruncate;
    case REAL_access:
        return (void *)raw_access;
    default:
        return (void *)missing;
    }
}

/* Rows of libraries that are not libc: they may come later, and RTLD_NEXT does
 * not see those that somebody loaded for himself. */
static int is_late (enum real_index index)
{
    return strncmp (symbol (index), "io_", 3) == 0;
}

static void real_store (enum real_index index, void *function)
{
    __atomic_store_n ((void **)(void *)&real + index, function,
                      __ATOMIC_RELAXED);
}

static void *ask_loader (const char *name)
{
    return OLDLIBC_HAS (dlsym) ? dlsym (RTLD_NEXT, name)
                               : next_find_anywhere (name);
}

void *real_find (enum real_index index)
{
    int saved_errno = errno;
    void *function = next_find (symbol (index));

    if (!function && resolving)
        return raw_find (index);
    if (!function) {
        resolving = 1;
        function = ask_loader (symbol (index));
        if (!function && is_late (index))
            function = late_find (symbol (index));
        if (!function)
            function = (void *)missing;
        resolving = 0;
    }
    real_store (index, function);
    errno = saved_errno;
    return function;
}

void *real_later (const char *name)
{
    void *function = next_find (name);

    if (!function)
        function = ask_loader (name);
    return function ? function : (void *)missing;
}

/* Functions that most programs call. */
static const enum real_index usual[] = {
    REAL_open,  REAL_openat, REAL_read,  REAL_write,  REAL_close,
    REAL_lseek, REAL_mmap,   REAL_fopen, REAL_fclose, REAL__exit};

void real_start (void)
{
    if (next_start () == 0) {
        highfd_single_threaded (next_variable ("__libc_single_threaded"));
        return;
    }
    for (int i = 0; i < REAL_COUNT; i++)
        if (!is_late ((enum real_index)i))
            (void)real_find ((enum real_index)i);
    if (OLDLIBC_HAS (dlerror))
        (void)
            dlerror (); /* of what this libc does not have: nobody's business */
}

void real_before_fork (void)
{
    for (size_t i = 0; i < ITEMS (usual); i++)
        if (!((void **)(void *)&real)[usual[i]])
            (void)real_find (usual[i]);
}
