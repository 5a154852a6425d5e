/* SPDX-License-Identifier: MIT
 *
 * toucher.c - maps a file, touches each page, and says how long it slept: wall
 * time less CPU time less waiting for a CPU; like staller, without dftrace.h
 *
 * toucher FILE   on standard output: slept NS
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, NS = 1000000000 };

static volatile unsigned sum;

static uint64_t clock_of (clockid_t id)
{
    struct timespec ts;

    clock_gettime (id, &ts);
    return (uint64_t)ts.tv_sec * NS + (uint64_t)ts.tv_nsec;
}

static uint64_t delay_ns (void)
{
    char buf[128] = "", *at;
    int fd = open ("/proc/thread-self/schedstat", O_RDONLY);

    if (fd < 0 || read (fd, buf, sizeof (buf) - 1) <= 0)
        exit (1);
    close (fd);
    at = strchr (buf, ' ');
    return at ? strtoull (at, NULL, 10) : 0;
}

int main (int argc, char **argv)
{
    int fd = argc == 2 ? open (argv[1], O_RDONLY) : -1;
    uint64_t wall, cpu, delay;
    const unsigned char *p;
    struct stat st;

    if (fd < 0 || fstat (fd, &st) < 0)
        return 2;
    p = mmap (NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED)
        return 1;
    delay = delay_ns ();
    wall = clock_of (CLOCK_MONOTONIC);
    cpu = clock_of (CLOCK_THREAD_CPUTIME_ID);
    for (off_t i = 0; i < st.st_size; i += PAGE)
        sum += p[i];
    cpu = clock_of (CLOCK_THREAD_CPUTIME_ID) - cpu;
    wall = clock_of (CLOCK_MONOTONIC) - wall;
    delay = delay_ns () - delay;
    printf ("slept %llu\n",
            (unsigned long long)(wall > cpu + delay ? wall - cpu - delay : 0));
    return 0;
}
