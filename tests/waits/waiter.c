/* SPDX-License-Identifier: MIT
 *
 * waiter.c - a program that waits in known ways, and measures that itself
 *
 * waiter calls FILE:  a wait of 30 ms of each kind of call; "KIND NS" of each
 * waiter start FILE:  posix_spawn, which takes 30 ms; "child NS"
 * waiter read FILE:   reads FILE, in calls of milliseconds, beside another
 *                     thread on the same processor; "delay NS" as the kernel
 *                     counts it
 * waiter split FILE:  computes, and waits for a lock that another thread has,
 *                     once it is old enough to be sampled; "KIND NS" of each
 * waiter pool FILE:   waits for a thread that computes; "run NS" of it
 * waiter quiet FILE:  the same, and nobody makes a call meanwhile
 * waiter late FILE:   as pool, and opens no file at first; "lock NS" of it
 * waiter compute -:   computes, and so does a child; opens no file; "PID NS" of
 *                     both
 * waiter handler FILE: with a signal blocked for good: "WHERE N", the threads
 *                     there are in a handler, and after it
 * waiter errno FILE:  what calls that end badly leave in errno
 */
#define _GNU_SOURCE
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    WAIT_MS = 30,
    NS_PER_MS = 1000000,
    READS = 40,
    OLD_MS = 900,
    POOL_MS = 900,
    SPLIT_MS = 400,
    BYTES = 64 << 20
};

static uint64_t now (void)
{
    struct timespec ts;

    if (clock_gettime (CLOCK_MONOTONIC, &ts) < 0)
        exit (2);
    return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static uint64_t began;

static void begin (void)
{
    began = now ();
}

static void ended (const char *kind)
{
    printf ("%s %llu\n", kind, (unsigned long long)(now () - began));
    fflush (stdout);
}

/* A child that has not even begun when this returns writes a byte after a
 * while, and another one after as long again. */
static pid_t later (int fd)
{
    struct timespec ts = {0, WAIT_MS * NS_PER_MS};
    pid_t pid = fork ();

    if (pid)
        return pid;
    for (int i = 0; i < 2; i++) {
        (void)nanosleep (&ts, NULL);
        if (write (fd, "x", 1) != 1)
            _exit (1);
    }
    (void)nanosleep (&ts, NULL);
    _exit (0);
}

/* set: an epoll that a socket is put into; -1: a pipe, and poll of it and of
 * none. */
static void on_descriptor (int set, int fd[2])
{
    struct pollfd p[] = {{.fd = -1}, {.fd = fd[0], .events = POLLIN}};
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd[0]};
    char c;
    pid_t child;

    begin ();
    child = later (fd[1]);
    if ((set < 0 ? read (fd[0], &c, 1) : recv (fd[0], &c, 1, 0)) != 1)
        exit (2);
    ended ("pipe");
    if (set >= 0 && epoll_ctl (set, EPOLL_CTL_ADD, fd[0], &event) < 0)
        exit (2);
    begin ();
    if ((set < 0 ? poll (p, 2, -1) : epoll_wait (set, &event, 1, -1)) != 1)
        exit (2);
    ended ("pipe");
    begin ();
    if (waitpid (child, NULL, 0) != child)
        exit (2);
    ended ("child");
}

/* The new process opens a FIFO before its program: the start takes as long as
 * nobody writes into it. */
static int starts (const char *file)
{
    static char *argv[] = {(char *)(intptr_t) "true", NULL};
    posix_spawn_file_actions_t actions;
    char fifo[4096];
    int fd, status;
    pid_t writer, pid;

    (void)snprintf (fifo, sizeof (fifo), "%s.fifo", file);
    if (mkfifo (fifo, 0600) < 0 ||
        posix_spawn_file_actions_init (&actions) != 0 ||
        posix_spawn_file_actions_addopen (&actions, 9, fifo, O_RDONLY, 0) != 0)
        return 2;
    if ((writer = fork ()) == 0) {
        (void)usleep (WAIT_MS * 1000);
        fd = open (fifo, O_WRONLY);
        _exit (fd < 0);
    }
    begin ();
    if (posix_spawn (&pid, "/bin/true", &actions, NULL, argv, environ) != 0)
        return 2;
    ended ("child");
    if (waitpid (writer, &status, 0) != writer ||
        waitpid (pid, &status, 0) != pid)
        return 2;
    (void)posix_spawn_file_actions_destroy (&actions);
    return 0;
}

