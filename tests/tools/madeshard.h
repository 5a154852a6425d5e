/* SPDX-License-Identifier: MIT
 *
 * madeshard.h - shards written by hand: the format, once more, for tests
 *
 * Whatever fails ends the program.
 */
#ifndef DFT_TESTS_MADESHARD_H
#define DFT_TESTS_MADESHARD_H

#include <stddef.h>
#include <stdint.h>

#include "lib/format/event.h"
#include "lib/format/shard.h"

enum { CHUNK_BYTES = 4096, NAMES = 32 };

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

/* The names of the made-up job: rows of a table in madeshard.c. */
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
    N_TRAIN,
    N_MM_READ,
    N_MM_MAJOR,
    N_OWNER
};

_Noreturn void made_die (const char *what);

/* A process of a rank, in DIR/shards; base_us: when it begins in the job. */
void made_process (struct out *o,
                   const char *dir,
                   const char *host,
                   int rank,
                   uint32_t pid,
                   uint32_t ppid,
                   uint64_t base_us);
void made_process_end (struct out *o, uint64_t end_us);

/* A thread of it; seal writes its open chunk. */
void made_thread (struct thread *t, struct out *o, uint32_t tid);
void made_seal (struct thread *t);

/* An event of that name from start to end, microseconds of the job; keys of
 * its arguments and its second file (0: none) are enum name_index. */
void made_event (struct thread *t,
                 struct event *ev,
                 enum name_index name,
                 uint64_t start_us,
                 uint64_t end_us);

#endif
