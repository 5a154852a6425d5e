/* SPDX-License-Identifier: MIT
 *
 * pfwstore.c - what was read of a DFTracer trace -> what reads batches
 *
 * In:  processes, and chunks of threads in the order of the lines, from
 *      pfwtrace.c
 * Out: a tracefile; chunks of columns, to pfwrows.c
 */
#include "config.h"

#include "analyze/import/pfw/pfwstore.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/format/event.h"
#include "lib/util/spool.h"

enum {
    HOST_MAX_BYTES = 256, /* of the strings of a process */
    EXE_MAX_BYTES = 1024,
    FIRST_THREADS = 64 /* slots, a power of two */
};

struct pfw_thread {
    uint32_t proc, tid, seq;
    struct pfw_mark mark; /* its last line */
};

struct pfw_store {
    int fd;
    uint64_t bytes;          /* of the file */
    struct pfw_names *names; /* owned, as all that follows */
    struct pfw_proc *proc;
    struct pfw_thread *thread;
    struct trace_chunk *chunk;
    size_t procs, procs_room, threads, threads_room, chunks, chunks_room;
    uint32_t *slot; /* (proc, tid) -> index + 1 */
    size_t slots;
};

struct pfw_store *pfw_store_create (void)
{
    struct pfw_store *s = calloc (1, sizeof (*s));

    if (!s)
        return NULL;
    s->slots = FIRST_THREADS;
    s->fd = spool_file ();
    if (s->fd < 0 || !(s->names = pfw_names_create ()) ||
        !(s->slot = calloc (s->slots, sizeof (*s->slot)))) {
        pfw_store_destroy (s);
        return NULL;
    }
    return s;
}

void pfw_store_destroy (struct pfw_store *s)
{
    int saved = errno;

    if (!s)
        return;
    if (s->fd >= 0)
        (void)close (s->fd);
    pfw_names_destroy (s->names);
    free (s->proc);
    free (s->thread);
    free (s->chunk);
    free (s->slot);
    free (s);
    errno = saved;
}

struct pfw_names *pfw_store_names (const struct pfw_store *s)
{
    return s->names;
}

/* The array with room for one more; NULL (ENOMEM) leaves it alone. */
static void *grown (void *array, size_t *room, size_t count, size_t size)
{
    size_t more = *room ? *room * 2 : 16;
    void *p = array;

    if (count < *room)
        return array;
    if ((p = reallocarray (array, more, size)))
        *room = more;
    return p;
}

/* --- processes and threads -------------------------------------------- */

int64_t pfw_store_add_process (struct pfw_store *s, uint64_t pid)
{
    struct pfw_proc *p = grown (s->proc, &s->procs_room, s->procs, sizeof (*p));

    if (!p)
        return -1;
    s->proc = p;
    p += s->procs;
    memset (p, 0, sizeof (*p));
    p->p = (struct shard_process){.version = SHARD_VERSION,
                                  .pid = (uint32_t)pid,
                                  .rank = -1,
                                  .local_rank = -1,
                                  .array_task_id = -1,
                                  .step_id = -1,
                                  .tick_hz = 1000000000u,
                                  .clock = SHARD_CLOCK_MONOTONIC};
    p->first = p->around = UINT64_MAX;
    return (int64_t)s->procs++;
}

struct pfw_proc *pfw_store_process (struct pfw_store *s, int64_t number)
{
    return &s->proc[number];
}

static size_t
store_slot (const struct pfw_store *s, uint32_t proc, uint32_t tid)
{
    uint64_t h = ((uint64_t)proc << 32 | tid) * 0x9e3779b97f4a7c15u;

    return (h >> 32) & (s->slots - 1);
}

static int store_rehash (struct pfw_store *s)
{
    uint32_t *slot = calloc (2 * s->slots, sizeof (*slot));

    if (!slot)
        return -1;
    free (s->slot);
    s->slot = slot;
    s->slots *= 2;
    for (size_t i = 0; i < s->threads; i++) {
        size_t at = store_slot (s, s->thread[i].proc, s->thread[i].tid);

        while (s->slot[at])
            at = (at + 1) & (s->slots - 1);
        s->slot[at] = (uint32_t)(i + 1);
    }
    return 0;
}

/* NULL: ENOMEM. */
static struct pfw_thread *
store_thread (struct pfw_store *s, uint32_t proc, uint32_t tid)
{
    struct pfw_thread *all;
    size_t at;

    if (s->threads * 2 >= s->slots && store_rehash (s) < 0)
        return NULL;
    for (at = store_slot (s, proc, tid); s->slot[at];
         at = (at + 1) & (s->slots - 1)) {
        struct pfw_thread *t = &s->thread[s->slot[at] - 1];

        if (t->proc == proc && t->tid == tid)
            return t;
    }
    all = grown (s->thread, &s->threads_room, s->threads, sizeof (*all));
    if (!all)
        return NULL;
    s->thread = all;
    s->thread[s->threads] = (struct pfw_thread){.proc = proc, .tid = tid};
    s->slot[at] = (uint32_t)s->threads + 1;
    return &s->thread[s->threads++];
}

