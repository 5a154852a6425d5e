/* SPDX-License-Identifier: MIT
 *
 * mapper.c - a program that touches known pages of a mapped file
 *
 * mapper MODE FILE [PAGES [STRIDE]]   touches the first byte of PAGES pages,
 * STRIDE pages apart (default: all, 1). On standard output: what the kernel
 * says it read for the process between mmap and the end, "io BYTES".
 *
 *   touch     map, close the descriptor, touch
 *   random    without read-ahead, touch
 *   threads   two threads, one half of the file each
 *   fork      map, then a child that touches
 *   pair      the process touches a quarter, then its child the rest
 *   both      read () one half, touch the other
 *   partial   touch, unmap the middle, touch what is left, unmap
 *   move      mremap to twice the size, touch behind the old end
 *   sigbus    truncated under the mapping; exit status 7 from a handler
 *   huge      64 GiB of address space over the file; touches its end
 *   alone     main thread ends by pthread_exit; another one touches and ends
 *   kill      touches, waits for FILE.seen, is killed
 *   short     maps and unmaps the file 100 times
 *   often     the same 20,000 times
 *   many      maps it 3,000 times more
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
#include <unistd.h>

#include "dftrace/dftrace.h"

enum { PAGE = 4096, BUSY = 7 };

static size_t bytes;
static size_t stride = 1;
static volatile unsigned sum;
static long before; /* bytes that the process had from storage by then */

static void die (const char *what)
{
    perror (what);
    exit (1);
}

/* read_bytes of /proc/self/io, by system calls of our own. */
static long io_bytes (void)
{
    char buf[512], *at;
    long fd = syscall (SYS_openat, AT_FDCWD, "/proc/self/io", O_RDONLY);
    long n = syscall (SYS_read, fd, buf, sizeof (buf) - 1);

    (void)syscall (SYS_close, fd);
    if (n <= 0)
        return 0;
    buf[n] = '\0';
    at = strstr (buf, "\nread_bytes: ");
    return at ? atol (at + 13) : 0;
}

static unsigned char *map_file (const char *path, int flags, size_t *n)
{
    int fd = open (path, O_RDONLY);
    struct stat st;
    void *p;

    if (fd < 0 || fstat (fd, &st) < 0)
        die (path);
    if (*n == 0)
        *n = (size_t)st.st_size;
    p = mmap (NULL, *n, PROT_READ, flags, fd, 0);
    if (p == MAP_FAILED)
        die ("mmap");
    (void)close (fd);
    return p;
}

static void touch (const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i += stride * PAGE)
        sum += p[i];
}

/* One region around all of it, as an application would have. */
static void work (const unsigned char *p, size_t n)
{
    dftrace_region_t outer = dftrace_begin ("test", "outer");
    dftrace_region_t r = dftrace_begin ("test", "touch");

    touch (p, n);
    dftrace_end (&r);
    r = dftrace_begin ("test", "rest");
    dftrace_end (&r);
    dftrace_end (&outer);
}

struct half {
    const unsigned char *p;
    size_t n;
    const char *name;
};

static void *run_half (void *arg)
{
    struct half *h = arg;
    dftrace_region_t r = dftrace_begin ("test", h->name);

    touch (h->p, h->n);
    dftrace_end (&r);
    return NULL;
}

static void threads (const unsigned char *p)
{
    struct half half[2] = {{p, bytes / 4, "first"},
                           {p + bytes / 4, bytes - bytes / 4, "second"}};
    pthread_t t[2];

    for (int i = 0; i < 2; i++)
        if (pthread_create (&t[i], NULL, run_half, &half[i]) != 0)
            die ("pthread_create");
    for (int i = 0; i < 2; i++)
        pthread_join (t[i], NULL);
}

/* A child touches what is behind the first n bytes. */
static void forked (const unsigned char *p, size_t n)
{
    pid_t pid;
    int status;

    work (p, n);
    printf ("parent %ld\n", io_bytes () - before);
    fflush (stdout);
    pid = fork ();
    if (pid == 0) {
        work (p + n, bytes - n);
        printf ("child %ld\n", io_bytes ());
        fflush (stdout);
        _exit (0);
    }
    if (waitpid (pid, &status, 0) != pid || status != 0)
        exit (1);
}

static void both (const char *path, const unsigned char *p)
{
    size_t half = bytes / 2 / PAGE * PAGE;
    int fd = open (path, O_RDONLY);
    dftrace_region_t r = dftrace_begin ("test", "both");
    char buf[65536];
    long start = io_bytes ();
    size_t at = 0;
    ssize_t n;

    posix_fadvise (fd, 0, 0, POSIX_FADV_RANDOM);
    while (at < half && (n = read (fd, buf, sizeof (buf))) > 0)
        at += (size_t)n;
    (void)close (fd);
    printf ("read %ld\n", io_bytes () - start);
    touch (p + half, bytes - half);
    dftrace_end (&r);
}

