/* SPDX-License-Identifier: MIT
 *
 * load.c - traces of a job -> totals, in parallel
 *
 * In:  open trace files, from find.c
 * Out: struct totals, to summary.c and views.c
 *
 * The unit of work is one thread of one process, its chunks in order, or a
 * piece of a long one: nested regions and sets of time need the order of
 * events, so pieces are put together in that order. A process begins at its
 * start record and ends at its orderly end, or with its last event.
 */
#include "config.h"

#include "analyze/query/load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/query/task.h"
#include "lib/util/pool.h"
#include "lib/util/progress.h"

enum { WORKERS_MAX = 64 }; /* what pool.h runs at most */

struct worker {
    struct scanner scanner;
    struct tally tally;
    unsigned char *buffer; /* SHARD_CHUNK_MAX bytes */
    struct health *health; /* one for each source */
};

struct load {
    const struct job *job;
    struct totals *t;
    struct tasks tasks;
    struct parts parts;
    struct worker *worker;
    int workers;
};

/* --- what is to be done ----------------------------------------------- */

static int plan (struct load *l)
{
    struct totals *t = l->t;

    if (parts_make (&l->parts, l->job) < 0)
        return -1;
    t->sources = l->job->sources;
    t->health = calloc (t->sources + 1, sizeof (*t->health));
    t->process = calloc (l->parts.count + 1, sizeof (*t->process));
    if (!t->health || !t->process)
        return -1;
    t->processes = l->parts.count;
    for (size_t i = 0; i < t->processes; i++) {
        t->process[i].who = l->parts.item[i].who;
        if (tasks_plan (&l->tasks, &l->parts.item[i], i) < 0)
            return -1;
    }
    health_begin (t, l->job);
    return 0;
}

/* --- the work ---------------------------------------------------------------
 */

static int make_workers (struct load *l,
                         const struct kind_rules *rules,
                         const struct where *where,
                         int threads)
{
    uint64_t start = l->job->start ? l->job->start : parts_start (&l->parts);

    l->workers = threads > 0 ? threads : pool_threads ();
    if (l->workers > WORKERS_MAX)
        l->workers = WORKERS_MAX;
    if (!(l->worker = calloc ((size_t)l->workers, sizeof (*l->worker))))
        return -1;
    for (int i = 0; i < l->workers; i++) {
        struct worker *w = &l->worker[i];

        w->scanner.rules = rules;
        w->scanner.filter.where = where && where->terms ? where : NULL;
        w->scanner.filter.start = start;
        w->scanner.tally = &w->tally;
        w->buffer = malloc (SHARD_CHUNK_MAX);
        w->health = calloc (l->t->sources + 1, sizeof (*w->health));
        if (!w->buffer || !w->health || tally_init (&w->tally) < 0)
            return -1;
    }
    return 0;
}

static void free_workers (struct load *l)
{
    for (int i = 0; l->worker && i < l->workers; i++) {
        scanner_clear (&l->worker[i].scanner);
        tally_clear (&l->worker[i].tally);
        free (l->worker[i].buffer);
        free (l->worker[i].health);
    }
    free (l->worker);
}

static int do_chunk (struct worker *w,
                     struct task *t,
                     const struct part *part,
                     const struct trace_chunk *c)
{
    struct health *h = &w->health[part->source];
    ssize_t bytes = tracefile_read (part->file, c, w->buffer);
    uint64_t decoded = 0;
    int rc = 0;

    if (bytes >= 0)
        rc = scanner_chunk (&w->scanner, &t->unit, c, w->buffer, (size_t)bytes,
                            &decoded);
    if (rc < 0 && errno == ENOMEM)
        return -1;
    if (bytes < 0 && errno != EBADMSG)
        h->io_errors++;
    else if (c->present < c->used)
        h->cut_events += c->events;
    else if (decoded < c->events)
        h->chunks_bad++;
    h->events += decoded;
    if (decoded < c->events)
        h->undecoded += c->events - decoded;
    return 0;
}

static void do_task (void *cookie, size_t index, int worker)
{
    struct load *l = cookie;
    struct task *t = &l->tasks.item[index];
    const struct part *part = &l->parts.item[t->process];
    uint64_t events = 0;

    for (size_t i = 0; i < t->chunks && !t->failed; i++) {
        t->failed = do_chunk (&l->worker[worker], t, part, t->chunk[i]) < 0;
        events += t->chunk[i]->events;
    }
    if (t->whole)
        t->failed |= unit_finish (&t->unit) < 0;
    progress_add (events);
}

static int work (struct load *l)
{
    uint64_t events = 0;
    int rc;

    for (size_t i = 0; i < l->t->sources; i++)
        events += l->t->health[i].file.events;
    progress_start ("analyze", events, "events");
    rc = pool_run (l->tasks.count, l->workers, do_task, l);
    progress_end ();
    for (size_t i = 0; rc == 0 && i < l->tasks.count; i++)
        if (l->tasks.item[i].failed) {
            errno = ENOMEM;
            rc = -1;
        }
    return rc < 0 ? -1 : tasks_join (&l->tasks);
}

