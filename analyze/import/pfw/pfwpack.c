/* SPDX-License-Identifier: MIT
 *
 * pfwpack.c - events of a batch, as they come -> chunks
 *
 * In:  events, from pfwbatch.c
 * Out: chunks of columns, to pfwtrace.c; their names are still those of the
 *      batch
 * Caveat: the events of a batch are put in order; those that come later than
 *         the batch they belong to stay behind it.
 */
#include "config.h"

#include "analyze/import/pfw/pfwpack.h"

#include "analyze/import/pfw/pfwcolumns.h"

enum {
    CHUNK_NAMES = 1024,    /* so that its records fit into a chunk of ours, */
    CHUNK_BYTES = 1 << 22, /* however long the names are; these without */
    EVENT_BYTES = 96,
    ARG_BYTES = 17, /* of a record, at most */
    EVENT_NAMES = 2 * EVENT_ARGS_MAX + 1,
    ROUNDED_NS = 2000 /* times are whole microseconds, mostly */
};

/* --- order -------------------------------------------------------------- */

/* By end; what ends together, the inner one, which began later, first. */
static int pfwpack_by_end (const void *a, const void *b, void *cookie)
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

    if (pfw_reserve (&b->order, &b->order_room, b->evs, sizeof (*b->order)) < 0)
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
                qsort_r (order, t->count, sizeof (*order), pfwpack_by_end, b);
                break;
            }
        count_crossed (b, t);
    }
    return 0;
}

/* --- chunks ------------------------------------------------------------- */

/* A chunk of a thread on its way, and the group at hand. */
struct pfw_packing {
    uint64_t *id; /* of each name of the batch: the number of the chunk that
                     used it last, and its id there in the lower half; owned */
    size_t ids;
    uint64_t chunk;             /* number << 32 */
    uint32_t name[CHUNK_NAMES]; /* of the batch */
    uint32_t names;
    size_t bytes; /* of its records, at most */
    size_t events, args;
    uint64_t value[PFW_COLUMNS][BATCH_ROOM];
    uint64_t arg[PFW_ALL_COLUMNS - PFW_COLUMNS]
                [BATCH_EVENTS * EVENT_ARGS_MAX + 24];
};

/* The id of a name in the chunk at hand, which gets it when it is new; there
 * is room. */
static inline uint32_t pack_name (struct pfw_packing *p, int64_t name)
{
    uint64_t *id;

    if (name == PFW_NO_NAME)
        return 0;
    id = &p->id[name];
    if (*id < p->chunk) {
        p->name[p->names++] = (uint32_t)name;
        *id = p->chunk | p->names;
    }
    return (uint32_t)*id;
}

static void pack_args (struct pfw_batch *b, const struct pfw_event *ev)
{
    struct pfw_packing *p = b->packing;
    const struct pfw_event_arg *from = b->arg + ev->arg;

    for (size_t i = p->args; from < b->arg + ev->arg + ev->nargs; i++, from++) {
        p->arg[PFW_COLUMN_KEY - PFW_COLUMNS][i] = pack_name (p, from->key);
        p->arg[PFW_COLUMN_TYPE - PFW_COLUMNS][i] = from->type;
        p->arg[PFW_COLUMN_VALUE - PFW_COLUMNS][i] =
            from->type == EVENT_ARG_TEXT ? pack_name (p, (int64_t)from->value)
                                         : from->value;
    }
    p->args += ev->nargs;
}

static inline void
pack_event (struct pfw_batch *b, const struct pfw_event *ev, uint64_t end)
{
    struct pfw_packing *p = b->packing;
    uint64_t (*v)[BATCH_ROOM] = p->value;
    size_t i = p->events++;
    uint32_t name = pack_name (p, ev->name);

    v[PFW_COLUMN_END][i] = ev->end - end;
    v[PFW_COLUMN_LENGTH][i] = ev->end - ev->start;
    v[PFW_COLUMN_CALL][i] = ev->call;
    v[PFW_COLUMN_NAME][i] = call_table[ev->call].fields & F_FILE ? name : 0;
    v[PFW_COLUMN_RET][i] = (uint64_t)ev->ret + 1;
    v[PFW_COLUMN_SIZE][i] = ev->size;
    v[PFW_COLUMN_OFFSET][i] = (uint64_t)ev->offset + 1;
    v[PFW_COLUMN_ERROR][i] = (uint32_t)ev->err;
    v[PFW_COLUMN_FD][i] = (uint64_t)(int64_t)ev->fd + 1;
    v[PFW_COLUMN_FLAGS][i] = ev->flags;
    v[PFW_COLUMN_ARGS][i] = ev->nargs;
    if (ev->nargs)
        pack_args (b, ev);
}

