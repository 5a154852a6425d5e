/* SPDX-License-Identifier: MIT
 *
 * darshanwrite.c - ranks and segments -> a trace of ours, in memory
 *
 * In:  processes and segments of a log
 * Out: a struct tracefile that is read like any other one, so that nothing
 *      behind this knows where the events came from
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyze/import/darshan/darshanwork.h"
#include "lib/format/event.h"
#include "lib/format/layers.h"

enum {
    CHUNK_BYTES = 1 << 18,
    EVENT_ROOM = DARSHAN_NAME_MAX + EVENT_BYTES_MAX + 64,
    STRINGS_MAX = 3 * DARSHAN_NAME_MAX
};

struct darshan_writer {
    struct darshan_work *w;
    FILE *out;
    uint32_t *id;     /* of each name: its id in the chunk at hand; owned */
    uint32_t *epoch;  /* chunk for which that holds; owned */
    uint64_t *sealed; /* events of each process; owned */
    uint32_t chunk;
    struct shard_block head;
    struct event_state st;
    unsigned char *payload; /* owned */
    size_t used;
    uint32_t events;
};

static void darshan_pad (struct darshan_writer *x, size_t n)
{
    static const unsigned char zeros[SHARD_MERGED_ALIGN];

    if (n % SHARD_MERGED_ALIGN)
        (void)fwrite (zeros, 1, SHARD_MERGED_ALIGN - n % SHARD_MERGED_ALIGN,
                      x->out);
}

static size_t darshan_aligned (size_t n)
{
    return (n + SHARD_MERGED_ALIGN - 1) & ~((size_t)SHARD_MERGED_ALIGN - 1);
}

/* --- processes ------------------------------------------------------------ */

static unsigned darshan_layers (const struct darshan_work *w)
{
    unsigned posix = 1u << DARSHAN_POSIX | 1u << DARSHAN_DXT_POSIX;
    unsigned mpiio = 1u << DARSHAN_MPIIO | 1u << DARSHAN_DXT_MPIIO;

    unsigned hdf5 = 1u << DARSHAN_H5F | 1u << DARSHAN_H5D;
    unsigned pnetcdf = 1u << DARSHAN_PNETCDF_FILE | 1u << DARSHAN_PNETCDF_VAR;

    return (w->modules & posix ? LAYER_POSIX : 0) |
           (w->modules & mpiio ? LAYER_MPIIO : 0) |
           (w->modules & hdf5 ? LAYER_HDF5 : 0) |
           (w->modules & pnetcdf ? LAYER_PNETCDF : 0) |
           (w->modules & 1u << DARSHAN_STDIO ? LAYER_STDIO : 0) |
           (w->rows->rows ? LAYER_PROFILE : 0);
}

/* A log has no process ids: ranks have theirs from 1, what belongs to no rank
 * the one behind them. */
static uint32_t darshan_pid (const struct darshan_work *w, size_t process)
{
    int64_t rank = w->process[process].rank;

    if (rank < 0)
        rank = w->nprocs < INT32_MAX ? (int64_t)w->nprocs : INT32_MAX - 1;
    return (uint32_t)rank + 1;
}

static size_t
darshan_strings (const struct darshan_work *w, size_t process, char *to)
{
    const char *host = w->process[process].host;
    size_t n = strcspn (w->exe, " ");
    int at = snprintf (to, STRINGS_MAX, "%s%c%.*s%c%c%c%.*s",
                       host && *host ? host : "-", 0,
                       (int)(n < DARSHAN_NAME_MAX ? n : DARSHAN_NAME_MAX),
                       w->exe, 0, 0, 0, DARSHAN_NAME_MAX, w->exe);

    for (int i = at - 1; i > 0 && to[i]; i--)
        if (to[i] == ' ')
            to[i] = '\x1f';
    return (size_t)at + 1;
}

/* Of what was added up: the ranks of which there is nothing else. */
static uint32_t darshan_ranks (const struct darshan_work *w, size_t process)
{
    uint64_t known = w->processes - 1;

    if (w->process[process].rank >= 0)
        return 0;
    return w->nprocs > known && w->nprocs < INT32_MAX
               ? (uint32_t)(w->nprocs - known)
               : (uint32_t)(known == 0);
}

static void darshan_put_process (struct darshan_writer *x, size_t process)
{
    const struct darshan_work *w = x->w;
    struct shard_block b = {.magic = SHARD_MAGIC,
                            .type = SHARD_BLOCK_PROCESS,
                            .flags = SHARD_SEALED,
                            .proc = (uint32_t)process};
    struct shard_process p = {
        .version = SHARD_VERSION_PROFILE,
        .pid = darshan_pid (w, process),
        .uid = (uint32_t)w->uid,
        .rank = (int32_t)w->process[process].rank,
        .local_rank = w->process[process].rank < 0 ? SHARD_ADDED_UP : -1,
        .ranks = darshan_ranks (w, process),
        .job_id = w->jobid,
        .array_task_id = -1,
        .step_id = -1,
        .clock = SHARD_CLOCK_MONOTONIC,
        .tick_hz = 1000000000u,
        .layers = darshan_layers (w)};
    unsigned char payload[sizeof (p) + STRINGS_MAX] = {0};
    size_t n = darshan_strings (w, process, (char *)payload + sizeof (p));

    p.start_real = p.start_ns = p.start_tick = w->start;
    p.end_ns = w->end > w->start ? w->end : 0;
    p.strings_bytes = (uint32_t)n;
    p.events_sealed = x->sealed[process];
    memcpy (payload, &p, sizeof (p));
    b.commit = sizeof (p) + n;
    b.capacity = (uint32_t)darshan_aligned (sizeof (b) + sizeof (p) + n);
    b.checksum = shard_process_sum (payload, n);
    b.check = shard_block_check (&b);
    (void)fwrite (&b, sizeof (b), 1, x->out);
    (void)fwrite (payload, sizeof (p) + n, 1, x->out);
    darshan_pad (x, sizeof (p) + n);
}

