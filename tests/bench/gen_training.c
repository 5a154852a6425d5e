/* SPDX-License-Identifier: MIT
 *
 * gen_training.c - the mix of a training's events, for tests/bench/analyze.sh
 *
 *     gen_training DIR EVENTS
 *
 * In:  nothing but these words
 * Out: DIR/shards/ *.dft: four ranks, each with four loader workers
 *
 * A worker's sample is item { preprocess { file_read { decode } } } with the
 * size, index, step and epoch in its arguments, around open, fstat, lseek,
 * reads and close of one of a thousand files. A rank's step is step { fetch,
 * compute { forward, backward }, barrier }; now and then it writes a
 * checkpoint. Workers make 15 of 16 events.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/genshard.h"

enum {
    RANKS = 4,
    WORKERS = 4, /* of a rank */
    FILES = 1000,
    EPOCH_STEPS = 500,
    CHECKPOINT_STEPS = 100
};

enum {
    ITEM,
    PREPROCESS,
    FILE_READ,
    DECODE,
    STEP,
    FETCH,
    COMPUTE,
    FORWARD,
    BACKWARD,
    BARRIER,
    CHECKPOINT,
    KEY_SIZE,
    KEY_INDEX,
    KEY_STEP,
    KEY_EPOCH,
    MODEL,
    SAMPLES /* files from here on */
};

static const struct genshard_name names[SAMPLES] = {
    [ITEM] = {SHARD_NAME_EVENT, "data\0item", 9},
    [PREPROCESS] = {SHARD_NAME_EVENT, "data\0preprocess", 15},
    [FILE_READ] = {SHARD_NAME_EVENT, "data\0preprocess.file_read", 25},
    [DECODE] = {SHARD_NAME_EVENT, "data\0decode", 11},
    [STEP] = {SHARD_NAME_EVENT, "pipeline\0step", 13},
    [FETCH] = {SHARD_NAME_EVENT, "dataloader\0fetch", 16},
    [COMPUTE] = {SHARD_NAME_EVENT, "compute\0step", 12},
    [FORWARD] = {SHARD_NAME_EVENT, "compute\0forward", 15},
    [BACKWARD] = {SHARD_NAME_EVENT, "compute\0backward", 16},
    [BARRIER] = {SHARD_NAME_EVENT, "comm\0barrier", 12},
    [CHECKPOINT] = {SHARD_NAME_EVENT, "checkpoint\0capture", 18},
    [KEY_SIZE] = {SHARD_NAME_KEY, "image_size", 10},
    [KEY_INDEX] = {SHARD_NAME_KEY, "image_idx", 9},
    [KEY_STEP] = {SHARD_NAME_KEY, "step", 4},
    [KEY_EPOCH] = {SHARD_NAME_KEY, "epoch", 5},
    [MODEL] = {SHARD_NAME_FILE, "/out/checkpoints/model.pt", 25},
};

struct process {
    struct genshard o;
    unsigned step, index; /* so far */
};

/* A region or call that begins now. */
static struct event training_event (struct process *t, enum call c, int name)
{
    struct event ev = {.call = (uint16_t)c, .fd = -1, .offset = -1};

    t->o.now += 100 + genshard_random (&t->o, 400);
    ev.start = t->o.now;
    ev.file = genshard_name (&t->o, (unsigned)name, &names[name]);
    return ev;
}

static void
training_arg (struct process *t, struct event *ev, int key, int64_t i)
{
    ev->args[ev->nargs++] = (struct event_arg){
        .key = genshard_name (&t->o, (unsigned)key, &names[key]),
        .type = EVENT_ARG_INT,
        .i = i};
}

/* It ends `least` ns from now, or up to twice as late. */
static void training_end (struct process *t, struct event *ev, uint64_t least)
{
    t->o.now += least + genshard_random (&t->o, least + 1);
    genshard_emit (&t->o, ev);
}

static void training_call (struct process *t,
                           enum call c,
                           uint32_t file,
                           uint64_t size,
                           int64_t offset,
                           int64_t ret)
{
    struct event ev = {.call = (uint16_t)c,
                       .fd = 7,
                       .file = file,
                       .size = size,
                       .offset = offset,
                       .ret = ret};

    t->o.now += 100 + genshard_random (&t->o, 400);
    ev.start = t->o.now;
    training_end (t, &ev, 500 + size / 16);
}

/* --- a worker ------------------------------------------------------------- */

