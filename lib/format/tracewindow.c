/* SPDX-License-Identifier: MIT
 *
 * tracewindow.c - a part of a trace -> the headers of blocks
 */
#include "config.h"

#include "lib/format/tracewindow.h"

#include <string.h>

#include "lib/format/traceproc.h"

/* Take it from the window, if it is there. */
static int tracewindow_take (const struct tracewindow *w,
                             uint64_t offset,
                             struct shard_block *b)
{
    if (offset < w->at || offset + sizeof (*b) > w->at + w->bytes)
        return 0;
    memcpy (b, w->data + (offset - w->at), sizeof (*b));
    return 1;
}

int tracewindow_head (const struct tracewindow *w,
                      int fd,
                      uint64_t offset,
                      struct shard_block *b)
{
    ssize_t got;

    if (tracewindow_take (w, offset, b))
        return 1;
    got = traceproc_read (fd, b, sizeof (*b), offset);
    return got < 0 ? -1 : got == sizeof (*b);
}

int tracewindow_look (struct tracewindow *w,
                      int fd,
                      uint64_t offset,
                      struct shard_block *b)
{
    ssize_t got;

    if (tracewindow_take (w, offset, b))
        return 1;
    got = traceproc_read (fd, w->data, sizeof (w->data), offset);
    w->at = offset;
    w->bytes = got < 0 ? 0 : (size_t)got;
    return got < 0 ? -1 : tracewindow_take (w, offset, b);
}

uint64_t
tracewindow_zeros (const struct tracewindow *w, uint64_t offset, uint64_t most)
{
    static const unsigned char zeros[SHARD_MERGED_ALIGN];
    uint64_t n = SHARD_MERGED_ALIGN, there = 0;

    if (offset >= w->at && offset < w->at + w->bytes)
        there = w->at + w->bytes - offset;
    if (most > there)
        most = there;
    while (n + sizeof (zeros) <= most &&
           memcmp (w->data + (offset - w->at) + n, zeros, sizeof (zeros)) == 0)
        n += sizeof (zeros);
    return n;
}
