/* SPDX-License-Identifier: MIT
 *
 * load.c - traces of a job -> totals, in parallel
 *
 * In:  open trace files, from find.c
 * Out: struct totals, to summary.c and views.c
 *
 * The unit of work is one thread of one process, its chunks in order, or a
 * split of a long one: nested regions and sets of time need the order of
 * events, so splits are put together in that order. A process begins at its
 * start record and ends at its orderly end, or with its last event.
 *
 * Its main thread is its first one, unless another one runs the steps. Where
 * that is so, or a file is a checkpoint though its name does not say so
 * (learn.h), the job is read a second time, with that known.
 */
#include "config.h"

#include "analyze/scan/load.h"

#include <stdatomic.h>

#include "analyze/scan/learn.h"
#include "lib/base/array.h"
#include "lib/util/pool.h"
#include "lib/util/spool.h"
#include "lib/util/xalloc.h"

struct load {
    struct totals *t;
    const struct job *job;
    const struct kind_rules *rules;
    const struct where *where; /* NULL: all events */
    int threads;
    const struct totals_guest *guest; /* NULL: none */
    struct pass pass;
    struct learn *learn; /* owned; NULL: it is known */
    uint32_t *main_tid;  /* of each process; owned; NULL: the first thread */
    struct unit *unit;   /* of each split; owned */
    struct scanner *scanner; /* of each worker; owned */
    uint64_t bin;            /* the widest of all maps of time, ns; 0: none */
    uint64_t pairs;          /* of threads and files */
};

/* --- the work ---------------------------------------------------------------
 */

/* Its own end, or where another program took its place; 0 not known. */
static uint64_t load_orderly_end (const struct trace_process *who)
{
    uint64_t ns = who->p.end_ns ? who->p.end_ns : who->p.exec_ns;

    return ns > who->p.start_ns ? who->p.start_real + ns - who->p.start_ns : 0;
}

/* As far as it is known before its events. */
static void load_begin_process (struct process *p,
                                const struct trace_process *who)
{
    p->who = who;
    p->start = who->p.start_real;
    p->end = load_orderly_end (who);
    if (p->end < p->start)
        p->end = p->start;
}

void totals_heads (struct totals *t, const struct pass *pass)
{
    ZERO (t);
    t->sources = pass->job->sources;
    NEW (t->process, pass->parts.count + 1);
    t->processes = pass->parts.count;
    for (size_t i = 0; i < t->processes; i++)
        load_begin_process (&t->process[i], pass->parts.item[i].who);
}

static void load_make (struct load *l)
{
    uint64_t start =
        l->job->start ? l->job->start : parts_start (&l->pass.parts);
    const struct where *where = l->where && l->where->terms ? l->where : NULL;

    l->bin = where ? 0 : loadrows_bin (l->job);
    NEW (l->unit, l->pass.splits + 1);
    NEW (l->scanner, l->pass.workers);
    totals_heads (l->t, &l->pass);
    for (size_t i = 0; i < l->pass.splits; i++) {
        const struct pass_split *p = &l->pass.split[i];
        const struct trace_process *who = l->pass.parts.item[p->process].who;

        unit_init (&l->unit[i], who,
                   l->main_tid ? l->main_tid[p->process] : who->p.pid,
                   p->continues);
    }
    for (int i = 0; i < l->pass.workers; i++) {
        struct scanner *s = &l->scanner[i];

        s->dict = s->filter.dict = l->pass.dict;
        s->filter.where = where;
        s->filter.start = start;
        s->pairs = &l->pairs;
        scanner_begin (s);
    }
}

static void load_free (struct load *l)
{
    for (size_t i = 0; l->unit && i < l->pass.splits; i++)
        unit_clear (&l->unit[i]);
    free (l->unit);
    for (int i = 0; l->scanner && i < l->pass.workers; i++)
        scanner_clear (&l->scanner[i]);
    free (l->scanner);
    learn_destroy (l->learn);
    l->unit = NULL;
    l->scanner = NULL;
    l->learn = NULL;
    pass_close (&l->pass);
}

static void load_begin (void *cookie, size_t split, int worker)
{
    struct load *l = cookie;
    struct scanner *s = &l->scanner[worker];

    s->unit = &l->unit[split];
    s->timed = l->bin && !loadrows_have_events (&l->pass, split);
    if (s->timed)
        timemap_begin (&s->time, s->unit->who, l->bin);
}

static int load_take (void *cookie, int worker, const struct batch *b)
{
    struct load *l = cookie;

    scanner_batch (&l->scanner[worker], l->scanner[worker].unit, b);
    return 0;
}

static void load_end (void *cookie, size_t split, int worker)
{
    struct load *l = cookie;
    struct scanner *s = &l->scanner[worker];

    if (s->timed)
        timemap_end (s->time, &s->tally);
    if (l->pass.split[split].whole)
        unit_finish (&l->unit[split]);
}

static void load_finish_unit (void *cookie, size_t split, int worker)
{
    struct load *l = cookie;
    const struct pass_split *p = &l->pass.split[split];

    if (!p->whole && !p->continues)
        unit_finish (&l->unit[split]);
}

/* Put the splits of each thread together, in their order; the scanners must
 * still be there. */
static void load_join_splits (struct load *l)
{
    size_t next;

    for (size_t i = 0; i < l->pass.splits; i = next)
        for (next = i + 1;
             next < l->pass.splits && l->pass.split[next].continues; next++) {
            scanplace_join (l->scanner, &l->unit[i], &l->unit[next]);
            unit_join (&l->unit[i], &l->unit[next]);
        }
    pool_run (l->pass.splits, l->pass.workers, load_finish_unit, l);
}

