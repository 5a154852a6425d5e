/* SPDX-License-Identifier: MIT
 *
 * madeshard.c - processes, threads, events -> files of the shard format
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/format/calls.h"
#include "tests/tools/madeshard.h"
#include "tests/tools/truth.h"

#define REAL_START 1790000000000000000u /* ns */

static const struct {
    enum shard_name_kind kind;
    const char *text;
    size_t length;
} names[] = {
#define EVENT(CATEGORY, NAME)                                        \
    {                                                                \
        SHARD_NAME_EVENT, CATEGORY "\0" NAME, sizeof (CATEGORY NAME) \
    }
#define TEXT(KIND, T)           \
    {                           \
        KIND, T, sizeof (T) - 1 \
    }
    TEXT (SHARD_NAME_FILE, "/data/corpus.bin"),
    TEXT (SHARD_NAME_FILE, "/data/corpus.idx"),
    TEXT (SHARD_NAME_FILE, "/out/checkpoints/rank.pt"),
    TEXT (SHARD_NAME_KEY, "image_size"),
    TEXT (SHARD_NAME_KEY, "image_idx"),
    EVENT ("data", "item"),
    EVENT ("data", "preprocess"),
    EVENT ("data", "preprocess.file_read"),
    EVENT ("data", "preprocess.mmap_read"),
    EVENT ("dataloader", "fetch"),
    EVENT ("compute", "step"),
    EVENT ("compute", "forward"),
    EVENT ("checkpoint", "capture"),
    EVENT ("pipeline", "train"),
    TEXT (SHARD_NAME_KEY, "mm.read"),
    TEXT (SHARD_NAME_KEY, "mm.major"),
    TEXT (SHARD_NAME_TEXT, "under libgomp.so.1 (likely)"),
};

_Noreturn void made_die (const char *what)
{
    (void)fprintf (stderr, "mkshard: %s: %s\n", what, strerror (errno));
    exit (1);
}

static void put (int fd, const void *data, size_t n)
{
    if (write (fd, data, n) != (ssize_t)n)
        made_die ("write");
}

static void put_zeros (int fd, size_t n)
{
    static const unsigned char zeros[SHARD_PROCESS_BYTES];

    put (fd, zeros, n);
}

static void write_process (struct out *o)
{
    struct shard_block b = {.magic = SHARD_MAGIC,
                            .type = SHARD_BLOCK_PROCESS,
                            .flags = SHARD_SEALED,
                            .capacity = SHARD_PROCESS_BYTES};
    size_t n = sizeof (o->p) + o->strings_bytes;

    b.commit = n;
    b.checksum = shard_checksum (&o->p, SHARD_PROCESS_LIVE, 0);
    b.checksum = shard_checksum (o->strings, o->strings_bytes, b.checksum);
    b.check = shard_block_check (&b);
    put (o->fd, &b, sizeof (b));
    put (o->fd, &o->p, sizeof (o->p));
    put (o->fd, o->strings, o->strings_bytes);
    put_zeros (o->fd, SHARD_PROCESS_BYTES - sizeof (b) - n);
}

