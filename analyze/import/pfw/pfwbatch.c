/* SPDX-License-Identifier: MIT
 *
 * pfwbatch.c - a block of lines of a DFTracer trace -> events of its threads
 *
 * In:  lines, from pfwread.c
 * Out: chunks of records (lib/format/event.h), facts of processes and
 *      definitions of hashes, to pfwstore.c; the dictionaries of the chunks
 *      still have the numbers of the batch's names
 * Caveat: the events of a batch are put in order; those that come later than
 *         the batch they belong to stay behind it.
 */
#include "config.h"

#include "analyze/import/pfw/pfwbatch.h"
#include "lib/base/array.h"
#include "lib/format/event.h"
#include "lib/util/xalloc.h"

#define PFW_NO_NAME ((int64_t)-1)

/* Times are ns; what a call does not carry is 0, or -1 in offset and fd. */
struct pfw_event {
    uint64_t start, end, size, flags;
    int64_t offset, ret;
    int64_t name; /* of names: file, or category and name */
    int32_t fd, err;
    uint16_t call, nargs;
    uint32_t arg, thread;
};

/* An argument; its key, and a value that is a text, are numbers of names. */
struct pfw_event_arg {
    uint32_t key;
    uint8_t type;   /* enum event_arg_type */
    uint64_t value; /* its bits */
};

/* --- arguments and calls ---------------------------------------------------
 */

static void call_arg (struct pfw_batch *b, const struct pfw_arg *from)
{
    struct pfw_event_arg *to = APPEND (b->arg, b->args, b->args_room);

    to->key = from->known && *from->known
                  ? *from->known - 1
                  : pfw_locals_text (&b->names, SHARD_NAME_KEY, &from->key);
    if (from->known)
        *from->known = to->key + 1;
    if (from->type == PFW_INT) {
        to->type = EVENT_ARG_INT;
        to->value = (uint64_t)from->i;
    } else if (from->type == PFW_DOUBLE) {
        to->type = EVENT_ARG_DOUBLE;
        memcpy (&to->value, &from->d, sizeof (to->value));
    } else {
        to->type = EVENT_ARG_TEXT;
        to->value = pfw_locals_text (&b->names, SHARD_NAME_TEXT, &from->text);
    }
}

static int is_huge (int64_t n)
{
    return n >= PFW_SIZE_MAX || n <= -PFW_SIZE_MAX;
}

/* Put sizes, offset, file and result of a call of libc into ev. */
static void pfw_call_take (struct pfw_batch *b,
                           const struct pfw_line *l,
                           struct pfw_event *ev)
{
    const struct call_info *info = &call_table[ev->call];
    int items = info->category == CALL_CATEGORY_STDIO &&
                l->has & PFW_HAS_SIZE && l->has & PFW_HAS_COUNT && l->size > 0;
    int64_t size = l->has & PFW_HAS_COUNT  ? l->count
                   : l->has & PFW_HAS_SIZE ? l->size
                   : l->ret > 0            ? l->ret
                                           : 0;

    b->account.unsized +=
        (info->class == CALL_CLASS_READ || info->class == CALL_CLASS_WRITE) &&
        !(l->has & (PFW_HAS_RET | PFW_HAS_SIZE | PFW_HAS_COUNT));
    ev->ret = l->ret;
    if (items &&
        (__builtin_mul_overflow (size, l->size, &size) ||
         (ev->ret > 0 && __builtin_mul_overflow (ev->ret, l->size, &ev->ret))))
        size = PFW_SIZE_MAX;
    if (l->has & PFW_HAS_HUGE || is_huge (size) || is_huge (ev->ret)) {
        size = ev->ret = 0;
        b->account.huge++;
    }
    ev->size = size > 0 && info->fields & F_SIZE ? (uint64_t)size : 0;
    ev->offset =
        l->has & PFW_HAS_OFFSET && info->fields & F_OFFSET && l->offset > -1
            ? l->offset
            : -1;
    ev->flags = info->fields & F_FLAGS ? (uint64_t)l->flags : 0;
    ev->fd = l->has & PFW_HAS_FD        ? (int32_t)l->fd
             : info->ret == CALL_RET_FD ? (int32_t)l->ret
                                        : -1;
    if (!(l->has & PFW_HAS_RET) && info->ret == CALL_RET_FD)
        ev->ret = ev->fd;
    if (!(info->fields & F_FD))
        ev->fd = -1;
    ev->err = (int32_t)l->err;
    ev->name =
        l->fhash.n   ? pfw_locals_text (&b->names, SHARD_NAME_NONE, &l->fhash)
        : l->fname.n ? pfw_locals_text (&b->names, SHARD_NAME_FILE, &l->fname)
                     : PFW_NO_NAME;
}

