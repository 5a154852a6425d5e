/* SPDX-License-Identifier: MIT
 *
 * madejob.h - a job with random events: in a trace, and in an array for
 *             oracles that count them one by one
 */
#ifndef DFT_TESTS_UNIT_MADEJOB_H
#define DFT_TESTS_UNIT_MADEJOB_H

#include "tests/unit/scratch.h"

#include <stdlib.h>
#include <unistd.h>

#include "analyze/trace/find.h"
#include "lib/format/event.h"
#include "tests/unit/rng.h"

enum {
    MADEJOB_PROCESSES = 3,
    MADEJOB_THREADS = 2,  /* of each process */
    MADEJOB_CHUNKS = 4,   /* of each thread */
    MADEJOB_EVENTS = 700, /* of each chunk */
    MADEJOB_ALL =
        MADEJOB_PROCESSES * MADEJOB_THREADS * MADEJOB_CHUNKS * MADEJOB_EVENTS,
    MADEJOB_NAMES = 6,
    MADEJOB_ROOM = 1 << 17,
    MADEJOB_START = 500, /* start_ns of all processes */
    MADEJOB_PID = 70
};

#define MADEJOB_REAL 1700000000000000000u /* ns */

/* Each chunk has these, as ids 1, 2, …; regions are category, NUL, name. */
static const struct madejob_name {
    const char *text;
    size_t length;
    enum shard_name_kind kind;
} madejob_names[MADEJOB_NAMES] = {
    {"/d/a1.bin", 9, SHARD_NAME_FILE}, {"/d/b22.idx", 10, SHARD_NAME_FILE},
    {"c", 1, SHARD_NAME_FILE},         {"data\0item", 9, SHARD_NAME_EVENT},
    {"ai\0x", 4, SHARD_NAME_EVENT},    {"step", 4, SHARD_NAME_KEY},
};

/* An event of thread `thread` of process `process`; times are ns of
 * CLOCK_REALTIME here. */
struct madejob_event {
    unsigned process, thread, chunk;
    struct event ev;
};

static struct madejob_event madejob[MADEJOB_ALL]; /* by thread, in order */

static inline uint32_t madejob_tid (unsigned process, unsigned thread)
{
    return MADEJOB_PID + process * 10 + thread;
}

static void madejob_put (int fd, const void *p, size_t n)
{
    assert_int_equal (write (fd, p, n), n);
}

static void madejob_put_process (int fd, unsigned process)
{
    static const char strings[] = "host\0exe\0cwd\0job\0argv";
    struct shard_process p = {.version = SHARD_VERSION,
                              .pid = madejob_tid (process, 0),
                              .rank = (int32_t)process,
                              .tick_hz = 1000000000,
                              .start_ns = MADEJOB_START,
                              .start_real = MADEJOB_REAL,
                              .strings_bytes = sizeof (strings)};
    struct shard_block b = {.magic = SHARD_MAGIC,
                            .type = SHARD_BLOCK_PROCESS,
                            .flags = SHARD_SEALED,
                            .proc = process,
                            .capacity = 4096,
                            .commit = sizeof (p) + sizeof (strings)};
    unsigned char block[4096] = {0};

    memcpy (block + sizeof (b), &p, sizeof (p));
    memcpy (block + sizeof (b) + sizeof (p), strings, sizeof (strings));
    b.check = shard_block_check (&b);
    b.checksum = shard_process_sum (block + sizeof (b), sizeof (strings));
    memcpy (block, &b, sizeof (b));
    madejob_put (fd, block, sizeof (block));
}

/* Reads, writes, opens, seeks and regions, some of which fail or overlap those
 * of other threads. */
static struct event madejob_draw (uint64_t *seed, uint64_t *now)
{
    static const uint16_t calls[] = {CALL_read,  CALL_pwrite, CALL_open,
                                     CALL_lseek, CALL_region, CALL_fread};
    struct event ev = {.call = calls[rng_below (seed, 6)], .fd = 5};
    int app = ev.call == CALL_region;

