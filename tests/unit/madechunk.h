/* SPDX-License-Identifier: MIT
 *
 * madechunk.h - a trace in memory with one process and one chunk, for
 *               batch.c and batchsame.c
 */
#ifndef DFT_TESTS_UNIT_MADECHUNK_H
#define DFT_TESTS_UNIT_MADECHUNK_H

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyze/trace/batch.h"
#include "lib/format/dense.h"
#include "lib/format/event.h"

enum { ROOM = 1 << 20, MANY = 2 * BATCH_EVENTS + 7 };

#define REAL 1700000000000000000u /* ns */

/* A trace in memory with one process and one chunk. */
static struct made {
    struct event_state st;
    unsigned char payload[ROOM];
    size_t used;
    uint32_t events;
    uint32_t untold; /* bytes that the header leaves out */
    int dense;
    struct tracefile *file;
    struct part part;
} made;

static inline uint32_t
name (enum shard_name_kind kind, const char *text, size_t length)
{
    made.used += event_encode_name (
        &made.st, kind,
        kind == SHARD_NAME_FILE ? FILE_CLASS_STORAGE : FILE_CLASS_UNKNOWN, text,
        length, made.payload + made.used);
    return made.st.names;
}

static inline void add (struct event *ev)
{
    made.used += event_encode (&made.st, ev, made.payload + made.used);
    made.events++;
}

static inline void begin (void)
{
    memset (&made, 0, sizeof (made));
    event_state_init (&made.st, 1000);
}

static void put (int fd, const void *p, size_t n)
{
    assert_int_equal (write (fd, p, n), n);
}

/* The payload as a merged trace has it. */
static void make_dense (struct shard_block *b)
{
    struct dense_writer *w = dense_writer_create ();
    const unsigned char *dense;
    size_t n;

    assert_non_null (w);
    assert_non_null (dense = dense_write (w, made.payload, made.used, &n));
    memset (made.payload, 0, sizeof (made.payload));
    memcpy (made.payload, dense, n);
    b->type = SHARD_BLOCK_DENSE;
    dense_writer_destroy (w);
}

static void write_trace (int fd)
{
    static const char strings[] = "host\0exe\0cwd\0job\0argv";
    struct shard_process p = {.version = SHARD_VERSION,
                              .pid = 7,
                              .tick_hz = 1000000000,
                              .start_ns = 500,
                              .start_real = REAL,
                              .clock_offset = 100,
                              .strings_bytes = sizeof (strings)};
    struct shard_block b = {.magic = SHARD_MAGIC,
                            .type = SHARD_BLOCK_PROCESS,
                            .flags = SHARD_SEALED,
                            .capacity = 4096,
                            .commit = sizeof (p) + sizeof (strings)};
    unsigned char block[4096] = {0};

    memcpy (block + sizeof (b), &p, sizeof (p));
    memcpy (block + sizeof (b) + sizeof (p), strings, sizeof (strings));
    b.check = shard_block_check (&b);
    b.checksum = shard_process_sum (block + sizeof (b), sizeof (strings));
    memcpy (block, &b, sizeof (b));
    put (fd, block, sizeof (block));
    b = (struct shard_block){.magic = SHARD_MAGIC,
                             .type = SHARD_BLOCK_EVENTS,
                             .flags = SHARD_SEALED,
                             .capacity = ROOM + sizeof (b),
                             .tid = 9,
                             .base = 1000,
                             .commit = (uint64_t)made.events << 32 |
                                       (made.used - made.untold)};
    if (made.dense)
        make_dense (&b);
    b.check = shard_block_check (&b);
    b.checksum = shard_events_sum (&b, made.payload);
    put (fd, &b, sizeof (b));
    put (fd, made.payload, ROOM);
}

static inline struct batch_reader *open_chunk (struct dict *d)
{
    int fd = memfd_create ("batch", 0);
    struct batch_reader *r = batch_reader_create (d);
    struct errtext err;

    write_trace (fd);
    assert_non_null (made.file = tracefile_openfd (fd, "batch", &err));
    made.part = (struct part){.file = made.file,
                              .who = tracefile_process (made.file, 0)};
    assert_non_null (r);
    assert_int_equal (
        batch_reader_chunk (r, &made.part, 3, tracefile_chunk (made.file, 0)),
        0);
    return r;
}

static inline void end (struct batch_reader *r, struct dict *d)
{
    batch_reader_destroy (r);
    dict_destroy (d);
    tracefile_close (made.file);
}

#endif
