/* SPDX-License-Identifier: MIT
 *
 * spool.c - blocks of data <-> an unnamed temporary file
 *
 * In:  full blocks, from spanlog.c and nest.c
 * Out: the same, when they are asked for
 */
#include "config.h"

#include "lib/util/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    int fd;
    uint64_t end;
    atomic_uint_fast64_t memory, limit;
} spool = {PTHREAD_MUTEX_INITIALIZER, -1, 0, 0, SPOOL_LIMIT};

void spool_limit (uint64_t bytes)
{
    atomic_store (&spool.limit, bytes);
}

int spool_grow (size_t bytes)
{
    return atomic_fetch_add_explicit (&spool.memory, bytes,
                                      memory_order_relaxed) +
               bytes >
           atomic_load_explicit (&spool.limit, memory_order_relaxed);
}

void spool_shrink (size_t bytes)
{
    atomic_fetch_sub_explicit (&spool.memory, bytes, memory_order_relaxed);
}

int spool_file (void)
{
    int fd = open ("/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    if (fd < 0)
        fd = open ("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return fd < 0 ? memfd_create ("dftrace", MFD_CLOEXEC) : fd;
}

int spool_put (const void *data, size_t n, uint64_t *offset)
{
    const char *p = data;
    uint64_t at;
    int fd;

    (void)pthread_mutex_lock (&spool.lock);
    if (spool.fd < 0)
        spool.fd = spool_file ();
    fd = spool.fd;
    at = *offset = spool.end;
    spool.end += n;
    (void)pthread_mutex_unlock (&spool.lock);
    while (fd >= 0 && n > 0) {
        ssize_t done = pwrite (fd, p, n, (off_t)at);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return -1;
        p += done;
        at += (uint64_t)done;
        n -= (size_t)done;
    }
    return fd < 0 ? -1 : 0;
}

int spool_get (void *data, size_t n, uint64_t offset)
{
    char *p = data;

    while (n > 0) {
        ssize_t done = pread (spool.fd, p, n, (off_t)offset);

        if (done < 0 && errno == EINTR)
            continue;
        if (done == 0)
            errno = EIO;
        if (done <= 0)
            return -1;
        p += done;
        offset += (uint64_t)done;
        n -= (size_t)done;
    }
    return 0;
}