/* Events [*i …] of a thread, as many as a group takes. */
static int pack_group (struct pfw_batch *b, size_t *i, size_t end)
{
    struct pfw_packing *p = b->packing;
    struct pfw_group g = {.end = b->ev[b->order[*i]].end};
    unsigned char *to;

    p->events = p->args = 0;
    while (*i < end && p->events < BATCH_EVENTS && p->bytes < CHUNK_BYTES &&
           p->names + EVENT_NAMES <= CHUNK_NAMES) {
        const struct pfw_event *ev = &b->ev[b->order[(*i)++]];

        pack_event (b, ev, g.end);
        p->bytes += EVENT_BYTES + ARG_BYTES * (size_t)ev->nargs;
    }
    if (pfw_reserve (
            &b->bytes, &b->room,
            b->used + sizeof (g) + PFW_COLUMNS * pfw_column_room (p->events) +
                (PFW_ALL_COLUMNS - PFW_COLUMNS) * pfw_column_room (p->args),
            1) < 0)
        return -1;
    to = b->bytes + b->used + sizeof (g);
    for (int k = 0; k < PFW_COLUMNS; k++)
        to = pfw_column_write (p->value[k], p->events, &g.width[k], to);
    for (int k = PFW_COLUMNS; p->args && k < PFW_ALL_COLUMNS; k++)
        to = pfw_column_write (p->arg[k - PFW_COLUMNS], p->args, &g.width[k],
                               to);
    g.events = (uint32_t)p->events;
    g.args = (uint32_t)p->args;
    memcpy (b->bytes + b->used, &g, sizeof (g));
    b->used = (size_t)(to - b->bytes);
    return 0;
}

/* Events [*i …] of a thread, as many as a chunk takes. */
static int
pack_chunk (struct pfw_batch *b, uint32_t thread, size_t *i, size_t end)
{
    struct pfw_packing *p = b->packing;
    struct pfw_batch_chunk *c;
    size_t first = *i, names;

    if (pfw_reserve (&b->chunk, &b->chunks_room, b->chunks + 1,
                     sizeof (*b->chunk)) < 0)
        return -1;
    c = &b->chunk[b->chunks++];
    *c = (struct pfw_batch_chunk){
        .thread = thread, .base = b->ev[b->order[first]].start, .at = b->used};
    p->chunk += (uint64_t)1 << 32;
    p->names = 0;
    p->bytes = 0;
    while (*i < end && p->bytes < CHUNK_BYTES &&
           p->names + EVENT_NAMES <= CHUNK_NAMES)
        if (pack_group (b, i, end) < 0)
            return -1;
    names = p->names * sizeof (*p->name);
    if (pfw_reserve (&b->bytes, &b->room, b->used + names + sizeof (p->names),
                     1) < 0)
        return -1;
    memcpy (b->bytes + b->used, p->name, names);
    memcpy (b->bytes + b->used + names, &p->names, sizeof (p->names));
    b->used += names + sizeof (p->names);
    c->events = (uint32_t)(*i - first);
    c->names = p->names;
    c->bytes = b->used - c->at;
    return 0;
}

static int pack_begin (struct pfw_batch *b)
{
    struct pfw_packing *p = b->packing;

    if (!p && !(p = b->packing = calloc (1, sizeof (*p))))
        return -1;
    if (pfw_reserve (&p->id, &p->ids, b->names.count, sizeof (*p->id)) < 0)
        return -1;
    if (b->names.count)
        memset (p->id, 0, b->names.count * sizeof (*p->id));
    p->chunk = 0;
    return put_in_order (b);
}

int pfw_pack (struct pfw_batch *b)
{
    if (pack_begin (b) < 0)
        return -1;
    for (size_t t = 0; t < b->threads; t++) {
        size_t i = b->thread[t].first, end = i + b->thread[t].count;

        while (i < end)
            if (pack_chunk (b, (uint32_t)t, &i, end) < 0)
                return -1;
    }
    return 0;
}

void pfw_pack_end (struct pfw_batch *b)
{
    if (b->packing)
        free (b->packing->id);
    free (b->packing);
}
