/* SPDX-License-Identifier: MIT
 *
 * interposer.c - somebody else's preload library, built by the tests
 *
 * In:  calls that dftrace wraps, too; INTERPOSER_LOG
 * Out: the next definition's results; at the end of a process, a line
 *      "pid call count…" appended to INTERPOSER_LOG
 *
 * It does what such libraries do: it finds its functions at first use, takes a
 * lock and memory in each call, does I/O before main and after it, and has an
 * atfork handler.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { OPEN, CLOSE, READ, WRITE, PREAD, FOPEN, MMAP, FORK, CALLS };
static const char *const names[] = {"open",  "close", "read", "write",
                                    "pread", "fopen", "mmap", "fork"};
static long counts[CALLS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int inside __attribute__ ((tls_model ("initial-exec")));

/* Not from a signal handler, and not again in its own work. */
static void count (int call)
{
    int saved_errno = errno;

    if (inside++ == 0) {
        char *p = malloc (100);

        pthread_mutex_lock (&lock);
        counts[call]++;
        pthread_mutex_unlock (&lock);
        memset (p, 0x5a, 100);
        free (p);
    }
    inside--;
    errno = saved_errno;
}

#define NEXT(F)                  \
    static __typeof__ (F) *next; \
    if (!next)                   \
    next = (__typeof__ (F) *)dlsym (RTLD_NEXT, #F)

#define OPEN_LIKE(F)                         \
    int F (const char *path, int flags, ...) \
    {                                        \
        va_list ap;                          \
        va_start (ap, flags);                \
        int mode = va_arg (ap, int);         \
        va_end (ap);                         \
        NEXT (F);                            \
        count (OPEN);                        \
        return next (path, flags, mode);     \
    }
OPEN_LIKE (open)
OPEN_LIKE (open64)

int close (int fd)
{
    NEXT (close);
    count (CLOSE);
    return next (fd);
}

ssize_t read (int fd, void *buf, size_t n)
{
    NEXT (read);
    count (READ);
    return next (fd, buf, n);
}

ssize_t write (int fd, const void *buf, size_t n)
{
    NEXT (write);
    count (WRITE);
    return next (fd, buf, n);
}

ssize_t pread (int fd, void *buf, size_t n, off_t at)
{
    NEXT (pread);
    count (PREAD);
    return next (fd, buf, n, at);
}

ssize_t pread64 (int fd, void *buf, size_t n, off64_t at)
{
    NEXT (pread64);
    count (PREAD);
    return next (fd, buf, n, at);
}

FILE *fopen (const char *path, const char *mode)
{
    NEXT (fopen);
    count (FOPEN);
    return next (path, mode);
}

/* Asks for its function in mmap, where an allocator may be waiting. */
void *mmap (void *at, size_t n, int prot, int flags, int fd, off_t off)
{
    NEXT (mmap);
    return next ? next (at, n, prot, flags, fd, off)
                : (void *)syscall (SYS_mmap, at, n, prot, flags, fd, off);
}

pid_t fork (void)
{
    NEXT (fork);
    count (FORK);
    return next ();
}

static void before (void)
{
    pthread_mutex_lock (&lock);
}
static void after (void)
{
    pthread_mutex_unlock (&lock);
}

static void after_child (void)
{
    memset (counts, 0, sizeof (counts));
    pthread_mutex_unlock (&lock);
}

__attribute__ ((constructor)) static void begin (void)
{
    char c;
    int fd = open ("/proc/self/cmdline", O_RDONLY);

    (void)!read (fd, &c, 1);
    (void)close (fd);
    memset (counts, 0, sizeof (counts));
    pthread_atfork (before, after, after_child);
}

__attribute__ ((destructor)) static void end (void)
{
    char line[400];
    int n = snprintf (line, sizeof (line), "%d", (int)getpid ()), fd;

    for (int i = 0; i < CALLS; i++)
        n += snprintf (line + n, sizeof (line) - (size_t)n, " %s=%ld", names[i],
                       counts[i]);
    line[n++] = '\n';
    fd = open (getenv ("INTERPOSER_LOG"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    (void)!write (fd, line, (size_t)n);
    (void)close (fd);
}
