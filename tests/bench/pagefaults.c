/* SPDX-License-Identifier: MIT
 *
 * pagefaults.c - what a page fault on a mapped file costs: processor time, the
 * least of many rounds
 *
 * In:  FILE, some MiB, on a file system whose pages can be dropped
 * Out: ns of processor time of a fault whose page is in memory (the kernel maps
 *      its neighbours, too), and of one whose page storage has to deliver
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

enum { ROUNDS = 30, NEAR = 65536, FAR = 16384, PAGE = 4096 };

static volatile unsigned sum;

static double cpu_ns (void)
{
    struct timespec t;

    (void)clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ns of a touch of each step-th byte. */
static double touch (int fd, size_t n, size_t step, int advice)
{
    unsigned char *p = mmap (NULL, n, PROT_READ, MAP_SHARED, fd, 0);
    double begin;

    if (p == MAP_FAILED)
        return 0;
    (void)madvise (p, n, advice);
    begin = cpu_ns ();
    for (size_t i = 0; i < n; i += step)
        sum += p[i];
    begin = cpu_ns () - begin;
    (void)munmap (p, n);
    return begin / (double)(n / step);
}

int main (int argc, char **argv)
{
    int fd = argc == 2 ? open (argv[1], O_RDONLY | O_CLOEXEC) : -1;
    double minor = 1e18, major = 1e18;
    struct stat st;
    size_t n;

    if (fd < 0 || fstat (fd, &st) < 0 || st.st_size < NEAR)
        return 2;
    n = (size_t)st.st_size / NEAR * NEAR;
    for (int r = 0; r < ROUNDS; r++) {
        double ns;

        (void)touch (fd, n, PAGE, MADV_NORMAL);
        ns = touch (fd, n, NEAR, MADV_NORMAL);
        minor = ns < minor ? ns : minor;
        (void)posix_fadvise (fd, 0, 0, POSIX_FADV_DONTNEED);
        ns = touch (fd, n, FAR, MADV_RANDOM);
        major = ns < major ? ns : major;
    }
    (void)printf ("%.0f %.0f\n", minor, major);
    return 0;
}
