/* SPDX-License-Identifier: MIT
 *
 * pfwwrite.c - events of many threads, as they come -> chunks of a trace
 *
 * In:  events, from pfwtrace.c
 * Out: event blocks of our format, each thread's events by their ends
 * Caveat: a batch of a thread is put in order; events that come later than
 *         the batch they belong to stay behind it.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/pfwwrite.h"

enum {
    BATCH = 2048,            /* events of a thread in memory */
    PAYLOAD_BYTES = 1 << 20, /* a chunk ends soon after */
    EVENT_NAMES = 2 * EVENT_ARGS_MAX + 1,
    EVENT_ROOM = EVENT_BYTES_MAX + EVENT_NAMES * (EVENT_NAME_MAX + 16),
    FIRST_THREADS = 64 /* slots, a power of two */
};

struct pfw_thread {
    uint32_t proc, tid, seq;
    struct pfw_event *ev;
    size_t count, room;
    struct event_arg *arg;
    size_t args, args_room;
};

struct sums {
    uint64_t events, chunks;
};

struct pfw_writer {
    int fd;
    uint64_t offset;
    struct pfw_names *names;
    uint32_t stamp; /* of the chunk at hand */
    struct pfw_thread **thread;
    size_t threads, threads_room;
    uint32_t *slot; /* (proc, tid) -> index + 1 */
    size_t slots;
    struct sums *proc;
    size_t procs, procs_room;
    unsigned char *block; /* header and payload */
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
    w->block =
        malloc (sizeof (struct shard_block) + PAYLOAD_BYTES + EVENT_ROOM);
    if (!w->slot || !w->block) {
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
    for (size_t i = 0; i < w->threads; i++) {
        free (w->thread[i]->ev);
        free (w->thread[i]->arg);
        free (w->thread[i]);
    }
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
        size_t at = slot_of (w, w->thread[i]->proc, w->thread[i]->tid);

        while (w->slot[at])
            at = (at + 1) & (w->slots - 1);
        w->slot[at] = (uint32_t)(i + 1);
    }
    return 0;
}

struct pfw_thread *
pfw_writer_thread (struct pfw_writer *w, uint32_t proc, uint32_t tid)
{
    struct pfw_thread **all, *t;
    size_t at = slot_of (w, proc, tid);

    for (; w->slot[at]; at = (at + 1) & (w->slots - 1)) {
        t = w->thread[w->slot[at] - 1];
        if (t->proc == proc && t->tid == tid)
            return t;
    }
    all = grown (w->thread, &w->threads_room, w->threads,
                 sizeof (struct pfw_thread *));
    if (!all)
        return NULL;
    w->thread = all;
    if (!(t = calloc (1, sizeof (*t))))
        return NULL;
    t->proc = proc;
    t->tid = tid;
    w->thread[w->threads++] = t;
    w->slot[at] = (uint32_t)w->threads;
    return w->threads * 2 > w->slots && rehash (w) < 0 ? NULL : t;
}

/* --- chunks ----------------------------------------------------------- */

/* By end; what ends together, the inner one, which began later, first. */
static int by_end (const void *a, const void *b)
{
    const struct pfw_event *x = a, *y = b;

    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    if (x->start != y->start)
        return x->start > y->start ? -1 : 1;
    return (x->args > y->args) - (x->args < y->args);
}

static void put_in_order (struct pfw_thread *t)
{
    for (size_t i = 1; i < t->count; i++)
        if (t->ev[i].end < t->ev[i - 1].end) {
            qsort (t->ev, t->count, sizeof (*t->ev), by_end);
            return;
        }
}

/* The id of a name in the chunk at hand, which gets it when it is new. */
static uint32_t id_of (struct pfw_writer *w,
                       struct event_state *st,
                       unsigned char **p,
                       uint32_t number)
{
    struct pfw_name *name = pfw_names_get (w->names, number);

    if (!name)
        return 0;
    if (name->stamp != w->stamp) {
        *p += event_encode_name (st, (enum shard_name_kind)name->kind,
                                 (enum file_class)name->class, name->text,
                                 name->length, *p);
        name->stamp = w->stamp;
        name->id = st->names;
    }
    return name->id;
}

