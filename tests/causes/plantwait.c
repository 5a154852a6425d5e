/* SPDX-License-Identifier: MIT
 *
 * plantwait.c - jobs that wait for locks, pipes, the network, or the time
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "plant.h"

/* -- locks ----------------------------------------------------------------- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static int rounds, ready;

static void *hold_mutex (void *arg)
{
    while (ready >= 0) {
        (void)pthread_mutex_lock (&mutex);
        nap (15);
        (void)pthread_mutex_unlock (&mutex);
        nap (3);
    }
    return arg;
}

void job_mutex (int n)
{
    pthread_t t;

    thread (hold_mutex, NULL, &t);
    for (int i = 0; i < n; i++) {
        work (4);
        begin ();
        (void)pthread_mutex_lock (&mutex);
        end ();
        (void)pthread_mutex_unlock (&mutex);
    }
    ready = -1;
    (void)pthread_join (t, NULL);
}

static void *signal_later (void *arg)
{
    for (int i = 0; i < rounds; i++) {
        nap (20);
        (void)pthread_mutex_lock (&mutex);
        ready++;
        (void)pthread_cond_signal (&cond);
        (void)pthread_mutex_unlock (&mutex);
        (void)sem_post (&sem);
    }
    return arg;
}

void job_condition (int n)
{
    pthread_t t;

    rounds = n;
    thread (signal_later, NULL, &t);
    for (int i = 0; i < n; i++) {
        begin ();
        (void)pthread_mutex_lock (&mutex);
        while (ready <= i)
            (void)pthread_cond_wait (&cond, &mutex);
        (void)pthread_mutex_unlock (&mutex);
        end ();
        work (3);
    }
    (void)pthread_join (t, NULL);
}

void job_semaphore (int n)
{
    pthread_t t;

    rounds = n;
    (void)sem_init (&sem, 0, 0);
    thread (signal_later, NULL, &t);
    for (int i = 0; i < n; i++) {
        begin ();
        while (sem_wait (&sem) < 0)
            continue;
        end ();
        work (3);
    }
    (void)pthread_join (t, NULL);
}

static void *nap_thread (void *arg)
{
    nap (20);
    return arg;
}

void job_join (int n)
{
    pthread_t t;

    for (int i = 0; i < n; i++) {
        thread (nap_thread, NULL, &t);
        begin ();
        (void)pthread_join (t, NULL);
        end ();
        work (3);
    }
}

/* Untraced, beside the job: holds both kinds of lock for 25 of 30 ms. */
void job_holder (int n)
{
    int fd = open_file ("lockfile", O_RDWR | O_CREAT);
    struct flock lock = {.l_type = F_WRLCK};
    int other = open_file ("lockfile2", O_RDWR | O_CREAT);

    (void)n;
    (void)printf ("ready\n");
    (void)fflush (stdout);
    for (;;) {
        (void)flock (fd, LOCK_EX);
        lock.l_type = F_WRLCK;
        (void)fcntl (other, F_SETLKW, &lock);
        nap (25);
        (void)flock (fd, LOCK_UN);
        lock.l_type = F_UNLCK;
        (void)fcntl (other, F_SETLKW, &lock);
        nap (5);
    }
}

void job_flock (int n)
{
    int fd = open_file ("lockfile", O_RDWR | O_CREAT);

    for (int i = 0; i < n; i++) {
        begin ();
        (void)flock (fd, LOCK_EX);
        end ();
        (void)flock (fd, LOCK_UN);
        work (6);
    }
    (void)close (fd);
}

void job_fcntl (int n)
{
    int fd = open_file ("lockfile2", O_RDWR | O_CREAT);
    struct flock lock = {.l_type = F_WRLCK};

    for (int i = 0; i < n; i++) {
        lock.l_type = F_WRLCK;
        begin ();
        (void)fcntl (fd, F_SETLKW, &lock);
        end ();
        lock.l_type = F_UNLCK;
        (void)fcntl (fd, F_SETLKW, &lock);
        work (6);
    }
    (void)close (fd);
}

/* -- pipes and sockets ------------------------------------------------------
 */

static int ends[2];

static void *write_later (void *arg)
{
    for (int i = 0; i < rounds; i++) {
        nap (20);
        if (write (ends[1], "x", 1) != 1)
            break;
    }
    return arg;
}

static void wait_for_bytes (int n)
{
    pthread_t t;

    rounds = n;
    thread (write_later, NULL, &t);
    for (int i = 0; i < n; i++) {
        begin ();
        (void)!read (ends[0], buf, 1);
        end ();
        work (3);
    }
    (void)pthread_join (t, NULL);
}

void job_pipe (int n)
{
    if (pipe (ends) < 0)
        die ("pipe");
    wait_for_bytes (n);
}

void job_socketpair (int n)
{
    if (socketpair (AF_UNIX, SOCK_STREAM, 0, ends) < 0)
        die ("socketpair");
    wait_for_bytes (n);
}

static void *open_later (void *arg)
{
    nap (rounds * 20);
    ends[1] = open_file ("fifo", O_WRONLY);
    return arg;
}