    *now += rng_below (seed, 500);
    ev.start = *now;
    *now += rng_below (seed, 900);
    ev.end = *now;
    if (app)
        ev.start -= rng_below (seed, 3000) % (ev.start - 1500);
    ev.file =
        (uint32_t)(app ? 4 + rng_below (seed, 2) : 1 + rng_below (seed, 3));
    ev.size = rng_below (seed, 100000);
    ev.offset = app ? -1 : (int64_t)(rng_below (seed, 50) * 512);
    ev.ret = (int64_t)rng_below (seed, ev.size + 1);
    if (rng_below (seed, 10) == 0 && !app) {
        ev.ret = -1;
        ev.err = 5;
    }
    if (app && rng_below (seed, 2)) {
        ev.nargs = 1;
        ev.args[0] = (struct event_arg){.key = 6, .type = EVENT_ARG_INT};
        ev.args[0].i = (int64_t)rng_below (seed, 5);
    }
    return ev;
}

static void madejob_put_chunk (int fd,
                               struct madejob_event *to,
                               uint64_t *seed,
                               uint64_t *now)
{
    static unsigned char payload[MADEJOB_ROOM];
    struct shard_block b = {.magic = SHARD_MAGIC,
                            .type = SHARD_BLOCK_EVENTS,
                            .flags = SHARD_SEALED,
                            .proc = to->process,
                            .tid = madejob_tid (to->process, to->thread),
                            .seq = to->chunk,
                            .base = *now,
                            .base_ns = *now};
    struct event_state st;
    size_t n = 0;

    event_state_init (&st, b.base);
    for (size_t i = 0; i < MADEJOB_NAMES; i++)
        n += event_encode_name (
            &st, madejob_names[i].kind,
            madejob_names[i].kind == SHARD_NAME_FILE ? FILE_CLASS_STORAGE
                                                     : FILE_CLASS_UNKNOWN,
            madejob_names[i].text, madejob_names[i].length, payload + n);
    for (size_t i = 0; i < MADEJOB_EVENTS; i++) {
        struct event *ev = &to[i].ev;

        *ev = madejob_draw (seed, now);
        n += event_encode (&st, ev, payload + n);
        assert_true (n + EVENT_BYTES_MAX < sizeof (payload));
        ev->start += MADEJOB_REAL - MADEJOB_START;
        ev->end += MADEJOB_REAL - MADEJOB_START;
    }
    n = (n + SHARD_MERGED_ALIGN - 1) & ~(size_t)(SHARD_MERGED_ALIGN - 1);
    b.commit = (uint64_t)MADEJOB_EVENTS << 32 | n;
    b.capacity = (uint32_t)(sizeof (b) + n);
    b.check = shard_block_check (&b);
    b.checksum = shard_events_sum (&b, payload);
    madejob_put (fd, &b, sizeof (b));
    madejob_put (fd, payload, n);
    memset (payload, 0, n);
}

