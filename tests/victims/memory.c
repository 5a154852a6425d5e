/* SPDX-License-Identifier: MIT
 *
 * memory.c - a program that looks at many files and says how big it is
 *
 *     memory FILE THREADS READS NAMES
 *
 * Holds FILE open and mapped; each thread reads it READS times and asks for
 * NAMES files that are not there, each of another name. Prints the resident
 * KiB of the process while all threads are alive; then reads FILE through the
 * descriptor from before, and unmaps it.
 */
#include "config.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 512, MAPPED = 4096, THREADS_MAX = 64, STACK = 1 << 17 };

static const char *path;
static int reads, names;
static pthread_barrier_t worked, measured;

static void *work (void *cookie)
{
    int number = *(int *)cookie, fd = open (path, O_RDONLY);
    char buf[BLOCK], name[4096];
    struct stat st;

    for (int i = 0; i < reads; i++)
        if (pread (fd, buf, BLOCK, (off_t)(i % 8) * BLOCK) != BLOCK)
            abort ();
    for (int i = 0; i < names; i++) {
        (void)snprintf (name, sizeof (name),
                        "%.3000s.d/class-%d/image-%04d/part-%08d.jpg", path,
                        number, i / 100, i);
        if (stat (name, &st) == 0)
            abort ();
    }
    (void)pthread_barrier_wait (&worked);
    (void)pthread_barrier_wait (&measured);
    (void)close (fd);
    return NULL;
}

/* KiB, as the kernel has them. */
static long resident (void)
{
    FILE *f = fopen ("/proc/self/smaps", "r");
    char line[4096];
    long sum = 0, kib;

    if (!f)
        abort ();
    while (fgets (line, sizeof (line), f))
        if (sscanf (line, "Rss: %ld kB", &kib) == 1)
            sum += kib;
    (void)fclose (f);
    return sum;
}

static void measure (int threads)
{
    pthread_t id[THREADS_MAX];
    int number[THREADS_MAX];
    pthread_attr_t attr;

    (void)pthread_attr_init (&attr);
    (void)pthread_attr_setstacksize (&attr, STACK);
    (void)pthread_barrier_init (&worked, NULL, (unsigned)threads + 1);
    (void)pthread_barrier_init (&measured, NULL, (unsigned)threads + 1);
    for (int i = 0; i < threads; i++) {
        number[i] = i;
        if (pthread_create (&id[i], &attr, work, &number[i]) != 0)
            abort ();
    }
    (void)pthread_barrier_wait (&worked);
    (void)printf ("%ld\n", resident ());
    (void)pthread_barrier_wait (&measured);
    for (int i = 0; i < threads; i++)
        (void)pthread_join (id[i], NULL);
}

int main (int argc, char **argv)
{
    int threads = argc == 5 ? atoi (argv[2]) : 0, fd;
    char buf[BLOCK];
    void *map;

    if (threads < 1 || threads > THREADS_MAX)
        return 2;
    path = argv[1];
    reads = atoi (argv[3]);
    names = atoi (argv[4]);
    fd = open (path, O_RDONLY);
    map = mmap (NULL, MAPPED, PROT_READ, MAP_SHARED, fd, 0);
    if (fd < 0 || map == MAP_FAILED)
        return 1;
    measure (threads);
    if (read (fd, buf, BLOCK) != BLOCK || munmap (map, MAPPED) < 0)
        return 1;
    return 0;
}
