/* SPDX-License-Identifier: MIT
 *
 * gen_trace.c - a large made-up job, for bench/analyze.sh
 *
 *     gen_trace DIR EVENTS THREADS
 *
 * In:  nothing but these words
 * Out: DIR/shards/ *.dft: one process for each thread, with a loop of region,
 *      lseek, four reads, end of region, as a data loader makes them
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/core/record/event.h"
#include "lib/core/settings/layers.h"

enum { PAYLOAD = 1 << 18, LOOP = 6, RECORDS_MAX = LOOP * EVENT_BYTES_MAX };

#define REAL_START 1790000000000000000u /* ns */

struct out {
    int fd;
    struct shard_process p;
    struct event_state st;
    unsigned char block[sizeof (struct shard_block) + PAYLOAD + 4096];
    size_t used;
    uint32_t events, seq;
    uint64_t base, now;
    uint64_t seed;
};

static void die (const char *what)
{
    (void)fprintf (stderr, "gen_trace: %s: %s\n", what, strerror (errno));
    exit (1);
}

static void put (int fd, const void *data, size_t n)
{
    if (write (fd, data, n) != (ssize_t)n)
        die ("write");
}

static uint64_t random_of (struct out *o, uint64_t limit)
{
    o->seed = o->seed * 6364136223846793005u + 1442695040888963407u;
    return (o->seed >> 33) % limit;
}

static void write_process (struct out *o)
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
        die ("write");
}

static void begin_chunk (struct out *o)
{
    static const char region[] = "data\0item";
    static const char file[] = "/data/corpus.bin";
    unsigned char *p = o->block + sizeof (struct shard_block);

    o->base = o->now;
    o->events = 0;
    event_state_init (&o->st, o->base);
    o->used = event_encode_name (&o->st, SHARD_NAME_EVENT, FILE_CLASS_UNKNOWN,
                                 region, sizeof (region) - 1, p);
    o->used += event_encode_name (&o->st, SHARD_NAME_FILE, FILE_CLASS_STORAGE,
                                  file, sizeof (file) - 1, p + o->used);
}

static void seal (struct out *o)
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
    put (o->fd, o->block, bytes);
    o->p.events_sealed += o->events;
    o->p.chunks++;
}

static void emit (struct out *o, struct event *ev)
{
    ev->end = o->now;
    o->used += event_encode (&o->st, ev,
                             o->block + sizeof (struct shard_block) + o->used);
    o->events++;
}

static void call (struct out *o, enum call c, uint64_t size, int64_t offset)
{
    struct event ev = {.call = (uint16_t)c,
                       .fd = 5,
                       .file = 2,
                       .size = size,
                       .offset = offset};

    o->now += 200 + random_of (o, 1000);
    ev.start = o->now;
    o->now += 400 + random_of (o, 8000);
    ev.ret = c == CALL_lseek ? offset : (int64_t)size;
    emit (o, &ev);
}

static void loop (struct out *o)
{
    struct event ev = {.call = CALL_region, .fd = -1, .file = 1, .offset = -1};
    int64_t offset = (int64_t)random_of (o, 1u << 30) * 4096;

    o->now += 500 + random_of (o, 3000);
    ev.start = o->now;
    call (o, CALL_lseek, 0, offset);
    for (int i = 0; i < 4; i++)
        call (o, CALL_read, 4096, offset + 4096 * i);
    o->now += 100;
    emit (o, &ev);
}

static void make (const char *dir, unsigned thread, uint64_t events)
{
    static struct out o;
    char path[4096];

    memset (&o, 0, sizeof (o));
    (void)snprintf (path, sizeof (path), "%s/shards/n1-%u-1.dft", dir,
                    1000 + thread);
    if ((o.fd = open (path, O_RDWR | O_CREAT | O_TRUNC, 0600)) < 0)
        die (path);
    o.seed = thread + 1;
    o.now = 1000000000u;
    o.p = (struct shard_process){.version = SHARD_VERSION,
                                 .pid = 1000 + thread,
                                 .ppid = 1,
                                 .rank = (int32_t)thread,
                                 .array_task_id = -1,
                                 .step_id = -1,
                                 .clock = SHARD_CLOCK_MONOTONIC,
                                 .layers = LAYER_POSIX | LAYER_APP,
                                 .start_real = REAL_START,
                                 .start_ns = o.now,
                                 .start_tick = o.now,
                                 .tick_hz = 1000000000u};
    if (lseek (o.fd, SHARD_PROCESS_BYTES, SEEK_SET) < 0)
        die ("lseek");
    begin_chunk (&o);
    for (uint64_t i = 0; i < events / LOOP; i++) {
        if (o.used + RECORDS_MAX > PAYLOAD) {
            seal (&o);
            begin_chunk (&o);
        }
        loop (&o);
    }
    seal (&o);
    o.p.end_ns = o.now + 1;
    o.p.file_bytes = (uint64_t)lseek (o.fd, 0, SEEK_END);
    write_process (&o);
    (void)close (o.fd);
}

int main (int argc, char **argv)
{
    char path[4096];
    uint64_t events;
    unsigned threads;

    if (argc != 4) {
        (void)fputs ("usage: gen_trace DIR EVENTS THREADS\n", stderr);
        return 2;
    }
    events = strtoull (argv[2], NULL, 10);
    threads = (unsigned)strtoul (argv[3], NULL, 10);
    (void)snprintf (path, sizeof (path), "%s/shards", argv[1]);
    if ((mkdir (argv[1], 0700) < 0 && errno != EEXIST) ||
        (mkdir (path, 0700) < 0 && errno != EEXIST))
        die (path);
    for (unsigned i = 0; threads && i < threads; i++)
        make (argv[1], i, events / threads);
    return 0;
}
