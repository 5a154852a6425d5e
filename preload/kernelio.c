/* SPDX-License-Identifier: MIT
 *
 * kernelio.c - /proc/self/io -> two numbers
 *
 * Caveat: the kernel refuses after setuid and PR_SET_DUMPABLE 0. Takes 6 to
 *         30 us, the first time in a process most.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "lib/base/highfd.h"
#include "lib/base/sys.h"
#include "preload/kernelio.h"

enum {
    ROOM = 512,
    TID_MAX = 24,       /* bytes of a number's digits */
    THREADS_MAX = 4096, /* of more nothing is known */
    NAMES = 2048        /* bytes of names at once */
};

/* The number behind a name at the start of a line; -1: there is none. By hand:
 * a function of libc that nobody else calls is one or two page faults. */
static int kernelio_number (const char *text, const char *name, uint64_t *value)
{
    const char *at = text, *of = name;

    for (; *of; at++)
        if (*at == *of)
            of++;
        else { /* the next line */
            while (*at && *at != '\n')
                at++;
            if (!*at)
                return -1;
            of = name;
        }
    if (*at < '0' || *at > '9')
        return -1;
    for (*value = 0; *at >= '0' && *at <= '9'; at++)
        *value = *value * 10 + (uint64_t)(*at - '0');
    return 0;
}

/* Returns the bytes that were read for that. */
static uint64_t kernelio_read (const char *path, struct kernelio *io)
{
    char text[ROOM];
    int fd = highfd_brief (AT_FDCWD, path, O_RDONLY, 0);
    ssize_t n = fd < 0 ? -1 : sys_call (SYS_read, fd, text, sizeof (text) - 1);

    if (fd >= 0)
        (void)sys_close (fd);
    (void)sys_count_own (&sys_moved.read, n);
    io->known = 0;
    if (n <= 0)
        return 0;
    text[n] = '\0';
    io->known = kernelio_number (text, "rchar: ", &io->read) == 0 &&
                kernelio_number (text, "wchar: ", &io->written) == 0;
    return (uint64_t)n;
}

/* Children that never ran have no page fault either. */
static int kernelio_has_reaped (void)
{
    struct rusage u;

    return sys_call (SYS_getrusage, RUSAGE_CHILDREN, &u) < 0 || u.ru_minflt ||
           u.ru_majflt || u.ru_maxrss;
}

static uint64_t kernelio_this_thread (struct kernelio *io)
{
    uint64_t n = kernelio_read ("/proc/thread-self/io", io);

    io->read += n;
    return n;
}

uint64_t kernelio_now (struct kernelio *io)
{
    uint64_t n;

    if (!highfd_one_thread ())
        return kernelio_this_thread (io);
    n = kernelio_read ("/proc/self/io", io);
    io->read += n;
    return n;
}

/* --- all threads -----------------------------------------------------------
 */

struct kernelio_threads {
    struct kernelio sum;
    uint64_t asked; /* bytes that were read for that */
    pid_t self;
    int count;
};

/* A thread that has just ended is among the ended ones. */
static void kernelio_add_thread (struct kernelio_threads *t, const char *tid)
{
    static const char head[] = "/proc/self/task/", tail[] = "/io";
    char path[sizeof (head) + TID_MAX + sizeof (tail)];
    struct kernelio io = {0};
    size_t n = strnlen (tid, TID_MAX);
    pid_t number = 0;

    for (const char *p = tid; *p >= '0' && *p <= '9'; p++)
        number = number * 10 + (*p - '0');
    if (number == 0 || number == t->self)
        return;
    memcpy (path, head, sizeof (head) - 1);
    memcpy (path + sizeof (head) - 1, tid, n);
    memcpy (path + sizeof (head) - 1 + n, tail, sizeof (tail));
    t->asked += kernelio_read (path, &io);
    t->sum.known &= io.known || errno == ENOENT || errno == ESRCH;
    t->sum.known &= ++t->count < THREADS_MAX;
    t->sum.read += io.read;
    t->sum.written += io.written;
}

/* This thread is the last one, as it is the one that reads the files of the
 * others. */
static __attribute__ ((noinline)) void
kernelio_threads (struct kernelio_threads *t)
{
    enum { FLAGS = O_RDONLY | O_DIRECTORY };
    char names[NAMES] __attribute__ ((aligned (8)));
    int dir = highfd_brief (AT_FDCWD, "/proc/self/task", FLAGS, 0);
    struct kernelio own;
    long n = -1;

    t->self = (pid_t)sys_call (SYS_gettid);
    t->sum.known = dir >= 0;
    while (t->sum.known &&
           (n = sys_call (SYS_getdents64, dir, names, sizeof (names))) > 0)
        for (long at = 0; at < n;) {
            const struct dirent64 *d = (const void *)(names + at);

            kernelio_add_thread (t, d->d_name);
            at += d->d_reclen;
        }
    if (dir >= 0)
        (void)sys_close (dir);
    t->asked += kernelio_this_thread (&own);
    t->sum.known &= n == 0 && own.known;
    t->sum.read += own.read;
    t->sum.written += own.written;
}

void kernelio_thread (struct kernelio *io)
{
    int saved_errno = errno;

    (void)kernelio_this_thread (io);
    errno = saved_errno;
}

void kernelio_ended (struct kernelio *ended)
{
    int saved_errno = errno;
    struct kernelio_threads t = {0};

    ended->known = 0;
    if (!kernelio_has_reaped ()) {
        uint64_t n = kernelio_read ("/proc/self/io", ended);

        kernelio_threads (&t);
        ended->known &= t.sum.known;
        ended->read += n + t.asked - t.sum.read;
        ended->written -= t.sum.written;
    }
    errno = saved_errno;
}

void kernelio_take (struct kernelio *all,
                    struct kernelio *own,
                    const struct kernelio *ended)
{
    int saved_errno = errno;
    struct kernelio_threads t = {0};

    t.asked = kernelio_read ("/proc/self/io", all);
    all->read += t.asked;
    t.asked = 0;
    *own = *all;
    if (all->known && kernelio_has_reaped ()) {
        own->known = 0;
        if (highfd_one_thread ())
            t.asked = kernelio_this_thread (own);
        else if (ended->known) {
            kernelio_threads (&t);
            *own = t.sum;
            own->read += ended->read;
            own->written += ended->written;
        }
        all->read += t.asked;
    }
    errno = saved_errno;
}
