/* SPDX-License-Identifier: MIT
 *
 * procs.c - children of every kind, and I/O around them
 *
 * procs KIND FILE: writes to FILE (made new) "parent" before and after the
 * child of that kind, which writes 10 bytes COUNT times where it can.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 100, THREADS = 3, STACK = 1 << 16, RUNS = 20, HANDLED = 500 };

static const char *path;
static atomic_int stop;

static void do_io (int n)
{
    int fd = open (path, O_WRONLY | O_APPEND);

    for (int i = 0; i < n; i++)
        if (write (fd, "0123456789", 10) != 10)
            _exit (9);
    (void)close (fd);
}

static void wait_for (pid_t pid, int want)
{
    int status;

    if (pid < 0 || waitpid (pid, &status, 0) != pid || !WIFEXITED (status) ||
        WEXITSTATUS (status) != want)
        exit (8);
}

static void child_fork (void)
{
    pid_t pid = fork ();

    if (pid == 0) {
        do_io (COUNT);
        exit (3);
    }
    wait_for (pid, 3);
}

static void child_fork_exit (void)
{
    pid_t pid = fork ();

    if (pid == 0) {
        do_io (COUNT);
        _exit (3);
    }
    wait_for (pid, 3);
}

/* The child uses a descriptor, and a position, of its parent. */
static void child_inherits (void)
{
    int fd = open (path, O_RDONLY);
    char c[4];
    pid_t pid;

    (void)!read (fd, c, 4);
    pid = fork ();
    if (pid == 0) {
        (void)!read (fd, c, 4);
        _exit (3);
    }
    wait_for (pid, 3);
    (void)close (fd);
}

/* Without libc's knowing. */
static void child_bare (void)
{
    pid_t pid = (pid_t)syscall (SYS_clone, SIGCHLD, 0, 0, 0, 0);

    if (pid == 0) {
        do_io (COUNT);
        _exit (3);
    }
    wait_for (pid, 3);
}

static void child_vfork (void)
{
    for (int i = 0; i < RUNS; i++) {
        pid_t pid = vfork ();

        if (pid == 0) {
            (void)close (200);
            (void)dup2 (2, 201);
            (void)execl ("/no/such/program", "program", (char *)NULL);
            _exit (errno == ENOENT ? 3 : 4);
        }
        wait_for (pid, 3);
        do_io (1);
    }
}

static int share (void *unused)
{
    do_io (COUNT); /* nobody can record this */
    _exit (3);
}

static void child_clone_vm (void)
{
    char *stack = malloc (STACK);
    pid_t pid = clone (share, stack + STACK, CLONE_VM | SIGCHLD, NULL);

    wait_for (pid, 3);
    free (stack);
}

static void child_exec (void)
{
    static char *const env[] = {NULL};
    pid_t pid;

    (void)execl ("/no/such", "a", (char *)NULL);
    (void)execle ("/no/such", "a", (char *)NULL, env);
    (void)execlp ("nosuchprogram", "a", (char *)NULL);
    pid = fork ();
    if (pid == 0) {
        do_io (COUNT);
        (void)execlp ("sh", "sh", "-c", "test $# = 3 && exit 3", "sh", "a",
                      "b c", "", (char *)NULL);
        _exit (4);
    }
    wait_for (pid, 3);
}

static void *busy (void *unused)
{
    while (!stop)
        do_io (1);
    return NULL;
}

static void child_threads (void)
{
    pthread_t thread[THREADS];

    for (int i = 0; i < THREADS; i++)
        (void)pthread_create (&thread[i], NULL, busy, NULL);
    for (int i = 0; i < RUNS; i++)
        child_fork ();
    stop = 1;
    for (int i = 0; i < THREADS; i++)
        (void)pthread_join (thread[i], NULL);
}

static void *one_write (void *go)
{
    while (!atomic_load ((atomic_int *)go))
        ;
    do_io (1);
    return NULL;
}

/* Its first I/O is long after the fork, in several threads at once. */
static void child_late (void)
{
    atomic_int *go = mmap (NULL, sizeof (*go), PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_t thread[THREADS];

    for (int run = 0; run < RUNS; run++) {
        pid_t pid = fork ();

        if (pid == 0) {
            while (!atomic_load (go))
                (void)usleep (1);
            atomic_store (go, 0);
            for (int i = 0; i < THREADS; i++)
                (void)pthread_create (&thread[i], NULL, one_write, go);
            atomic_store (go, 1);
            for (int i = 0; i < THREADS; i++)
                (void)pthread_join (thread[i], NULL);
            exit (3);
        }
        do_io (1);
        atomic_store (go, 1);
        wait_for (pid, 3);
        atomic_store (go, 0);
    }
}

/* Endless; the test kills us. Says on standard output how far it is. */
static void no_child (void)
{
    int fd = open (path, O_WRONLY | O_APPEND);

    for (uint64_t i = 0;; i++) {
        (void)!write (fd, "0123456789", 10);
        if (i % 1000 == 0)
            (void)!pwrite (STDOUT_FILENO, &i, sizeof (i), 0);
    }
}

static volatile sig_atomic_t handled;

static void handler (int sig)
{
    int saved_errno = errno;
    char c;
    int fd = open (path, O_RDONLY);

    (void)!read (fd, &c, 1);
    (void)close (fd);
    handled++;
    errno = saved_errno;
}

/* I/O in a handler that interrupts I/O. */
static void no_child_signals (void)
{
    struct sigaction sa = {.sa_handler = handler, .sa_flags = SA_RESTART};
    timer_t timer;
    int rounds = 0;
    struct itimerspec every = {{0, 200000}, {0, 200000}};

    (void)sigaction (SIGALRM, &sa, NULL);
    (void)timer_create (CLOCK_MONOTONIC, NULL, &timer);
    (void)timer_settime (timer, 0, &every, NULL);
    while (handled < HANDLED) {
        do_io (1);
        rounds++;
    }
    (void)timer_delete (timer);
    /* of three calls each, with those of main */
    (void)printf ("calls %d\n", 3 * (rounds + (int)handled + 2) + 2);
}

static const struct {
    const char *kind;
    void (*function) (void);
} kinds[] = {
    {"fork", child_fork},         {"fork_exit", child_fork_exit},
    {"inherits", child_inherits}, {"bare", child_bare},
    {"vfork", child_vfork},       {"clone_vm", child_clone_vm},
    {"exec", child_exec},         {"threads", child_threads},
    {"kill", no_child},           {"signals", no_child_signals},
    {"late", child_late},
};

int main (int argc, char **argv)
{
    if (argc != 3)
        return 2;
    path = argv[2];
    (void)close (open (path, O_WRONLY | O_CREAT | O_TRUNC, 0600));
    for (size_t i = 0; i < sizeof (kinds) / sizeof (kinds[0]); i++) {
        if (strcmp (argv[1], kinds[i].kind) != 0)
            continue;
        do_io (1);
        kinds[i].function ();
        do_io (1);
        (void)printf ("end\n");
        return 5;
    }
    return 2;
}
