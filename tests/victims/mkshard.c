/* SPDX-License-Identifier: MIT
 *
 * mkshard.c - a made-up training job: shards and the truth about them
 *
 *     mkshard DIR direct|mmap SAMPLES
 *
 * In:  nothing but these words; the same words give the same bytes
 * Out: DIR/shards/ *.dft as two nodes, four ranks, two loader workers each
 *      would have written them; DIR/truth, "name value" lines
 *
 * The truth is counted while the events are made, and times by marking each
 * microsecond in an array: nothing of it is shared with the analyzer.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/core/event.h"
#include "lib/core/layers.h"
#include "tests/victims/truth.h"

enum { WORKERS = 2, CHUNK_BYTES = 4096, NAMES = 32 };

#define REAL_START 1790000000000000000u /* ns */

/* --- shards ------------------------------------------------------------- */

struct out {
    int fd, rank;
    uint64_t base_us; /* of this process's clocks against the job */
    uint64_t mono;    /* its CLOCK_MONOTONIC at its start, ns */
    struct shard_process p;
    char strings[256];
    size_t strings_bytes;
    uint64_t strings_end;
};

struct thread {
    struct out *o;
    uint32_t tid, seq, events;
    struct event_state st;
    unsigned char payload[CHUNK_BYTES];
    size_t used;
    uint64_t start_ns; /* base of the open chunk */
    uint32_t id[NAMES];
};

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
};

enum name_index {
    N_NONE = -1,
    N_BIN,
    N_IDX,
    N_CKPT,
    N_SIZE,
    N_IMAGE,
    N_ITEM,
    N_PREPROCESS,
    N_FILE_READ,
    N_MMAP_READ,
    N_FETCH,
    N_STEP,
    N_FORWARD,
    N_CAPTURE,
    N_TRAIN
};

static void die (const char *what)
{
    (void)fprintf (stderr, "mkshard: %s: %s\n", what, strerror (errno));
    exit (1);
}

