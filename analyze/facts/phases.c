/* SPDX-License-Identifier: MIT
 *
 * phases.c - start, training, epochs and checkpoints of the ranks
 *
 * In:  processes and ranks with their times
 * Out: facts for metrics.def, insights.def and the tables of phases
 */
#include "config.h"

#include "analyze/facts/equals.h"
#include "analyze/facts/times.h"

#include <stdatomic.h>

#include "analyze/scan/spanunion.h"
#include "lib/base/array.h"
#include "lib/util/pool.h"
#include "lib/util/xalloc.h"

enum {
    STEPS_MANY = 20, /* fewer say nothing about a cold cache */
    STEPS_COLD = 10  /* the first 1 / so many of them */
};

static void phases_add_processes (struct summary *s, const struct totals *t)
{
    for (size_t i = 0; i < t->processes; i++) {
        const struct process *p = &t->process[i];
        struct rank *r = &s->rank[p->rank];

        startup_merge (&r->startup, &p->startup);
        if (!r->start || p->start < r->start)
            r->start = p->start;
        transfer_add (&r->ckpt, &p->n.ckpt_write);
        transfer_add (&r->samples, &p->n.sample);
    }
}

/* --- start ---------------------------------------------------------------- */

static const struct rank *find_builder (const struct summary *s)
{
    const struct rank *builder = NULL;

    for (size_t i = 0; i < s->ranks; i++) {
        const struct rank *r = &s->rank[i];

        if (r->startup.built_bytes &&
            (!builder || r->startup.built_bytes > builder->startup.built_bytes))
            builder = r;
    }
    return builder;
}

/* Regions say it; else the silence of a rank while the index was built. */
static void find_wait (struct rank *r, const struct rank *builder)
{
    if (r->startup.barrier_ns) {
        r->wait = r->startup.barrier_ns;
        r->waited = WAIT_REGIONS;
    } else if (builder && r != builder) {
        r->wait = startup_quiet_in (&r->startup, builder->startup.built_first,
                                    builder->startup.built_last);
        r->waited = r->wait ? WAIT_SILENCE : WAIT_UNKNOWN;
    }
}

static void make_start (struct summary *s)
{
    const struct rank *builder = find_builder (s);
    struct start *st = &s->start_up;

    for (size_t i = 0; i < s->ranks; i++) {
        struct rank *r = &s->rank[i];
        const struct startup *u = &r->startup;

        find_wait (r, builder);
        if (r->waited != WAIT_UNKNOWN) {
            st->waiting++;
            st->waited |= 1u << r->waited;
        }
        if (r->wait > st->wait_max)
            st->wait_max = r->wait;
        st->wait_sum += r->wait;
        if (u->step_first > r->start) {
            st->ranks++;
            if (u->step_first - r->start > st->time)
                st->time = u->step_first - r->start;
        }
        st->maps += u->maps;
        st->map_bytes += u->map_bytes;
        if (u->maps && (!st->map_first || u->map_first < st->map_first))
            st->map_first = u->map_first;
        if (u->map_last > st->map_last)
            st->map_last = u->map_last;
    }
    if (builder) {
        st->built = builder->startup.built_last - builder->startup.built_first;
        st->built_bytes = builder->startup.built_bytes;
    }
}

/* --- training ------------------------------------------------------------- */

static void make_train (struct summary *s)
{
    struct train *n = &s->train;

    for (size_t i = 0; i < s->ranks; i++) {
        const struct rank *r = &s->rank[i];
        uint64_t time = r->startup.train_last - r->startup.train_first;

        if (!r->startup.train_last)
            continue;
        n->ranks++;
        n->sum += time;
        if (time > n->max)
            n->max = time;
        n->stall += r->time[SET_STALL];
        n->compute += r->time[SET_COMPUTE];
        if (time > r->busy)
            n->other += time - r->busy;
    }
}

/* --- epochs and steps -------------------------------------------------------
 */

struct cold_window {
    uint64_t start, first_end, end;
    double later; /* how many times as many epochs or steps come later */
};

/* The processes of each rank: those of rank r are process[first[r]] up to
 * process[first[r + 1] - 1]. A job may have 100,000 of both. */
struct phases_members {
    size_t *first;
    const struct process **process;
};

/* A rank's facts on a cold cache, and on its checkpoints. */
struct phases_cold {
    size_t steps;
    double first, later; /* ns of reading in as many epochs or steps */
    int known;           /* these two are */
    int epochs;          /* they are epochs */
    uint64_t saves, durable;
};

/* The ranks are worked on by several threads. */
struct phases_work {
    const struct summary *s;
    const struct phases_members *of;
    struct phases_cold *rank; /* owned */
};