static int calls (void)
{
    struct timespec ts = {0, WAIT_MS * NS_PER_MS};
    struct timeval tv = {0, WAIT_MS * 1000};
    struct epoll_event event;
    int fd[2], set = epoll_create1 (0);
    sem_t sem;

    begin ();
    (void)nanosleep (&ts, NULL);
    ended ("sleep");
    begin ();
    (void)usleep (WAIT_MS * 1000);
    ended ("sleep");
    begin ();
    (void)clock_nanosleep (CLOCK_MONOTONIC, 0, &ts, NULL);
    ended ("sleep");
    begin ();
    (void)poll (NULL, 0, WAIT_MS);
    ended ("sleep");
    begin ();
    (void)select (0, NULL, NULL, NULL, &tv);
    ended ("sleep");
    begin ();
    (void)epoll_wait (set, &event, 1, WAIT_MS);
    ended ("poll");
    if (sem_init (&sem, 0, 0) < 0 || clock_gettime (CLOCK_REALTIME, &ts) < 0)
        return 2;
    ts.tv_nsec += WAIT_MS * NS_PER_MS;
    ts.tv_sec += ts.tv_nsec / (1000 * NS_PER_MS);
    ts.tv_nsec %= 1000 * NS_PER_MS;
    begin ();
    (void)sem_timedwait (&sem, &ts);
    ended ("lock");
    if (pipe (fd) < 0)
        return 2;
    on_descriptor (-1, fd);
    if (socketpair (AF_UNIX, SOCK_STREAM, 0, fd) < 0)
        return 2;
    on_descriptor (set, fd);
    return 0;
}

static int over;

static void *spin (void *unused)
{
    while (!__atomic_load_n (&over, __ATOMIC_RELAXED))
        continue;
    return unused;
}

/* Of this thread: its second number. */
static uint64_t delay (void)
{
    unsigned long long cpu, late = 0;
    FILE *f = fopen ("/proc/thread-self/schedstat", "r");

    if (!f || fscanf (f, "%llu %llu", &cpu, &late) != 2)
        exit (77);
    fclose (f);
    return late;
}

