/* SPDX-License-Identifier: MIT
 *
 * owner.c - a program with functions of its own by names of libc, built by the
 * tests with -rdynamic, so that libraries get these
 *
 * Shows which of them dftrace's library called, in the program and in a child.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 5000 };

static char said[4000];
static size_t used;

static void note (const char *name, void *from)
{
    size_t n = strlen (name);
    Dl_info info;

    if (!dladdr (from, &info) || !strstr (info.dli_fname, "libdftrace") ||
        strstr (said, name))
        return;
    if (used + n + 2 > sizeof (said))
        return;
    memcpy (said + used, name, n);
    memcpy (said + used + n, " ", 2);
    used += n + 1;
}

#define FROM __builtin_return_address (0)
#define OWN(R, F, PARAMS, ARGS)                         \
    R F PARAMS                                          \
    {                                                   \
        static R (*next) PARAMS;                        \
        if (!next)                                      \
            next = (R (*) PARAMS)dlsym (RTLD_NEXT, #F); \
        note (#F, FROM);                                \
        return next ARGS;                               \
    }

OWN (char *, getenv, (const char *name), (name))
OWN (int, uname, (struct utsname * u), (u))
OWN (int, gethostname, (char *p, size_t n), (p, n))
OWN (pid_t, getpid, (void), ())
OWN (uid_t, geteuid, (void), ())
OWN (char *, strerror, (int e), (e))
OWN (struct tm *, gmtime_r, (const time_t *t, struct tm *tm), (t, tm))
OWN (size_t,
     strftime,
     (char *p, size_t n, const char *f, const struct tm *t),
     (p, n, f, t))
OWN (int, clock_gettime, (clockid_t c, struct timespec *t), (c, t))
OWN (int,
     vsnprintf,
     (char *p, size_t n, const char *f, va_list a),
     (p, n, f, a))
OWN (long, random, (void), ())
OWN (long, sysconf, (int name), (name))
OWN (void *, dlopen, (const char *name, int flags), (name, flags))

/* Names that our own code has inside; and what users' libraries have. */
#define MINE(F)                 \
    void F (void)               \
    {                           \
        note ("own " #F, FROM); \
    }
MINE (settings_init)
MINE (names_intern)
MINE (recorder_record)
MINE (clock_start)
MINE (span_write)
MINE (fdmap_find)
MINE (finalize)
MINE (initialize)
MINE (hash)

static void use (void)
{
    char c;

    for (int i = 0; i < MANY; i++) {
        int fd = open ("file", O_RDONLY);

        (void)!read (fd, &c, 1);
        (void)close (fd);
    }
}

static void *thread (void *unused)
{
    use ();
    return NULL;
}

int main (void)
{
    pthread_t t;
    FILE *f = fopen ("file", "r");

    (void)getc (f);
    (void)fclose (f);
    (void)pthread_create (&t, NULL, thread, NULL);
    use ();
    (void)pthread_join (t, NULL);
    if (fork () == 0) {
        use ();
        (void)puts (said);
        (void)fflush (stdout);
        _exit (0);
    }
    (void)wait (NULL);
    (void)puts (said);
    return 5;
}