static void partial (unsigned char *p)
{
    size_t part = bytes / 4 / PAGE * PAGE;

    touch (p, bytes);
    munmap (p + part, part);
    touch (p, part);
    touch (p + 2 * part, bytes - 2 * part);
    munmap (p + 2 * part, bytes - 2 * part);
    munmap (p, part);
}

static void move (const char *path)
{
    size_t half = bytes / 2 / PAGE * PAGE;
    unsigned char *p = map_file (path, MAP_SHARED, &half);

    p = mremap (p, half, bytes, MREMAP_MAYMOVE);
    if (p == MAP_FAILED)
        die ("mremap");
    work (p + half, bytes - half);
}

static void on_bus (int sig)
{
    (void)sig;
    exit (BUSY);
}

static void sigbus (const char *path, const unsigned char *p)
{
    struct sigaction sa;

    memset (&sa, 0, sizeof (sa));
    sa.sa_handler = on_bus;
    sigaction (SIGBUS, &sa, NULL);
    if (truncate (path, PAGE) < 0)
        die ("truncate");
    work (p, bytes);
}

static void huge (const char *path)
{
    size_t n = (size_t)64 << 30;
    unsigned char *p = map_file (path, MAP_SHARED | MAP_NORESERVE, &n);

    work (p, bytes);
    usleep (400000); /* for the sampler to walk over it */
}

static void *last_thread (void *arg)
{
    usleep (50000);
    work (arg, bytes);
    return NULL;
}

static void at_end (void)
{
    printf ("ended\n");
}

static void alone (unsigned char *p)
{
    pthread_t t;

    atexit (at_end);
    if (pthread_create (&t, NULL, last_thread, p) != 0)
        die ("pthread_create");
    pthread_exit (NULL);
}

/* Until there is FILE.seen: whoever looks at the trace makes it. */
static void killed (const char *path, const unsigned char *p)
{
    char seen[4096];

    work (p, bytes);
    printf ("io %ld\n", io_bytes ());
    fflush (stdout);
    (void)snprintf (seen, sizeof (seen), "%s.seen", path);
    for (int i = 0; i < 6000 && access (seen, F_OK) < 0; i++)
        usleep (10000);
    raise (SIGKILL);
}

static void briefly (const char *path, int times)
{
    for (int i = 0; i < times; i++) {
        size_t n = 0;
        unsigned char *p = map_file (path, MAP_PRIVATE, &n);

        touch (p, n < bytes ? n : bytes);
        munmap (p, n);
    }
}

static void many (const char *path)
{
    for (int i = 0; i < 3000; i++) {
        size_t n = PAGE;

        (void)map_file (path, MAP_SHARED, &n);
    }
}

static int run (const char *mode, const char *path, unsigned char *p)
{
    if (strcmp (mode, "touch") == 0)
        work (p, bytes);
    else if (strcmp (mode, "random") == 0) {
        madvise (p, bytes, MADV_RANDOM);
        work (p, bytes);
    } else if (strcmp (mode, "threads") == 0)
        threads (p);
    else if (strcmp (mode, "fork") == 0)
        forked (p, 0);
    else if (strcmp (mode, "pair") == 0)
        forked (p, bytes / 4 / PAGE * PAGE);
    else if (strcmp (mode, "both") == 0)
        both (path, p);
    else if (strcmp (mode, "partial") == 0)
        partial (p);
    else if (strcmp (mode, "move") == 0)
        move (path);
    else if (strcmp (mode, "sigbus") == 0)
        sigbus (path, p);
    else if (strcmp (mode, "huge") == 0)
        huge (path);
    else if (strcmp (mode, "alone") == 0)
        alone (p);
    else if (strcmp (mode, "kill") == 0)
        killed (path, p);
    else if (strcmp (mode, "short") == 0)
        briefly (path, 100);
    else if (strcmp (mode, "often") == 0)
        briefly (path, 20000);
    else if (strcmp (mode, "many") == 0)
        many (path);
    else
        return 2;
    return 0;
}

int main (int argc, char **argv)
{
    unsigned char *p;
    size_t n = 0;
    int rc;

    if (argc < 3)
        return 2;
    before = io_bytes ();
    p = map_file (argv[2], MAP_SHARED, &n);
    bytes = n;
    if (argc > 4)
        stride = strtoul (argv[4], NULL, 10);
    if (argc > 3 && strtoul (argv[3], NULL, 10) * stride * PAGE < n)
        bytes = strtoul (argv[3], NULL, 10) * stride * PAGE;
    rc = run (argv[1], argv[2], p);
    printf ("io %ld\n", io_bytes () - before);
    return rc;
}
