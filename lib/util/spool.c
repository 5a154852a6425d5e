/* SPDX-License-Identifier: MIT
 *
 * spool.c - blocks of data <-> an unnamed temporary file
 *
 * In:  full blocks, from spanlog.c and nest.c
 * Out: the same, when they are asked for
 */
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "lib/util/spool.h"
#include "lib/util/xalloc.h"

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

void spool_fail (int error)
{
    char text[256];

    FORMAT (text, "memory: %s",
            error == ENOSPC ? "no space left for its temporary file in "
                              "/var/tmp: free some, or give --memory more"
                            : strerror (error));
    xalloc_end (error, text);
}

void spool_put (const void *data, size_t n, uint64_t *offset)
{
    const char *p = data;
    uint64_t at;
    int fd;

    pthread_mutex_lock (&spool.lock);
    if (spool.fd < 0)
        spool.fd = spool_file ();
    fd = spool.fd;
    at = *offset = spool.end;
    spool.end += n;
    pthread_mutex_unlock (&spool.lock);
    while (n > 0) {
        ssize_t done = pwrite (fd, p, n, (off_t)at);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            spool_fail (errno);
        p += done;
        at += done;
        n -= done;
    }
}

void spool_get (void *data, size_t n, uint64_t offset)
{
    char *p = data;

    while (n > 0) {
        ssize_t done = pread (spool.fd, p, n, (off_t)offset);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            spool_fail (done ? errno : EIO);
        p += done;
        offset += done;
        n -= done;
    }
}

/* ---- values -> bars, curves and shades of Unicode blocks ---- */

enum { EIGHTHS = 8, SHADES = 4, BYTES = 3 /* of each of these letters */ };

static const char bar_of[EIGHTHS][4] = {
    "\xe2\x96\x8f", "\xe2\x96\x8e", "\xe2\x96\x8d", "\xe2\x96\x8c",
    "\xe2\x96\x8b", "\xe2\x96\x8a", "\xe2\x96\x89", "\xe2\x96\x88"};
static const char height_of[EIGHTHS][4] = {
    "\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84",
    "\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88"};
static const char shade_of[SHADES][4] = {"\xe2\x96\x91", "\xe2\x96\x92",
                                         "\xe2\x96\x93", "\xe2\x96\x88"};

/* 0 for nothing, else 1 to steps. */
static int level (double value, double max, int steps)
{
    if (!(value > 0) || !(max > 0))
        return 0;
    return value >= max ? steps : 1 + (int)((steps - 1) * (value / max));
}

char *blocks_bar (char *buf, double value, double max, int width)
{
    char *p = buf;
    int n;

    if (width > BLOCKS_WIDTH_MAX)
        width = BLOCKS_WIDTH_MAX;
    n = width > 0 ? level (value, max, EIGHTHS * width) : 0;
    for (; n > 0; n -= EIGHTHS, p += BYTES)
        memcpy (p, bar_of[n >= EIGHTHS ? EIGHTHS - 1 : n - 1], BYTES);
    *p = '\0';
    return buf;
}

static char *blocks_row (char *buf,
                         const double *value,
                         size_t n,
                         double max,
                         const char (*letter)[4],
                         int steps)
{
    char *p = buf;

    for (size_t i = 0; i < n && i < BLOCKS_WIDTH_MAX; i++) {
        int l = level (value[i], max, steps);

        if (l == 0) {
            *p++ = ' ';
            continue;
        }
        memcpy (p, letter[l - 1], BYTES);
        p += BYTES;
    }
    *p = '\0';
    return buf;
}

char *blocks_curve (char *buf, const double *value, size_t n, double max)
{
    return blocks_row (buf, value, n, max, height_of, EIGHTHS);
}

char *blocks_shades (char *buf, const double *value, size_t n, double max)
{
    return blocks_row (buf, value, n, max, shade_of, SHADES);
}
