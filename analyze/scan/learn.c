/* SPDX-License-Identifier: MIT
 *
 * learn.c - events of a job -> files that are checkpoints, whatever their
 *           names say; threads that run the steps
 *
 * In:  batches of each split of a thread, from pass.c
 * Out: paths, main threads, to load.c
 * Caveat: looks at every event; all but writes, renames and regions cost one
 *         comparison.
 */
#include "config.h"

#include "analyze/scan/learn.h"
#include "lib/base/array.h"
#include "lib/format/calls.h"
#include "lib/util/xalloc.h"

/* A first thread with less than that part of the events, 1 %, only starts the
 * others; which may be a pool, of which none is the main thread. */
enum { MAINTHREADS_STARTER = 100 };
/* A first thread that is on a CPU, or in want of one, for that part of its
 * time, 10 %, works by itself, whatever calls the others make. */
enum { MAINTHREADS_WORKS = 10 };

struct mainthreads_process {
    uint64_t steps, events; /* of the thread that has the most */
    uint64_t all, first;    /* events, of all threads and of the first */
    uint64_t ran, told;     /* ns of the first one */
    uint64_t start;         /* of the first event */
    uint32_t stepper, busiest, earliest;
    int stays; /* the first thread has steps, or waits for batches */
};

/* One thread, from split i on; the next split that is not of it. */
static size_t mainthreads_add (const struct pass *p,
                               const struct mainthread_split *split,
                               size_t i,
                               struct mainthreads_process *process)
{
    const struct pass_split *t = &p->split[i];
    struct mainthreads_process *of = &process[t->process];
    int first = t->tid == p->parts.item[t->process].who->p.pid;
    struct mainthread_split n = {.start = split[i].start};

    do {
        n.steps += split[i].steps;
        n.stalls += split[i].stalls;
        n.events += split[i].events;
        of->ran += split[i].ran;
        of->told += split[i].told;
    } while (++i < p->splits && p->split[i].continues);
    of->all += n.events;
    of->first += first ? n.events : 0;
    of->stays |= first && n.steps + n.stalls;
    if (n.steps > of->steps) {
        of->steps = n.steps;
        of->stepper = t->tid;
    }
    if (n.events > of->events) {
        of->events = n.events;
        of->busiest = t->tid;
    }
    if (n.events && (!of->earliest || n.start < of->start)) {
        of->start = n.start;
        of->earliest = t->tid;
    }
    return i;
}

/* The first one, if it has steps or waits for batches; else the one with the
 * most steps. Where there are none, the first one as well, unless it has less
 * than 1 % of the events and hardly computes: then the one that has more than
 * half of them, or else the one that began first, since those of a pool are
 * alike. */
static uint32_t mainthreads_of (const struct mainthreads_process *of,
                                uint32_t first)
{
    if (of->stays)
        return first;
    if (of->steps)
        return of->stepper;
    if (of->first * MAINTHREADS_STARTER >= of->all ||
        (of->ran && of->ran * MAINTHREADS_WORKS >= of->told))
        return first;
    return of->events > of->all / 2 ? of->busiest : of->earliest;
}

/* Leave out what was taken off. at: by number, where each one is then, from 1;
 * NULL: not wanted. */
static void ckptwrites_pack (struct ckptwrites *w, uint32_t *at)
{
    size_t n = 0;

    for (size_t i = 0; i < w->count; i++)
        if (w->item[i].number) {
            w->item[n++] = w->item[i];
            if (at)
                at[w->item[n - 1].number] = (uint32_t)n;
        }
    w->count = n;
}

/* A checkpoint region that began at `start` is around all since then: mark
 * these files (by number), and take off what is inside as a whole; at as above.
 */
static void ckptwrites_cover (struct ckptwrites *w,
                              uint64_t start,
                              uint32_t *at,
                              uint8_t *mark)
{
    for (size_t i = w->count; i-- > 0 && w->item[i].last >= start;) {
        struct ckptwrite *one = &w->item[i];

        if (!one->number)
            continue;
        mark[one->number] |= CKPTWRITE_INSIDE;
        if (one->first < start)
            continue; /* the earlier ones are still open */
        if (at)
            at[one->number] = 0;
        one->number = 0;
    }
    while (w->count && !w->item[w->count - 1].number)
        w->count--;
}

