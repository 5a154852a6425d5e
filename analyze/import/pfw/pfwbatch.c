/* SPDX-License-Identifier: MIT
 *
 * pfwbatch.c - a block of lines of a DFTracer trace -> events of its threads
 *
 * In:  lines, from pfwread.c
 * Out: events to pfwpack.c, which makes columns of them; facts of processes and
 *      definitions of hashes to pfwtrace.c
 */
#include "config.h"

#include "analyze/import/pfw/pfwbatch.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/import/pfw/pfwpack.h"
#include "lib/format/event.h"

enum {
    FIRST_SLOTS = 64, /* a power of two */
    RANK_DIGITS = 9
};

static int text_is (const struct pfw_text *t, const char *word)
{
    return t->p && t->n == strlen (word) && memcmp (t->p, word, t->n) == 0;
}

/* --- processes and threads ---------------------------------------------- */

static int same_host (const struct pfw_batch_proc *p,
                      enum pfw_host kind,
                      const struct pfw_text *host)
{
    return p->host.n == host->n &&
           (p->kind == PFW_HOST_BEFORE) == (kind == PFW_HOST_BEFORE) &&
           (host->n == 0 || memcmp (p->host.p, host->p, host->n) == 0);
}

static int64_t pfwbatch_find_proc (struct pfw_batch *b,
                                   uint64_t pid,
                                   enum pfw_host kind,
                                   const struct pfw_text *host)
{
    struct pfw_batch_proc *p;

    for (size_t i = 0; i < b->procs; i++)
        if (b->proc[i].pid == pid && same_host (&b->proc[i], kind, host))
            return (int64_t)i;
    if (pfw_reserve (&b->proc, &b->procs_room, b->procs + 1,
                     sizeof (*b->proc)) < 0)
        return -1;
    p = &b->proc[b->procs];
    memset (p, 0, sizeof (*p));
    p->pid = pid;
    p->kind = kind;
    p->host = *host;
    p->first = p->around = UINT64_MAX;
    return (int64_t)b->procs++;
}

/* The host as the line gives it; without one, that of the line before when
 * the process is the same. */
