/* SPDX-License-Identifier: MIT
 *
 * drops.c - calls that libc makes in each thread, or that a process with
 *           threads may not make, beside a mapping that is watched
 *
 * drops ids|unshare|setns|rights FILE: what the calls gave, on standard output.
 * FILE has some MiB. ids: as root; other users while it keeps some
 * capabilities, as setpriv and many daemons do.
 */
#define _GNU_SOURCE
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { UID = 1001, OTHER = 1002, WAIT_US = 2000, WAITS = 100, PAGE = 4096 };

static int file;

static void said (const char *name, int rc)
{
    printf ("%s %d %s\n", name, rc, rc < 0 ? strerror (errno) : "");
    fflush (stdout);
}

static int threads (void)
{
    DIR *d = opendir ("/proc/self/task");
    int n = 0;

    while (d && readdir (d))
        n++;
    if (d)
        closedir (d);
    return n - 2;
}

/* A tracer may begin a thread for it, and has some time to do so. */
static void map (void)
{
    struct stat st;
    volatile const char *p;

    if (fstat (file, &st) < 0)
        _exit (2);
    p = mmap (NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (p == MAP_FAILED)
        _exit (3);
    for (off_t i = 0; i < st.st_size; i += PAGE)
        (void)p[i];
    for (int i = 0; i < WAITS && threads () < 2; i++)
        usleep (WAIT_US);
}

/* Raise or lower what this thread has, and no other. */
static void raise_caps (int up)
{
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2];

    if (syscall (SYS_capget, &head, data) < 0)
        _exit (4);
    for (int i = 0; i < 2; i++)
        data[i].effective = up ? data[i].permitted : 0;
    if (syscall (SYS_capset, &head, data) < 0)
        _exit (5);
}

#define TRY(CALL)             \
    do {                      \
        raise_caps (0);       \
        map ();               \
        raise_caps (1);       \
        said (#CALL, (CALL)); \
    } while (0)

static int ids (void)
{
    if (geteuid () != 0)
        return 77;
    map ();
    said ("keepcaps", prctl (PR_SET_KEEPCAPS, 1, 0, 0, 0));
    said ("setresuid", setresuid (UID, UID, UID));
    TRY (setgroups (0, NULL));
    TRY (initgroups ("root", UID));
    TRY (setgid (UID));
    TRY (setegid (OTHER));
    TRY (setregid (OTHER, UID));
    TRY (setresgid (UID, OTHER, UID));
    TRY (seteuid (OTHER));
    TRY (setreuid (OTHER, UID));
    TRY (setresuid (UID, OTHER, UID));
    TRY (setuid (UID));
    return 0;
}

extern int capset (void *head, const void *data);

/* Calls that change what this thread may do, and no other of the process. */
static int rights (void)
{
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2];

    map ();
    if (syscall (SYS_capget, &head, data) < 0)
        return 4;
    said ("capset", capset (&head, data));
    said ("threads", threads ());
    usleep (600000); /* it may come back after that */
    map ();
    said ("no_new_privs", prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    said ("threads", threads ());
    return 0;
}

int main (int argc, char **argv)
{
    int fd;

    if (argc != 3)
        return 2;
    file = open (argv[2], O_RDONLY);
    if (strcmp (argv[1], "ids") == 0)
        return ids ();
    if (strcmp (argv[1], "rights") == 0)
        return rights ();
    map ();
    if (strcmp (argv[1], "unshare") == 0) {
        said ("unshare", unshare (CLONE_NEWUSER));
        map ();
        said ("again", unshare (CLONE_NEWUSER | CLONE_FILES));
        return 0;
    }
    fd = open ("/proc/self/ns/mnt", O_RDONLY);
    said ("setns", setns (fd, CLONE_NEWNS));
    map ();
    said ("any", setns (fd, 0));
    return 0;
}
