/* SPDX-License-Identifier: MIT
 *
 * tables.c - tables of descriptors that are not those of the memory
 *
 * tables clone|unshare|close_range: in the working directory, 10 writes of
 * SIZE bytes to first and 30 to second, under one number of a descriptor
 */
#define _GNU_SOURCE
#include "config.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 500, STACK = 1 << 18, UNSHARE = 2 };

static struct shared {
    int fd, second, turn;
} * shared;
static const char *how;

static void writes (int fd, int n)
{
    static const char x[SIZE];

    for (int i = 0; i < n; i++)
        if (write (fd, x, SIZE) != SIZE)
            _exit (3);
}

static void wait_for (int turn)
{
    while (__atomic_load_n (&shared->turn, __ATOMIC_ACQUIRE) < turn)
        usleep (1000);
}

static void turn_is (int turn)
{
    __atomic_store_n (&shared->turn, turn, __ATOMIC_RELEASE);
}

static int open_new (const char *name)
{
    return open (name, O_CREAT | O_TRUNC | O_RDWR, 0666);
}

/* What it opens and closes its parent has, too. */
static int child (void *unused)
{
    (void)unused;
    close (shared->fd);
    shared->second = open_new ("second");
    writes (shared->second, 10);
    turn_is (1);
    wait_for (2);
    _exit (0);
}

static int by_clone (void)
{
    char *stack = malloc (STACK);
    int status;
    pid_t pid;

    writes (shared->fd, 10);
    pid = clone (child, stack + STACK, CLONE_FILES | SIGCHLD, NULL);
    if (pid < 0)
        return 77;
    wait_for (1);
    writes (shared->second, 20);
    turn_is (2);
    return waitpid (pid, &status, 0) == pid ? status : 4;
}

/* Its table is its own from now on. */
static void *thread (void *unused)
{
    int fd = shared->fd;

    if (strcmp (how, "unshare") == 0) {
        if (unshare (CLONE_FILES) < 0)
            exit (77);
        close (fd);
    } else if (syscall (SYS_close_range, fd, fd, UNSHARE) < 0)
        exit (77);
    shared->second = open_new ("second");
    writes (shared->second, 10);
    turn_is (1);
    wait_for (2);
    writes (shared->second, 20);
    return unused;
}

static int by_thread (void)
{
    pthread_t t;

    writes (shared->fd, 5);
    if (pthread_create (&t, NULL, thread, NULL) != 0)
        return 5;
    wait_for (1);
    writes (shared->fd, 5);
    turn_is (2);
    pthread_join (t, NULL);
    return 0;
}

int main (int argc, char **argv)
{
    int rc;

    shared = mmap (NULL, sizeof (*shared), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (argc != 2 || shared == MAP_FAILED)
        return 2;
    how = argv[1];
    shared->fd = open_new ("first");
    rc = strcmp (how, "clone") == 0 ? by_clone () : by_thread ();
    return rc || shared->fd == shared->second ? rc : 6;
}
