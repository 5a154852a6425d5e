/* SPDX-License-Identifier: MIT
 *
 * oldlibc.c - the commands, the plugin and the reader below an older glibc
 *
 * The linker binds a call to the newest version of a function, which an older
 * glibc does not have. What is defined here takes precedence over libc in the
 * file that it is linked into, and only there; it calls the first version, or
 * the kernel. tests/house/t0032-symbols.t names the functions that are missing
 * here.
 */
#include "config.h"

#include "lib/base/oldlibc.h"

#if defined OLDLIBC_USED && defined __LP64__
#include <stdarg.h>

#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>

#define HIDDEN __attribute__ ((visibility ("hidden")))

/* old_F is F of libc in that version. It is weak: what a file does not call,
 * the libraries of its process need not have. */
#define FIRST(TYPE, F, VERSION, PARAMS)         \
    TYPE old_##F PARAMS __attribute__ ((weak)); \
    __asm__(".symver old_" #F ", " #F "@" VERSION)
#define OLD_IN(VERSION, TYPE, F, PARAMS, ARGS) \
    FIRST (TYPE, F, VERSION, PARAMS);          \
    HIDDEN TYPE F PARAMS;                      \
    TYPE F PARAMS                              \
    {                                          \
        return old_##F ARGS;                   \
    }                                          \
    _Static_assert(1, "")
#define OLD(TYPE, F, PARAMS, ARGS) OLD_IN (OLDLIBC_FIRST, TYPE, F, PARAMS, ARGS)
#define MOVED(TYPE, F, PARAMS, ARGS) \
    OLD_IN (OLDLIBC_MOVED, TYPE, F, PARAMS, ARGS)

/* -- 2.34: libdl and libpthread became parts of libc --------------------- */

typedef void *fn_thread (void *);
MOVED (int,
       pthread_create,
       (void *t, const void *attr, fn_thread *run, void *arg),
       (t, attr, run, arg));
MOVED (int, pthread_join, (unsigned long t, void **result), (t, result));
MOVED (int,
       pthread_sigmask,
       (int how, const void *set, void *old),
       (how, set, old));
MOVED (int, pthread_once, (void *once, void (*init) (void)), (once, init));
MOVED (int, pthread_mutex_trylock, (void *mutex), (mutex));
MOVED (void *, dlopen, (const char *name, int flags), (name, flags));
MOVED (void *, dlsym, (void *handle, const char *name), (handle, name));

/* -- other versions since 2.17 ------------------------------------------- */

OLD (double, exp, (double x), (x));
OLD (double, log, (double x), (x));
OLD (double, log2, (double x), (x));
OLD (double, pow, (double x, double y), (x, y));
OLD (double, lgamma, (double x), (x));
typedef int fn_globerr (const char *, int);
OLD (int,
     glob,
     (const char *pattern, int flags, fn_globerr *err, void *found),
     (pattern, flags, err, found));

/* -- functions that came later -------------------------------------------- */

HIDDEN int fstatat (int dir, const char *path, struct stat *st, int flags)
{
    return (int)syscall (SYS_newfstatat, dir, path, st, flags);
}

HIDDEN int stat (const char *path, struct stat *st)
{
    return fstatat (AT_FDCWD, path, st, 0);
}

HIDDEN int lstat (const char *path, struct stat *st)
{
    return fstatat (AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

HIDDEN int fstat (int fd, struct stat *st)
{
    return (int)syscall (SYS_fstat, fd, st);
}

HIDDEN int memfd_create (const char *name, unsigned flags)
{
    return (int)syscall (SYS_memfd_create, name, flags);
}

HIDDEN ssize_t getrandom (void *buf, size_t len, unsigned flags)
{
    return syscall (SYS_getrandom, buf, len, flags);
}

HIDDEN void *reallocarray (void *old, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow (n, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc (old, bytes);
}

/* Since 2.38 headers redirect these to functions that know binary digits. */
#define C23(TYPE, F)                                                       \
    FIRST (TYPE, F, OLDLIBC_FIRST, (const char *s, char **end, int base)); \
    HIDDEN TYPE __isoc23_##F (const char *s, char **end, int base);        \
    TYPE __isoc23_##F (const char *s, char **end, int base)                \
    {                                                                      \
        return old_##F (s, end, base);                                     \
    }                                                                      \
    _Static_assert(1, "")
C23 (long, strtol);
C23 (unsigned long, strtoul);
C23 (long long, strtoll);
C23 (unsigned long long, strtoull);

FIRST (int,
       __isoc99_vsscanf,
       OLDLIBC_SCANF,
       (const char *s, const char *format, va_list ap));
FIRST (int,
       __isoc99_vfscanf,
       OLDLIBC_SCANF,
       (FILE * f, const char *format, va_list ap));
#define C23_SCANF(F, FROM)                                   \
    HIDDEN int __isoc23_##F (FROM, const char *format, ...); \
    int __isoc23_##F (FROM, const char *format, ...)         \
    {                                                        \
        va_list ap;                                          \
        va_start (ap, format);                               \
        int n = old___isoc99_v##F (from, format, ap);        \
        va_end (ap);                                         \
        return n;                                            \
    }                                                        \
    _Static_assert(1, "")
C23_SCANF (sscanf, const char *from);
C23_SCANF (fscanf, FILE *from);

/* -- the start of a program ----------------------------------------------- */

/* Before 2.34 libc called the constructors of a program by a function that each
 * program brought along. Newer ones call such a function, too. */
typedef int fn_main (int, char **, char **);
typedef void fn_init (int, char **, char **);
extern fn_init *__preinit_array_start[] HIDDEN, *__preinit_array_end[] HIDDEN,
    *__init_array_start[] HIDDEN, *__init_array_end[] HIDDEN;

static void call_constructors (int argc, char **argv, char **env)
{
    for (fn_init **f = __preinit_array_start; f < __preinit_array_end; f++)
        (*f) (argc, argv, env);
    for (fn_init **f = __init_array_start; f < __init_array_end; f++)
        (*f) (argc, argv, env);
}

FIRST (int,
       __libc_start_main,
       OLDLIBC_FIRST,
       (fn_main * run,
        int argc,
        char **argv,
        fn_init *init,
        void (*fini) (void),
        void (*ld_fini) (void),
        void *stack));
HIDDEN int __libc_start_main (fn_main *run,
                              int argc,
                              char **argv,
                              fn_init *init,
                              void (*fini) (void),
                              void (*ld_fini) (void),
                              void *stack);
int __libc_start_main (fn_main *run,
                       int argc,
                       char **argv,
                       fn_init *init,
                       void (*fini) (void),
                       void (*ld_fini) (void),
                       void *stack)
{
    return old___libc_start_main (
        run, argc, argv, init ? init : call_constructors, fini, ld_fini, stack);
}
#endif
