/* SPDX-License-Identifier: MIT
 *
 * least.c - the least that a tracer of read () can do, to be preloaded
 *
 * Two time stamps of the cheapest kind, and six bytes into a mapping of a file,
 * below $LEAST_DIR: no name, descriptor, offset, size, result, filter, fork,
 * signal, or end of the room. What a tracer adds beyond this is its own doing.
 * $LEAST_HOW: pages of the file as they are touched; made in pieces beforehand
 * (populate), or by another thread (helper); or pieces of memory, copied
 * (copy).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum { ROOM = 32 << 20, PIECE = 256 << 10, SIX = 6 };
enum how { TOUCHED, POPULATED, HELPED, COPIED };

static ssize_t (*real_read) (int fd, void *buf, size_t n);

static enum how how;
static sem_t due;
static char *piece; /* that the helper is to make */

static _Thread_local struct {
    char *at, *limit, *end; /* limit: of this piece */
    int fd;
} self __attribute__ ((tls_model ("initial-exec")));

/* As <unistd.h> has it; the only name that is to be seen. */
__attribute__ ((visibility ("default"))) ssize_t
read (int fd, void *buf, size_t n);

static inline uint64_t least_tick (void)
{
#ifdef __x86_64__
    return __builtin_ia32_rdtsc ();
#else
    struct timespec ts;

    (void)clock_gettime (CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
#endif
}

static void *least_help (void *unused)
{
    for (;;)
        if (sem_wait (&due) == 0)
            (void)madvise (__atomic_load_n (&piece, __ATOMIC_ACQUIRE), PIECE,
                           MADV_POPULATE_WRITE);
    return unused;
}

static void least_map (void)
{
    const char *dir = getenv ("LEAST_DIR");
    static int files;
    char name[4096];
    int fd;

    (void)snprintf (name, sizeof (name), "%s/%d.%d", dir ? dir : "/tmp",
                    (int)getpid (),
                    __atomic_fetch_add (&files, 1, __ATOMIC_RELAXED));
    fd = open (name, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || posix_fallocate (fd, 0, ROOM) != 0)
        abort ();
    self.at = mmap (NULL, how == COPIED ? PIECE : ROOM, PROT_READ | PROT_WRITE,
                    how == COPIED ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED,
                    how == COPIED ? -1 : fd, (off_t)0);
    if (self.at == MAP_FAILED)
        abort ();
    self.fd = fd;
    self.limit = self.at;
    self.end = self.at + ROOM;
}

static __attribute__ ((noinline)) void least_piece (void)
{
    if (how == COPIED && self.at) {
        self.at = self.limit - PIECE;
        if (write (self.fd, self.at, PIECE) != PIECE)
            abort ();
        return;
    }
    if (self.limit == self.end)
        least_map ();
    if (how == POPULATED)
        (void)madvise (self.limit, PIECE, MADV_POPULATE_WRITE);
    self.limit += PIECE;
    if (how == HELPED && self.limit < self.end) {
        __atomic_store_n (&piece, self.limit, __ATOMIC_RELEASE);
        (void)sem_post (&due);
    }
}

ssize_t read (int fd, void *buf, size_t n)
{
    uint64_t start = least_tick (), end, bytes;
    ssize_t rc = real_read (fd, buf, n);

    end = least_tick ();
    bytes = (start & 0xffffff) | (end - start) << 24;
    if (self.limit - self.at < SIX)
        least_piece ();
    memcpy (self.at, &bytes, SIX);
    self.at += SIX;
    return rc;
}

__attribute__ ((constructor)) static void least_start (void)
{
    static const char *const name[] = {"", "populate", "helper", "copy"};
    const char *want = getenv ("LEAST_HOW");
    void *next = dlsym (RTLD_NEXT, "read");
    pthread_t helper;

    for (enum how h = TOUCHED; want && h <= COPIED; h++)
        if (strcmp (want, name[h]) == 0)
            how = h;
    if (how == HELPED && (sem_init (&due, 0, 0U) != 0 ||
                          pthread_create (&helper, NULL, least_help, NULL)))
        abort ();
    memcpy (&real_read, &next, sizeof (next));
}
