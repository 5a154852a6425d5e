/* SPDX-License-Identifier: MIT
 *
 * genshard.h - large made-up shards, for gen_trace.c and gen_training.c
 *
 * Whatever fails ends the program.
 */
#ifndef DFT_BENCH_GENSHARD_H
#define DFT_BENCH_GENSHARD_H

#include "lib/format/event.h"

enum {
    GENSHARD_PAYLOAD = 1 << 18,
    GENSHARD_STEP = 64, /* events between two calls of genshard_room, at most */
    GENSHARD_NAMES = 4096
};

struct genshard_name {
    enum shard_name_kind kind;
    const char *text;
    size_t length;
};

/* One process with one thread. */
struct genshard {
    int fd;
    struct shard_process p;
    struct event_state st;
    unsigned char block[sizeof (struct shard_block) + GENSHARD_PAYLOAD +
                        GENSHARD_STEP * EVENT_BYTES_MAX];
    size_t used;
    uint32_t events, seq;
    uint64_t base;
    uint64_t now; /* ns; what the next event may begin at */
    uint64_t seed;
    uint64_t made;               /* events of all chunks */
    uint32_t id[GENSHARD_NAMES]; /* of names, in the chunk at hand; 0: none */
};

_Noreturn void genshard_die (const char *what);

/* Make DIR and DIR/shards. */
void genshard_directory (const char *dir);

/* Begin DIR/shards/n1-PID-1.dft; o need not be zeroed. */
void genshard_begin (
    struct genshard *o, const char *dir, uint32_t pid, uint32_t ppid, int rank);
void genshard_end (struct genshard *o);

/* Begin another chunk where GENSHARD_STEP events might not fit. */
void genshard_room (struct genshard *o);

/* Number `index` in the dictionary of the chunk, where it is put first. */
uint32_t genshard_name (struct genshard *o,
                        unsigned index,
                        const struct genshard_name *name);

/* An event that ends now; ev->start is set. */
void genshard_emit (struct genshard *o, struct event *ev);

/* 0 … limit - 1. */
uint64_t genshard_random (struct genshard *o, uint64_t limit);

#endif