struct learn_rename {
    uint32_t from, to;
};

/* Facts of a split that the splits around it need. */
struct learn_split {
    struct ckptwrites left;
    uint64_t reach; /* the earliest start of a checkpoint region */
};

struct learn_worker {
    struct learn *of;
    size_t split;
    struct ckptwrites writes;
    uint32_t *at;  /* by number: place in writes + 1; owned */
    uint8_t *mark; /* by number: enum ckptwrite_mark; owned */
    size_t names;
    struct learn_rename *rename; /* owned */
    size_t renames, renames_room;
    char apart[POOL_APART]; /* from the next one */
};

struct learn {
    const struct pass *pass;
    struct learn_worker worker[PASS_WORKERS_MAX];
    struct learn_split *split;       /* owned */
    struct mainthread_split *thread; /* the same; owned */
    uint8_t *mark;                   /* by number, of all workers; owned */
    size_t names;
};

/* --- what a call means ------------------------------------------------------
 */

enum learn_interest {
    LEARN_NOTHING = 0,
    LEARN_WRITE,
    LEARN_RENAME,
    LEARN_REGION,
    LEARN_WAIT
};

static uint8_t learn_interest[CALL_MAX];

static void learn_know_calls (void)
{
    for (int call = 0; call < CALL_MAX; call++)
        if (call_table[call].class == CALL_CLASS_WRITE ||
            call_table[call].class == CALL_CLASS_COPY)
            learn_interest[call] = LEARN_WRITE;
        else if (call_is_wait ((uint16_t)call))
            learn_interest[call] = LEARN_WAIT;
    learn_interest[CALL_rename] = learn_interest[CALL_renameat] = LEARN_RENAME;
    learn_interest[CALL_region] = LEARN_REGION;
}

/* Whether the name leaves open what the file is. */
static int learn_is_open (const struct dict *d, uint32_t number)
{
    const struct dict_entry *e = dict_entry_of (d, number, SHARD_NAME_FILE);

    return e && (e->file_kind == KIND_DATA || e->file_kind == KIND_INDEX);
}

static int learn_is_ckpt (const struct dict *d, uint32_t number)
{
    const struct dict_entry *e = dict_entry_of (d, number, SHARD_NAME_FILE);

    return e && e->file_kind == KIND_CHECKPOINT;
}

/* --- one worker -------------------------------------------------------------
 */

static void learn_grow (struct learn_worker *w, uint32_t number)
{
    size_t names = w->names;

    GROW_ZEROED (w->at, names, (size_t)number + 1);
    GROW_ZEROED (w->mark, w->names, (size_t)number + 1);
}

static void learn_write (struct learn_worker *w, uint32_t number, uint64_t time)
{
    struct ckptwrite one = {number, time, time};
    uint32_t at;

    if (!learn_is_open (w->of->pass->dict, number))
        return;
    learn_grow (w, number);
    if ((at = w->at[number])) {
        if (at == w->writes.count) {
            w->writes.item[at - 1].last = time;
            return;
        }
        one.first = w->writes.item[at - 1].first;
        w->writes.item[at - 1].number = 0;
    }
    if (w->writes.count == w->writes.room)
        ckptwrites_pack (&w->writes, w->at);
    *APPEND (w->writes.item, w->writes.count, w->writes.room) = one;
    w->at[number] = (uint32_t)w->writes.count;
}

/* Standard output and error are no checkpoints, whenever they are written. */
static void learn_no_checkpoint (struct learn_worker *w, uint32_t number)
{
    if (!learn_is_open (w->of->pass->dict, number))
        return;
    learn_grow (w, number);
    w->mark[number] |= CKPTWRITE_OUTSIDE;
}

