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
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spank/epilog/killgroup.h"
#include "lib/base/parse.h"
#include "lib/util/fsutil.h"
#include "lib/util/log.h"

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
        own = text_format ("%s%s", mount, strcmp (at, "/") == 0 ? "" : at);
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
    group = text_format ("%s/" KILLGROUP_PREFIX "%ld", own, (long)getpid ());
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
    (void)group;
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