/* --- events --------------------------------------------------------------- */

static int darshan_by_thread (const void *a, const void *b)
{
    const struct darshan_segment *x = a, *y = b;

    if (x->proc != y->proc)
        return x->proc < y->proc ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    if (x->start != y->start) /* what is inside ends first */
        return x->start > y->start ? -1 : 1;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static void darshan_begin_chunk (struct darshan_writer *x,
                                 const struct darshan_segment *s,
                                 uint32_t tid,
                                 uint32_t seq)
{
    x->head = (struct shard_block){.magic = SHARD_MAGIC,
                                   .type = SHARD_BLOCK_EVENTS,
                                   .flags = SHARD_SEALED,
                                   .proc = s->proc,
                                   .tid = tid,
                                   .seq = seq,
                                   .base = x->w->start,
                                   .base_ns = s->start};
    event_state_init (&x->st, x->w->start);
    x->used = 0;
    x->events = 0;
    x->chunk++;
}

static void darshan_end_chunk (struct darshan_writer *x)
{
    struct shard_block *b = &x->head;

    if (!x->events)
        return;
    b->commit = (uint64_t)x->events << 32 | x->used;
    b->capacity = (uint32_t)darshan_aligned (sizeof (*b) + x->used);
    b->checksum = shard_events_sum (b, x->payload);
    b->check = shard_block_check (b);
    (void)fwrite (b, sizeof (*b), 1, x->out);
    (void)fwrite (x->payload, x->used, 1, x->out);
    darshan_pad (x, x->used);
    x->events = 0;
}

static uint32_t darshan_id (struct darshan_writer *x, uint32_t name)
{
    const struct darshan_name *n = &x->w->name[name - 1];

    if (!name)
        return 0;
    if (x->epoch[name] != x->chunk) {
        x->used += event_encode_name (&x->st, SHARD_NAME_FILE,
                                      (enum file_class)n->class, n->text,
                                      strlen (n->text), x->payload + x->used);
        x->epoch[name] = x->chunk;
        x->id[name] = x->st.names;
    }
    return x->id[name];
}

static void darshan_put_event (struct darshan_writer *x,
                               const struct darshan_segment *s)
{
    struct event ev = {.start = s->start,
                       .end = s->end,
                       .call = s->call,
                       .fd = -1,
                       .size = s->length,
                       .offset = s->offset,
                       .ret = (int64_t)s->length};

    ev.file = s->name ? darshan_id (x, s->name) : 0;
    x->used += event_encode (&x->st, &ev, x->payload + x->used);
    x->events++;
}

static void darshan_put_events (struct darshan_writer *x)
{
    struct darshan_work *w = x->w;
    uint32_t tid = 0, seq = 0;

    if (w->segments)
        qsort (w->segment, w->segments, sizeof (*w->segment),
               darshan_by_thread);
    for (size_t i = 0; i < w->segments; i++) {
        const struct darshan_segment *s = &w->segment[i], *before = s - 1;

        if (i == 0 || before->proc != s->proc) {
            darshan_end_chunk (x);
            tid = darshan_pid (w, s->proc);
            seq = 0;
            darshan_begin_chunk (x, s, tid, seq);
        } else if (before->thread != s->thread) {
            darshan_end_chunk (x);
            darshan_begin_chunk (x, s, ++tid, seq = 0);
        } else if (x->used + EVENT_ROOM > CHUNK_BYTES) {
            darshan_end_chunk (x);
            darshan_begin_chunk (x, s, tid, ++seq);
        }
        darshan_put_event (x, s);
    }
    darshan_end_chunk (x);
}

/* --- the file ------------------------------------------------------------- */

static int darshan_write_all (struct darshan_writer *x, int fd)
{
    struct darshan_work *w = x->w;
    int bad;

    if (!(x->out = fdopen (fd, "w")))
        return -1;
    for (size_t i = 0; i < w->segments; i++)
        x->sealed[w->segment[i].proc]++;
    for (size_t i = 0; i < w->processes; i++)
        darshan_put_process (x, i);
    darshan_put_events (x);
    bad = ferror (x->out) || fflush (x->out) != 0;
    if (bad)
        errno = EIO;
    return bad ? -1 : 0;
}

struct tracefile *
darshan_write (struct darshan_work *w, const char *path, struct errtext *err)
{
    struct darshan_writer x = {.w = w};
    int fd = memfd_create ("darshan", MFD_CLOEXEC);
    int own = fd < 0 ? -1 : dup (fd);
    struct tracefile *f = NULL;

    x.id = calloc (w->names + 1, sizeof (*x.id));
    x.epoch = calloc (w->names + 1, sizeof (*x.epoch));
    x.sealed = calloc (w->processes + 1, sizeof (*x.sealed));
    x.payload = malloc (CHUNK_BYTES);
    if (own >= 0 && x.id && x.epoch && x.sealed && x.payload &&
        darshan_write_all (&x, fd) == 0) {
        f = tracefile_openfd (own, path, err);
        own = -1;
    } else
        (void)errf (err, "%s: cannot be kept in memory: %s", path,
                    strerror (errno));
    if (x.out)
        (void)fclose (x.out);
    else if (fd >= 0)
        (void)close (fd);
    if (own >= 0)
        (void)close (own);
    free (x.id);
    free (x.epoch);
    free (x.sealed);
    free (x.payload);
    return f;
}