static void learn_renamed (struct learn_worker *w, uint32_t from, uint32_t to)
{
    const struct dict *d = w->of->pass->dict;
    int open_from = learn_is_open (d, from), open_to = learn_is_open (d, to);

    if (!(open_from && (open_to || learn_is_ckpt (d, to))) &&
        !(open_to && learn_is_ckpt (d, from)))
        return;
    *APPEND (w->rename, w->renames, w->renames_room) =
        (struct learn_rename){from, to};
}

static void learn_region (struct learn_worker *w, uint32_t name, uint64_t start)
{
    const struct dict_entry *e =
        dict_entry_of (w->of->pass->dict, name, SHARD_NAME_EVENT);
    struct learn_split *p = &w->of->split[w->split];
    struct mainthread_split *t = &w->of->thread[w->split];

    if (!e)
        return;
    t->steps += e->role == ROLE_COMPUTE || e->role == ROLE_BODY;
    t->stalls += e->role == ROLE_STALL;
    if (e->role != ROLE_CHECKPOINT)
        return;
    if (start < p->reach)
        p->reach = start;
    ckptwrites_cover (&w->writes, start, w->at, w->mark);
}

/* The sampler writes into its own chunks how the other threads spent their
 * time. */
static void learn_wait (struct learn_worker *w, const struct batch *b, size_t i)
{
    const struct pass *p = w->of->pass;
    const struct part *of = &p->parts.item[p->split[w->split].process];
    struct mainthread_split *t = &w->of->thread[w->split];

    if (batch_tid (b, i) != of->who->p.pid)
        return;
    t->told += b->end[i] - b->start[i];
    if (b->call[i] == CALL_wait_run || b->call[i] == CALL_wait_runq)
        t->ran += b->end[i] - b->start[i];
}

static void
learn_event (struct learn_worker *w, const struct batch *b, size_t i)
{
    switch (learn_interest[b->call[i]]) {
    case LEARN_WRITE:
        if (b->ret[i] < 0)
            return;
        if (call_table[b->call[i]].class == CALL_CLASS_WRITE && b->fd[i] >= 0 &&
            b->fd[i] <= STDERR_FILENO) {
            learn_no_checkpoint (w, b->name[i]);
            return;
        }
        learn_write (w,
                     call_table[b->call[i]].class == CALL_CLASS_COPY
                         ? b->name2[i]
                         : b->name[i],
                     b->start[i]);
        return;
    case LEARN_RENAME:
        if (b->ret[i] >= 0)
            learn_renamed (w, b->name[i], b->name2[i]);
        return;
    case LEARN_WAIT:
        learn_wait (w, b, i);
        return;
    default:
        learn_region (w, b->name[i], b->start[i]);
        return;
    }
}

/* --- the pass ---------------------------------------------------------------
 */

static void learn_begin (void *cookie, size_t split, int worker)
{
    struct learn *c = cookie;

    c->worker[worker].split = split;
}

static int learn_take (void *cookie, int worker, const struct batch *b)
{
    struct learn *c = cookie;
    struct learn_worker *w = &c->worker[worker];
    struct mainthread_split *t = &c->thread[w->split];
    const uint16_t *call = b->call;
    size_t n = b->count, waits = 0;

    if (n && !t->events)
        t->start = b->start[0];
    for (size_t i = 0; i < n; i++) {
        if (learn_interest[call[i]])
            learn_event (w, b, i);
        waits += learn_interest[call[i]] == LEARN_WAIT;
    }
    t->events += n - waits;
    return 0;
}

/* The writes that are left belong to the split. */
static void learn_end (void *cookie, size_t split, int worker)
{
    struct learn *c = cookie;
    struct learn_worker *w = &c->worker[worker];

    ckptwrites_pack (&w->writes, NULL);
    for (size_t i = 0; i < w->writes.count; i++)
        w->at[w->writes.item[i].number] = 0;
    c->split[split].left = w->writes;
    w->writes = (struct ckptwrites){0};
}