static unsigned char *encode (struct pfw_writer *w,
                              const struct pfw_thread *t,
                              const struct pfw_event *from,
                              struct event_state *st,
                              unsigned char *p)
{
    struct event ev = {.start = from->start,
                       .end = from->end,
                       .call = from->call,
                       .nargs = (uint8_t)from->nargs,
                       .err = from->err,
                       .fd = from->fd,
                       .size = from->size,
                       .offset = from->offset,
                       .ret = from->ret,
                       .flags = from->flags};

    ev.file = id_of (w, st, &p, from->name);
    for (int i = 0; i < from->nargs; i++) {
        ev.args[i] = t->arg[from->args + (size_t)i];
        ev.args[i].key = id_of (w, st, &p, ev.args[i].key);
        if (ev.args[i].type == EVENT_ARG_TEXT)
            ev.args[i].text = id_of (w, st, &p, ev.args[i].text);
    }
    return p + event_encode (st, &ev, p);
}

static int write_chunk (struct pfw_writer *w,
                        struct pfw_thread *t,
                        uint64_t base,
                        size_t used,
                        size_t events)
{
    struct shard_block b = {.magic = SHARD_MAGIC,
                            .type = SHARD_BLOCK_EVENTS,
                            .flags = SHARD_SEALED,
                            .proc = t->proc,
                            .tid = t->tid,
                            .seq = t->seq++,
                            .base = base,
                            .base_ns = base};
    size_t bytes = sizeof (b) + used;

    bytes =
        (bytes + SHARD_MERGED_ALIGN - 1) & ~(size_t)(SHARD_MERGED_ALIGN - 1);
    memset (w->block + sizeof (b) + used, 0, bytes - sizeof (b) - used);
    b.commit = (uint64_t)events << 32 | used;
    b.capacity = (uint32_t)bytes;
    b.check = shard_block_check (&b);
    b.checksum = shard_events_sum (&b, w->block + sizeof (b));
    memcpy (w->block, &b, sizeof (b));
    if (pfw_write_at (w->fd, w->block, bytes, w->offset) < 0)
        return -1;
    w->offset += bytes;
    w->proc[t->proc].events += events;
    w->proc[t->proc].chunks++;
    return 0;
}

static int flush_thread (struct pfw_writer *w, struct pfw_thread *t)
{
    unsigned char *begin = w->block + sizeof (struct shard_block);
    int rc = 0;

    put_in_order (t);
    for (size_t i = 0; rc == 0 && i < t->count;) {
        uint64_t base = t->ev[i].start;
        struct event_state st;
        unsigned char *p = begin;
        size_t first = i;

        w->stamp++;
        event_state_init (&st, base);
        while (i < t->count && p - begin < PAYLOAD_BYTES)
            p = encode (w, t, &t->ev[i++], &st, p);
        rc = write_chunk (w, t, base, (size_t)(p - begin), i - first);
    }
    t->count = t->args = 0;
    return rc;
}

int pfw_writer_add (struct pfw_writer *w,
                    struct pfw_thread *t,
                    struct pfw_event *ev,
                    const struct event_arg *args)
{
    struct pfw_event *all;
    struct event_arg *arg;

    if (t->count == BATCH && flush_thread (w, t) < 0)
        return -1;
    if (!(all = grown (t->ev, &t->room, t->count, sizeof (*all))))
        return -1;
    t->ev = all;
    ev->args = (uint32_t)t->args;
    for (int i = 0; i < ev->nargs; i++) {
        if (!(arg = grown (t->arg, &t->args_room, t->args, sizeof (*arg))))
            return -1;
        t->arg = arg;
        t->arg[t->args++] = args[i];
    }
    t->ev[t->count++] = *ev;
    return 0;
}

int pfw_writer_flush (struct pfw_writer *w)
{
    for (size_t i = 0; i < w->threads; i++)
        if (flush_thread (w, w->thread[i]) < 0)
            return -1;
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