/* Make the events and write them as trace.dft, in the scratch directory. */
static void madejob_make (uint64_t seed)
{
    int fd = open ("trace.dft", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    size_t at = 0;

    assert_true (fd >= 0);
    for (unsigned p = 0; p < MADEJOB_PROCESSES; p++)
        madejob_put_process (fd, p);
    for (unsigned p = 0; p < MADEJOB_PROCESSES; p++)
        for (unsigned t = 0; t < MADEJOB_THREADS; t++) {
            uint64_t now = 5000;

            for (unsigned c = 0; c < MADEJOB_CHUNKS; c++) {
                for (size_t i = 0; i < MADEJOB_EVENTS; i++)
                    madejob[at + i] = (struct madejob_event){p, t, c, {0}};
                madejob_put_chunk (fd, &madejob[at], &seed, &now);
                at += MADEJOB_EVENTS;
            }
        }
    (void)close (fd);
}

/* --- what an event is under a key, found the slow way ----------------------
 */

static inline int madejob_is_app (const struct madejob_event *e)
{
    return e->ev.call == CALL_region;
}

static inline int madejob_failed (const struct madejob_event *e)
{
    return !madejob_is_app (e) && e->ev.ret == -1;
}

static inline int madejob_reads (const struct madejob_event *e)
{
    return e->ev.call == CALL_read || e->ev.call == CALL_fread;
}

static inline int madejob_moves (const struct madejob_event *e)
{
    return madejob_reads (e) || e->ev.call == CALL_pwrite;
}

static inline uint64_t madejob_moved (const struct madejob_event *e)
{
    return madejob_moves (e) && e->ev.ret > 0 ? (uint64_t)e->ev.ret : 0;
}

/* Of a key that is a word of groupkeys.def; one of three files or two regions.
 * buf has 64 bytes. */
static inline const char *
madejob_text (const struct madejob_event *e, const char *key, char *buf)
{
    static const char *const files[] = {"/d/a1.bin", "/d/b22.idx", "c"},
                             *const directories[] = {"/d", "/d", "."},
                             *const patterns[] = {"/d/aN.bin", "/d/bN.idx",
                                                  "c"},
                             *const kinds[] = {"data", "index", "data"};
    const char *call = e->ev.call == CALL_read     ? "POSIX/read"
                       : e->ev.call == CALL_pwrite ? "POSIX/pwrite"
                       : e->ev.call == CALL_open   ? "POSIX/open"
                       : e->ev.call == CALL_lseek  ? "POSIX/lseek"
                       : e->ev.call == CALL_fread  ? "STDIO/fread"
                       : e->ev.file == 4           ? "data/item"
                                                   : "ai/x";
    unsigned pid = madejob_tid (e->process, 0);
    int app = madejob_is_app (e);

    if (strcmp (key, "function") == 0)
        return call;
    if (strcmp (key, "layer") == 0) {
        (void)snprintf (buf, 64, "%.*s", (int)strcspn (call, "/"), call);
        return buf;
    }
    if (strcmp (key, "class") == 0)
        return app                         ? "app"
               : madejob_reads (e)         ? "read"
               : e->ev.call == CALL_pwrite ? "write"
                                           : "meta";
    if (strcmp (key, "host") == 0)
        return "host";
    if (strcmp (key, "process") == 0)
        (void)snprintf (buf, 64, "host:%u", pid);
    else if (strcmp (key, "thread") == 0)
        (void)snprintf (buf, 64, "host:%u:%u", pid,
                        madejob_tid (e->process, e->thread));
    else if (strcmp (key, "rank") == 0)
        (void)snprintf (buf, 64, "%u", e->process);
    else if (strcmp (key, "step") == 0 || strcmp (key, "arg.step") == 0) {
        if (!e->ev.nargs)
            return "-";
        (void)snprintf (buf, 64, "%d", (int)e->ev.args[0].i);
    } else if (strcmp (key, "size") == 0) {
        uint64_t limit = 4096;

        while (limit < madejob_moved (e))
            limit *= 4;
        (void)snprintf (buf, 64, "%d", madejob_moved (e) ? (int)limit : 0);
        return madejob_moves (e) ? buf : "-";
    } else
        return app                              ? "-"
               : strcmp (key, "file") == 0      ? files[e->ev.file - 1]
               : strcmp (key, "directory") == 0 ? directories[e->ev.file - 1]
               : strcmp (key, "pattern") == 0   ? patterns[e->ev.file - 1]
               : strcmp (key, "kind") == 0      ? kinds[e->ev.file - 1]
                                                : "no such key";
    return buf;
}

static struct joblist madejob_list;

static inline struct job *madejob_open (void)
{
    struct errtext err;

    memset (&madejob_list, 0, sizeof (madejob_list));
    assert_int_equal (joblist_add (&madejob_list, "trace.dft", &err), 0);
    assert_int_equal (job_open (madejob_list.item, &err), 0);
    return madejob_list.item;
}

static inline void madejob_close (void)
{
    job_close (madejob_list.item);
    joblist_clear (&madejob_list);
}

#endif
