/* SPDX-License-Identifier: MIT
 *
 * kernelio.c - /proc/self/io -> two numbers
 *
 * Caveat: the kernel refuses after setuid and PR_SET_DUMPABLE 0. Takes 6 to
 *         30 us, the first time in a process most.
 */
#include "config.h"

#include <errno.h>

#include "lib/base/highfd.h"
#include "lib/base/sys.h"
#include "preload/kernelio.h"

enum { ROOM = 512 };

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

void kernelio_take (struct kernelio *all, struct kernelio *own)
{
    int saved_errno = errno;
    uint64_t n = kernelio_read ("/proc/self/io", all);

    all->read += n;
    *own = *all;
    if (all->known && kernelio_has_reaped ()) {
        own->known = 0;
        if (highfd_one_thread ()) {
            n = kernelio_read ("/proc/thread-self/io", own);
            own->read += n;
            all->read += n;
        }
    }
    errno = saved_errno;
}
