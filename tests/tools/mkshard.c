/* SPDX-License-Identifier: MIT
 *
 * mkshard.c - a made-up training job: shards and the truth about them
 *
 *     mkshard DIR direct|mmap SAMPLES
 *     mkshard DIR copy COPIES
 *     mkshard DIR faults FAULTS
 *     mkshard DIR waits|calm READS
 *     mkshard DIR family SEED (0: one process, of several threads)
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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/format/calls.h"
#include "lib/format/event.h"
#include "preload/record/usage.h"
#include "tests/tools/madeshard.h"
#include "tests/tools/truth.h"

enum { WORKERS = 2 };

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
    made_event (t, &ev, file, at, at + us);
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
    made_event (t, &ev, name, start, end);
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

    made_process (&o, dir, host, rank, 1000u + (uint32_t)(rank * 10 + w + 1),
                  1000u + (uint32_t)rank * 10, at);
    for (int i = 0; i < 2; i++)
        made_thread (&t[i], &o, o.p.pid + (uint32_t)i * 100);
    call (&t[0], CALL_open, N_IDX, at, 4, 0, 5);
    call (&t[0], CALL_read, N_IDX, at + 5, 9, 4096, 4096);
    call (&t[0], CALL_mmap, N_BIN, at + 20, 9, 1 << 20, 0);
    end[0] = end[1] = at + 40;
    for (int i = 0; i < samples; i++) /* threads take turns, at once */
        end[i % 2] =
            sample (&t[i % 2], end[i % 2] + 15, direct, i, rank * WORKERS + w);
    made_seal (&t[0]);
    made_seal (&t[1]);
    made_process_end (&o, end[0] > end[1] ? end[0] + 10 : end[1] + 10);
}

static void trainer (const char *dir, const char *host, int rank, int steps)
{
    static struct out o;
    static struct thread t;
    uint64_t base = (uint64_t)rank * 21, at = base + 100;

    made_process (&o, dir, host, rank, 1000u + (uint32_t)rank * 10, 1, base);
    made_thread (&t, &o, o.p.pid);
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
    made_seal (&t);
    made_process_end (&o, at + 50);
}

/* A program that copies 64 MiB inside the kernel, again and again. */
static void copier (const char *dir, int copies)
{
    enum { COPIED = 64 << 20 };
    static struct out o;
    static struct thread t;
    uint64_t at = 100;

    made_process (&o, dir, "n1", -1, 1000, 1, 0);
    made_thread (&t, &o, o.p.pid);
    for (int i = 0; i < copies; i++, at += 5000) {
        struct event ev = {.call = CALL_copy_file_range,
                           .fd = 5,
                           .size = COPIED,
                           .ret = COPIED,
                           .offset = 0,
                           .file2 = N_CKPT};

        made_event (&t, &ev, N_BIN, at, at + 4000);
    }
    made_seal (&t);
    made_process_end (&o, at + 50);
}

/* What the kernel has counted for a process: bytes from storage, faults. */
static void usage (struct thread *t, uint64_t at, int64_t bytes, int64_t faults)
{
    struct event ev = {
        .call = CALL_mm_usage,
        .fd = -1,
        .offset = -1,
        .nargs = 2,
        .args = {{.key = N_MM_READ, .type = EVENT_ARG_INT, .i = bytes},
                 {.key = N_MM_MAJOR, .type = EVENT_ARG_INT, .i = faults}}};

    made_event (t, &ev, N_NONE, at, at);
}

/* A program that sleeps for page faults of a mapped file, 500 us each. */
static void sleeper (const char *dir, int faults)
{
    enum { PAGE = 4096 };
    static struct out o;
    static struct thread t;
    struct event ev = {.call = CALL_mm_sources,
                       .fd = -1,
                       .offset = -1,
                       .flags = MM_RUSAGE | MM_PERF | MM_PERF_SWITCH};
    uint64_t at = 1000;

    made_process (&o, dir, "n1", -1, 1000, 1, 0);
    o.p.layers |= LAYER_MMAP;
    made_thread (&t, &o, o.p.pid);
    made_event (&t, &ev, N_NONE, 100, 100);
    ev = (struct event){.call = CALL_mm_pages, .fd = -1, .size = 1 << 20};
    made_event (&t, &ev, N_BIN, 110, 110);
    usage (&t, 120, 0, 0);
    for (int i = 0; i < faults; i++, at += 20000) {
        ev = (struct event){.call = CALL_page_fault,
                            .fd = -1,
                            .offset = PAGE * i,
                            .flags = o.p.pid};
        made_event (&t, &ev, N_BIN, at, at + 500);
        usage (&t, at + 600, PAGE * (i + 1), i + 1);
    }
    made_seal (&t);
    made_process_end (&o, at + 50);
}

/* A program that reads for 10 us every 100 us. Between its reads it computes
 * for 20 us and sleeps for 30 us, as it knows itself; of its other thread the
 * sampler tells that it waits for a lock. calm: nothing but the reads. */
