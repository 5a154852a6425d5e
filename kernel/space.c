/* SPDX-License-Identifier: MIT
 *
 * space.c - places, bytes -> a trace file
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "kernel/space.h"
#include "lib/format/shard.h"

enum { SPACE_MODE = 0600 };

void space_start (struct space *s, int dir, const char *name, uint64_t max)
{
    *s = (struct space){
        .dir = dir, .name = name, .fd = -1, .next = SHARD_ALIGN, .max = max};
}

uint64_t space_take (struct space *s, uint32_t size)
{
    uint64_t at = s->next;

    if (s->max && at + size > s->max)
        return 0;
    s->next += size;
    return at;
}

static int space_put (int fd, const char *p, size_t n, uint64_t at)
{
    while (n > 0) {
        ssize_t done = pwrite (fd, p, n, (off_t)at);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return -1;
        p += done;
        at += (uint64_t)done;
        n -= (size_t)done;
    }
    return 0;
}

static int space_put_node (struct space *s)
{
    struct {
        struct shard_block block;
        struct shard_node node;
    } head = {
        .block = {.magic = SHARD_MAGIC,
                  .type = SHARD_BLOCK_NODE,
                  .flags = SHARD_SEALED,
                  .commit = sizeof (struct shard_node),
                  .capacity = SHARD_ALIGN},
        .node = {.version = SHARD_VERSION, .number = 1, .next = s->next},
    };

    head.block.check = shard_block_check (&head.block);
    return space_put (s->fd, (const char *)&head, sizeof (head), 0);
}

static int space_make (struct space *s)
{
    enum {
        FLAGS = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY
    };

    s->fd = openat (s->dir, s->name, FLAGS, SPACE_MODE);
    return s->fd < 0 ? -1 : space_put_node (s);
}

int space_write (struct space *s, const void *bytes, size_t n, uint64_t at)
{
    if (s->fd < 0 && space_make (s) < 0)
        return -1;
    return space_put (s->fd, bytes, n, at);
}

void space_finish (struct space *s)
{
    if (s->fd < 0)
        return;
    s->next |= SHARD_CLOSED;
    (void)space_put_node (s);
    (void)close (s->fd);
    s->fd = -1;
}