static void put (int fd, const void *data, size_t n)
{
    if (write (fd, data, n) != (ssize_t)n)
        die ("write");
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

static void begin_process (struct out *o,
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
    o->mono = 1000000000u * (uint64_t)(rank + 1); /* nodes booted apart */
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
        die (path);
    write_process (o);
}

static void end_process (struct out *o, uint64_t end_us)
{
    if (end_us > truth.last_us)
        truth.last_us = end_us;
    o->p.end_ns = o->mono + (end_us - o->base_us) * 1000;
    o->p.file_bytes = (uint64_t)lseek (o->fd, 0, SEEK_END);
    if (lseek (o->fd, 0, SEEK_SET) < 0)
        die ("lseek");
    write_process (o);
    (void)close (o->fd);
}

static void seal (struct thread *t)
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

static void begin_thread (struct thread *t, struct out *o, uint32_t tid)
{
    memset (t, 0, sizeof (*t));
    t->o = o;
    t->tid = tid;
    begin_chunk (t, o->mono);
}

static uint32_t id_of (struct thread *t, enum name_index n)
{
    if (n == N_NONE)
        return 0;
    if (!t->id[n]) {
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

static void emit (struct thread *t,
                  struct event *ev,
                  enum name_index name,
                  uint64_t start_us,
                  uint64_t end_us)
{
    if (t->used + EVENT_ROOM > CHUNK_BYTES) {
        uint64_t base = t->st.end;

        seal (t);
        begin_chunk (t, base);
    }
    ev->start = ns_of (t, start_us);
    ev->end = ns_of (t, end_us);
    ev->file = id_of (t, name);
    for (int i = 0; i < ev->nargs; i++)
        ev->args[i].key = id_of (t, (enum name_index)ev->args[i].key);
    t->used += event_encode (&t->st, ev, t->payload + t->used);
    t->events++;
}

/* --- calls and regions --------------------------------------------------- */

static void call (struct thread *t,
                  enum call c,
                  enum name_index file,
                  uint64_t at,
                  uint64_t us,
                  uint64_t size,
                  int64_t ret)
{
    struct event ev = {
        .call = (uint16_t)c, .fd = 5, .size = size, .ret = ret, .offset = -1};

    if (c == CALL_open)
        ev.ret = 5;
    emit (t, &ev, file, at, at + us);
    truth.posix++;
    if (call_table[c].class == CALL_CLASS_READ && file == N_BIN) {
        truth.reads++;
        truth.read_bytes += (uint64_t)ret;
        truth.read_us += us;
        truth_mark (MARK_READ, t->o->rank, at, at + us);
    } else if (call_table[c].class == CALL_CLASS_READ)
        truth.other_reads++;
    else if (call_table[c].class == CALL_CLASS_WRITE) {
        truth.writes++;
        truth.write_bytes += (uint64_t)ret;
    } else if (c == CALL_mmap) {
        truth.maps++;
        truth.mapped += size;
    }
}

static void region (struct thread *t,
                    enum name_index name,
                    uint64_t start,
                    uint64_t end,
                    int64_t size,
                    int64_t index)
{
    struct event ev = {.call = CALL_region, .fd = -1, .offset = -1};

    if (size) {
        ev.nargs = 2;
        ev.args[0] = (struct event_arg){
            .key = N_IMAGE, .type = EVENT_ARG_INT, .i = index};
        ev.args[1] =
            (struct event_arg){.key = N_SIZE, .type = EVENT_ARG_INT, .i = size};
    }
    emit (t, &ev, name, start, end);
    truth.app++;
    if (name == N_ITEM || name == N_PREPROCESS || name == N_FILE_READ ||
        name == N_MMAP_READ)
        truth_mark (MARK_LOADER, t->o->rank, start, end);
    if (name == N_FETCH)
        truth_mark (MARK_STALL, t->o->rank, start, end);
    if (name == N_CAPTURE)
        truth_mark (MARK_CKPT, t->o->rank, start, end);
}

/* One sample: item { preprocess { file_read { open lseek read read close } } }
 * or item { preprocess { mmap_read } }; both outer ones carry image_size.
 * Returns when it is over. */
static uint64_t
sample (struct thread *t, uint64_t at, int direct, int index, int salt)
{
    uint64_t read1 = 20 + (uint64_t)(index * 7 + salt * 13) % 60, end;
    int64_t size = 1000 + index % 17 * 100;

    if (direct) {
        call (t, CALL_open, N_BIN, at + 10, 5, 0, 5);
        call (t, CALL_lseek, N_BIN, at + 16, 1, 0, 0);
        call (t, CALL_read, N_BIN, at + 20, read1, (uint64_t)size, size);
        call (t, CALL_read, N_BIN, at + 21 + read1, 3, 100, 0); /* the end */
        call (t, CALL_close, N_BIN, at + 25 + read1, 2, 0, 0);
    }
    end = at + 30 + read1;
    region (t, direct ? N_FILE_READ : N_MMAP_READ, at + 8, end, 0, 0);
    region (t, N_PREPROCESS, at + 4, end + 5, size, index);
    region (t, N_ITEM, at, end + 12, size, index);
    truth.samples++;
    truth.sample_bytes += (uint64_t)size;
    truth.sample_us += end + 12 - at;
    truth.sample_rate += (double)size / ((double)(end + 12 - at) / 1e6);
    truth.items++;
    truth.item_us += end + 12 - at;
    truth.item_self_us += 4 + 7;
    return end + 12;
}

static void worker (
    const char *dir, const char *host, int rank, int w, int direct, int samples)
{
    static struct out o;
    static struct thread t[2];
    uint64_t at = 2000 + (uint64_t)(rank * 37 + w * 53), end[2];

    begin_process (&o, dir, host, rank, 1000u + (uint32_t)(rank * 10 + w + 1),
                   1000u + (uint32_t)rank * 10, at);
    for (int i = 0; i < 2; i++)
        begin_thread (&t[i], &o, o.p.pid + (uint32_t)i * 100);
    call (&t[0], CALL_open, N_IDX, at, 4, 0, 5);
    call (&t[0], CALL_read, N_IDX, at + 5, 9, 4096, 4096);
    call (&t[0], CALL_mmap, N_BIN, at + 20, 9, 1 << 20, 0);
    end[0] = end[1] = at + 40;
    for (int i = 0; i < samples; i++) /* threads take turns, at once */
        end[i % 2] =
            sample (&t[i % 2], end[i % 2] + 15, direct, i, rank * WORKERS + w);
    seal (&t[0]);
    seal (&t[1]);
    end_process (&o, end[0] > end[1] ? end[0] + 10 : end[1] + 10);
}

static void trainer (const char *dir, const char *host, int rank, int steps)
{
    static struct out o;
    static struct thread t;
    uint64_t base = (uint64_t)rank * 21, at = base + 100;

    begin_process (&o, dir, host, rank, 1000u + (uint32_t)rank * 10, 1, base);
    begin_thread (&t, &o, o.p.pid);
    for (int s = 0; s < steps; s++) {
        region (&t, N_FETCH, at, at + 70 + (uint64_t)(rank * s) % 11, 0, 0);
        at += 100;
        region (&t, N_FORWARD, at, at + 40, 0, 0);
        region (&t, N_STEP, at, at + 90, 0, 0);
        at += 100;
        if (s % 4 == 3) {
            call (&t, CALL_open, N_CKPT, at + 5, 3, 0, 5);
            call (&t, CALL_write, N_CKPT, at + 10, 30, 65536, 65536);
            call (&t, CALL_write, N_CKPT, at + 45, 7, 100, 100);
            call (&t, CALL_fsync, N_CKPT, at + 55, 20, 0, 0);
            call (&t, CALL_close, N_CKPT, at + 80, 2, 0, 0);
            region (&t, N_CAPTURE, at, at + 90, 0, 0);
            at += 100;
        }
    }
    region (&t, N_TRAIN, base + 50, at + 5, 0, 0);
    seal (&t);
    end_process (&o, at + 50);
}

int main (int argc, char **argv)
{
    char path[512];
    FILE *out;
    int samples, direct;

    if (argc != 4) {
        (void)fputs ("Usage: mkshard DIR direct|mmap SAMPLES\n", stderr);
        return 2;
    }
    direct = strcmp (argv[2], "direct") == 0;
    samples = atoi (argv[3]);
    (void)snprintf (path, sizeof (path), "%s/shards", argv[1]);
    if ((mkdir (argv[1], 0700) < 0 && errno != EEXIST) ||
        (mkdir (path, 0700) < 0 && errno != EEXIST))
        die (path);
    for (int rank = 0; rank < TRUTH_RANKS; rank++) {
        const char *host = rank < TRUTH_RANKS / 2 ? "n1" : "n2";

        trainer (argv[1], host, rank, 12);
        for (int w = 0; w < WORKERS; w++)
            worker (argv[1], host, rank, w, direct, samples);
    }
    (void)snprintf (path, sizeof (path), "%s/truth", argv[1]);
    if (!(out = fopen (path, "w")))
        die (path);
    truth_print (out);
    if (fclose (out) != 0)
        die (path);
    return 0;
}
