/* SPDX-License-Identifier: MIT
 *
 * killgroup.c - a cgroup for the epilog's child, which is ended as a whole
 *
 * In:  /proc/self/mountinfo and /proc/self/cgroup
 * Out: <mount><own group>/dftrace-epilog.PID
 * Caveat: no controller is asked for, so a group beside processes is allowed.
 *         Only root can take a process out of it.
 */
#include "config.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "lib/base/text.h"
#include "lib/util/fsutil.h"
#include "lib/util/xalloc.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"
#include "spank/epilog/verb.h"

enum { KILLGROUP_TEXT_MAX = 1 << 20 };

/* Copied from linux/sched.h, whose older versions lack the last members. */
#define KILLGROUP_INTO_CGROUP 0x200000000ULL
struct killgroup_args {
    uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack,
        stack_size, tls, set_tid, set_tid_size, cgroup;
};

static int killgroup_write (const char *group, const char *file, const char *w)
{
    char *path = path_join (group, file);
    int fd = path ? open (path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
    int rc = fd >= 0 && write (fd, w, strlen (w)) > 0 ? 0 : -1;

    if (fd >= 0)
        (void)close (fd);
    free (path);
    return rc;
}

/* Return the mount point of the cgroup2 hierarchy: "… ROOT MOUNT … - cgroup2
 * …". */
static char *killgroup_mount (void)
{
    char *text =
        read_file ("/proc/self/mountinfo", KILLGROUP_TEXT_MAX, NULL, NULL);
    char *found = NULL, *save = NULL, *line = text;

    for (line = text ? strtok_r (text, "\n", &save) : NULL; line && !found;
         line = strtok_r (NULL, "\n", &save)) {
        char root[PATH_MAX], mount[PATH_MAX];

        if (strstr (line, " - cgroup2 ") &&
            sscanf (line, "%*s %*s %*s %4095s %4095s", root, mount) == 2 &&
            strcmp (root, "/") == 0)
            found = strdup (mount);
    }
    free (text);
    return found;
}

/* Return our cgroup, from the line "0::/path". */
static char *killgroup_own (void)
{
    char *text =
        read_file ("/proc/self/cgroup", KILLGROUP_TEXT_MAX, NULL, NULL);
    char *at =
        text ? strncmp (text, "0::/", 4) == 0 ? text : strstr (text, "\n0::/")
             : NULL;
    char *own = NULL, *mount;

    if (at && (mount = killgroup_mount ())) {
        at += *at == '\n' ? 4 : 3;
        at[strcspn (at, "\n")] = '\0';
        own = xasprintf ("%s%s", mount, strcmp (at, "/") == 0 ? "" : at);
        free (mount);
    } else {
        errno = ENOENT;
    }
    free (text);
    return own;
}

/* Those whose epilog is gone. */
static void killgroup_end_earlier (const char *own)
{
    const size_t n = sizeof (KILLGROUP_PREFIX) - 1;
    DIR *d = opendir (own);
    const struct dirent *entry;
    uint64_t pid;

    while (d && (entry = readdir (d))) {
        if (strncmp (entry->d_name, KILLGROUP_PREFIX, n) != 0 ||
            parse_u64 (entry->d_name + n, &pid) < 0 || pid > INT_MAX ||
            kill ((pid_t)pid, 0) == 0 || errno != ESRCH)
            continue;
        char *group = path_join (own, entry->d_name);

        killgroup_kill (group);
        killgroup_destroy (group);
    }
    if (d)
        (void)closedir (d);
}

char *killgroup_make (void)
{
    char *own = killgroup_own (), *group = NULL;
    int saved;

    if (!own)
        return NULL;
    killgroup_end_earlier (own);
    group = xasprintf ("%s/" KILLGROUP_PREFIX "%ld", own, (long)getpid ());
    if (group && mkdir (group, 0755) < 0 && errno != EEXIST) {
        saved = errno;
        free (group);
        group = NULL;
        errno = saved;
    }
    free (own);
    return group;
}

int killgroup_enter (const char *group)
{
    return killgroup_write (group, "cgroup.procs", "0");
}

/* As fork (), into the group. It is no fork of libc's, so libc's handlers of
 * fork are not called: that is as well, where there is one thread. -1 also
 * where the kernel (before 5.7) or a filter of system calls does not have it.
 */
static pid_t killgroup_clone (const char *group)
{
#ifdef SYS_clone3
    struct killgroup_args args = {.flags = KILLGROUP_INTO_CGROUP,
                                  .exit_signal = SIGCHLD};
    int fd = open (group, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long pid;

    if (fd < 0)
        return -1;
    args.cgroup = (uint64_t)fd;
    pid = syscall (SYS_clone3, &args, sizeof (args));
    (void)close (fd);
    return (pid_t)pid;
#else
    return -1;
#endif
}

/* Linux 6.18 (at least, seen with a group that was killed before) may kill a
 * child as it is born, as if it had been there when its group was. One that
 * lives says so; -1 when it does not. */
static pid_t killgroup_born (const char *group)
{
    char word = 0;
    int alive[2];
    ssize_t n;
    pid_t pid;

    if (pipe2 (alive, O_CLOEXEC) < 0)
        return -1;
    pid = killgroup_clone (group);
    if (pid == 0)
        (void)!write (alive[1], &word, 1);
    (void)close (alive[1]);
    while (pid > 0 && (n = read (alive[0], &word, 1)) <= 0) {
        if (n < 0 && errno == EINTR)
            continue;
        (void)waitpid (pid, NULL, 0);
        pid = -1;
    }
    (void)close (alive[0]);
    return pid;
}

pid_t killgroup_fork (const char *group)
{
    pid_t pid = group ? killgroup_born (group) : -1;

    if (pid >= 0)
        return pid;
    pid = fork ();
    if (pid == 0 && group && killgroup_enter (group) < 0)
        log_warn ("epilog: %s: %s: cannot enter", group, strerror (errno));
    return pid;
}

/* Linux before 5.14. One that forks faster than this is met next time. */
static void killgroup_kill_each (const char *group)
{
    char *path = path_join (group, "cgroup.procs"), *next;
    char *text = path ? read_file (path, KILLGROUP_TEXT_MAX, NULL, NULL) : NULL;
    long pid;

    for (const char *at = text; at && (pid = strtol (at, &next, 10)) > 0;
         at = next)
        (void)kill ((pid_t)pid, SIGKILL);
    free (text);
    free (path);
}

void killgroup_kill (const char *group)
{
    if (group && killgroup_write (group, "cgroup.kill", "1") < 0)
        killgroup_kill_each (group);
}

void killgroup_destroy (char *group)
{
    int saved = errno;

    if (group)
        (void)rmdir (group);
    free (group);
    errno = saved;
}

/* ---- wait for a child and all it started, or end them ---- */

enum {
    MS_PER_S = 1000,
    NS_PER_MS = 1000000,
    CHILDREN_BYTES_MAX = 1024 * 1024, /* of pids */
    POLL_MS = 20,  /* how late we may notice that all is done */
    LOST_MS = 250, /* as POLL_MS, where a descriptor should wake us */
    REAP_MS = 2000 /* for those killed; a dead server holds them longer */
};

uint64_t reap_now_ms (void)
{
    struct timespec now;

    (void)clock_gettime (CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * MS_PER_S + (uint64_t)now.tv_nsec / NS_PER_MS;
}

/* Sleep until the child ends or ms are over, but at most as long as we may be
 * late: the kernel (before 5.3) may have no such descriptor, and a wake-up that
 * is lost must not cost the whole limit. A descriptor that reported the end is
 * closed, so that no loop runs without sleep. */
static void reap_sleep (int *child_fd, uint64_t ms)
{
    struct pollfd p = {.fd = *child_fd, .events = POLLIN};
    uint64_t late_ms = *child_fd < 0 ? POLL_MS : LOST_MS;

    if (poll (&p, 1, (int)(ms < late_ms ? ms : late_ms)) <= 0)
        return;
    (void)close (*child_fd);
    *child_fd = -1;
}

static int reap_open (pid_t pid)
{
#ifdef SYS_pidfd_open
    return (int)syscall (SYS_pidfd_open, pid, 0); /* close-on-exec */
#else
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

static struct {
    uint64_t until_ms;
    int (*leave) (void *);
    void *cookie;
    int cut;
} front;

void reap_front (uint64_t until_ms, int (*leave) (void *), void *cookie)
{
    front.until_ms = until_ms;
    front.leave = leave;
    front.cookie = cookie;
    front.cut = 0;
}

int reap_is_cut (void)
{
    return front.cut;
}

/* Return until when to sleep at most; now_ms where there is no more time. */
static uint64_t front_until (uint64_t now_ms, uint64_t end_ms)
{
    int (*leave) (void *) = front.leave;

    if (leave && now_ms >= front.until_ms) {
        front.leave = NULL;
        front.cut = leave (front.cookie) < 0;
    }
    if (front.cut)
        return now_ms;
    return front.leave && front.until_ms < end_ms ? front.until_ms : end_ms;
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
            (void)front_until (reap_now_ms (), end);
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
    if (WIFSIGNALED (status) || WEXITSTATUS (status) == REAP_NO_MEMORY)
        return REAP_CRASHED;
    return WEXITSTATUS (status) == EXIT_OK ? 0 : -1;
}

/* Wait for the child; when its time is over, end it and all it started. */
int reap_wait (pid_t pid,
               const char *group,
               uint64_t timeout_ms,
               int *timed_out)
{
    uint64_t end = reap_now_ms () + timeout_ms;
    uint64_t now, until;
    int status = -1, fd = reap_open (pid);
    pid_t rc;

    while ((rc = waitpid (pid, &status, WNOHANG)) == 0 &&
           (now = reap_now_ms ()) < end &&
           (until = front_until (now, end)) > now)
        reap_sleep (&fd, until - now);
    if (fd >= 0)
        (void)close (fd);
    reap_all (pid, group);
    *timed_out = rc == 0;
    return rc == pid ? reap_result (status) : -1;
}