void made_process (struct out *o,
                   const char *dir,
                   const char *host,
                   int rank,
                   uint32_t pid,
                   uint32_t ppid,
                   uint64_t base_us)
{
    char path[512];
    int n;

    memset (o, 0, sizeof (*o));
    o->rank = rank;
    o->base_us = base_us;
    o->mono = 1000000000u * (uint64_t)(rank + 2); /* nodes booted apart */
    o->p.version = SHARD_VERSION;
    o->p.pid = pid;
    o->p.ppid = ppid;
    o->p.rank = rank;
    o->p.ranks = TRUTH_RANKS;
    o->p.array_task_id = o->p.step_id = -1;
    o->p.clock = SHARD_CLOCK_MONOTONIC;
    o->p.layers = LAYER_POSIX | LAYER_STDIO | LAYER_APP;
    o->p.start_real = REAL_START + base_us * 1000;
    o->p.start_ns = o->p.start_tick = o->mono;
    o->p.tick_hz = 1000000000u;
    n = snprintf (o->strings, sizeof (o->strings),
                  "%s%c/bin/train%c/work%cjob%ctrain\x1f--steps", host, 0, 0, 0,
                  0);
    o->strings_bytes = (size_t)n + 1;
    o->p.strings_bytes = (uint32_t)o->strings_bytes;
    (void)snprintf (path, sizeof (path), "%s/shards/%s-%u-1.dft", dir, host,
                    pid);
    o->fd = open (path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (o->fd < 0)
        made_die (path);
    write_process (o);
}

void made_process_end (struct out *o, uint64_t end_us)
{
    if (end_us > truth.last_us)
        truth.last_us = end_us;
    if (!o->p.exec_ns)
        o->p.end_ns = o->mono + (end_us - o->base_us) * 1000;
    o->p.file_bytes = (uint64_t)lseek (o->fd, 0, SEEK_END);
    if (lseek (o->fd, 0, SEEK_SET) < 0)
        made_die ("lseek");
    write_process (o);
    (void)close (o->fd);
}

void made_seal (struct thread *t)
{
    struct shard_block b = {.magic = SHARD_MAGIC,
                            .type = SHARD_BLOCK_EVENTS,
                            .flags = SHARD_SEALED,
                            .capacity = CHUNK_BYTES + sizeof (b),
                            .tid = t->tid,
                            .seq = t->seq++,
                            .base = t->start_ns,
                            .base_ns = t->start_ns};

    b.capacity = 2 * CHUNK_BYTES;
    b.commit = (uint64_t)t->events << 32 | t->used;
    b.check = shard_block_check (&b);
    b.checksum = shard_events_sum (&b, t->payload);
    put (t->o->fd, &b, sizeof (b));
    put (t->o->fd, t->payload, t->used);
    put_zeros (t->o->fd, b.capacity - sizeof (b) - t->used);
    t->o->p.events_sealed += t->events;
    t->o->p.chunks++;
}

static uint64_t ns_of (const struct thread *t, uint64_t us)
{
    return t->o->mono + (us - t->o->base_us) * 1000;
}

static void begin_chunk (struct thread *t, uint64_t ns)
{
    t->start_ns = ns;
    t->used = 0;
    t->events = 0;
    memset (t->id, 0, sizeof (t->id));
    event_state_init (&t->st, ns);
}

void made_thread (struct thread *t, struct out *o, uint32_t tid)
{
    memset (t, 0, sizeof (*t));
    t->o = o;
    t->tid = tid;
    begin_chunk (t, o->mono);
}

/* A name by its likeness to the row before, if this chunk has that. */
static size_t like_one_before (struct thread *t, enum name_index n)
{
    struct event_like like = {.prefix = 0};

    if (n == 0 || !t->id[n - 1] || names[n - 1].kind != names[n].kind)
        return 0;
    while (like.prefix < names[n].length && like.prefix < names[n - 1].length &&
           names[n].text[like.prefix] == names[n - 1].text[like.prefix])
        like.prefix++;
    like.back = t->st.names + 1 - t->id[n - 1];
    t->id[n] = t->st.names + 1;
    return event_encode_like (&t->st, &like, names[n].text, names[n].length,
                              t->payload + t->used);
}

static uint32_t id_of (struct thread *t, enum name_index n)
{
    if (n == N_NONE)
        return 0;
    if (!t->id[n]) {
        t->used += like_one_before (t, n);
        if (t->id[n])
            return t->id[n];
        t->used += event_encode_name (
            &t->st, names[n].kind,
            names[n].kind == SHARD_NAME_FILE ? FILE_CLASS_STORAGE
                                             : FILE_CLASS_UNKNOWN,
            names[n].text, names[n].length, t->payload + t->used);
        t->id[n] = t->st.names;
    }
    return t->id[n];
}

/* Bytes that one event and its names take at most. */
enum { EVENT_ROOM = 1024 };

void made_event (struct thread *t,
                 struct event *ev,
                 enum name_index name,
                 uint64_t start_us,
                 uint64_t end_us)
{
    if (t->used + EVENT_ROOM > CHUNK_BYTES) {
        uint64_t base = t->st.end;

        made_seal (t);
        begin_chunk (t, base);
    }
    ev->start = ns_of (t, start_us);
    ev->end = ns_of (t, end_us);
    ev->file = id_of (t, name);
    if (ev->file2)
        ev->file2 = id_of (t, (enum name_index)ev->file2);
    for (int i = 0; i < ev->nargs; i++)
        ev->args[i].key = id_of (t, (enum name_index)ev->args[i].key);
    t->used += event_encode (&t->st, ev, t->payload + t->used);
    t->events++;
}