static enum pfw_host pfwbatch_host_of (const struct pfw_batch *b,
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

static size_t pfwbatch_slot_of (const struct pfw_batch *b,
                                uint64_t pid,
                                uint32_t tid,
                                uint32_t host)
{
    uint64_t h = (pid * 0x9e3779b97f4a7c15u ^ tid) * 0xff51afd7ed558ccdu + host;

    return (h ^ h >> 32) & (b->slots - 1);
}

static int rehash (struct pfw_batch *b)
{
    size_t slots = b->slots ? 2 * b->slots : FIRST_SLOTS;
    uint32_t *slot = calloc (slots, sizeof (*slot));

    if (!slot)
        return -1;
    free (b->slot);
    b->slot = slot;
    b->slots = slots;
    for (size_t i = 0; i < b->threads; i++) {
        const struct pfw_batch_thread *t = &b->thread[i];
        const struct pfw_batch_proc *p = &b->proc[t->proc];
        size_t at = pfwbatch_slot_of (b, p->pid, t->tid, p->host.n);

        while (slot[at])
            at = (at + 1) & (slots - 1);
        slot[at] = (uint32_t)i + 1;
    }
    return 0;
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

/* Sets b->last_thread. 0, or -1 (ENOMEM). */
static int find_thread (struct pfw_batch *b, const struct pfw_line *l)
{
    struct pfw_text host;
    enum pfw_host kind = pfwbatch_host_of (b, l, &host);
    int64_t proc;
    size_t at;

    if (b->last_thread >= 0 &&
        is_thread (b, (size_t)b->last_thread, l, kind, &host))
        return 0;
    if (2 * b->threads >= b->slots && rehash (b) < 0)
        return -1;
    for (at = pfwbatch_slot_of (b, l->pid, (uint32_t)l->tid, host.n);
         b->slot[at]; at = (at + 1) & (b->slots - 1))
        if (is_thread (b, b->slot[at] - 1, l, kind, &host)) {
            b->last_thread = (int64_t)b->slot[at] - 1;
            return 0;
        }
    if ((proc = pfwbatch_find_proc (b, l->pid, kind, &host)) < 0 ||
        pfw_reserve (&b->thread, &b->threads_room, b->threads + 1,
                     sizeof (*b->thread)) < 0)
        return -1;
    b->thread[b->threads] = (struct pfw_batch_thread){.proc = (uint32_t)proc,
                                                      .tid = (uint32_t)l->tid};
    b->last_thread = (int64_t)b->threads++;
    b->slot[at] = (uint32_t)b->threads;
    return 0;
}

static struct pfw_batch_proc *last_proc (struct pfw_batch *b)
{
    return &b->proc[b->thread[b->last_thread].proc];
}

/* --- metadata ----------------------------------------------------------- */

static int take_rank (struct pfw_batch *b, const struct pfw_line *l)
{
    char digits[RANK_DIGITS + 1];
    struct pfw_batch_proc *p;

    if (find_thread (b, l) < 0)
        return -1;
    memcpy (digits, l->meta_value.p, l->meta_value.n);
    digits[l->meta_value.n] = '\0';
    p = last_proc (b);
    p->rank = (int32_t)strtol (digits, NULL, 10);
    p->facts |= PFW_FACT_RANK;
    return 0;
}

static int take_meta (struct pfw_batch *b, const struct pfw_line *l)
{
    uint32_t unit = pfw_unit_said (l);

    if (!l->meta_name.p || !l->meta_value.p || !l->meta_value.n)
        return 0;
    b->account.other_units += unit && unit != b->unit.ns;
    if (pfw_names_is_definition (l)) {
        if (pfw_reserve (&b->definition, &b->definitions_room,
                         b->definitions + 1, sizeof (*b->definition)) < 0)
            return -1;
        b->definition[b->definitions++] =
            (struct pfw_batch_definition){l->meta_value, l->meta_name};
        return 0;
    }
    return text_is (&l->name, "PR") && text_is (&l->meta_name, "rank") &&
                   l->meta_value.n <= RANK_DIGITS
               ? take_rank (b, l)
               : 0;
}

/* The tracer's own "start" and "end". */
static void pfwbatch_take_own (struct pfw_batch *b,
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

        if (text_is (&a->key, "ppid") && a->type == PFW_INT) {
            p->ppid = (uint32_t)a->i;
            p->facts |= PFW_FACT_PPID;
        } else if (text_is (&a->key, "exec_hash")) {
            p->exe = a->text;
            p->facts |= PFW_FACT_EXE;
        } else if (text_is (&a->key, "cmd_hash")) {
            p->argv = a->text;
            p->facts |= PFW_FACT_ARGV;
        } else if (text_is (&a->key, "job_id") && a->i > 0) {
            p->job_id = (uint64_t)a->i;
            p->facts |= PFW_FACT_JOB;
        }
    }
}

/* --- events ------------------------------------------------------------- */

/* Where the thread's lines are now. */
static void pfwbatch_mark (struct pfw_batch *b,
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

static int pfwbatch_put_event (struct pfw_batch *b,
                               const struct pfw_line *l,
                               int64_t name,
                               uint64_t start,
                               uint64_t end)
{
    const struct pfw_local *op = &b->names.item[name];
    struct pfw_event *ev;

    if (pfw_reserve (&b->ev, &b->evs_room, b->evs + 1, sizeof (*b->ev)) < 0)
        return -1;
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
    pfwbatch_mark (b, l, start, end);
    b->thread[b->last_thread].count++;
    return ev->call == CALL_region ? pfw_args_take (b, l, ev)
                                   : pfw_call_take (b, l, ev);
}

/* The number of category and name. -1: ENOMEM. */
static int64_t pfwbatch_name (struct pfw_batch *b, const struct pfw_line *l)
{
    int64_t name;

    if (l->known && *l->known)
        return (int64_t)*l->known - 1;
    name = pfw_locals_event (&b->names, &l->cat, &l->name);
    if (l->known)
        *l->known = (uint32_t)(name + 1);
    return name;
}

static int pfwbatch_take (void *cookie, const struct pfw_line *l)
{
    struct pfw_batch *b = cookie;
    struct pfw_batch_proc *p;
    uint64_t start, end;
    int64_t name;
    int rc;

    if (l->phase == PFW_PHASE_META)
        return take_meta (b, l);
    if (pfw_unit_times (&b->unit, l, &start, &end) < 0) {
        b->account.bad_times++;
        return 0;
    }
    if (b->seen && l->phase == PFW_PHASE_EVENT &&
        (rc = pfw_seen_add (b->seen, l)) != 0) {
        b->account.copies += rc > 0;
        return rc > 0 ? 0 : -1;
    }
    if (find_thread (b, l) < 0 || (name = pfwbatch_name (b, l)) < 0)
        return -1;
    p = last_proc (b);
    if (l->phase == PFW_PHASE_AGGREGATED) {
        if (start < p->around)
            p->around = start;
        return pfw_sums_add (&b->sums, l);
    }
    if (start < p->first)
        p->first = start;
    if (b->names.item[name].own) {
        pfwbatch_take_own (b, l, (enum pfw_own)b->names.item[name].own, end);
        return 0;
    }
    b->account.no_duration += !(l->has & PFW_HAS_DUR);
    return pfwbatch_put_event (b, l, name, start, end);
}

int pfw_batch_read (struct pfw_batch *b)
{
    pfw_locals_empty (&b->names);
    memset (&b->account, 0, sizeof (b->account));
    if (b->slots)
        memset (b->slot, 0, b->slots * sizeof (*b->slot));
    b->procs = b->threads = b->chunks = b->definitions = 0;
    b->used = b->evs = b->args = 0;
    b->last_thread = -1;
    return pfw_block_read (&b->block, &b->account, pfwbatch_take, b) < 0
               ? -1
               : pfw_pack (b);
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
    pfw_pack_end (b);
    memset (b, 0, sizeof (*b));
}