struct pass_user learn_user (struct learn *c)
{
    return (struct pass_user){c, learn_begin, learn_take, learn_end, BATCH_ALL};
}

/* --- the result -------------------------------------------------------------
 */

static void learn_join_marks (struct learn *c)
{
    for (int i = 0; i < c->pass->workers; i++)
        for (size_t n = 0; n < c->worker[i].names && n < c->names; n++)
            c->mark[n] |= c->worker[i].mark[n];
}

/* A region of a later split may be around writes of those before it. */
static void learn_join_splits (struct learn *c)
{
    const struct pass_split *split = c->pass->split;

    for (size_t i = 0; i < c->pass->splits; i++)
        for (size_t j = i; j > 0 && split[j].continues; j--)
            ckptwrites_cover (&c->split[j - 1].left, c->split[i].reach, NULL,
                              c->mark);
    for (size_t i = 0; i < c->pass->splits; i++)
        for (size_t k = 0; k < c->split[i].left.count; k++)
            if (c->split[i].left.item[k].number)
                c->mark[c->split[i].left.item[k].number] |= CKPTWRITE_OUTSIDE;
}

static int learn_found (const struct learn *c, uint32_t number)
{
    return c->mark[number] == CKPTWRITE_INSIDE ||
           learn_is_ckpt (c->pass->dict, number);
}

/* A file keeps its kind when it is renamed. */
static void learn_follow_renames (struct learn *c)
{
    for (int i = 0; i < c->pass->workers; i++)
        for (size_t k = 0; k < c->worker[i].renames; k++) {
            const struct learn_rename *r = &c->worker[i].rename[k];

            if (learn_found (c, r->to))
                c->mark[r->from] = CKPTWRITE_INSIDE;
            else if (learn_found (c, r->from))
                c->mark[r->to] = CKPTWRITE_INSIDE;
        }
}

int learn_checkpoints (struct learn *c, struct strmap *names)
{
    int any = 0, isnew;

    c->names = dict_limit (c->pass->dict);
    c->mark = xcalloc (c->names, 1);
    learn_join_marks (c);
    learn_join_splits (c);
    learn_follow_renames (c);
    for (uint32_t n = 1; n < c->names; n++) {
        const struct dict_entry *e = dict_entry (c->pass->dict, n);

        if (c->mark[n] != CKPTWRITE_INSIDE)
            continue;
        strmap_intern (names, e->text, e->length, &isnew);
        any |= isnew;
    }
    return any;
}

int learn_main_threads (const struct learn *c, uint32_t *main)
{
    const struct pass *p = c->pass;
    struct mainthreads_process *process = ZEROED (process, p->parts.count + 1);
    int any = 0;

    for (size_t i = 0; i < p->splits;)
        i = mainthreads_add (p, c->thread, i, process);
    for (size_t i = 0; i < p->parts.count; i++) {
        uint32_t first = p->parts.item[i].who->p.pid;

        main[i] = mainthreads_of (&process[i], first);
        any |= main[i] != first;
    }
    free (process);
    return any;
}

/* --- make and free ----------------------------------------------------------
 */

struct learn *learn_create (const struct pass *pass)
{
    struct learn *c = ZEROED (c, 1);

    NEW (c->split, pass->splits + 1);
    NEW (c->thread, pass->splits + 1);
    c->pass = pass;
    learn_know_calls ();
    for (int i = 0; i < pass->workers; i++)
        c->worker[i].of = c;
    for (size_t i = 0; i < pass->splits; i++)
        c->split[i].reach = UINT64_MAX;
    return c;
}

void learn_destroy (struct learn *c)
{
    if (!c)
        return;
    for (int i = 0; i < c->pass->workers; i++) {
        struct learn_worker *w = &c->worker[i];

        free (w->writes.item);
        free (w->at);
        free (w->mark);
        free (w->rename);
    }
    for (size_t i = 0; i < c->pass->splits; i++)
        free (c->split[i].left.item);
    free (c->split);
    free (c->thread);
    free (c->mark);
    free (c);
}
