/* SPDX-License-Identifier: MIT
 *
 * waits.c - children that signals end, waited for in each way
 *
 * Each child writes a byte to the file of its number, and then ends by SIGUSR1,
 * but for the last one, which its parent kills. Output: the process id of each
 * and the signal; exit status 0 when all ended so.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int number;

static pid_t child (int by)
{
    pid_t pid = fork ();
    char name[32];
    int fd;

    number++;
    if (pid)
        return pid;
    (void)snprintf (name, sizeof (name), "child%d", number);
    fd = open (name, O_WRONLY | O_CREAT, 0600);
    if (fd < 0 || write (fd, "1", 1) != 1 || close (fd) < 0)
        _exit (1);
    if (by)
        (void)raise (by);
    for (;;)
        (void)pause ();
}

static void waits_check (pid_t pid, pid_t got, int status, int by)
{
    if (got != pid ||
        (status && (!WIFSIGNALED (status) || WTERMSIG (status) != by)))
        exit (1);
    (void)printf ("%d %d\n", (int)pid, by);
}

int main (void)
{
    struct rusage usage;
    siginfo_t info;
    int status = 0;
    pid_t pid, got;

    pid = child (SIGUSR1);
    got = wait (&status);
    waits_check (pid, got, status, SIGUSR1);
    pid = child (SIGUSR1);
    waits_check (pid, wait (NULL), 0, SIGUSR1);
    pid = child (SIGUSR1);
    got = waitpid (pid, &status, 0);
    waits_check (pid, got, status, SIGUSR1);
    pid = child (SIGUSR1);
    waits_check (pid, waitpid (pid, NULL, 0), 0, SIGUSR1);
    pid = child (SIGUSR1);
    got = wait3 (&status, 0, &usage);
    waits_check (pid, got, status, SIGUSR1);
    pid = child (SIGUSR1);
    waits_check (pid, wait4 (pid, NULL, 0, NULL), 0, SIGUSR1);
    pid = child (SIGUSR1);
    if (waitid (P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0 ||
        waitid (P_PID, (id_t)pid, &info, WEXITED) < 0)
        return 1;
    waits_check (pid, info.si_pid, 0, info.si_status);
    pid = child (SIGUSR1);
    waits_check (pid, waitid (P_PID, (id_t)pid, NULL, WEXITED) ? -1 : pid, 0,
                 SIGUSR1);
    pid = child (0);
    while (access ("child9", F_OK) < 0)
        (void)usleep (1000);
    (void)usleep (100000);
    if (kill (pid, SIGKILL) < 0)
        return 1;
    got = waitpid (pid, &status, 0);
    waits_check (pid, got, status, SIGKILL);
    return 0;
}