static void windows_of (struct marks *m,
                        const struct phases_members *of,
                        size_t rank,
                        enum mark_kind kind)
{
    for (size_t i = of->first[rank]; i < of->first[rank + 1]; i++)
        marks_append (m, &of->process[i]->marks[kind]);
    marks_to_windows (m);
}

/* The first epoch and the others; without epochs the first tenth of the
 * steps. False: there is not enough of either. */
static int cold_window (struct cold_window *w,
                        const struct marks *epochs,
                        const struct marks *steps)
{
    const struct marks *m = epochs->count > 1 ? epochs : steps;
    size_t first = epochs->count > 1 ? 1 : steps->count / STEPS_COLD;

    if (m == steps && steps->count < STEPS_MANY)
        return 0;
    w->start = m->item[0].start;
    w->first_end = m->item[first - 1].end;
    w->end = m->item[m->count - 1].end;
    w->later = (double)(m->count - first) / (double)first;
    return 1;
}

static int phases_is_read (const struct spans *x)
{
    return x->key.sets & 1u << SET_READ;
}

static void phases_reading (const struct phases_work *work,
                            size_t rank,
                            const struct cold_window *w,
                            struct phases_cold *c)
{
    struct span_logs logs = {.n = 0};
    uint64_t first = 0, later = 0;

    for (size_t i = work->of->first[rank]; i < work->of->first[rank + 1]; i++)
        spanlogs_add (&logs, work->of->process[i], phases_is_read);
    spans_length_in (logs.log, logs.n, w->start, w->first_end, &first);
    spans_length_in (logs.log, logs.n, w->first_end, w->end, &later);
    c->first = first;
    c->later = (double)later / w->later;
    c->known = 1;
    free (logs.log);
}

/* --- when checkpoints were on storage --------------------------------------
 */

static int saves_by_start (const void *a, const void *b)
{
    const struct mark *x = a, *y = b;

    return ORDER (x->start, y->start)
               ?: ORDER (y->end, x->end); /* the outer one first */
}

/* Regions inside others are part of them. */
static void saves_sort (struct marks *m)
{
    size_t n = 0;

    if (m->count)
        SORT (m->item, m->count, saves_by_start);
    for (size_t i = 0; i < m->count; i++)
        if (!n || m->item[i].start >= m->item[n - 1].end)
            m->item[n++] = m->item[i];
    m->count = n;
}

static void saves_opened (void *cookie, uint64_t start, uint64_t end)
{
    marks_add (cookie, -1, start, end);
}

static int saves_is_open (enum call call)
{
    return call == CALL_fopen || (call_table[call].class == CALL_CLASS_META &&
                                  call_table[call].ret == CALL_RET_FD);
}

/* The regions of the main threads that hold up the rank, else where it opened
 * checkpoint files. */
static void
saves_find (struct marks *m, const struct phases_work *work, size_t rank)
{
    const struct phases_members *of = work->of;

    for (size_t i = of->first[rank]; i < of->first[rank + 1]; i++)
        if (of->process[i]->time[SET_CHECKPOINT])
            marks_append (m, &of->process[i]->marks[MARK_CHECKPOINT]);
    for (size_t i = of->first[rank]; !m->count && i < of->first[rank + 1]; i++)
        for (const struct spans *s = of->process[i]->spans; s; s = s->next)
            if (s->key.sets & 1u << SET_CKPT_META &&
                saves_is_open (s->key.call))
                spanlog_each (&s->log, saves_opened, m);
    saves_sort (m);
    for (size_t i = 0; i < m->count; i++)
        m->item[i].end = 0;
}

/* It belongs to the last one that began before it. */
static void saves_write (void *cookie, uint64_t start, uint64_t end)
{
    const struct marks *m = cookie;
    size_t low = FIRST_NOT (m->count, i, m->item[i].start <= start);

    if (low && end > m->item[low - 1].end)
        m->item[low - 1].end = end;
}

static void saves_of_rank (const struct phases_work *work,
                           size_t rank,
                           struct phases_cold *c)
{
    const struct phases_members *of = work->of;
    struct marks m = {0};

    if (!work->s->rank[rank].time[SET_CKPT_WRITE])
        return;
    saves_find (&m, work, rank);
    for (size_t i = of->first[rank]; i < of->first[rank + 1]; i++)
        for (const struct spans *s = of->process[i]->spans; s; s = s->next)
            if (s->key.sets & 1u << SET_CKPT_WRITE)
                spanlog_each (&s->log, saves_write, &m);
    for (size_t i = 0; i < m.count; i++)
        if (m.item[i].end) {
            c->saves++;
            if (m.item[i].end - m.item[i].start > c->durable)
                c->durable = m.item[i].end - m.item[i].start;
        }
    marks_clear (&m);
}