/* --- chunks ----------------------------------------------------------------
 */

enum {
    CHUNK_NAMES = 1024,    /* so that a chunk has room for its records, */
    CHUNK_BYTES = 1 << 22, /* however long the names are; these without */
    EVENT_NAMES = 2 * EVENT_ARGS_MAX + 1,
    ROUNDED_NS = 2000 /* times are whole microseconds, mostly */
};

/* --- order -------------------------------------------------------------- */

/* By end; what ends together, the inner one, which began later, first. */
static int by_end (const void *a, const void *b, void *cookie)
{
    const struct pfw_batch *batch = cookie;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const struct pfw_event *x = &batch->ev[i], *y = &batch->ev[j];

    return ORDER (x->end, y->end) ?: ORDER (y->start, x->start) ?: ORDER (i, j);
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
static void put_in_order (struct pfw_batch *b)
{
    size_t first = 0;

    GROW (b->order, b->order_room, b->evs);
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
}

/* --- chunks ------------------------------------------------------------- */

/* The id of a name in the chunk at hand, which gets it when it is new; there
 * is room. */
static inline uint32_t pack_name (struct pfw_batch *b, int64_t name)
{
    uint64_t chunk = (uint64_t)b->chunks << 32, *id;

    if (name == PFW_NO_NAME)
        return 0;
    id = &b->id[name];
    if (*id < chunk) {
        b->name[b->names_used++] = (uint32_t)name;
        *id = chunk | ++b->chunk[b->chunks - 1].names;
    }
    return (uint32_t)*id;
}

static void
pack_args (struct pfw_batch *b, const struct pfw_event *from, struct event *to)
{
    const struct pfw_event_arg *arg = b->arg + from->arg;

    to->nargs = (uint8_t)from->nargs;
    for (int i = 0; i < from->nargs; i++, arg++) {
        struct event_arg *a = &to->args[i];

        a->key = pack_name (b, arg->key);
        a->type = arg->type;
        if (arg->type == EVENT_ARG_TEXT)
            a->text = pack_name (b, (int64_t)arg->value);
        else if (arg->type == EVENT_ARG_INT)
            a->i = (int64_t)arg->value;
        else
            memcpy (&a->d, &arg->value, sizeof (a->d));
    }
}

/* The record of an event; there is room. */
static inline void pack_event (struct pfw_batch *b,
                               const struct pfw_event *from,
                               struct event_state *st,
                               struct event *to)
{
    to->start = from->start;
    to->end = from->end;
    to->call = from->call;
    to->nargs = 0;
    to->err = from->err;
    to->fd = from->fd;
    to->file = pack_name (b, from->name);
    to->size = from->size;
    to->offset = from->offset;
    to->ret = from->ret;
    to->flags = from->flags;
    if (from->nargs)
        pack_args (b, from, to);
    b->used += event_encode (st, to, b->bytes + b->used);
}

/* Events [*i …] of a thread, as many as a chunk takes. */
static void
pack_chunk (struct pfw_batch *b, uint32_t thread, size_t *i, size_t end)
{
    struct event ev = {.file2 = 0};
    struct event_state st;
    struct pfw_batch_chunk *c;
    size_t first = *i;

    GROW (b->name, b->names_room, b->names_used + CHUNK_NAMES);
    c = APPEND (b->chunk, b->chunks, b->chunks_room);
    *c = (struct pfw_batch_chunk){
        .thread = thread, .base = b->ev[b->order[first]].start, .at = b->used};
    event_state_init (&st, c->base);
    while (*i < end && b->used - c->at < CHUNK_BYTES &&
           c->names + EVENT_NAMES <= CHUNK_NAMES) {
        GROW (b->bytes, b->room, b->used + EVENT_BYTES_MAX);
        pack_event (b, &b->ev[b->order[(*i)++]], &st, &ev);
    }
    c->events = (uint32_t)(*i - first);
    c->bytes = b->used - c->at;
}

/* Fill chunk, name and bytes: each thread's events by their ends. */
static void pfw_pack (struct pfw_batch *b)
{
    GROW (b->id, b->ids, b->names.count);
    if (b->names.count)
        memset (b->id, 0, b->names.count * sizeof (*b->id));
    put_in_order (b);
    for (size_t t = 0; t < b->threads; t++) {
        size_t i = b->thread[t].first, end = i + b->thread[t].count;

        while (i < end)
            pack_chunk (b, (uint32_t)t, &i, end);
    }
}

/* --- batches ---------------------------------------------------------------
 */

enum {
    FIRST_SLOTS = 64, /* a power of two */
    RANK_DIGITS = 9
};

/* --- processes and threads ---------------------------------------------- */

static int same_host (const struct pfw_batch_proc *p,
                      enum pfw_host kind,
                      const struct pfw_text *host)
{
    return p->host.n == host->n &&
           (p->kind == PFW_HOST_BEFORE) == (kind == PFW_HOST_BEFORE) &&
           (host->n == 0 || memcmp (p->host.p, host->p, host->n) == 0);
}

static uint32_t find_proc (struct pfw_batch *b,
                           uint64_t pid,
                           enum pfw_host kind,
                           const struct pfw_text *host)
{
    struct pfw_batch_proc *p;

    for (size_t i = 0; i < b->procs; i++)
        if (b->proc[i].pid == pid && same_host (&b->proc[i], kind, host))
            return (uint32_t)i;
    p = APPEND (b->proc, b->procs, b->procs_room);
    p->pid = pid;
    p->kind = kind;
    p->host = *host;
    p->first = p->around = UINT64_MAX;
    return (uint32_t)b->procs - 1;
}

/* The host as the line gives it; without one, that of the line before when
 * the process is the same. */
static enum pfw_host host_of (const struct pfw_batch *b,
                              const struct pfw_line *l,
                              struct pfw_text *host)
{
    const struct pfw_batch_proc *last =
        b->last_thread < 0 ? NULL : &b->proc[b->thread[b->last_thread].proc];
    enum pfw_host kind = PFW_HOST_NONE;

    *host = l->hhash.p ? l->hhash : l->hostname;
    if (host->p) {
        kind = host->n == 0 ? PFW_HOST_NONE
               : l->hhash.p ? PFW_HOST_HASH
                            : PFW_HOST_NAME;
        if (host->n > PFW_HOST_MAX)
            host->n = PFW_HOST_MAX;
    } else if (!last)
        kind = PFW_HOST_BEFORE;
    else if (last->pid == l->pid) {
        *host = last->host;
        kind = last->kind;
    }
    return kind;
}

static size_t
slot_of (const struct pfw_batch *b, uint64_t pid, uint32_t tid, uint32_t host)
{
    uint64_t h = (pid * 0x9e3779b97f4a7c15u ^ tid) * 0xff51afd7ed558ccdu + host;

    return (h ^ h >> 32) & (b->slots - 1);
}

static void rehash (struct pfw_batch *b)
{
    size_t slots = b->slots ? 2 * b->slots : FIRST_SLOTS;
    uint32_t *slot = ZEROED (slot, slots);

    free (b->slot);
    b->slot = slot;
    b->slots = slots;
    for (size_t i = 0; i < b->threads; i++) {
        const struct pfw_batch_thread *t = &b->thread[i];
        const struct pfw_batch_proc *p = &b->proc[t->proc];
        size_t at = slot_of (b, p->pid, t->tid, p->host.n);

        while (slot[at])
            at = (at + 1) & (slots - 1);
        slot[at] = (uint32_t)i + 1;
    }
}

static int is_thread (const struct pfw_batch *b,
                      size_t thread,
                      const struct pfw_line *l,
                      enum pfw_host kind,
                      const struct pfw_text *host)
{
    const struct pfw_batch_thread *t = &b->thread[thread];
    const struct pfw_batch_proc *p = &b->proc[t->proc];

    return t->tid == (uint32_t)l->tid && p->pid == l->pid &&
           same_host (p, kind, host);
}

/* Sets b->last_thread. */
static void find_thread (struct pfw_batch *b, const struct pfw_line *l)
{
    struct pfw_text host;
    enum pfw_host kind = host_of (b, l, &host);
    size_t at;

    if (b->last_thread >= 0 &&
        is_thread (b, (size_t)b->last_thread, l, kind, &host))
        return;
    if (2 * b->threads >= b->slots)
        rehash (b);
    for (at = slot_of (b, l->pid, (uint32_t)l->tid, host.n); b->slot[at];
         at = (at + 1) & (b->slots - 1))
        if (is_thread (b, b->slot[at] - 1, l, kind, &host)) {
            b->last_thread = (int64_t)b->slot[at] - 1;
            return;
        }
    *APPEND (b->thread, b->threads, b->threads_room) =
        (struct pfw_batch_thread){.proc = find_proc (b, l->pid, kind, &host),
                                  .tid = (uint32_t)l->tid};
    b->slot[at] = (uint32_t)b->threads;
    b->last_thread = (int64_t)b->threads - 1;
}

static struct pfw_batch_proc *last_proc (struct pfw_batch *b)
{
    return &b->proc[b->thread[b->last_thread].proc];
}

/* --- metadata ----------------------------------------------------------- */

static void take_rank (struct pfw_batch *b, const struct pfw_line *l)
{
    char digits[RANK_DIGITS + 1];
    struct pfw_batch_proc *p;

    find_thread (b, l);
    memcpy (digits, l->meta_value.p, l->meta_value.n);
    digits[l->meta_value.n] = '\0';
    p = last_proc (b);
    p->rank = (int32_t)strtol (digits, NULL, 10);
    p->facts |= PFW_FACT_RANK;
}

static void take_meta (struct pfw_batch *b, const struct pfw_line *l)
{
    uint32_t unit = pfw_unit_said (l);

    if (!l->meta_name.p || !l->meta_value.p || !l->meta_value.n)
        return;
    b->account.other_units += unit && unit != b->unit.ns;
    if (pfw_names_is_definition (l))
        *APPEND (b->definition, b->definitions, b->definitions_room) =
            (struct pfw_batch_definition){l->meta_value, l->meta_name};
    else if (pfw_text_is (&l->name, "PR") &&
             pfw_text_is (&l->meta_name, "rank") &&
             l->meta_value.n <= RANK_DIGITS)
        take_rank (b, l);
}

/* The tracer's own "start" and "end". */
static void take_own (struct pfw_batch *b,
                      const struct pfw_line *l,
                      enum pfw_own own,
                      uint64_t end)
{
    struct pfw_batch_proc *p = last_proc (b);

    if (own == PFW_OWN_END) {
        p->end_ns = end;
        p->facts |= PFW_FACT_END;
    }
    for (int i = 0; i < l->nargs; i++) {
        const struct pfw_arg *a = &l->arg[i];

        if (pfw_text_is (&a->key, "ppid") && a->type == PFW_INT) {
            p->ppid = (uint32_t)a->i;
            p->facts |= PFW_FACT_PPID;
        } else if (pfw_text_is (&a->key, "exec_hash")) {
            p->exe = a->text;
            p->facts |= PFW_FACT_EXE;
        } else if (pfw_text_is (&a->key, "cmd_hash")) {
            p->argv = a->text;
            p->facts |= PFW_FACT_ARGV;
        } else if (pfw_text_is (&a->key, "job_id") && a->i > 0) {
            p->job_id = (uint64_t)a->i;
            p->facts |= PFW_FACT_JOB;
        }
    }
}

/* --- events ------------------------------------------------------------- */

/* Note the line as its thread's last one. */
static void batch_mark (struct pfw_batch *b,
                        const struct pfw_line *l,
                        uint64_t start,
                        uint64_t end)
{
    struct pfw_batch_thread *t = &b->thread[b->last_thread];
    struct pfw_mark mark = {start, end, l->has & PFW_HAS_ID ? l->id + 1 : 0};

    if (t->count == 0)
        t->earliest = mark;
    else
        b->account.back += (uint64_t)pfw_goes_back (&t->last, &mark);
    t->last = mark;
}

static void put_event (struct pfw_batch *b,
                       const struct pfw_line *l,
                       uint32_t name,
                       uint64_t start,
                       uint64_t end)
{
    const struct pfw_local *op = &b->names.item[name];
    struct pfw_event *ev;

    GROW (b->ev, b->evs_room, b->evs + 1);
    ev = &b->ev[b->evs++];
    *ev = (struct pfw_event){.start = start,
                             .end = end,
                             .thread = (uint32_t)b->last_thread,
                             .name = name,
                             .call = op->call,
                             .fd = -1,
                             .offset = -1,
                             .arg = (uint32_t)b->args};
    last_proc (b)->layers |= op->layer;
    batch_mark (b, l, start, end);
    b->thread[b->last_thread].count++;
    if (ev->call != CALL_region) {
        pfw_call_take (b, l, ev);
        return;
    }
    ev->nargs = (uint16_t)l->nargs;
    for (int i = 0; i < l->nargs; i++)
        call_arg (b, &l->arg[i]);
}

/* The number of category and name. */
static uint32_t batch_name (struct pfw_batch *b, const struct pfw_line *l)
{
    uint32_t name;

    if (l->known && *l->known)
        return *l->known - 1;
    name = pfw_locals_event (&b->names, &l->cat, &l->name);
    if (l->known)
        *l->known = name + 1;
    return name;
}

static int take_line (void *cookie, const struct pfw_line *l)
{
    struct pfw_batch *b = cookie;
    struct pfw_batch_proc *p;
    uint64_t start, end;
    uint32_t name;

    if (l->phase == PFW_PHASE_META) {
        take_meta (b, l);
        return 0;
    }
    if (pfw_unit_times (&b->unit, l, &start, &end) < 0) {
        b->account.bad_times++;
        return 0;
    }
    if (b->seen && l->phase == PFW_PHASE_EVENT && pfw_seen_add (b->seen, l)) {
        b->account.copies++;
        return 0;
    }
    find_thread (b, l);
    name = batch_name (b, l);
    p = last_proc (b);
    if (l->phase == PFW_PHASE_AGGREGATED) {
        if (start < p->around)
            p->around = start;
        pfw_sums_add (&b->sums, l);
        return 0;
    }
    if (start < p->first)
        p->first = start;
    if (b->names.item[name].own) {
        take_own (b, l, (enum pfw_own)b->names.item[name].own, end);
        return 0;
    }
    b->account.no_duration += !(l->has & PFW_HAS_DUR);
    put_event (b, l, name, start, end);
    return 0;
}

void pfw_batch_read (struct pfw_batch *b)
{
    pfw_locals_empty (&b->names);
    memset (&b->account, 0, sizeof (b->account));
    if (b->slots)
        memset (b->slot, 0, b->slots * sizeof (*b->slot));
    b->procs = b->threads = b->chunks = b->definitions = 0;
    b->names_used = b->used = b->evs = b->args = 0;
    b->last_thread = -1;
    pfw_block_read (&b->block, &b->account, take_line, b);
    pfw_pack (b);
}

void pfw_batch_clear (struct pfw_batch *b)
{
    pfw_block_clear (&b->block);
    pfw_locals_clear (&b->names);
    pfw_sums_clear (&b->sums);
    free (b->proc);
    free (b->thread);
    free (b->chunk);
    free (b->definition);
    free (b->bytes);
    free (b->slot);
    free (b->ev);
    free (b->arg);
    free (b->order);
    free (b->id);
    free (b->name);
    memset (b, 0, sizeof (*b));
}