static void waiter (const char *dir, int reads, int calm)
{
    static struct out o;
    static struct thread t, sampler;
    uint64_t at = 100;

    made_process (&o, dir, "n1", 0, 1000, 1, 0);
    made_thread (&t, &o, o.p.pid);
    made_thread (&sampler, &o, o.p.pid + 1);
    for (int i = 0; i < reads; i++, at += 100) {
        struct event ev = {.call = CALL_wait_sleep, .fd = -1, .offset = -1};

        call (&t, CALL_read, N_BIN, at, 10, 4096, 4096);
        if (calm)
            continue;
        made_event (&t, &ev, N_NONE, at + 30, at + 60);
        ev.call = CALL_wait_run;
        ev.flags = (uint64_t)o.p.pid << WAIT_TID_SHIFT | WAIT_ESTIMATE;
        made_event (&sampler, &ev, N_NONE, at + 10, at + 30);
        ev.call = CALL_wait_lock;
        ev.flags = (uint64_t)(o.p.pid + 2) << WAIT_TID_SHIFT | WAIT_ESTIMATE;
        ev.file2 = N_OWNER;
        made_event (&sampler, &ev, N_NONE, at, at + 90);
    }
    made_seal (&t);
    if (!calm)
        made_seal (&sampler);
    made_process_end (&o, at + 50);
}

/* --- processes at random: a shell, what it starts, ranks that train --------
 */

enum { FAMILY_LIFE = 4000 /* us */, FAMILY_CHILDREN = 14 };

static uint64_t family_seed;

static uint64_t any (uint64_t limit)
{
    family_seed = family_seed * 6364136223846793005u + 1442695040888963407u;
    return (family_seed >> 33) % limit;
}

static void family_call (struct thread *t,
                         enum call c,
                         enum name_index file,
                         uint64_t start,
                         uint64_t end)
{
    struct event ev = {.call = (uint16_t)c,
                       .fd = 5,
                       .size = 100,
                       .ret = c == CALL_open ? 5 : 100,
                       .offset = -1};

    made_event (t, &ev, file, start, end);
}

static void family_region (struct thread *t,
                           enum name_index name,
                           uint64_t start,
                           uint64_t end)
{
    struct event ev = {.call = CALL_region, .fd = -1, .offset = -1};

    made_event (t, &ev, name, start, end);
}

static void waits (
    struct thread *t, enum call c, uint64_t start, uint64_t end, int estimate)
{
    struct event ev = {.call = (uint16_t)c,
                       .fd = -1,
                       .offset = -1,
                       .flags = estimate ? WAIT_ESTIMATE : 0};

    made_event (t, &ev, N_NONE, start, end);
}

/* What a main thread does from `at` on; returns when it is over. */
static uint64_t family_act (struct thread *t, uint64_t at, int told)
{
    static const enum name_index files[] = {N_BIN, N_IDX, N_CKPT};
    static const enum call calls[] = {CALL_read, CALL_write, CALL_fsync,
                                      CALL_open, CALL_stat};
    uint64_t end = at + 8 + any (40);
    uint64_t what = any (told ? 10 : 4);

    if (what < 3) {
        enum call c = calls[any (5)];

        if (told && any (3) == 0)
            waits (t, CALL_wait_runq, at + 2, end - 3, 0);
        family_call (t, c, files[any (3)], at, end);
    } else if (what > 3)
        waits (t, CALL_wait_run + (enum call)any (12), at, end, any (2) == 0);
    return end + any (6);
}

static void family_regions (struct thread *t, uint64_t at, uint64_t end)
{
    while (at + 200 < end) {
        family_call (t, CALL_read, N_BIN, at + 20, at + 20 + 10);
        waits (t, CALL_wait_net, at + 35, at + 45, 0);
        waits (t, CALL_wait_pipe, at + 50, at + 70, 1);
        family_region (t, N_FETCH, at + 10, at + 80);
        waits (t, CALL_wait_lock, at + 110, at + 130, 1);
        family_region (t, N_STEP, at + 90, at + 140);
        at += 150 + any (50);
    }
}

enum family_kind {
    FAMILY_TOLD,   /* its waits are known */
    FAMILY_UNTOLD, /* they are not */
    FAMILY_IDLE,   /* it waits all its life */
    FAMILY_TRAINS,
    FAMILY_SHELL,
    FAMILY_EXEC /* it is another program then */
};