static uint32_t sample_file (struct process *t, unsigned sample)
{
    char path[64];
    struct genshard_name name = {.kind = SHARD_NAME_FILE, .text = path};

    name.length = (size_t)snprintf (path, sizeof (path),
                                    "/data/train/part-%02u/img_%04u_of_%u.npz",
                                    sample % 40, sample, (unsigned)FILES);
    return genshard_name (&t->o, SAMPLES + sample, &name);
}

static void training_read (struct process *t, uint32_t file, int64_t size)
{
    int64_t at = 0;

    training_call (t, CALL_open, file, 0, -1, 7);
    training_call (t, CALL_fstat, file, 0, -1, 0);
    training_call (t, CALL_lseek, file, 0, 0, 0);
    for (; at < size; at += 65536) {
        int64_t n = size - at < 65536 ? size - at : 65536;

        training_call (t, CALL_read, file, 65536, at, n);
    }
    training_call (t, CALL_read, file, 65536, size, 0); /* the end */
    training_call (t, CALL_close, file, 0, -1, 0);
}

static void training_sample (struct process *t)
{
    unsigned sample = (unsigned)genshard_random (&t->o, FILES);
    int64_t size = 20000 + sample * 131 % 180000;
    uint32_t file = sample_file (t, sample);
    struct event item = training_event (t, CALL_region, ITEM);
    struct event preprocess = training_event (t, CALL_region, PREPROCESS);
    struct event read = training_event (t, CALL_region, FILE_READ), decode;

    training_read (t, file, size);
    decode = training_event (t, CALL_region, DECODE);
    training_end (t, &decode, 20000);
    training_end (t, &read, 200);
    training_arg (t, &preprocess, KEY_SIZE, size);
    training_arg (t, &preprocess, KEY_INDEX, sample);
    training_end (t, &preprocess, 300);
    training_arg (t, &item, KEY_SIZE, size);
    training_arg (t, &item, KEY_INDEX, sample);
    training_arg (t, &item, KEY_STEP, t->step);
    training_arg (t, &item, KEY_EPOCH, t->step / EPOCH_STEPS);
    training_end (t, &item, 200);
    t->step = ++t->index / 8;
}

/* --- a rank --------------------------------------------------------------- */

static void training_checkpoint (struct process *t)
{
    struct event all = training_event (t, CALL_region, CHECKPOINT);
    uint32_t file = genshard_name (&t->o, MODEL, &names[MODEL]);

    training_call (t, CALL_open, file, 0, -1, 7);
    for (int64_t at = 0; at < 16; at++)
        training_call (t, CALL_write, file, 1 << 20, at << 20, 1 << 20);
    training_call (t, CALL_fsync, file, 0, -1, 0);
    training_call (t, CALL_close, file, 0, -1, 0);
    training_end (t, &all, 1000);
}

static void training_part (struct process *t, int name, uint64_t ns)
{
    struct event ev = training_event (t, CALL_region, name);

    training_end (t, &ev, ns);
}

static void training_step (struct process *t)
{
    struct event step = training_event (t, CALL_region, STEP), compute;

    training_part (t, FETCH, 30000);
    compute = training_event (t, CALL_region, COMPUTE);
    training_part (t, FORWARD, 100000);
    training_part (t, BACKWARD, 200000);
    training_end (t, &compute, 500);
    training_part (t, BARRIER, 10000);
    training_arg (t, &step, KEY_STEP, t->step);
    training_arg (t, &step, KEY_EPOCH, t->step / EPOCH_STEPS);
    training_end (t, &step, 300);
    if (t->step++ % CHECKPOINT_STEPS == 0)
        training_checkpoint (t);
}

int main (int argc, char **argv)
{
    static struct process t;
    uint64_t events;

    if (argc != 3) {
        (void)fputs ("usage: gen_training DIR EVENTS\n", stderr);
        return 2;
    }
    events = strtoull (argv[2], NULL, 10);
    genshard_directory (argv[1]);
    for (int i = 0; i < RANKS * (1 + WORKERS); i++) {
        int rank = i / (1 + WORKERS), worker = i % (1 + WORKERS);
        uint32_t main_pid = 1000u + (uint32_t)(i - worker);
        uint64_t share = events / RANKS / 16;

        memset (&t, 0, sizeof (t));
        genshard_begin (&t.o, argv[1], main_pid + (uint32_t)worker,
                        worker ? main_pid : 1, rank);
        if (worker)
            share = share * 15 / WORKERS;
        while (t.o.made < share) {
            genshard_room (&t.o);
            if (worker)
                training_sample (&t);
            else
                training_step (&t);
        }
        genshard_end (&t.o);
    }
    return 0;
}