static void load_join_workers (struct load *l)
{
    const struct job *job = l->job;

    tally_init (&l->t->tally);
    for (int i = 0; i < l->pass.workers; i++)
        scanner_join (&l->t->tally, &l->scanner[i]);
    l->t->health = l->pass.health;
    l->pass.health = NULL;
    /* sums cannot be divided, so that conditions leave them out */
    for (size_t i = 0; !(l->where && l->where->terms) && i < job->sources;
         i++) {
        pfw_sums_merge (&l->t->tally.sums, &job->source[i].sums);
        loadrows_facts (&l->t->tally, &job->source[i].facts);
    }
}

/* --- processes --------------------------------------------------------------
 */

/* Add the results of a thread to its process. */
void totals_add_thread (struct totals *t, size_t process, struct unit *u)
{
    struct process *p = &t->process[process];

    counts_add (&p->n, &u->n);
    p->threads += !u->waits || u->others; /* the sampler's is not the job's */
    for (int kind = 0; kind < MARK_KINDS; kind++)
        marks_append (&p->marks[kind], &u->marks[kind]);
    startup_merge (&p->startup, &u->startup);
    if (u->n.events && u->first < p->start)
        p->start = u->first;
    if (u->last > p->end)
        p->end = u->last;
    p->spans = unit_take_spans (u, p->spans);
    shares_append (&p->shares, &u->shares);
    mmlog_append (&p->mm, &u->mm);
    unit_clear (u);
}

/* Lists that would take too much memory are none. */
void totals_limit_shares (struct totals *t)
{
    uint64_t pairs = 0;

    for (size_t i = 0; i < t->processes; i++)
        pairs += t->process[i].shares.count;
    if (!t->shares_dropped && pairs <= SHARES_MAX)
        return;
    t->shares_dropped = 1;
    for (size_t i = 0; i < t->processes; i++)
        shares_clear (&t->process[i].shares);
}

/* --- all of it --------------------------------------------------------------
 */

static int load_read (struct load *l)
{
    struct pass_user user[3] = {
        {l, load_begin, load_take, load_end, BATCH_ALL}};
    size_t users = 1;

    pass_open (&l->pass, l->job, l->rules, l->threads);
    load_make (l);
    if (!l->main_tid) { /* the first time */
        l->learn = learn_create (&l->pass);
        user[users++] = learn_user (l->learn);
    }
    if (l->guest &&
        l->guest->begin (l->guest->cookie, l->t, &l->pass, &user[users++]) < 0)
        return -1;
    return pass_run (&l->pass, user, users);
}

/* Read a second time if the first reading found something that it needs. */
static int load_read_known (struct load *l)
{
    int files, threads;

    if (load_read (l) < 0)
        return -1;
    NEW (l->main_tid, l->pass.parts.count + 1);
    files = learn_checkpoints (l->learn, l->job->checkpoints);
    threads = learn_main_threads (l->learn, l->main_tid);
    if (!files && !threads)
        return 0;
    load_free (l);
    totals_clear (l->t);
    l->pairs = 0;
    return load_read (l);
}

static void load_join (struct load *l)
{
    struct totals *t = l->t;

    load_join_splits (l);
    loadrows (t, &l->pass, &l->scanner[0], l->where, l->main_tid);
    load_join_workers (l);
    for (size_t i = 0; i < l->pass.splits; i++)
        if (!l->pass.split[i].continues) /* else it is in the one before */
            totals_add_thread (t, l->pass.split[i].process, &l->unit[i]);
    t->shares_dropped = l->pairs > 2 * SHARES_MAX;
    totals_limit_shares (t);
}

static int load_all (struct load *l, struct errtext *err)
{
    struct totals *t = l->t;
    int rc;

    ZERO (t);
    t->part = l->where != NULL;
    rc = load_read_known (l);
    if (rc == 0 && l->guest)
        rc = l->guest->end (l->guest->cookie);
    if (rc < 0)
        errf (err, "%s: %s", l->job->label, strerror (errno));
    else {
        load_join (l);
        if (l->where)
            rc = where_check (l->where, l->pass.dict, err);
    }
    load_free (l);
    free (l->main_tid);
    if (rc < 0)
        totals_clear (t);
    return rc;
}

int totals_load (struct totals *t,
                 const struct job *job,
                 const struct kind_rules *rules,
                 const struct where *where,
                 int threads,
                 struct errtext *err)
{
    struct load l = {
        .t = t, .job = job, .rules = rules, .where = where, .threads = threads};

    return load_all (&l, err);
}

int totals_load_with (struct totals *t,
                      const struct job *job,
                      const struct kind_rules *rules,
                      const struct totals_guest *guest,
                      struct errtext *err)
{
    struct load l = {.t = t, .job = job, .rules = rules, .guest = guest};

    return load_all (&l, err);
}

void totals_clear (struct totals *t)
{
    for (size_t i = 0; i < t->processes; i++) {
        spans_clear (t->process[i].spans);
        free (t->process[i].owned);
        mmlog_clear (&t->process[i].mm);
        shares_clear (&t->process[i].shares);
        for (int kind = 0; kind < MARK_KINDS; kind++)
            marks_clear (&t->process[i].marks[kind]);
    }
    free (t->process);
    free (t->health);
    tally_clear (&t->tally);
    ZERO (t);
}
