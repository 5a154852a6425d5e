/* SPDX-License-Identifier: MIT
 *
 * reap.c - wait for a child and all it started, or end them
 */
#include "config.h"

#include "spank/epilog/reap.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "spank/epilog/killgroup.h"
#include "lib/util/fsutil.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"

enum {
    MS_PER_S = 1000,
    NS_PER_MS = 1000000,
    CHILDREN_BYTES_MAX = 1024 * 1024, /* of pids */
    POLL_MS = 20,  /* how late we may notice that all is done */
    REAP_MS = 2000 /* for those killed; a dead server holds them longer */
};

uint64_t reap_now_ms (void)
{
    struct timespec now;

    (void)clock_gettime (CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * MS_PER_S + (uint64_t)now.tv_nsec / NS_PER_MS;
}

/* Until the child ends, or ms are over; where the kernel (before 5.3) has no
 * such descriptor, as long as we may be late. One that has told is closed: no
 * loop that does not sleep. */
static void reap_sleep (int *child_fd, uint64_t ms)
{
    struct pollfd p = {.fd = *child_fd, .events = POLLIN};

    if (*child_fd < 0)
        ms = ms < POLL_MS ? ms : POLL_MS;
    if (poll (&p, 1, ms < INT_MAX ? (int)ms : INT_MAX) <= 0)
        return;
    (void)close (*child_fd);
    *child_fd = -1;
}

static int reap_open (pid_t pid)
{
#ifdef SYS_pidfd_open
    return (int)syscall (SYS_pidfd_open, pid, 0); /* close-on-exec */
#else
    (void)pid;
    return -1;
#endif
}

static void reap_pause (long ms)
{
    const struct timespec pause = {0, ms * NS_PER_MS};

    (void)nanosleep (&pause, NULL);
}

/* Kill whoever is our child by now: as their subreaper we inherit those whose
 * parent is gone, whatever group or session they made for themselves. */
static void reap_kill (void)
{
    char path[64], *text, *at, *next;
    long pid;

    (void)snprintf (path, sizeof (path), "/proc/self/task/%ld/children",
                    (long)getpid ());
    text = read_file (path, CHILDREN_BYTES_MAX, NULL, NULL);
    for (at = text; at && (pid = strtol (at, &next, 10)) > 0; at = next)
        (void)kill ((pid_t)pid, SIGKILL);
    free (text);
}

/* End the child and all it started, and see them gone. One that a dead file
 * server holds in the kernel is left behind rather than waited for without
 * end. */
static void reap_all (pid_t pid, const char *group)
{
    uint64_t end = reap_now_ms () + REAP_MS;
    pid_t rc;

    (void)kill (-pid, SIGKILL);
    killgroup_kill (group);
    while ((rc = waitpid (-1, NULL, WNOHANG)) >= 0 && reap_now_ms () < end) {
        if (rc == 0) {
            reap_kill ();
            reap_pause (1);
        }
    }
    if (rc >= 0)
        log_warn ("epilog: process group %ld: does not die: look at the file "
                  "system of the job directory",
                  (long)pid);
}

/* Return the result from a wait status. */
static int reap_result (int status)
{
    if (WIFSIGNALED (status))
        return REAP_CRASHED;
    return WIFEXITED (status) && WEXITSTATUS (status) == EXIT_OK ? 0 : -1;
}

/* Wait for the child; when its time is over, end it and all it started. */
int reap_wait (pid_t pid,
               const char *group,
               uint64_t timeout_ms,
               int *timed_out)
{
    uint64_t end = reap_now_ms () + timeout_ms;
    uint64_t now;
    int status = -1, fd = reap_open (pid);
    pid_t rc;

    while ((rc = waitpid (pid, &status, WNOHANG)) == 0 &&
           (now = reap_now_ms ()) < end)
        reap_sleep (&fd, end - now);
    if (fd >= 0)
        (void)close (fd);
    reap_all (pid, group);
    *timed_out = rc == 0;
    if (rc == 0)
        log_warn ("epilog: %llu ms are over: run `dftrace analyze` on the job "
                  "directory",
                  (unsigned long long)timeout_ms);
    return rc == pid ? reap_result (status) : -1;
}
