/* SPDX-License-Identifier: MIT
 *
 * seize.c - a user who traces whatever dftrace does in his name
 *
 * seize UID SECONDS: 0 when a process named dftrace could be attached to,
 * 1 when none could in that time.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <time.h>
#include <unistd.h>

static int is_dftrace (const char *pid)
{
    char path[300], name[32] = "";
    FILE *f;

    (void)snprintf (path, sizeof (path), "/proc/%s/comm", pid);
    f = fopen (path, "r");
    if (f && !fgets (name, sizeof (name), f))
        name[0] = '\0';
    if (f)
        (void)fclose (f);
    return strcmp (name, "dftrace\n") == 0 ||
           strcmp (name, "lt-dftrace\n") == 0;
}

static int seize_any (void)
{
    DIR *d = opendir ("/proc");
    const struct dirent *e;
    int done = 0;

    while (d && !done && (e = readdir (d)))
        done = e->d_name[0] >= '1' && e->d_name[0] <= '9' &&
               is_dftrace (e->d_name) &&
               ptrace (PTRACE_SEIZE, atoi (e->d_name), 0, 0) == 0;
    if (d)
        (void)closedir (d);
    return done;
}

int main (int argc, char **argv)
{
    time_t end;

    if (argc != 3 || setgid ((gid_t)atoi (argv[1])) < 0 ||
        setuid ((uid_t)atoi (argv[1])) < 0)
        return 2;
    end = time (NULL) + atoi (argv[2]);
    while (time (NULL) < end)
        if (seize_any ())
            return 0;
    return 1;
}
