/* SPDX-License-Identifier: MIT
 *
 * apart.c - vfork, fork, a page in common, a pipe -> a step with a deadline
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/settings/apart.h"

enum {
    FIRST = 3,     /* behind standard input, output and error */
    FD_MANY = 1024 /* to be closed one by one, on old kernels */
};

struct apart {
    int rc, error;
    char data[];
};

static void apart_close_from (int fd)
{
#ifdef SYS_close_range
    if (syscall (SYS_close_range, fd, ~0U, 0) == 0)
        return;
#endif
    for (int i = fd; i < FD_MANY; i++)
        (void)close (i);
}

/* Close the standard descriptors, so that the reader of this process's output
 * does not wait for it. */
static int apart_detach (int pipe_fd)
{
    int null = open ("/dev/null", O_RDWR), fd;

    /* the pipe away from where the standard files will be */
    fd = fcntl (pipe_fd, F_DUPFD, FIRST + 1);
    if (null < 0 || fd < 0)
        return -1;
    for (int i = 0; i < FIRST; i++)
        if (dup2 (null, i) < 0)
            return -1;
    if (dup2 (fd, FIRST) < 0)
        return -1;
    apart_close_from (FIRST + 1);
    (void)setsid ();
    return FIRST;
}

static _Noreturn void
apart_work (struct apart *a, int (*step) (void *), int pipe_fd)
{
    int fd = apart_detach (pipe_fd);

    if (fd >= 0) {
        errno = 0;
        a->rc = step (a->data);
        a->error = errno;
        (void)!write (fd, "", 1);
    }
    _exit (0);
}

/* In between, so that the worker is no child of ours. It has our memory, while
 * we wait, and changes nothing in it. */
static _Noreturn void
apart_between (struct apart *a, int (*step) (void *), int pipe_fd)
{
    pid_t pid = fork ();

    if (pid == 0)
        apart_work (a, step, pipe_fd);
    _exit (pid < 0);
}

/* A copy of slurmstepd's page tables, and their end, take a millisecond and
 * more of each task: one is enough. */
static int apart_start (struct apart *a, int (*step) (void *), int pipe_fd)
{
    int status = 0;
    pid_t pid = vfork (), rc;

    if (pid == 0)
        apart_between (a, step, pipe_fd);
    if (pid < 0)
        return -1;
    do
        rc = waitpid (pid, &status, 0);
    while (rc < 0 && errno == EINTR);
    if (rc == pid && status != 0) {
        errno = EAGAIN;
        return -1;
    }
    return 0;
}

static uint64_t apart_now (void)
{
    struct timespec ts;

    (void)clock_gettime (CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* 0: it is done. */
static int apart_wait (int fd, uint64_t ms)
{
    uint64_t end = apart_now () + ms, now;
    struct pollfd p = {fd, POLLIN, 0};
    char done;

    while ((now = apart_now ()) < end) {
        int rc = poll (&p, 1, (int)(end - now));

        if (rc < 0 && errno != EINTR)
            return -1;
        if (rc > 0) {
            if (read (fd, &done, 1) == 1)
                return 0;
            errno = ECHILD; /* it was killed */
            return -1;
        }
    }
    errno = ETIMEDOUT;
    return -1;
}

int apart_run (int (*step) (void *), void *data, size_t size, uint64_t ms)
{
    size_t bytes = sizeof (struct apart) + size;
    int fd[2], rc = -1, error;
    struct apart *a = mmap (NULL, bytes, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (a == MAP_FAILED)
        return -1;
    memcpy (a->data, data, size);
    if (pipe2 (fd, O_CLOEXEC) == 0) {
        rc = apart_start (a, step, fd[1]);
        (void)close (fd[1]);
        if (rc == 0)
            rc = apart_wait (fd[0], ms);
        error = errno;
        (void)close (fd[0]);
        errno = error;
        if (rc == 0) {
            memcpy (data, a->data, size);
            rc = a->rc;
            errno = a->error;
        }
    }
    error = errno;
    (void)munmap (a, bytes);
    errno = error;
    return rc;
}
