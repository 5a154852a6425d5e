/* SPDX-License-Identifier: MIT
 *
 * gen_trace.c - a large made-up job, for tests/bench/analyze.sh
 *
 *     gen_trace DIR EVENTS THREADS
 *
 * In:  nothing but these words
 * Out: DIR/shards/ *.dft: one process for each thread, with a loop of region,
 *      lseek, four reads, end of region, as a data loader makes them
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/bench/genshard.h"

enum { LOOP = 6, REGION = 0, CORPUS = 1 };

static const struct genshard_name names[] = {
    [REGION] = {SHARD_NAME_EVENT, "data\0item", 9},
    [CORPUS] = {SHARD_NAME_FILE, "/data/corpus.bin", 16},
};

static void call (struct genshard *o, enum call c, uint64_t size, int64_t at)
{
    struct event ev = {.call = (uint16_t)c,
                       .fd = 5,
                       .file = genshard_name (o, CORPUS, &names[CORPUS]),
                       .size = size,
                       .offset = at};

    o->now += 200 + genshard_random (o, 1000);
    ev.start = o->now;
    o->now += 400 + genshard_random (o, 8000);
    ev.ret = c == CALL_lseek ? at : (int64_t)size;
    genshard_emit (o, &ev);
}

static void loop (struct genshard *o)
{
    struct event ev = {.call = CALL_region,
                       .fd = -1,
                       .file = genshard_name (o, REGION, &names[REGION]),
                       .offset = -1};
    int64_t offset = (int64_t)genshard_random (o, 1u << 30) * 4096;

    o->now += 500 + genshard_random (o, 3000);
    ev.start = o->now;
    call (o, CALL_lseek, 0, offset);
    for (int i = 0; i < 4; i++)
        call (o, CALL_read, 4096, offset + 4096 * i);
    o->now += 100;
    genshard_emit (o, &ev);
}

int main (int argc, char **argv)
{
    static struct genshard o;
    uint64_t events;
    unsigned threads;

    if (argc != 4) {
        (void)fputs ("usage: gen_trace DIR EVENTS THREADS\n", stderr);
        return 2;
    }
    events = strtoull (argv[2], NULL, 10);
    threads = (unsigned)strtoul (argv[3], NULL, 10);
    genshard_directory (argv[1]);
    for (unsigned i = 0; i < threads; i++) {
        genshard_begin (&o, argv[1], 1000 + i, 1, (int)i);
        while (o.made < events / threads / LOOP * LOOP) {
            genshard_room (&o);
            loop (&o);
        }
        genshard_end (&o);
    }
    return 0;
}