static int reads (const char *path)
{
    cpu_set_t one;
    pthread_t thread;
    char *buf = malloc (BYTES);
    int fd = open (path, O_RDONLY);

    CPU_ZERO (&one);
    CPU_SET (sched_getcpu (), &one);
    if (sched_setaffinity (0, sizeof (one), &one) < 0 || !buf || fd < 0 ||
        pthread_create (&thread, NULL, spin, NULL) != 0)
        return 77;
    for (int i = 0; i < READS; i++)
        if (pread (fd, buf, BYTES, 0) <= 0)
            return 2;
    printf ("delay %llu\n", (unsigned long long)delay ());
    __atomic_store_n (&over, 1, __ATOMIC_RELAXED);
    (void)pthread_join (thread, NULL);
    return 0;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int held;

static long owner;

static void *hold (void *unused)
{
    (void)pthread_mutex_lock (&mutex);
    owner = syscall (SYS_gettid);
    __atomic_store_n (&held, 1, __ATOMIC_RELEASE);
    (void)usleep (SPLIT_MS * 1000);
    (void)pthread_mutex_unlock (&mutex);
    return unused;
}

static uint64_t cpu (void)
{
    struct timespec ts;

    if (clock_gettime (CLOCK_THREAD_CPUTIME_ID, &ts) < 0)
        exit (2);
    return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static sem_t ran;
static int late, quiet;

static void *pool_run (void *path)
{
    uint64_t next = late ? POOL_MS - WAIT_MS : 0;

    for (uint64_t ms = 0; ms < POOL_MS; ms = cpu () / NS_PER_MS)
        if (ms >= next && !quiet) {
            (void)access (path, F_OK);
            next = ms + WAIT_MS / 10;
        }
    (void)sem_post (&ran);
    printf ("run %llu\n", (unsigned long long)cpu ());
    return NULL;
}

static int pool (char *path)
{
    pthread_t thread;
    uint64_t start = now ();

    (void)sem_init (&ran, 0, 0);
    if (pthread_create (&thread, NULL, pool_run, path) != 0)
        return 2;
    if (late)
        (void)sem_wait (&ran);
    printf ("lock %llu\n", (unsigned long long)(now () - start));
    return pthread_join (thread, NULL);
}

static int split (void)
{
    pthread_t thread;
    uint64_t used;

    for (int i = 0; i < OLD_MS / WAIT_MS; i++)
        (void)usleep (WAIT_MS * 1000);
    used = cpu ();
    while (cpu () - used < (uint64_t)SPLIT_MS * NS_PER_MS)
        continue;
    printf ("run %llu\n", (unsigned long long)(cpu () - used));
    if (pthread_create (&thread, NULL, hold, NULL) != 0)
        return 2;
    while (!__atomic_load_n (&held, __ATOMIC_ACQUIRE))
        (void)usleep (1000);
    begin ();
    (void)pthread_mutex_lock (&mutex);
    ended ("lock");
    (void)pthread_join (thread, NULL);
    printf ("owner %ld\n", owner);
    return 0;
}

static uint64_t compute (void)
{
    while (cpu () < (uint64_t)SPLIT_MS * NS_PER_MS / 2)
        continue;
    return cpu ();
}

static int computes (void)
{
    pid_t child = fork ();

    if (child == 0) {
        (void)compute ();
        _exit (0);
    }
    printf ("%d %llu\n", (int)getpid (), (unsigned long long)compute ());
    printf ("%d %llu\n", (int)child, SPLIT_MS * 1000000ULL / 2);
    return waitpid (child, NULL, 0) != child;
}

static void on_alarm (int sig)
{
    (void)sig;
}

static const char *own_file;

/* Threads of this process, once it has opened a file for a second. */
static unsigned long threads (void)
{
    struct stat st = {.st_nlink = 0};

    for (int i = 0; i < 1000 / WAIT_MS; i++) {
        (void)usleep (WAIT_MS * 1000);
        (void)close (open (own_file, O_RDONLY));
    }
    (void)stat ("/proc/self/task", &st);
    return (unsigned long)st.st_nlink - 2;
}

static unsigned long in_handler;

static void on_user (int sig)
{
    (void)sig;
    in_handler = threads ();
}

static void *in_pause (void *arg)
{
    (void)pause ();
    return arg;
}

static int handles (const char *file)
{
    struct sigaction action = {.sa_handler = on_user};
    sigset_t user2;
    pthread_t thread;

    own_file = file;
    (void)sigaction (SIGUSR1, &action, NULL);
    (void)sigaction (SIGUSR2, &action, NULL);
    (void)sigemptyset (&user2);
    (void)sigaddset (&user2, SIGUSR2);
    (void)pthread_sigmask (SIG_BLOCK, &user2, NULL);
    if (pthread_create (&thread, NULL, in_pause, NULL) != 0)
        return 2;
    (void)pthread_kill (pthread_self (), SIGUSR1);
    printf ("handler %lu\nafter %lu\n", in_handler, threads ());
    return 0;
}

static int keeps_errno (void)
{
    struct sigaction action = {.sa_handler = on_alarm};
    struct timespec ts = {10, 0};
    int fd[2];
    char c;

    (void)sigaction (SIGALRM, &action, NULL);
    if (pipe (fd) < 0)
        return 2;
    errno = 0;
    (void)ualarm (WAIT_MS * 1000, 0);
    printf ("nanosleep %d", nanosleep (&ts, NULL));
    printf (" %s\n", strerror (errno));
    errno = 0;
    (void)ualarm (WAIT_MS * 1000, 0);
    printf ("read %zd", read (fd[0], &c, 1));
    printf (" %s\n", strerror (errno));
    errno = 0;
    (void)poll (NULL, 0, WAIT_MS);
    printf ("poll %s\n", strerror (errno));
    errno = 0;
    printf ("wait %d", wait (NULL));
    printf (" %s\n", strerror (errno));
    return 0;
}

int main (int argc, char **argv)
{
    int fd;

    if (argc == 3 && strcmp (argv[1], "compute") == 0)
        return computes ();
    if (argc != 3 || (fd = open (argv[2], O_RDWR | O_CREAT, 0600)) < 0)
        return 2;
    if (strcmp (argv[1], "read") == 0) /* whose file is there and large */
        return reads (argv[2]);
    if (write (fd, "x", 1) != 1)
        return 2;
    if (strcmp (argv[1], "split") == 0)
        return split ();
    late = strcmp (argv[1], "late") == 0;
    quiet = strcmp (argv[1], "quiet") == 0;
    if (late || quiet || strcmp (argv[1], "pool") == 0)
        return pool (argv[2]);
    if (strcmp (argv[1], "handler") == 0)
        return handles (argv[2]);
    if (strcmp (argv[1], "start") == 0)
        return starts (argv[2]);
    return strcmp (argv[1], "calls") == 0 ? calls () : keeps_errno ();
}
