/* SPDX-License-Identifier: MIT
 *
 * untraced.c - pid, path, reason; pid, wait status -> lines of
 * JOBDIR/shards/processes.HOST
 *
 * Caveat: runs in constructors, before exec, and in children of vfork: no
 * allocation, no stdio, no state but the stack.
 */
#include "config.h"

#include <sys/wait.h>

#include "lib/settings/paths.h"
#include "lib/base/programkind.h"
#include "lib/base/sys.h"
#include "preload/counted.h"
#include "preload/files.h"
#include "preload/untraced.h"

static SYS_START const char *directory; /* of the job; NULL: nowhere */

void untraced_start (const char *job_dir)
{
    directory = job_dir[0] == '/' ? job_dir : NULL;
}

static __attribute__ ((noinline)) void note (
    pid_t pid, const char *exe, size_t n, const char *what, const char *reason)
{
    /* too large for the stack of a small thread */
    struct procline l = {sys_memory (PROCLINE_MAX), PROCLINE_MAX, 0};
    static char last[PROCLINE_MAX]; /* where the address space is limited */
    static int taken;
    int is_last = !l.text && !__atomic_exchange_n (&taken, 1, __ATOMIC_ACQUIRE);

    if (is_last)
        l.text = last;
    if (!l.text)
        return;
    procline_untraced (&l, pid, exe, n, what, reason);
    (void)appendline (directory, &l, APPENDLINE_MAKE | APPENDLINE_RARE);
    if (is_last)
        __atomic_store_n (&taken, 0, __ATOMIC_RELEASE);
    else
        (void)sys_munmap (l.text, PROCLINE_MAX);
}

void untraced_self (const char *what, const char *reason)
{
    char exe[PATH_MAX];
    ssize_t n = sys_readlink ("/proc/self/exe", exe, sizeof (exe));

    if (directory)
        note (sys_getpid (), exe, n < 0 ? 0 : (size_t)n, what, reason);
}

void untraced_program (pid_t pid,
                       int dirfd,
                       const char *path,
                       const char *reason)
{
    int saved_errno = errno;
    char exe[PATH_MAX];
    ssize_t n = 0;

    if (!directory)
        return;
    if (path[0] != '/')
        n = dirfd == AT_FDCWD ? paths_cwd (exe, sizeof (exe))
                              : paths_of_fd (dirfd, exe, sizeof (exe));
    if (n >= 0)
        n = paths_append (exe, (size_t)n, sizeof (exe), path);
    if (n >= 0 && !filter_wants_program (exe, (size_t)n))
        reason = programkind_reason (PROGRAM_EXCLUDED);
    if (n >= 0)
        note (pid, exe, (size_t)n, "", reason);
    errno = saved_errno;
}

void untraced_ended (pid_t pid, int status, const char *who)
{
    int saved_errno = errno;
    char text[PROCLINE_ENDED_MAX];
    struct procline l = {text, sizeof (text), 0};

    if (!directory)
        return;
    procline_ended (&l, pid, status, who);
    (void)appendline (directory, &l,
                      APPENDLINE_MAKE | APPENDLINE_RARE |
                          (WIFSIGNALED (status) ? 0 : APPENDLINE_DOUBTFUL));
    errno = saved_errno;
}
