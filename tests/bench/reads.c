/* SPDX-License-Identifier: MIT
 *
 * reads.c - what a cached 4 KiB read costs in this process
 *
 * reads FILE COUNT THREADS: every thread reads FILE through a descriptor of
 * its own, COUNT times in all, from the start again at its end. Prints wall
 * and CPU nanoseconds per read, after a warm-up that is not counted.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 4096, WARM_UP = 20000, THREADS_MAX = 64 };

static const char *path;
static long per_thread;
static pthread_barrier_t ready;

static int64_t now (clockid_t clock)
{
    struct timespec ts;

    (void)clock_gettime (clock, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void reads (int fd, long n)
{
    char buf[BLOCK];

    while (n-- > 0)
        if (read (fd, buf, sizeof (buf)) <= 0)
            (void)lseek (fd, 0, SEEK_SET);
}

static void *work (void *cookie)
{
    int fd = open (path, O_RDONLY);

    if (fd < 0)
        exit (1);
    reads (fd, WARM_UP);
    (void)pthread_barrier_wait (&ready);
    (void)pthread_barrier_wait (&ready);
    reads (fd, per_thread);
    (void)close (fd);
    return cookie;
}

int main (int argc, char **argv)
{
    int threads = argc == 4 ? atoi (argv[3]) : 0;
    long count = argc == 4 ? atol (argv[2]) : 0;
    pthread_t id[THREADS_MAX];
    int64_t wall, cpu;

    if (threads < 1 || threads > THREADS_MAX || count < threads) {
        (void)fprintf (stderr, "usage: reads FILE COUNT THREADS\n");
        return 2;
    }
    path = argv[1];
    per_thread = count / threads;
    (void)pthread_barrier_init (&ready, NULL, (unsigned)threads + 1);
    for (int i = 0; i < threads; i++)
        if (pthread_create (&id[i], NULL, work, NULL) != 0)
            return 1;
    (void)pthread_barrier_wait (&ready);
    wall = now (CLOCK_MONOTONIC);
    cpu = now (CLOCK_PROCESS_CPUTIME_ID);
    (void)pthread_barrier_wait (&ready);
    for (int i = 0; i < threads; i++)
        (void)pthread_join (id[i], NULL);
    wall = now (CLOCK_MONOTONIC) - wall;
    cpu = now (CLOCK_PROCESS_CPUTIME_ID) - cpu;
    (void)printf ("%.2f %.2f\n", (double)wall / (double)(per_thread * threads),
                  (double)cpu / (double)(per_thread * threads));
    return 0;
}