int pfw_store_mark (struct pfw_store *s,
                    uint32_t proc,
                    uint32_t tid,
                    const struct pfw_mark *first,
                    const struct pfw_mark *last)
{
    struct pfw_thread *t = store_thread (s, proc, tid);
    int back;

    if (!t)
        return -1;
    back = t->mark.end && pfw_goes_back (&t->mark, first);
    t->mark = *last;
    return back;
}

/* --- chunks ----------------------------------------------------------- */

uint64_t pfw_store_room (struct pfw_store *s, size_t bytes)
{
    s->bytes += bytes;
    return s->bytes - bytes;
}

int pfw_store_add_chunk (struct pfw_store *s,
                         uint32_t proc,
                         uint32_t tid,
                         const struct trace_chunk *chunk)
{
    struct pfw_thread *t = store_thread (s, proc, tid);
    struct trace_chunk *c =
        grown (s->chunk, &s->chunks_room, s->chunks, sizeof (*c));

    if (!t || !c)
        return -1;
    s->chunk = c;
    c += s->chunks++;
    *c = *chunk;
    c->present = c->used;
    c->head.magic = SHARD_MAGIC;
    c->head.type = SHARD_BLOCK_EVENTS;
    c->head.flags = SHARD_SEALED;
    c->head.proc = proc;
    c->head.tid = tid;
    c->head.seq = t->seq++;
    s->proc[proc].p.events_sealed += c->events;
    s->proc[proc].p.chunks++;
    return 0;
}

int pfw_store_write (const struct pfw_store *s,
                     const void *data,
                     size_t n,
                     uint64_t offset)
{
    const char *p = data;

    while (n > 0) {
        ssize_t done = pwrite (s->fd, p, n, (off_t)offset);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return -1;
        p += done;
        n -= (size_t)done;
        offset += (uint64_t)done;
    }
    return 0;
}

int pfw_store_read (const struct pfw_store *s,
                    const struct trace_chunk *c,
                    unsigned char *buf)
{
    size_t n = 0;

    while (n < c->used) {
        ssize_t got =
            pread (s->fd, buf + n, c->used - n, (off_t)(c->offset + n));

        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            errno = EIO;
        if (got <= 0)
            return -1;
        n += (size_t)got;
    }
    return 0;
}

/* --- as a trace ------------------------------------------------------- */

static size_t
store_string (struct pfw_store *s, char *to, uint32_t number, size_t max)
{
    const struct pfw_name *name = pfw_names_get (s->names, number);
    size_t n = name ? name->length : 0;

    if (n > max)
        n = max;
    if (n)
        memcpy (to, name->text, n);
    to[n] = '\0';
    return strlen (to) + 1;
}

/* A process of which only metadata is known began with the others. */
static void store_starts (struct pfw_store *s)
{
    uint64_t earliest = UINT64_MAX;

    for (size_t i = 0; i < s->procs; i++) {
        struct pfw_proc *p = &s->proc[i];

        if (p->first == UINT64_MAX)
            p->first = p->around;
        if (p->first < earliest)
            earliest = p->first;
    }
    for (size_t i = 0; i < s->procs; i++)
        if (s->proc[i].first == UINT64_MAX)
            s->proc[i].first = earliest == UINT64_MAX ? 0 : earliest;
}

static int
store_put_process (struct pfw_store *s, struct tracefile *f, struct pfw_proc *p)
{
    char text[HOST_MAX_BYTES + EXE_MAX_BYTES + EVENT_NAME_MAX + 8];
    size_t n;

    p->p.start_real = p->p.start_ns = p->p.start_tick = p->first;
    if (p->p.end_ns && p->p.end_ns <= p->first)
        p->p.end_ns = p->first + 1;
    n = store_string (s, text, p->host, HOST_MAX_BYTES);
    n += store_string (s, text + n, p->exe, EXE_MAX_BYTES);
    text[n++] = '\0';
    text[n++] = '\0';
    n += store_string (s, text + n, p->argv, EVENT_NAME_MAX);
    p->p.strings_bytes = (uint32_t)n;
    return tracefile_add_process (f, &p->p, text, n);
}

struct tracefile *pfw_store_index (struct pfw_store *s)
{
    struct tracefile *f = tracefile_create (s->bytes);
    int rc = f ? 0 : -1;

    store_starts (s);
    for (size_t i = 0; rc == 0 && i < s->procs; i++)
        rc = store_put_process (s, f, &s->proc[i]);
    if (rc < 0) {
        tracefile_close (f);
        return NULL;
    }
    pfw_names_seal (s->names);
    tracefile_set_chunks (f, s->chunk, s->chunks);
    s->chunk = NULL;
    s->chunks = s->chunks_room = 0;
    return f;
}
