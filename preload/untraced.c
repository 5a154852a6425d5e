/* SPDX-License-Identifier: MIT
 *
 * untraced.c - pid, path, reason -> a line of JOBDIR/shards/untraced.HOST
 *
 * Caveat: runs in constructors, before exec, and in children of vfork: no
 * allocation, no stdio, no state but the stack.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "lib/core/record/highfd.h"
#include "lib/core/record/shardpath.h"
#include "lib/core/record/shardplace.h"
#include "lib/core/settings/nodename.h"
#include "lib/core/sys.h"
#include "lib/core/untracedline.h"
#include "lib/core/path/paths.h"
#include "preload/untraced.h"

static SYS_START const char *directory; /* of the job; NULL: nowhere */

void untraced_start (const char *job_dir)
{
    directory = job_dir[0] == '/' ? job_dir : NULL;
}

static int leave_in (int dir, const struct stat *shards, void *cookie)
{
    static const char prefix[] = UNTRACEDLINE_FILE;
    enum { FLAGS = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK };
    const struct untracedline *l = cookie;
    char file[sizeof (prefix) + NODENAME_MAX];
    struct stat st;
    int fd;

    memcpy (file, prefix, sizeof (prefix));
    (void)nodename_find (settings_environ, NULL, file + sizeof (prefix) - 1);
    fd = highfd_open (dir, file, FLAGS, SHARDPATH_FILE);
    if (fd < 0)
        return -1;
    if (shardplace_file (shards, fd, &st) == 0 && S_ISREG (st.st_mode) &&
        st.st_size < UNTRACEDLINE_FILE_MAX)
        (void)!sys_write (fd, l->text, l->used);
    return sys_close (fd);
}

/* Before the first event there may be no directory. */
static void untraced_leave (struct untracedline *l)
{
    static const char tail[] = "/shards";
    char place[SETTING_TEXT_MAX + sizeof (tail)];
    size_t n = strnlen (directory, SETTING_TEXT_MAX - 1);

    memcpy (place, directory, n);
    memcpy (place + n, tail, sizeof (tail));
    (void)shardplace_step (place, 1, leave_in, l);
}

/* --- who and why -------------------------------------------------------- */

static __attribute__ ((noinline)) void note (
    pid_t pid, const char *exe, size_t n, const char *what, const char *reason)
{
    struct untracedline l;

    untracedline_make (&l, pid, exe, n, what, reason);
    untraced_leave (&l);
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
    if (n >= 0)
        note (pid, exe, (size_t)n, "", reason);
    errno = saved_errno;
}