/* A process of a kind; a child where one is to be. */
static void family_process (const char *dir,
                            enum family_kind kind,
                            int rank,
                            uint32_t pid,
                            uint32_t ppid,
                            uint64_t start,
                            uint64_t end)
{
    struct out o;
    struct thread t, other, works;
    uint64_t at = start + any (5);

    made_process (&o, dir, "n1", rank, pid, ppid, start);
    made_thread (&t, &o, pid);
    made_thread (&other, &o, pid + 1000);
    made_thread (&works, &o, pid + 2000);
    if (kind != FAMILY_IDLE) { /* so that the first thread is the main one */
        family_call (&t, CALL_read, N_BIN, at, at + 5);
        at += 5;
    }
    if (kind == FAMILY_IDLE)
        waits (&t, CALL_wait_poll, start + 1, end - 1, 0);
    else if (kind == FAMILY_TRAINS)
        family_regions (&t, at, end);
    else if (kind == FAMILY_UNTOLD)
        family_call (&t, CALL_read, N_BIN, end - 20, end - 20 + 5);
    else
        while (at + 60 < end)
            if (kind == FAMILY_SHELL && any (3)) {
                uint64_t until = at + 20 + any (400);

                until = until < end ? until : end - 1;
                waits (&t, CALL_wait_child, at, until, 0);
                at = until + any (30);
            } else
                at = family_act (&t, at, 1);
    made_seal (&t);
    for (at = start + any (300); kind != FAMILY_IDLE && at + 40 < end;
         at += 40 + any (any (2) ? 300 : 4000))
        family_call (&other, CALL_read, N_BIN, at, at + 30);
    for (at = start + any (300); kind != FAMILY_IDLE && at + 40 < end;
         at += 100 + any (800))
        waits (&works, any (3) ? CALL_wait_run : CALL_wait_runq, at, at + 40,
               1);
    if (other.events)
        made_seal (&other);
    if (works.events)
        made_seal (&works);
    if (kind == FAMILY_EXEC)
        o.p.exec_ns = o.mono + (end - start) * 1000;
    made_process_end (&o, end);
}

static void family_exec (
    const char *dir, uint32_t pid, uint32_t ppid, uint64_t start, uint64_t end)
{
    char from[512], to[512];
    uint64_t middle = start + (end - start) / 2;

    (void)snprintf (from, sizeof (from), "%s/shards/n1-%u-1.dft", dir, pid);
    (void)snprintf (to, sizeof (to), "%s/shards/n1-%u-0.dft", dir, pid);
    family_process (dir, FAMILY_EXEC, -1, pid, ppid, start, middle);
    if (rename (from, to) < 0)
        made_die (from);
    family_process (dir, FAMILY_TOLD, -1, pid, ppid, middle + 17, end);
}

static void family (const char *dir, int seed)
{
    static const enum family_kind kinds[] = {
        FAMILY_TOLD, FAMILY_TOLD, FAMILY_UNTOLD, FAMILY_IDLE, FAMILY_EXEC};
    uint32_t parent = 100;

    family_seed = (uint64_t)seed;
    if (!seed) {
        family_process (dir, FAMILY_TOLD, -1, 100, 1, 0, FAMILY_LIFE);
        return;
    }
    family_process (dir, FAMILY_SHELL, -1, 100, 1, 0, FAMILY_LIFE);
    for (uint32_t pid = 101; pid < 101 + FAMILY_CHILDREN; pid++) {
        uint64_t start = 20 + any (FAMILY_LIFE);
        uint64_t end = start + 150 + any (800);
        enum family_kind kind = kinds[any (5)];

        if (kind == FAMILY_EXEC)
            family_exec (dir, pid, parent, start, end);
        else
            family_process (dir, kind, any (6) ? -1 : 3, pid, parent, start,
                            end);
        parent = any (3) ? 100 : pid;
    }
    if (seed % 2)
        return;
    family_process (dir, FAMILY_TRAINS, 0, 200, 100, 300, 2500);
    family_process (dir, FAMILY_TOLD, 0, 201, 200, 700, 1900);
    family_process (dir, FAMILY_TOLD, 0, 202, 200, 2300, 2900);
    family_process (dir, FAMILY_TRAINS, 1, 210, 100, 350, 2700);
}

int main (int argc, char **argv)
{
    char path[512];
    FILE *out;
    int samples, direct;

    if (argc != 4) {
        (void)fputs (
            "Usage: mkshard DIR direct|mmap|copy|faults|waits|calm|family "
            "COUNT\n",
            stderr);
        return 2;
    }
    direct = strcmp (argv[2], "direct") == 0;
    samples = atoi (argv[3]);
    (void)snprintf (path, sizeof (path), "%s/shards", argv[1]);
    if ((mkdir (argv[1], 0700) < 0 && errno != EEXIST) ||
        (mkdir (path, 0700) < 0 && errno != EEXIST))
        made_die (path);
    if (strcmp (argv[2], "copy") == 0) {
        copier (argv[1], samples);
        return 0;
    }
    if (strcmp (argv[2], "waits") == 0 || strcmp (argv[2], "calm") == 0) {
        waiter (argv[1], samples, *argv[2] == 'c');
        return 0;
    }
    if (strcmp (argv[2], "family") == 0) {
        family (argv[1], samples);
        return 0;
    }
    if (strcmp (argv[2], "faults") == 0) {
        sleeper (argv[1], samples);
        return 0;
    }
    for (int rank = 0; rank < TRUTH_RANKS; rank++) {
        const char *host = rank < TRUTH_RANKS / 2 ? "n1" : "n2";

        trainer (argv[1], host, rank, 12);
        for (int w = 0; w < WORKERS; w++)
            worker (argv[1], host, rank, w, direct, samples);
    }
    (void)snprintf (path, sizeof (path), "%s/truth", argv[1]);
    if (!(out = fopen (path, "w")))
        made_die (path);
    truth_print (out);
    if (fclose (out) != 0)
        made_die (path);
    return 0;
}
