/* SPDX-License-Identifier: MIT
 *
 * least.c - the least that a tracer of read () can do, to be preloaded
 *
 * Two time stamps of the cheapest kind, and six bytes into a mapping of a file,
 * below $LEAST_DIR: no name, descriptor, offset, size, result, filter, fork,
 * signal, or end of the room. What a tracer adds beyond this is its own doing.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum { ROOM = 32 << 20, SIX = 6 };

static ssize_t (*real_read) (int fd, void *buf, size_t n);

static _Thread_local struct {
    char *at, *limit;
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

static __attribute__ ((noinline)) void least_map (void)
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
    self.at =
        mmap (NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)0);
    if (self.at == MAP_FAILED)
        abort ();
    self.limit = self.at + ROOM;
    (void)close (fd);
}

ssize_t read (int fd, void *buf, size_t n)
{
    uint64_t start = least_tick (), end, bytes;
    ssize_t rc = real_read (fd, buf, n);

    end = least_tick ();
    bytes = (start & 0xffffff) | (end - start) << 24;
    if (self.limit - self.at < SIX)
        least_map ();
    memcpy (self.at, &bytes, SIX);
    self.at += SIX;
    return rc;
}

__attribute__ ((constructor)) static void least_start (void)
{
    void *next = dlsym (RTLD_NEXT, "read");

    memcpy (&real_read, &next, sizeof (next));
}
