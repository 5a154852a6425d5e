/* SPDX-License-Identifier: MIT
 *
 * pfwwrite.c - packed events of threads -> blocks of a trace of ours
 *
 * In:  chunks in the order of the lines, from pfwtrace.c
 * Out: event blocks of our format
 */
#include "config.h"

#include "analyze/trace/pfw/pfwwrite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/core/record/event.h"

enum {
    NAME_ROOM = 16,    /* of a dictionary entry, beside its text */
    FIRST_THREADS = 64 /* slots, a power of two */
};

struct thread {
    uint32_t proc, tid, seq;
    struct pfw_mark mark; /* its last line */
};

struct sums {
    uint64_t events, chunks;
};

struct pfw_writer {
    int fd;
    uint64_t offset;
    struct pfw_names *names;
    struct thread *thread;
    size_t threads, threads_room;
    uint32_t *slot; /* (proc, tid) -> index + 1 */
    size_t slots;
    struct sums *proc;
    size_t procs, procs_room;
    unsigned char *block; /* header and payload */
    size_t room;
};

int pfw_write_at (int fd, const void *data, size_t n, uint64_t offset)
{
    const char *p = data;

    while (n > 0) {
        ssize_t done = pwrite (fd, p, n, (off_t)offset);

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

struct pfw_writer *pfw_writer_create (int fd, struct pfw_names *names)
{
    struct pfw_writer *w = calloc (1, sizeof (*w));

    if (!w)
        return NULL;
    w->fd = fd;
    w->names = names;
    w->slots = FIRST_THREADS;
    w->slot = calloc (w->slots, sizeof (*w->slot));
    if (!w->slot) {
        pfw_writer_destroy (w);
        return NULL;
    }
    return w;
}

void pfw_writer_destroy (struct pfw_writer *w)
{
    int saved = errno;

    if (!w)
        return;
    free (w->thread);
    free (w->slot);
    free (w->proc);
    free (w->block);
    free (w);
    errno = saved;
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

int64_t pfw_writer_process (struct pfw_writer *w, uint64_t *offset)
{
    struct sums *proc =
        grown (w->proc, &w->procs_room, w->procs, sizeof (*proc));

    if (!proc)
        return -1;
    w->proc = proc;
    memset (&proc[w->procs], 0, sizeof (*proc));
    *offset = w->offset;
    w->offset += SHARD_PROCESS_BYTES;
    return (int64_t)w->procs++;
}

static size_t slot_of (const struct pfw_writer *w, uint32_t proc, uint32_t tid)
{
    uint64_t h = ((uint64_t)proc << 32 | tid) * 0x9e3779b97f4a7c15u;

    return (h >> 32) & (w->slots - 1);
}

static int rehash (struct pfw_writer *w)
{
    uint32_t *slot = calloc (2 * w->slots, sizeof (*slot));

    if (!slot)
        return -1;
    free (w->slot);
    w->slot = slot;
    w->slots *= 2;
    for (size_t i = 0; i < w->threads; i++) {
        size_t at = slot_of (w, w->thread[i].proc, w->thread[i].tid);

        while (w->slot[at])
            at = (at + 1) & (w->slots - 1);
        w->slot[at] = (uint32_t)(i + 1);
    }
    return 0;
}

/* NULL: ENOMEM. */
static struct thread *
find_thread (struct pfw_writer *w, uint32_t proc, uint32_t tid)
{
    struct thread *all;
    size_t at;

    if (w->threads * 2 >= w->slots && rehash (w) < 0)
        return NULL;
    for (at = slot_of (w, proc, tid); w->slot[at];
         at = (at + 1) & (w->slots - 1)) {
        struct thread *t = &w->thread[w->slot[at] - 1];

        if (t->proc == proc && t->tid == tid)
            return t;
    }
    all = grown (w->thread, &w->threads_room, w->threads, sizeof (*all));
    if (!all)
        return NULL;
    w->thread = all;
    w->thread[w->threads] = (struct thread){.proc = proc, .tid = tid};
    w->slot[at] = (uint32_t)w->threads + 1;
    return &w->thread[w->threads++];
}

int pfw_writer_mark (struct pfw_writer *w,
                     uint32_t proc,
                     uint32_t tid,
                     const struct pfw_mark *first,
                     const struct pfw_mark *last)
{
    struct thread *t = find_thread (w, proc, tid);
    int back;

    if (!t)
        return -1;
    back = t->mark.end && pfw_goes_back (&t->mark, first);
    t->mark = *last;
    return back;
}

/* --- chunks ----------------------------------------------------------- */

static int make_room (struct pfw_writer *w, const struct pfw_chunk *c)
{
    size_t room = sizeof (struct shard_block) + c->used + SHARD_MERGED_ALIGN;
    unsigned char *block;

    for (size_t i = 0; i < c->names; i++)
        room += pfw_names_get (w->names, c->name[i])->length + NAME_ROOM;
    if (room <= w->room)
        return 0;
    if (!(block = realloc (w->block, room)))
        return -1;
    w->block = block;
    w->room = room;
    return 0;
}

/* Dictionary and records behind the header; bytes of both. */
static size_t put_payload (struct pfw_writer *w, const struct pfw_chunk *c)
{
    unsigned char *begin = w->block + sizeof (struct shard_block), *p = begin;
    struct event_state st;

    event_state_init (&st, c->base);
    for (size_t i = 0; i < c->names; i++) {
        const struct pfw_name *name = pfw_names_get (w->names, c->name[i]);

        p += event_encode_name (&st, (enum shard_name_kind)name->kind,
                                (enum file_class)name->class, name->text,
                                name->length, p);
    }
    memcpy (p, c->bytes, c->used);
    return (size_t)(p - begin) + c->used;
}

int pfw_writer_chunk (struct pfw_writer *w, const struct pfw_chunk *c)
{
    struct thread *t = find_thread (w, c->proc, c->tid);
    struct shard_block b = {.magic = SHARD_MAGIC,
                            .type = SHARD_BLOCK_EVENTS,
                            .flags = SHARD_SEALED,
                            .proc = c->proc,
                            .tid = c->tid,
                            .base = c->base,
                            .base_ns = c->base};
    size_t used, bytes;

    if (!t || make_room (w, c) < 0)
        return -1;
    used = put_payload (w, c);
    bytes = (sizeof (b) + used + SHARD_MERGED_ALIGN - 1) &
            ~(size_t)(SHARD_MERGED_ALIGN - 1);
    memset (w->block + sizeof (b) + used, 0, bytes - sizeof (b) - used);
    b.seq = t->seq++;
    b.commit = (uint64_t)c->events << 32 | used;
    b.capacity = (uint32_t)bytes;
    b.check = shard_block_check (&b);
    b.checksum = shard_events_sum (&b, w->block + sizeof (b));
    memcpy (w->block, &b, sizeof (b));
    if (pfw_write_at (w->fd, w->block, bytes, w->offset) < 0)
        return -1;
    w->offset += bytes;
    w->proc[c->proc].events += c->events;
    w->proc[c->proc].chunks++;
    return 0;
}

void pfw_writer_sums (const struct pfw_writer *w,
                      uint32_t proc,
                      uint64_t *events,
                      uint64_t *chunks)
{
    *events = w->proc[proc].events;
    *chunks = w->proc[proc].chunks;
}
