/* SPDX-License-Identifier: MIT
 *
 * leaver.c - a program that goes on under another root or user
 *
 * leaver CALL FILE
 *   writes to FILE; makes the call, as root to where the way to FILE's place is
 *   closed; writes more than fits into a chunk; says what the call did
 * leaver taken FILE
 *   then closes all descriptors but its own and takes all their numbers
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/victims/show.h"

enum {
    NOBODY = 65534,
    SOME = 10,
    MANY = 8000,
    LOW = 20,
    TAKEN = 1024,
    SIZE = 10,
    SIZE_CHILD
};

static int file;

static void put (int n, size_t size)
{
    for (int i = 0; i < n; i++)
        if (write (file, "01234567890", size) != (ssize_t)size)
            SHOW (-1);
}

static int change (const char *call)
{
    const gid_t groups[] = {NOBODY};

    if (strcmp (call, "chroot") == 0 || strcmp (call, "taken") == 0)
        return chroot (".") + chroot ("/no/such/place");
    if (strcmp (call, "setuid") == 0)
        return setuid (NOBODY);
    if (strcmp (call, "seteuid") == 0)
        return seteuid (NOBODY);
    if (strcmp (call, "setreuid") == 0)
        return setreuid (NOBODY, NOBODY);
    if (strcmp (call, "setresuid") == 0)
        return setresuid (NOBODY, NOBODY, NOBODY);
    if (strcmp (call, "setgid") == 0)
        return setgid (NOBODY) + setuid (NOBODY);
    if (strcmp (call, "setegid") == 0)
        return setegid (NOBODY) + seteuid (NOBODY);
    if (strcmp (call, "setregid") == 0)
        return setregid (NOBODY, NOBODY) + seteuid (NOBODY);
    if (strcmp (call, "setresgid") == 0)
        return setresgid (NOBODY, NOBODY, NOBODY) + seteuid (NOBODY);
    if (strcmp (call, "setgroups") == 0)
        return setgroups (1, groups) + setgroups (1 << 30, groups);
    return 99;
}

static void who (void)
{
    uid_t u[3];
    gid_t g[3], groups[64];

    SHOW (getresuid (&u[0], &u[1], &u[2]));
    SHOW (getresgid (&g[0], &g[1], &g[2]));
    for (int i = 0; i < 3; i++) {
        SHOW ((int)u[i]);
        SHOW ((int)g[i]);
    }
    SHOW (getgroups (64, groups));
}

/* A file that is ours alone, under any number that another's may have been. */
static void take_all (void)
{
    struct stat st;
    int own = open (".", O_TMPFILE | O_RDWR, 0600);

    (void)close_range (LOW, ~0u, 0);
    for (int fd = LOW; fd < TAKEN; fd++)
        (void)dup2 (own, fd);
    put (MANY, SIZE);
    SHOW (fstat (own, &st));
    SHOW ((int)st.st_size);
    SHOW (fcntl (TAKEN - 1, F_GETFD) >= 0);
}

int main (int argc, char **argv)
{
    int status, rc, err;

    if (argc != 3)
        return 2;
    file = open (argv[2], O_WRONLY | O_CREAT | O_APPEND, 0600);
    put (SOME, SIZE);
    errno = 77;
    rc = change (argv[1]);
    err = errno;
    SHOW (rc);
    SHOW (err);
    who ();
    put (MANY, SIZE);
    if (strcmp (argv[1], "taken") == 0)
        take_all ();
    if (fork () == 0) {
        put (SOME, SIZE_CHILD);
        _exit (3);
    }
    SHOW (wait (&status) > 0);
    SHOW (status);
    put (SOME, SIZE);
    return 5;
}