/* --- the sums ---------------------------------------------------------------
 */

/* Sums cannot be divided, so that conditions leave them out. */
static int take_sums (struct load *l, const struct where *where)
{
    for (size_t i = 0; !(where && where->terms) && i < l->job->sources; i++)
        if (pfw_sums_merge (&l->t->tally.sums, &l->job->source[i].sums) < 0)
            return -1;
    return 0;
}

static int merge_workers (struct load *l)
{
    if (tally_init (&l->t->tally) < 0)
        return -1;
    for (int i = 0; i < l->workers; i++) {
        if (tally_merge (&l->t->tally, &l->worker[i].tally) < 0)
            return -1;
        for (size_t s = 0; s < l->t->sources; s++) {
            struct health *h = &l->t->health[s];

            h->events += l->worker[i].health[s].events;
            h->undecoded += l->worker[i].health[s].undecoded;
            h->chunks_bad += l->worker[i].health[s].chunks_bad;
            h->io_errors += l->worker[i].health[s].io_errors;
            h->cut_events += l->worker[i].health[s].cut_events;
        }
    }
    return 0;
}

/* Its own end, or where another program took its place; 0 not known. */
static uint64_t orderly_end (const struct trace_process *who)
{
    uint64_t ns = who->p.end_ns ? who->p.end_ns : who->p.exec_ns;

    return ns > who->p.start_ns ? who->p.start_real + ns - who->p.start_ns : 0;
}

/* Tasks [first, last) are the threads of one process. */
static int merge_process (struct load *l, size_t first, size_t last)
{
    struct process *p = &l->t->process[l->tasks.item[first].process];

    for (size_t i = first; i < last; i++) {
        const struct unit *u = &l->tasks.item[i].unit;

        if (l->tasks.item[i].continues) /* is in the one before */
            continue;
        counts_add (&p->n, &u->n);
        p->threads++;
        for (int kind = 0; kind < MARK_KINDS; kind++)
            if (marks_append (&p->marks[kind], &u->marks[kind]) < 0)
                return -1;
        startup_merge (&p->startup, &u->startup);
        if (u->n.events && u->first < p->start)
            p->start = u->first;
        if (u->last > p->end)
            p->end = u->last;
        p->spans = unit_take_spans (&l->tasks.item[i].unit, p->spans);
        if (mmlog_append (&p->mm, &u->mm) < 0)
            return -1;
        mmlog_clear (&l->tasks.item[i].unit.mm);
    }
    return 0;
}

static int merge_processes (struct load *l)
{
    for (size_t i = 0; i < l->t->processes; i++) {
        struct process *p = &l->t->process[i];

        p->start = p->who->p.start_real;
        p->end = orderly_end (p->who);
        if (p->end < p->start)
            p->end = p->start;
    }
    for (size_t i = 0, next; i < l->tasks.count; i = next) {
        for (next = i; next < l->tasks.count &&
                       l->tasks.item[next].process == l->tasks.item[i].process;)
            next++;
        if (merge_process (l, i, next) < 0)
            return -1;
    }
    return 0;
}

static void free_load (struct load *l)
{
    tasks_clear (&l->tasks);
    parts_clear (&l->parts);
    free_workers (l);
}

int totals_scan (struct totals *t,
                 const struct job *job,
                 const struct kind_rules *rules,
                 const struct where *where,
                 int threads,
                 struct errtext *err)
{
    struct load l = {.job = job, .t = t};
    int rc = -1;

    memset (t, 0, sizeof (*t));
    if (plan (&l) == 0 && make_workers (&l, rules, where, threads) == 0 &&
        work (&l) == 0 && merge_workers (&l) == 0 &&
        take_sums (&l, where) == 0 && merge_processes (&l) == 0)
        rc = 0;
    if (rc < 0)
        (void)errf (err, "%s: %s", job->label, strerror (errno));
    free_load (&l);
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
    if (totals_scan (t, job, rules, where, threads, err) < 0)
        return -1;
    if (totals_unite (t, job, err) == 0)
        return 0;
    totals_clear (t);
    return -1;
}

void totals_clear (struct totals *t)
{
    int saved = errno;

    for (size_t i = 0; i < t->processes; i++) {
        spans_clear (t->process[i].spans);
        free (t->process[i].owned);
        mmlog_clear (&t->process[i].mm);
        for (int kind = 0; kind < MARK_KINDS; kind++)
            marks_clear (&t->process[i].marks[kind]);
    }
    mmjoin_clear (&t->mm);
    free (t->process);
    free (t->health);
    tally_clear (&t->tally);
    memset (t, 0, sizeof (*t));
    errno = saved;
}
