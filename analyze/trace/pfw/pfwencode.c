/* SPDX-License-Identifier: MIT
 *
 * pfwencode.c - events of a batch, as they come -> chunks
 *
 * In:  events, from pfwbatch.c
 * Out: records without their dictionary, to pfwtrace.c
 * Caveat: the events of a batch are put in order; those that come later than
 *         the batch they belong to stay behind it.
 */
#include "config.h"

#include "analyze/trace/pfw/pfwencode.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHUNK_BYTES = 1 << 20, /* a chunk ends soon after */
    CHUNK_NAMES = 1024,    /* so that it fits, however long they are */
    EVENT_NAMES = 2 * EVENT_ARGS_MAX + 1,
    ROUNDED_NS = 2000 /* times are whole microseconds, mostly */
};

static int reserve (void *array, size_t *room, size_t want, size_t size)
{
    size_t more = *room ? *room : 1024;
    void *p;

    if (want <= *room)
        return 0;
    while (more < want)
        more *= 2;
    memcpy (&p, array, sizeof (p));
    if (!(p = reallocarray (p, more, size)))
        return -1;
    memcpy (array, &p, sizeof (p));
    *room = more;
    return 0;
}

/* --- order -------------------------------------------------------------- */

/* By end; what ends together, the inner one, which began later, first. */
static int by_end (const void *a, const void *b, void *cookie)
{
    const struct pfw_batch *batch = cookie;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const struct pfw_event *x = &batch->ev[i], *y = &batch->ev[j];

    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    if (x->start != y->start)
        return x->start > y->start ? -1 : 1;
    return (i > j) - (i < j);
}

/* Calls of a thread are one after the other, or one inside the other. */
static void count_crossed (struct pfw_batch *b,
                           const struct pfw_batch_thread *t)
{
    const struct pfw_event *before = NULL;

    for (size_t k = 0; k < t->count; k++) {
        const struct pfw_event *ev = &b->ev[b->order[t->first + k]];

        if (ev->call == CALL_region)
            continue;
        b->account.crossed += before &&
                              ev->start > before->start + ROUNDED_NS &&
                              ev->start + ROUNDED_NS < before->end;
        before = ev;
    }
}

/* Numbers of events, thread after thread. */
static int put_in_order (struct pfw_batch *b)
{
    size_t first = 0;

    if (reserve (&b->order, &b->order_room, b->evs, sizeof (*b->order)) < 0)
        return -1;
    for (size_t i = 0; i < b->threads; i++) {
        b->thread[i].first = first;
        first += b->thread[i].count;
        b->thread[i].count = 0;
    }
    for (size_t i = 0; i < b->evs; i++) {
        struct pfw_batch_thread *t = &b->thread[b->ev[i].thread];

        b->order[t->first + t->count++] = (uint32_t)i;
    }
    for (size_t i = 0; i < b->threads; i++) {
        const struct pfw_batch_thread *t = &b->thread[i];
        uint32_t *order;

        if (t->count < 2)
            continue;
        order = b->order + t->first;
        for (size_t k = 1; k < t->count; k++)
            if (b->ev[order[k]].end < b->ev[order[k - 1]].end) {
                qsort_r (order, t->count, sizeof (*order), by_end, b);
                break;
            }
        count_crossed (b, t);
    }
    return 0;
}

/* --- chunks ------------------------------------------------------------- */

/* The id of a name in the chunk at hand, which gets it when it is new; there
 * is room. */
static uint32_t
id_of (struct pfw_batch *b, struct pfw_batch_chunk *c, int64_t name)
{
    struct pfw_local *l;

    if (name == PFW_NO_NAME)
        return 0;
    l = &b->names.item[name];
    if (l->stamp != b->stamp) {
        b->name_list[b->name_lists++] = (uint32_t)name;
        l->stamp = b->stamp;
        l->id = (uint32_t)++c->names;
    }
    return l->id;
}

static void encode (struct pfw_batch *b,
                    struct pfw_batch_chunk *c,
                    const struct pfw_event *from,
                    struct event_state *st)
{
    struct event ev;

    ev.start = from->start;
    ev.end = from->end;
    ev.call = from->call;
    ev.nargs = (uint8_t)from->nargs;
    ev.err = from->err;
    ev.fd = from->fd;
    ev.size = from->size;
    ev.offset = from->offset;
    ev.ret = from->ret;
    ev.flags = from->flags;
    ev.file2 = 0;
    ev.file = id_of (b, c, from->name);
    for (int i = 0; i < from->nargs; i++) {
        ev.args[i] = b->arg[from->arg + (uint32_t)i];
        ev.args[i].key = id_of (b, c, ev.args[i].key);
        if (ev.args[i].type == EVENT_ARG_TEXT)
            ev.args[i].text = id_of (b, c, ev.args[i].text);
    }
    b->used += event_encode (st, &ev, b->bytes + b->used);
    c->events++;
}

/* Events [*i …] of a thread, as many as a chunk takes. */
static int
put_chunk (struct pfw_batch *b, uint32_t thread, size_t *i, size_t end)
{
    struct pfw_batch_chunk *c;
    struct event_state st;

    if (reserve (&b->chunk, &b->chunks_room, b->chunks + 1,
                 sizeof (*b->chunk)) < 0)
        return -1;
    c = &b->chunk[b->chunks++];
    memset (c, 0, sizeof (*c));
    c->thread = thread;
    c->base = b->ev[b->order[*i]].start;
    c->at = b->used;
    c->name = b->name_lists;
    b->stamp++;
    event_state_init (&st, c->base);
    while (*i < end && b->used - c->at < CHUNK_BYTES &&
           c->names + EVENT_NAMES <= CHUNK_NAMES) {
        if (reserve (&b->bytes, &b->room, b->used + EVENT_BYTES_MAX, 1) < 0 ||
            reserve (&b->name_list, &b->name_lists_room,
                     b->name_lists + EVENT_NAMES, sizeof (*b->name_list)) < 0)
            return -1;
        encode (b, c, &b->ev[b->order[(*i)++]], &st);
    }
    c->bytes = b->used - c->at;
    return 0;
}

int pfw_encode (struct pfw_batch *b)
{
    b->stamp = 0; /* as that of fresh names; the first chunk is 1 */
    if (put_in_order (b) < 0)
        return -1;
    for (size_t t = 0; t < b->threads; t++) {
        size_t i = b->thread[t].first, end = i + b->thread[t].count;

        while (i < end)
            if (put_chunk (b, (uint32_t)t, &i, end) < 0)
                return -1;
    }
    return 0;
}
