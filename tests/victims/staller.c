/* SPDX-License-Identifier: MIT
 *
 * staller.c - touches pages of mapped files, and says how long it slept
 *
 * staller CASE DIR [plain|killed]   maps DIR/a.bin, for the case files
 * DIR/b.bin too. On standard output, from the first touch to the last, summed
 * over threads and processes:
 *
 *   slept NS   wall time less CPU time less waiting for a CPU, which is the
 *              second number of /proc/thread-self/schedstat
 *   wall NS    of the longest thread
 *   used BYTES of the pages that were touched
 *
 *   sequential  each page, in their order
 *   random      one of each 8 pages, in no order, with read-ahead switched off
 *   strided     one of each 9 pages, in their order
 *   files       a.bin in its order and b.bin at random, in turns
 *   threads     two threads: a.bin in its order, b.bin at random
 *   forked      four processes that share the mappings: two read a.bin in its
 *               order, from one half each, two b.bin at random
 *   written     random, but write (2) reads the pages, into a file in memory
 *   filled      random, but read (2) of /dev/zero writes to them; the mapping
 * is private locked      random, and as long asleep for other reasons, after
 * each page
 *
 * Each thread touches inside one region, test.touch; `plain`: inside of none;
 * `killed`: of none, and the program ends by SIGKILL.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "dftrace/dftrace.h"

enum { PAGE = 4096, NS = 1000000000, READERS = 4, TURN = 64 };

struct map {
    const volatile unsigned char *p;
    size_t pages;
};

/* Pages from..to of a file: each step-th, in their order or mixed. */
struct walk {
    const struct map *map;
    size_t from, to, step;
    int mixed;
    size_t next;
};

struct told {
    uint64_t slept, wall, used;
};

struct job {
    struct walk walk[2];
    struct told told;
};

static int plain, locked;
static int write_fd = -1, read_fd = -1; /* system calls touch the pages */
static volatile unsigned sum;

static void die (const char *what)
{
    perror (what);
    exit (1);
}

static uint64_t clock_of (clockid_t id)
{
    struct timespec ts;

    clock_gettime (id, &ts);
    return (uint64_t)ts.tv_sec * NS + (uint64_t)ts.tv_nsec;
}

/* ns that this thread has waited for a CPU. By system calls of our own. */
static uint64_t delay_ns (void)
{
    char buf[128], *at;
    long fd =
        syscall (SYS_openat, AT_FDCWD, "/proc/thread-self/schedstat", O_RDONLY);
    long n = syscall (SYS_read, fd, buf, sizeof (buf) - 1);

    (void)syscall (SYS_close, fd);
    if (n <= 0)
        die ("schedstat");
    buf[n] = '\0';
    at = strchr (buf, ' ');
    return at ? strtoull (at, NULL, 10) : 0;
}

static struct map map_file (const char *dir, const char *name)
{
    char path[4096];
    struct map m;
    struct stat st;
    int fd;

    (void)snprintf (path, sizeof (path), "%s/%s", dir, name);
    if ((fd = open (path, O_RDONLY)) < 0 || fstat (fd, &st) < 0)
        die (path);
    m.p = mmap (NULL, (size_t)st.st_size,
                read_fd >= 0 ? PROT_READ | PROT_WRITE : PROT_READ,
                read_fd >= 0 ? MAP_PRIVATE : MAP_SHARED, fd, 0);
    if (m.p == MAP_FAILED)
        die ("mmap");
    (void)close (fd);
    m.pages = (size_t)st.st_size / PAGE;
    return m;
}

/* The i-th of n, in an order without a pattern: n is coprime to a prime. */
static size_t mix (size_t i, size_t n)
{
    return (size_t)((uint64_t)i * 2654435761u % n);
}

static void touch (const volatile unsigned char *page)
{
    void *p = (void *)(uintptr_t)page;

    if (write_fd >= 0 && pwrite (write_fd, p, PAGE, 0) != PAGE)
        die ("pwrite");
    else if (read_fd >= 0 && read (read_fd, p, 64) != 64)
        die ("read");
    else
        sum += *page;
}

/* The next n pages; returns how many there were. */
static size_t walk_on (struct walk *w, size_t n)
{
    size_t all = w->map ? (w->to - w->from) / w->step : 0, done = 0;

    for (; done < n && w->next < all; done++, w->next++) {
        size_t at = w->mixed ? mix (w->next, all) : w->next;

        touch (&w->map->p[(w->from + at * w->step) * PAGE]);
        if (locked)
            usleep (100);
    }
    return done;
}

