/* SPDX-License-Identifier: MIT
 *
 * fcntls.c - every command of fcntl, with the kind of argument that it takes
 *
 * fcntls FILE: shows what each gives. tests/capture/t1031-exact.t compares the
 * names here with those of the system's headers.
 */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/victims/show.h"

/* Commands of kernels later than this libc's headers. */
#ifndef F_GETOWNER_UIDS
#define F_GETOWNER_UIDS 17
#endif
#ifndef F_DUPFD_QUERY
#define F_DUPFD_QUERY (F_SETLEASE + 3)
#endif
#ifndef F_CREATED_QUERY
#define F_CREATED_QUERY (F_SETLEASE + 4)
#endif
#ifndef F_CANCELLK
#define F_CANCELLK (F_SETLEASE + 5)
#endif

enum { NEWFD = 30, FAR = 4096 };

static const char *path;
static int fd;

static void flags (void)
{
    SHOW (fcntl (fd, F_GETFD));
    SHOW (fcntl (fd, F_SETFD, FD_CLOEXEC));
    SHOW (fcntl (fd, F_GETFD));
    SHOW (fcntl (fd, F_SETFD, 0));
    SHOW (fcntl (fd, F_GETFL) & (O_ACCMODE | O_APPEND | O_NONBLOCK));
    SHOW (fcntl (fd, F_SETFL, O_APPEND | O_NONBLOCK));
    SHOW (fcntl (fd, F_GETFL) & (O_ACCMODE | O_APPEND | O_NONBLOCK));
    SHOW (fcntl (fd, F_SETFL, 0));
    SHOW (fcntl (-1, F_GETFL));
    SHOW (fcntl (999, F_SETFL, 0));
}

static void copies (void)
{
    SHOW (fcntl (fd, F_DUPFD, NEWFD));
    SHOW (fcntl (NEWFD, F_GETFD));
    SHOW (fcntl (fd, F_DUPFD_CLOEXEC, NEWFD));
    SHOW (fcntl (NEWFD + 1, F_GETFD));
    SHOW (fcntl (fd, F_DUPFD, -1));
    SHOW (fcntl (fd, F_DUPFD, 1 << 30));
    SHOW (fcntl (fd, F_DUPFD_QUERY, NEWFD));
    SHOW (fcntl (fd, F_DUPFD_QUERY, 0));
    SHOW (fcntl (fd, F_CREATED_QUERY));
    SHOW (close (NEWFD));
    SHOW (close (NEWFD + 1));
}

/* Again and again: the first may come before we wait. */
static int on_signal_of (int want, const struct flock *fl, int cmd)
{
    struct itimerval soon = {{0, 20000}, {0, 20000}}, never = {{0, 0}, {0, 0}};
    int error;

    (void)setitimer (ITIMER_REAL, &soon, NULL);
    error = fcntl (fd, cmd, fl) == want ? 0 : errno;
    (void)setitimer (ITIMER_REAL, &never, NULL);
    return error;
}

static void nothing (int sig)
{
}

/* A child has [0, 4) locked until we close the pipe. */
static void locks (void)
{
    struct flock fl = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 4};
    struct flock mine = {.l_type = F_WRLCK, .l_start = 8, .l_len = FAR};
    struct flock64 wide = {.l_type = F_RDLCK, .l_start = 8, .l_len = 1};
    struct sigaction sa = {.sa_handler = nothing};
    int p[2], ready[2];
    pid_t pid;
    char c;

    (void)!(pipe (p) + pipe (ready));
    if ((pid = fork ()) == 0) {
        (void)fcntl (fd, F_SETLK, &fl);
        (void)close (p[1]);
        (void)!write (ready[1], "x", 1);
        (void)!read (p[0], &c, 1);
        _exit (0);
    }
    (void)!read (ready[0], &c, 1);
    SHOW (fcntl (fd, F_SETLK, &mine));
    SHOW (fcntl (fd, F_OFD_SETLK, &mine));
    mine.l_pid = 0;
    SHOW (fcntl (fd, F_GETLK, &fl));
    SHOW (fl.l_pid == pid);
    fl = (struct flock){.l_type = F_WRLCK, .l_len = 4};
    SHOW (fcntl (fd, F_SETLK, &fl));
    SHOW (fcntl (fd, F_OFD_SETLK, &fl));
    (void)sigaction (SIGALRM, &sa, NULL);
    SHOW (on_signal_of (-1, &fl, F_SETLKW));
    SHOW (errno == EINTR);
    SHOW (on_signal_of (-1, &fl, F_OFD_SETLKW));
    SHOW (fcntl64 (fd, F_OFD_GETLK, &wide));
    SHOW (wide.l_type);
    SHOW (fcntl64 (fd, F_GETLK64, &wide));
    SHOW (fcntl64 (fd, F_SETLK64, &wide));
    SHOW (fcntl64 (fd, F_SETLKW64, &wide));
    SHOW (fcntl (fd, F_CANCELLK, &fl));
    (void)close (p[1]);
    (void)waitpid (pid, NULL, 0);
    SHOW (fcntl (fd, F_SETLKW, &fl));
    SHOW (fcntl (fd, F_SETLK, NULL));
    SHOW (fcntl (fd, F_GETLK, (void *)8));
}

