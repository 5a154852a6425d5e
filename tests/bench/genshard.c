/* SPDX-License-Identifier: MIT
 *
 * genshard.c - processes and events -> large shards
 */
#include "config.h"

#include "tests/bench/genshard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/format/calls.h"

#define REAL_START 1790000000000000000u /* ns */

_Noreturn void genshard_die (const char *what)
{
    (void)fprintf (stderr, "%s: %s: %s\n", program_invocation_short_name, what,
                   strerror (errno));
    exit (1);
}

static void genshard_put (int fd, const void *data, size_t n)
{
    if (write (fd, data, n) != (ssize_t)n)
        genshard_die ("write");
}

uint64_t genshard_random (struct genshard *o, uint64_t limit)
{
    o->seed = o->seed * 6364136223846793005u + 1442695040888963407u;
    return (o->seed >> 33) % limit;
}

void genshard_directory (const char *dir)
{
    char path[4096];

    (void)snprintf (path, sizeof (path), "%s/shards", dir);
    if ((mkdir (dir, 0700) < 0 && errno != EEXIST) ||
        (mkdir (path, 0700) < 0 && errno != EEXIST))
        genshard_die (path);
}

/* --- processes ------------------------------------------------------------ */

static void write_process (struct genshard *o)
{
    static const char strings[] = "n1\0/bin/train\0/work\0job\0train";
    static unsigned char block[SHARD_PROCESS_BYTES];
    struct shard_block b = {.magic = SHARD_MAGIC,
                            .type = SHARD_BLOCK_PROCESS,
                            .flags = SHARD_SEALED,
                            .capacity = SHARD_PROCESS_BYTES};

    o->p.strings_bytes = sizeof (strings);
    memcpy (block + sizeof (b), &o->p, sizeof (o->p));
    memcpy (block + sizeof (b) + sizeof (o->p), strings, sizeof (strings));
    b.commit = sizeof (o->p) + sizeof (strings);
    b.checksum = shard_process_sum (block + sizeof (b), sizeof (strings));
    b.check = shard_block_check (&b);
    memcpy (block, &b, sizeof (b));
    if (pwrite (o->fd, block, sizeof (block), 0) != (ssize_t)sizeof (block))
        genshard_die ("write");
}

static void begin_chunk (struct genshard *o)
{
    o->base = o->now;
    o->events = 0;
    o->used = 0;
    event_state_init (&o->st, o->base);
    memset (o->id, 0, sizeof (o->id));
}

void genshard_begin (
    struct genshard *o, const char *dir, uint32_t pid, uint32_t ppid, int rank)
{
    char path[4096];

    memset (o, 0, sizeof (*o));
    (void)snprintf (path, sizeof (path), "%s/shards/n1-%u-1.dft", dir, pid);
    if ((o->fd = open (path, O_RDWR | O_CREAT | O_TRUNC, 0600)) < 0)
        genshard_die (path);
    o->seed = pid;
    o->now = 1000000000u;
    o->p = (struct shard_process){.version = SHARD_VERSION,
                                  .pid = pid,
                                  .ppid = ppid,
                                  .rank = rank,
                                  .array_task_id = -1,
                                  .step_id = -1,
                                  .clock = SHARD_CLOCK_MONOTONIC,
                                  .layers = LAYER_POSIX | LAYER_APP,
                                  .start_real = REAL_START,
                                  .start_ns = o->now,
                                  .start_tick = o->now,
                                  .tick_hz = 1000000000u};
    if (lseek (o->fd, SHARD_PROCESS_BYTES, SEEK_SET) < 0)
        genshard_die ("lseek");
    begin_chunk (o);
}

static void seal_chunk (struct genshard *o)
{
    struct shard_block b = {.magic = SHARD_MAGIC,
                            .type = SHARD_BLOCK_EVENTS,
                            .flags = SHARD_SEALED,
                            .tid = o->p.pid,
                            .seq = o->seq++,
                            .base = o->base,
                            .base_ns = o->base};
    size_t bytes = (sizeof (b) + o->used + 7) & ~(size_t)7;

    memset (o->block + sizeof (b) + o->used, 0, bytes - sizeof (b) - o->used);
    b.capacity = (uint32_t)bytes;
    b.commit = (uint64_t)o->events << 32 | o->used;
    b.check = shard_block_check (&b);
    b.checksum = shard_events_sum (&b, o->block + sizeof (b));
    memcpy (o->block, &b, sizeof (b));
    genshard_put (o->fd, o->block, bytes);
    o->p.events_sealed += o->events;
    o->p.chunks++;
}

void genshard_end (struct genshard *o)
{
    seal_chunk (o);
    o->p.end_ns = o->now + 1;
    o->p.file_bytes = (uint64_t)lseek (o->fd, 0, SEEK_END);
    write_process (o);
    (void)close (o->fd);
}

/* --- events --------------------------------------------------------------- */

void genshard_room (struct genshard *o)
{
    if (o->used < GENSHARD_PAYLOAD)
        return;
    seal_chunk (o);
    begin_chunk (o);
}

uint32_t genshard_name (struct genshard *o,
                        unsigned index,
                        const struct genshard_name *name)
{
    if (!o->id[index]) {
        o->used += event_encode_name (
            &o->st, name->kind,
            name->kind == SHARD_NAME_FILE ? FILE_CLASS_STORAGE
                                          : FILE_CLASS_UNKNOWN,
            name->text, name->length,
            o->block + sizeof (struct shard_block) + o->used);
        o->id[index] = o->st.names;
    }
    return o->id[index];
}

void genshard_emit (struct genshard *o, struct event *ev)
{
    ev->end = o->now;
    o->used += event_encode (&o->st, ev,
                             o->block + sizeof (struct shard_block) + o->used);
    o->events++;
    o->made++;
}
