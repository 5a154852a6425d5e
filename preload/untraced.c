/* SPDX-License-Identifier: MIT
 *
 * untraced.c - pid, path, reason -> a line of JOBDIR/shards/untraced.HOST, or
 * of quiet.HOST; pid, wait status -> one of ended.HOST
 *
 * Caveat: runs in constructors, before exec, and in children of vfork: no
 * allocation, no stdio, no state but the stack.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/format/endline.h"
#include "lib/base/programkind.h"
#include "lib/base/clock.h"
#include "preload/record/filespace.h"
#include "preload/record/recbuffer.h"
#include "lib/base/highfd.h"
#include "preload/record/recorder.h"
#include "preload/record/shardpath.h"
#include "preload/record/shardplace.h"
#include "lib/settings/nodename.h"
#include "lib/base/sys.h"
#include "lib/format/untracedline.h"
#include "lib/settings/paths.h"
#include "preload/filter.h"
#include "preload/untraced.h"

static SYS_START const char *directory; /* of the job; NULL: nowhere */

void untraced_start (const char *job_dir)
{
    directory = job_dir[0] == '/' ? job_dir : NULL;
}

/* A line on its way into the file of this node with that prefix. */
struct untraced_leaf {
    const char *prefix;
    off_t most; /* bytes of the file; no more lines then */
    const char *text;
    size_t used;
    int doubtful; /* only where processes cannot store it themselves */
};

enum { PREFIX_MAX = 16 };

static void untraced_name (char file[PREFIX_MAX + NODENAME_MAX],
                           const char *prefix)
{
    size_t n = strnlen (prefix, PREFIX_MAX);

    memcpy (file, prefix, n);
    (void)nodename_find (settings_environ, NULL, file + n);
}

static int leave_in (int dir, const struct stat *shards, void *cookie)
{
    enum { FLAGS = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK };
    const struct untraced_leaf *leaf = cookie;
    char file[PREFIX_MAX + NODENAME_MAX];
    struct stat st;
    int fd;

    if (leaf->doubtful && filespace_keeps (dir))
        return 0;
    untraced_name (file, leaf->prefix);
    fd = highfd_open (dir, file, FLAGS, SHARDPATH_FILE);
    if (fd < 0)
        return -1;
    if (shardplace_file (shards, fd, &st) == 0 && S_ISREG (st.st_mode) &&
        st.st_size < leaf->most)
        (void)!sys_write (fd, leaf->text, leaf->used);
    return sys_close (fd);
}

static const char tail[] = "/shards";

static size_t untraced_place (char place[SETTING_TEXT_MAX + sizeof (tail)])
{
    size_t n = strnlen (directory, SETTING_TEXT_MAX - 1);

    memcpy (place, directory, n);
    memcpy (place + n, tail, sizeof (tail));
    return n + sizeof (tail) - 1;
}

/* Before the first event there may be no directory. */
static void untraced_leave (struct untraced_leaf *leaf)
{
    char place[SETTING_TEXT_MAX + sizeof (tail)];

    (void)untraced_place (place);
    (void)shardplace_step (place, 1, leave_in, leaf);
}

/* --- processes that record nothing --------------------------------------- */

enum { LOOK_MAX = 512 }; /* bytes of a path; a longer one is opened */

/* Most of them are short, and there may be many: one look tells that enough
 * have said so. */
static int quiet_is_full (const char *place)
{
    char path[LOOK_MAX + PREFIX_MAX + NODENAME_MAX];
    const char *host = recorder_identity ()->host;
    size_t n = strnlen (place, LOOK_MAX);
    struct stat st;

    if (n == LOOK_MAX)
        return 0;
    memcpy (path, place, n);
    path[n] = '/';
    memcpy (path + n + 1, UNTRACEDLINE_QUIET, sizeof (UNTRACEDLINE_QUIET) - 1);
    n += sizeof (UNTRACEDLINE_QUIET);
    memcpy (path + n, host, strnlen (host, NODENAME_MAX - 1) + 1);
    return sys_call (SYS_newfstatat, AT_FDCWD, path, &st,
                     AT_SYMLINK_NOFOLLOW) == 0 &&
           st.st_size >= UNTRACEDLINE_QUIET_MAX;
}

/* The path takes a page of the stack, and is asked for where the directory is
 * there. */
static __attribute__ ((noinline)) int
quiet_in (int dir, const struct stat *shards, void *cookie)
{
    char exe[PATH_MAX];
    struct untracedline l;
    ssize_t length = sys_readlink ("/proc/self/exe", exe, sizeof (exe));
    struct untraced_leaf leaf = {.prefix = UNTRACEDLINE_QUIET,
                                 .most = UNTRACEDLINE_QUIET_MAX,
                                 .text = l.text};

    untracedline_make (&l, sys_getpid (), exe, length < 0 ? 0 : (size_t)length,
                       "", cookie);
    leaf.used = l.used;
    return leave_in (dir, shards, &leaf);
}

static void quiet_note (const char *place, char *left)
{
    if (!quiet_is_full (place))
        (void)shardplace_step (place, 0, quiet_in, left);
}

static __attribute__ ((noinline)) void quiet_beside_stage (char *left)
{
    char place[SETTING_TEXT_MAX + sizeof (tail)];

    (void)untraced_place (place);
    quiet_note (place, left);
}

void untraced_quiet (unsigned left)
{
    char text[12], *at = text + sizeof (text) - 1;

    if (!directory)
        return;
    *at = '\0';
    do
        *--at = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    if (shardplace_dir (recorder_settings ()) == directory)
        quiet_note (shardpath_place (directory), at);
    else
        quiet_beside_stage (at);
}

/* --- who and why -------------------------------------------------------- */

static __attribute__ ((noinline)) void note (
    pid_t pid, const char *exe, size_t n, const char *what, const char *reason)
{
    /* too large for the stack of a small thread */
    struct untracedline *l = sys_memory (sizeof (*l));

    if (!l)
        return;
    untracedline_make (l, pid, exe, n, what, reason);
    untraced_leave (&(struct untraced_leaf){
        UNTRACEDLINE_FILE, UNTRACEDLINE_FILE_MAX, l->text, l->used, 0});
    (void)sys_munmap (l, sizeof (*l));
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
    struct endline l;

    if (!directory)
        return;
    endline_make (&l, pid, clock_ns (CLOCK_REALTIME), status, who);
    untraced_leave (&(struct untraced_leaf){
        ENDLINE_FILE, ENDLINE_FILE_MAX, l.text, l.used, !WIFSIGNALED (status)});
    errno = saved_errno;
}