void job_fifo (int n)
{
    pthread_t t;

    rounds = n;
    (void)mkfifo ("fifo", 0600);
    thread (open_later, NULL, &t);
    begin ();
    ends[0] = open_file ("fifo", O_RDONLY);
    end ();
    work (100);
    (void)pthread_join (t, NULL);
}

static void *read_slowly (void *arg)
{
    static char mine[65536];

    while (read (ends[0], mine, sizeof (mine)) > 0)
        nap (20);
    return arg;
}

void job_full_pipe (int n)
{
    pthread_t t;

    if (pipe (ends) < 0)
        die ("pipe");
    thread (read_slowly, NULL, &t);
    for (int i = 0; i < n; i++) {
        work (3);
        begin ();
        (void)!write (ends[1], buf, 65536);
        end ();
    }
    (void)close (ends[1]);
    (void)pthread_join (t, NULL);
}

/* Programs of a pipeline: the one gives a byte each 20 ms, the other takes 64
 * KiB. */
void job_source (int n)
{
    for (int i = 0; i < n; i++) {
        nap (20);
        (void)!write (STDOUT_FILENO, "x", 1);
    }
}

void job_sink (int n)
{
    (void)n;
    while (read (STDIN_FILENO, buf, 65536) > 0)
        nap (20);
}

static void *serve (void *arg)
{
    int fd = *(int *)arg;

    free (arg);
    while (read (fd, ends, 1) == 1) {
        nap (20);
        if (write (fd, buf, 65536) < 0)
            break;
    }
    (void)close (fd);
    return NULL;
}

/* Untraced, beside the job: 64 KiB for each byte, 20 ms later. */
void job_server (int n)
{
    struct sockaddr_in at;
    int fd = listener (SOCK_STREAM, &at, 64);

    (void)n;
    (void)printf ("%d\n", ntohs (at.sin_port));
    (void)fflush (stdout);
    for (;;) {
        int *peer = malloc (sizeof (*peer));
        pthread_t t;

        if (!peer)
            die ("malloc");
        *peer = accept (fd, NULL, NULL);
        thread (serve, peer, &t);
    }
}

void job_network (int n)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl (INADDR_LOOPBACK),
                             .sin_port = htons ((uint16_t)atoi (extra))};
    int fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (connect (fd, (struct sockaddr *)&at, sizeof (at)) < 0)
        die ("connect");
    for (int i = 0; i < n; i++) {
        begin ();
        (void)!send (fd, "x", 1, 0);
        for (ssize_t had = 0, got = 1; got > 0 && had < 65536; had += got)
            got = recv (fd, buf, sizeof (buf), 0);
        end ();
        work (3);
    }
    (void)close (fd);
}

static void *accept_later (void *arg)
{
    nap (500);
    for (int i = 0; i < 2; i++)
        (void)accept (*(int *)arg, NULL, NULL);
    return NULL;
}

/* The queue of the listener is full: the kernel asks again after a second. */
void job_connect (int n)
{
    struct sockaddr_in at;
    int fd = listener (SOCK_STREAM, &at, 0);
    pthread_t t;

    (void)n;
    for (int i = 0; i < 2; i++) {
        int peer = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

        if (i == 1) {
            thread (accept_later, &fd, &t);
            begin ();
        }
        if (connect (peer, (struct sockaddr *)&at, sizeof (at)) < 0)
            die ("connect");
    }
    end ();
    work (100);
}

static void *answer (void *arg)
{
    struct sockaddr_in peer;
    socklen_t len = sizeof (peer);
    int fd = *(int *)arg;

    for (int i = 0; i < rounds; i++) {
        if (recvfrom (fd, ends, 1, 0, (struct sockaddr *)&peer, &len) < 0)
            break;
        nap (40);
        (void)sendto (fd, "y", 1, 0, (struct sockaddr *)&peer, len);
    }
    return NULL;
}

/* As a resolver does: a datagram, poll, the answer. */
void job_lookup (int n)
{
    struct sockaddr_in at;
    int server = listener (SOCK_DGRAM, &at, 0);
    int fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    pthread_t t;

    rounds = n;
    thread (answer, &server, &t);
    (void)connect (fd, (struct sockaddr *)&at, sizeof (at));
    for (int i = 0; i < n; i++) {
        begin ();
        (void)send (fd, "x", 1, 0);
        (void)poll (&wait, 1, 5000);
        (void)recv (fd, buf, sizeof (buf), 0);
        end ();
        work (5);
    }
}

/* -- time ------------------------------------------------------------------ */

void job_sleep (int n)
{
    for (int i = 0; i < n; i++) {
        work (3);
        begin ();
        nap (20);
        end ();
    }
}

/* A service without requests. */
void job_idle (int n)
{
    nap (n * 20);
}

void job_select (int n)
{
    for (int i = 0; i < n; i++) {
        struct timeval t = {0, 20000};

        work (3);
        begin ();
        (void)select (0, NULL, NULL, NULL, &t);
        end ();
    }
}

void job_polling (int n)
{
    work (100);
    begin ();
    for (int i = 0; i < n && access ("arrived", F_OK) < 0; i++)
        (void)usleep (10000);
    end ();
}