static void owners (void)
{
    struct f_owner_ex ex = {F_OWNER_PID, getpid ()};
    uid_t uids[2] = {1, 1};

    SHOW (fcntl (fd, F_GETOWN));
    SHOW (fcntl (fd, F_SETOWN, getpid ()));
    SHOW (fcntl (fd, F_GETOWN) == getpid ());
    SHOW (fcntl (fd, F_SETOWN, -getpgrp ()));
    SHOW (fcntl (fd, F_GETOWN) == -getpgrp ());
    SHOW (fcntl (fd, F_SETOWN_EX, &ex));
    ex.pid = 0;
    SHOW (fcntl (fd, F_GETOWN_EX, &ex));
    SHOW (ex.type == F_OWNER_PID && ex.pid == getpid ());
    SHOW (fcntl (fd, F_SETOWN_EX, NULL));
    SHOW (fcntl (fd, F_GETOWNER_UIDS, uids));
    SHOW (uids[0] == getuid ());
    SHOW (fcntl (fd, F_SETSIG, SIGUSR1));
    SHOW (fcntl (fd, F_GETSIG) == SIGUSR1);
    SHOW (fcntl (fd, F_SETSIG, 0));
}

static void leases (void)
{
    SHOW (fcntl (fd, F_GETLEASE));
    SHOW (fcntl (fd, F_SETLEASE, F_WRLCK));
    SHOW (fcntl (fd, F_GETLEASE));
    SHOW (fcntl (fd, F_SETLEASE, F_UNLCK));
    SHOW (fcntl (fd, F_NOTIFY, (unsigned long)DN_MODIFY));
}

/* The kernel writes to the argument. */
static void hints (void)
{
    uint64_t hint = 2;

    SHOW (fcntl (fd, F_SET_RW_HINT, &hint));
    hint = 99;
    SHOW (fcntl (fd, F_GET_RW_HINT, &hint));
    SHOW (hint);
    SHOW (fcntl (fd, F_SET_FILE_RW_HINT, &hint));
    SHOW (fcntl (fd, F_GET_FILE_RW_HINT, &hint));
    SHOW (hint);
}

static void pipes_and_seals (void)
{
    int p[2], m = memfd_create ("m", MFD_ALLOW_SEALING);

    (void)!pipe (p);
    SHOW (fcntl (p[1], F_GETPIPE_SZ));
    SHOW (fcntl (p[1], F_SETPIPE_SZ, FAR));
    SHOW (fcntl (p[0], F_GETPIPE_SZ));
    SHOW (fcntl (fd, F_GETPIPE_SZ));
    SHOW (fcntl (m, F_GET_SEALS));
    SHOW (fcntl (m, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK));
    SHOW (fcntl (m, F_GET_SEALS));
    SHOW (ftruncate (m, FAR));
    SHOW (fcntl (m, F_ADD_SEALS, F_SEAL_SEAL));
    SHOW (fcntl (m, F_ADD_SEALS, F_SEAL_WRITE));
    SHOW (fcntl (fd, F_ADD_SEALS, F_SEAL_WRITE));
    SHOW (fcntl (fd, F_GET_SEALS));
}

int main (int argc, char **argv)
{
    if (argc != 2)
        return 2;
    path = argv[1];
    fd = open (path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    flags ();
    copies ();
    locks ();
    owners ();
    leases ();
    hints ();
    pipes_and_seals ();
    SHOW (fcntl (fd, 4711, 1));
    SHOW (fcntl (fd, -1));
    return 5;
}