static void work (struct job *j)
{
    dftrace_region_t r = {0};
    uint64_t wall, cpu, delay;

    if (!plain)
        r = dftrace_begin ("test", "touch");
    delay = delay_ns ();
    wall = clock_of (CLOCK_MONOTONIC);
    cpu = clock_of (CLOCK_THREAD_CPUTIME_ID);
    for (size_t n = 1; n;) {
        n = walk_on (&j->walk[0], TURN) + walk_on (&j->walk[1], TURN);
        j->told.used += n * PAGE;
    }
    cpu = clock_of (CLOCK_THREAD_CPUTIME_ID) - cpu;
    wall = clock_of (CLOCK_MONOTONIC) - wall;
    delay = delay_ns () - delay;
    if (!plain)
        dftrace_end (&r);
    j->told.wall = wall;
    j->told.slept = wall > cpu + delay ? wall - cpu - delay : 0;
}

static void *thread (void *arg)
{
    work (arg);
    return NULL;
}

static void threads (struct job *j, int n)
{
    pthread_t t[READERS];

    for (int i = 0; i < n; i++)
        if (pthread_create (&t[i], NULL, thread, &j[i]) != 0)
            die ("pthread_create");
    for (int i = 0; i < n; i++)
        pthread_join (t[i], NULL);
}

/* The jobs are in memory that the children share. */
static void forks (struct job *j, int n)
{
    pid_t pid[READERS];
    int status;

    for (int i = 0; i < n; i++)
        if ((pid[i] = fork ()) == 0) {
            work (&j[i]);
            exit (0);
        }
    for (int i = 0; i < n; i++)
        if (waitpid (pid[i], &status, 0) != pid[i] || status != 0)
            exit (1);
}

static struct walk in_order (const struct map *m, size_t step)
{
    return (struct walk){.map = m, .to = m->pages, .step = step};
}

static struct walk at_random (const struct map *m, size_t step)
{
    struct walk w = in_order (m, step);

    w.mixed = 1;
    return w;
}

static void half (struct walk *w, int second)
{
    if (second)
        w->from = w->map->pages / 2;
    else
        w->to = w->map->pages / 2;
}

/* Fill in the jobs of a case; returns how many, 0: no such case. */
static int plan (const char *name, const char *dir, struct job *j)
{
    static struct map a, b;

    if (strcmp (name, "written") == 0)
        write_fd = memfd_create ("written", MFD_CLOEXEC);
    else if (strcmp (name, "filled") == 0)
        read_fd = open ("/dev/zero", O_RDONLY | O_CLOEXEC);
    a = map_file (dir, "a.bin");
    if (strcmp (name, "sequential") == 0)
        j->walk[0] = in_order (&a, 1);
    else if (strcmp (name, "strided") == 0)
        j->walk[0] = in_order (&a, 9);
    else if (strcmp (name, "random") == 0 || strcmp (name, "locked") == 0 ||
             write_fd >= 0 || read_fd >= 0) {
        locked = name[0] == 'l';
        j->walk[0] = at_random (&a, 8);
        (void)madvise ((void *)(uintptr_t)a.p, a.pages * PAGE, MADV_RANDOM);
    } else {
        b = map_file (dir, "b.bin");
        j->walk[0] = in_order (&a, 1);
        j->walk[1] = at_random (&b, 8);
        if (strcmp (name, "files") == 0)
            return 1;
        if (strcmp (name, "threads") == 0) {
            j[1].walk[0] = j->walk[1];
            j->walk[1].map = NULL;
            return 2;
        }
        if (strcmp (name, "forked") != 0)
            return 0;
        for (int i = 0; i < READERS; i++) {
            j[i].walk[0] = i < 2 ? in_order (&a, 1) : at_random (&b, 8);
            j[i].walk[1].map = NULL;
            half (&j[i].walk[0], i % 2);
        }
        return READERS;
    }
    return 1;
}

int main (int argc, char **argv)
{
    struct job *j = mmap (NULL, READERS * sizeof (*j), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct told all = {0};
    int n;

    if (argc < 3 || j == MAP_FAILED)
        return 2;
    plain = argc > 3;
    n = plan (argv[1], argv[2], j);
    if (n == 0)
        return 2;
    if (n == 1)
        work (j);
    else if (n == 2)
        threads (j, n);
    else
        forks (j, n);
    for (int i = 0; i < n; i++) {
        all.slept += j[i].told.slept;
        all.used += j[i].told.used;
        if (j[i].told.wall > all.wall)
            all.wall = j[i].told.wall;
    }
    if (argc > 3 && strcmp (argv[3], "killed") == 0)
        raise (SIGKILL);
    printf ("slept %llu\nwall %llu\nused %llu\n", (unsigned long long)all.slept,
            (unsigned long long)all.wall, (unsigned long long)all.used);
    return 0;
}