static void phases_rank (const struct phases_work *work, size_t rank)
{
    struct phases_cold *c = &work->rank[rank];
    struct marks epochs = {0}, steps = {0};
    struct cold_window w;

    windows_of (&epochs, work->of, rank, MARK_EPOCH);
    windows_of (&steps, work->of, rank, MARK_STEP);

    c->steps = steps.count;
    c->epochs = epochs.count > 1;
    if (work->s->rank[rank].time[SET_READ] && cold_window (&w, &epochs, &steps))
        phases_reading (work, rank, &w, c);
    saves_of_rank (work, rank, c);
    marks_clear (&epochs);
    marks_clear (&steps);
}

static void phases_do_rank (void *cookie, size_t rank, int worker)
{
    struct phases_work *work = cookie;

    phases_rank (work, rank);
}

static void phases_members (struct phases_members *of,
                            const struct summary *s,
                            const struct totals *t)
{
    size_t sum = 0, n;

    NEW (of->first, s->ranks + 1);
    NEW (of->process, t->processes + 1);
    /* first[r + 1] counts, then says where the next one of rank r goes */
    for (size_t i = 0; i < t->processes; i++)
        of->first[t->process[i].rank + 1]++;
    for (size_t r = 0; r < s->ranks; r++) {
        n = of->first[r + 1];
        of->first[r + 1] = sum;
        sum += n;
    }
    for (size_t i = 0; i < t->processes; i++)
        of->process[of->first[t->process[i].rank + 1]++] = &t->process[i];
}

static void make_ranks (struct summary *s, const struct totals *t)
{
    struct phases_members of;
    struct phases_work work = {
        .s = s, .of = &of, .rank = xcalloc (s->ranks + 1, sizeof (*work.rank))};

    phases_members (&of, s, t);
    pool_run (s->ranks, 0, phases_do_rank, &work);
    for (size_t r = 0; r < s->ranks; r++) {
        const struct phases_cold *c = &work.rank[r];

        s->rank[r].saves = c->saves;
        s->rank[r].durable = c->durable;
        if (c->steps > s->train.steps)
            s->train.steps = c->steps;
        if (!c->known)
            continue;
        s->cold.first += c->first;
        s->cold.later += c->later;
        s->cold.epochs = c->epochs;
    }
    free (work.rank);
    free (of.first);
    free (of.process);
}

/* --- checkpoints -----------------------------------------------------------
 */

/* Delays of a rank, part by part. */
static void checkpoint_parts (struct rank *r)
{
    uint64_t all = r->time[SET_CHECKPOINT];
    uint64_t write = r->common[OVERLAP_CKPT];
    uint64_t meta = r->common[OVERLAP_CKPT_META];
    uint64_t comm = r->common[OVERLAP_CKPT_COMM];

    r->saved[CKPT_SYNC] = r->common[OVERLAP_CKPT_SYNC];
    r->saved[CKPT_WRITE] = write - r->common[OVERLAP_CKPT_SYNC];
    r->saved[CKPT_META] = meta - write;
    r->saved[CKPT_GATHER] = comm - meta;
    r->saved[CKPT_SERIALISE] = all - comm;
}

static void make_checkpoint (struct summary *s)
{
    struct checkpoint *c = &s->checkpoint;
    uint64_t longest = 0;

    for (size_t i = 0; i < s->ranks; i++) {
        struct rank *r = &s->rank[i];

        checkpoint_parts (r);
        if (r->time[SET_CHECKPOINT] > longest) {
            longest = r->time[SET_CHECKPOINT];
            memcpy (c->part, r->saved, sizeof (c->part));
        }
        if (r->saves > c->saves)
            c->saves = r->saves;
        if (r->durable > c->durable)
            c->durable = r->durable;
    }

    for (size_t i = 0; i < s->ranks; i++) {
        const struct rank *r = &s->rank[i];
        uint64_t time = r->time[SET_CKPT_WRITE];
        double rate;

        if (!time || !r->ckpt.bytes)
            continue;
        rate = r->ckpt.bytes * 1e9 / (double)time;
        c->ranks++;
        if (rate > c->best)
            c->best = rate;
        if (!c->worst || rate < c->worst)
            c->worst = rate;
    }
}

void phases_make (struct summary *s, const struct totals *t)
{
    phases_add_processes (s, t);
    make_start (s);
    make_train (s);
    make_ranks (s, t);
    make_checkpoint (s);
}
