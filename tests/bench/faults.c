/* SPDX-License-Identifier: MIT
 *
 * faults.c - touch pages of a mapped file, with a region around each sample
 *
 * faults FILE SAMPLES PAGES cold|warm
 * Samples are of PAGES pages at places that look random but are the same in
 * each run. On standard output: ns for all of them, and CPU time of the process
 * in ns, its other threads included.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "dftrace/dftrace.h"

enum { PAGE = 4096, COMPUTE = 20000 };

static volatile uint64_t sum;

static uint64_t now_ns (clockid_t clock)
{
    struct timespec ts;

    clock_gettime (clock, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Something of what a program does with its data. */
static void compute (const unsigned char *p)
{
    uint64_t n = 0;

    for (int i = 0; i < COMPUTE; i++)
        n = n * 31 + p[i % PAGE];
    sum += n;
}

int main (int argc, char **argv)
{
    uint64_t seed = 1, start, cpu, samples, pages;
    const unsigned char *p;
    struct stat st;
    int fd;

    if (argc != 5 || (fd = open (argv[1], O_RDONLY)) < 0 || fstat (fd, &st) < 0)
        return 2;
    samples = strtoul (argv[2], NULL, 10);
    pages = strtoul (argv[3], NULL, 10);
    if (strcmp (argv[4], "cold") == 0)
        (void)posix_fadvise (fd, 0, 0, POSIX_FADV_DONTNEED);
    p = mmap (NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED || (uint64_t)st.st_size / PAGE <= pages)
        return 1;
    (void)close (fd);
    if (strcmp (argv[4], "cold") == 0) /* a fault for each page */
        (void)madvise ((void *)(uintptr_t)p, (size_t)st.st_size, MADV_RANDOM);
    start = now_ns (CLOCK_MONOTONIC);
    cpu = now_ns (CLOCK_PROCESS_CPUTIME_ID);
    for (uint64_t i = 0; i < samples; i++) {
        dftrace_region_t r = dftrace_begin ("data", "item");
        uint64_t at;

        seed = seed * 6364136223846793005u + 1442695040888963407u;
        at = (seed >> 20) % ((uint64_t)st.st_size / PAGE - pages);
        for (uint64_t k = 0; k < pages; k++)
            sum += p[(at + k) * PAGE];
        dftrace_end (&r);
        compute (p + at * PAGE);
    }
    printf ("%llu %llu\n",
            (unsigned long long)(now_ns (CLOCK_MONOTONIC) - start),
            (unsigned long long)(now_ns (CLOCK_PROCESS_CPUTIME_ID) - cpu));
    return 0;
}
