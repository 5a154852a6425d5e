/* SPDX-License-Identifier: MIT
 *
 * mixture.c - a random program that does the same for the same seed
 *
 * mixture SEED OPERATIONS FILES THREADS CHILDREN DIR
 *   each thread does so many operations on files of its own in DIR: reads,
 *   writes, seeks, opens, streams, mappings, errors, regions; a child of fork
 *   does the same in one thread. Prints how many bytes its reads and writes
 *   moved, which are what a trace must have of class read and write.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dftrace/dftrace.h"
#include "tests/unit/rng.h"

enum { SIZE_MAX_LOG = 14, OPEN = 4, NAME = 300 };

static long operations, files, threads, children;
static const char *dir;

struct worker {
    uint64_t state;
    int number;
    int fd[OPEN];
    FILE *stream;
    long deep; /* regions that are open */
    uint64_t moved;
    dftrace_region_t region[8];
};

static char *name_of (struct worker *w, char *buf)
{
    (void)snprintf (buf, NAME, "%s/w%d-%04ld.bin", dir, w->number,
                    (long)rng_below (&w->state, (uint64_t)files));
    return buf;
}

static void reopen (struct worker *w, int i)
{
    char name[NAME];

    if (w->fd[i] >= 0)
        (void)close (w->fd[i]);
    w->fd[i] = open (name_of (w, name), O_RDWR | O_CREAT, 0600);
}

static void count (struct worker *w, ssize_t n)
{
    w->moved += n > 0 ? (uint64_t)n : 0;
}

static void transfer (struct worker *w, int fd)
{
    static __thread char buf[(1 << SIZE_MAX_LOG) + 1];
    size_t n = rng_below (&w->state, 1 << rng_below (&w->state, SIZE_MAX_LOG));
    off_t at = (off_t)rng_below (&w->state, 1 << 16);
    struct iovec v[2] = {{buf, n / 2}, {buf + n / 2, n - n / 2}};

    switch (rng_below (&w->state, 6)) {
    case 0:
        count (w, read (fd, buf, n));
        break;
    case 1:
        count (w, write (fd, buf, n));
        break;
    case 2:
        count (w, pread (fd, buf, n, at));
        break;
    case 3:
        count (w, pwrite (fd, buf, n, at & ~(off_t)4095));
        break;
    case 4:
        count (w, readv (fd, v, 2));
        break;
    default: /* a stride */
        count (w, pread (fd, buf, 100, 0));
        count (w, pread (fd, buf, 100, 1000));
        count (w, pread (fd, buf, 100, 2000));
        count (w, pread (fd, buf, 100, 2100));
    }
}

static void with_stream (struct worker *w)
{
    char name[NAME], line[64];

    if (!w->stream)
        w->stream = fopen (name_of (w, name), "a+");
    if (!w->stream)
        return;
    (void)fprintf (w->stream, "number %u\n", (unsigned)rng (&w->state));
    if (rng_below (&w->state, 3) == 0) {
        rewind (w->stream);
        (void)!fgets (line, sizeof (line), w->stream);
        (void)!fread (line, 1, 10, w->stream);
    }
    if (rng_below (&w->state, 5) == 0) {
        (void)fclose (w->stream);
        w->stream = NULL;
    }
}

static void with_name (struct worker *w)
{
    char name[NAME], other[NAME];
    struct stat st;

    (void)name_of (w, name);
    switch (rng_below (&w->state, 6)) {
    case 0:
        (void)stat (name, &st);
        break;
    case 1:
        (void)unlink (name);
        break;
    case 2:
        (void)rename (name, name_of (w, other));
        break;
    case 3: /* an error */
        (void)!open ("/no/such/file", O_RDONLY);
        break;
    case 4:
        (void)!mkdir (name, 0700);
        break;
    default:
        (void)truncate (name, 5000);
    }
}

static void with_map (int fd, uint64_t shared)
{
    void *p = mmap (NULL, 8192, shared ? PROT_READ | PROT_WRITE : PROT_READ,
                    shared ? MAP_SHARED : MAP_PRIVATE, fd, 0);

    if (p != MAP_FAILED)
        (void)munmap (p, 8192);
}

static void with_region (struct worker *w)
{
    static const char *const names[] = {"load", "step", "save"};

    if (w->deep < 8 && rng_below (&w->state, 2))
        w->region[w->deep++] =
            dftrace_begin ("mixture", names[rng_below (&w->state, 3)]);
    else if (w->deep > 0)
        dftrace_end (&w->region[--w->deep]);
    else
        dftrace_instant ("mixture", "instant");
}

static void operate (struct worker *w)
{
    int i = (int)rng_below (&w->state, OPEN);

    switch (rng_below (&w->state, 12)) {
    case 0:
        reopen (w, i);
        break;
    case 1:
        (void)lseek (w->fd[i], (off_t)rng_below (&w->state, 1 << 15), SEEK_SET);
        break;
    case 2:
        with_stream (w);
        break;
    case 3:
        with_name (w);
        break;
    case 4:
        with_map (w->fd[i], rng_below (&w->state, 2));
        break;
    case 5:
        with_region (w);
        break;
    case 6:
        if (rng_below (&w->state, 40) == 0)
            (void)fdatasync (w->fd[i]);
        (void)copy_file_range (w->fd[i], NULL, w->fd[(i + 1) % OPEN], NULL, 777,
                               0);
        break;
    default:
        transfer (w, w->fd[i]);
    }
}

static void *work (void *cookie)
{
    struct worker *w = cookie;

    for (int i = 0; i < OPEN; i++) {
        w->fd[i] = -1;
        reopen (w, i);
    }
    for (long n = 0; n < operations; n++)
        operate (w);
    while (w->deep > 0)
        dftrace_end (&w->region[--w->deep]);
    if (w->stream)
        (void)fclose (w->stream);
    for (int i = 0; i < OPEN; i++)
        (void)close (w->fd[i]);
    return NULL;
}

static void start (struct worker *w, uint64_t seed, int number)
{
    memset (w, 0, sizeof (*w));
    w->state = seed * 1000003 + (uint64_t)number * 7919 + 1;
    w->number = number;
}

int main (int argc, char **argv)
{
    struct worker all[64], child;
    pthread_t id[64];
    uint64_t moved = 0, seed;

    if (argc != 7)
        return 2;
    seed = strtoull (argv[1], NULL, 10);
    operations = atol (argv[2]);
    files = atol (argv[3]);
    threads = atol (argv[4]);
    children = atol (argv[5]);
    dir = argv[6];
    if (threads < 1 || threads > 64)
        return 2;
    for (int i = 0; i < threads; i++) {
        start (&all[i], seed, i);
        if (i > 0 && pthread_create (&id[i], NULL, work, &all[i]) != 0)
            return 1;
    }
    (void)work (&all[0]);
    for (int i = 1; i < threads; i++)
        (void)pthread_join (id[i], NULL);
    for (int i = 0; i < threads; i++)
        moved += all[i].moved;
    for (int i = 0; i < children; i++) {
        pid_t pid = fork ();

        if (pid == 0) {
            start (&child, seed, 100 + i);
            (void)work (&child);
            _exit (0);
        }
        (void)waitpid (pid, NULL, 0);
    }
    printf ("%llu\n", (unsigned long long)moved);
    return 0;
}
