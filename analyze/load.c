/* SPDX-License-Identifier: MIT
 *
 * load.c - traces of a job -> totals, in parallel
 *
 * In:  open trace files, from find.c
 * Out: struct totals, to summary.c and views.c
 *
 * The unit of work is one thread of one process, its chunks in order: nested
 * regions and sets of time need the order of events. A process begins at its
 * start record and ends at its orderly end, or with its last event.
 */
#include "config.h"

#include "analyze/load.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/pool.h"
#include "lib/util/progress.h"

enum { WORKERS_MAX = 64 }; /* what pool.h runs at most */

/* One thread of one process. */
struct task {
    struct unit unit;
    size_t process;                   /* index of totals and parts */
    const struct trace_chunk **chunk; /* of parts */
    size_t chunks;
    int failed; /* ENOMEM */
};

struct worker {
    struct scanner scanner;
    struct tally tally;
    unsigned char *buffer; /* SHARD_CHUNK_MAX bytes */
    struct health *health; /* one for each source */
};

struct load {
    const struct job *job;
    struct totals *t;
    struct task *task;
    size_t tasks, room;
    struct parts parts;
    struct worker *worker;
    int workers;
    atomic_int failed; /* errno of merge_call */
};

/* --- what is to be done ----------------------------------------------- */

static struct task *new_task (struct load *l, size_t process)
{
    size_t room = l->room ? 2 * l->room : 64;
    struct task *t = l->task;

    if (l->tasks == l->room) {
        if (!(t = reallocarray (t, room, sizeof (*t))))
            return NULL;
        l->task = t;
        l->room = room;
    }
    t = &l->task[l->tasks++];
    memset (t, 0, sizeof (*t));
    unit_init (&t->unit, l->parts.item[process].who);
    t->process = process;
    return t;
}

static int plan_tasks (struct load *l, size_t process)
{
    const struct part *part = &l->parts.item[process];
    size_t next;

    for (size_t i = 0; i < part->chunks; i = next) {
        struct task *t = new_task (l, process);

        if (!t)
            return -1;
        next = part_thread_end (part, i);
        t->chunk = part->chunk + i;
        t->chunks = next - i;
    }
    return 0;
}

/* What did not get from DFTracer's lines into the trace. */
static void add_lines (struct health *h, const struct source *s)
{
    if (!s->is_pfw)
        return;
    h->file.bytes = s->lines.in.packed;
    h->file.lost += pfw_lost (&s->lines);
    h->file.bytes_skipped += s->lines.bad_bytes + s->lines.in.packed_lost;
    h->file.cut = s->lines.cut || s->lines.in.cut || s->lines.in.members_bad;
}

static void plan_health (struct load *l)
{
    for (size_t i = 0; i < l->t->sources; i++) {
        const struct tracefile *f = l->job->source[i].file;
        struct health *h = &l->t->health[i];

        if (!f)
            continue;
        h->file = *tracefile_health (f);
        add_lines (h, &l->job->source[i]);
        for (size_t p = 0; p < tracefile_processes (f); p++)
            h->heads_bad += tracefile_process (f, p)->damaged != 0;
    }
}

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
        if (plan_tasks (l, i) < 0)
            return -1;
    }
    plan_health (l);
    return 0;
}

/* --- the work ---------------------------------------------------------------
 */

static int
make_workers (struct load *l, const struct kind_rules *rules, int threads)
{
    l->workers = threads > 0 ? threads : pool_threads ();
    if (l->workers > WORKERS_MAX)
        l->workers = WORKERS_MAX;
    if (!(l->worker = calloc ((size_t)l->workers, sizeof (*l->worker))))
        return -1;
    for (int i = 0; i < l->workers; i++) {
        struct worker *w = &l->worker[i];

        w->scanner.rules = rules;
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
    struct task *t = &l->task[index];
    const struct part *part = &l->parts.item[t->process];
    uint64_t events = 0;

    for (size_t i = 0; i < t->chunks && !t->failed; i++) {
        t->failed = do_chunk (&l->worker[worker], t, part, t->chunk[i]) < 0;
        events += t->chunk[i]->events;
    }
    unit_finish (&t->unit);
    progress_add (events);
}

static int work (struct load *l)
{
    uint64_t events = 0;
    int rc;

    for (size_t i = 0; i < l->t->sources; i++)
        events += l->t->health[i].file.events;
    progress_start ("analyze", events, "events");
    rc = pool_run (l->tasks, l->workers, do_task, l);
    progress_end ();
    for (size_t i = 0; rc == 0 && i < l->tasks; i++)
        if (l->task[i].failed) {
            errno = ENOMEM;
            rc = -1;
        }
    return rc;
}

/* --- the sums ---------------------------------------------------------------
 */

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

/* The sets of tasks [first, last) become the process's. */
static int
take_sets (struct load *l, struct process *p, size_t first, size_t last)
{
    const struct spanlog **logs = calloc (last - first, sizeof (*logs));
    int rc = logs ? 0 : -1;

    for (int set = 0; rc == 0 && set < SET_COUNT; set++) {
        if (!(p->set[set] = calloc (last - first, sizeof (*p->set[set])))) {
            rc = -1;
            break;
        }
        for (size_t i = first; i < last; i++) {
            struct spanlog *log = &l->task[i].unit.set[set];

            p->set[set][i - first] = *log;
            memset (log, 0, sizeof (*log));
            logs[i - first] = &p->set[set][i - first];
        }
        rc = spans_length (logs, last - first, &p->time[set]);
    }
    free (logs);
    return rc;
}

/* Tasks [first, last) are the threads of one process. */
static int merge_process (struct load *l, size_t first, size_t last)
{
    struct process *p = &l->t->process[l->task[first].process];

    for (size_t i = first; i < last; i++) {
        const struct unit *u = &l->task[i].unit;

        counts_add (&p->n, &u->n);
        p->threads++;
        if (u->n.events && u->first < p->start)
            p->start = u->first;
        if (u->last > p->end)
            p->end = u->last;
    }
    return take_sets (l, p, first, last);
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
    for (size_t i = 0, next; i < l->tasks; i = next) {
        for (next = i;
             next < l->tasks && l->task[next].process == l->task[i].process;)
            next++;
        if (merge_process (l, i, next) < 0)
            return -1;
    }
    return 0;
}

static void merge_call (void *cookie, size_t call, int worker)
{
    struct load *l = cookie;
    const struct spanlog **logs = calloc (l->tasks + 1, sizeof (*logs));

    (void)worker;
    for (size_t i = 0; logs && i < l->tasks; i++)
        logs[i] = l->task[i].unit.call[call];
    if (l->t->tally.call[call] &&
        (!logs || spans_length (logs, l->tasks, &l->t->call_union[call]) < 0))
        atomic_store (&l->failed, errno ? errno : ENOMEM);
    free (logs);
}

static int merge_calls (struct load *l)
{
    if (pool_run (CALL_MAX, l->workers, merge_call, l) < 0)
        return -1;
    for (size_t i = 0; i < l->tasks; i++)
        unit_clear_calls (&l->task[i].unit);
    errno = atomic_load (&l->failed);
    return errno ? -1 : 0;
}

static void free_load (struct load *l)
{
    for (size_t i = 0; i < l->tasks; i++)
        unit_clear (&l->task[i].unit);
    free (l->task);
    parts_clear (&l->parts);
    free_workers (l);
}

int totals_load (struct totals *t,
                 const struct job *job,
                 const struct kind_rules *rules,
                 int threads,
                 struct errtext *err)
{
    struct load l = {.job = job, .t = t};
    int rc = -1;

    memset (t, 0, sizeof (*t));
    if (plan (&l) == 0 && make_workers (&l, rules, threads) == 0 &&
        work (&l) == 0 && merge_workers (&l) == 0 && merge_calls (&l) == 0 &&
        merge_processes (&l) == 0)
        rc = 0;
    if (rc < 0)
        (void)errf (err, "%s: %s", job->label, strerror (errno));
    free_load (&l);
    if (rc < 0)
        totals_clear (t);
    return rc;
}

void totals_clear (struct totals *t)
{
    int saved = errno;

    for (size_t i = 0; i < t->processes; i++)
        for (int set = 0; set < SET_COUNT; set++) {
            struct process *p = &t->process[i];

            for (uint32_t k = 0; p->set[set] && k < p->threads; k++)
                spanlog_clear (&p->set[set][k]);
            free (p->set[set]);
        }
    free (t->process);
    free (t->health);
    tally_clear (&t->tally);
    memset (t, 0, sizeof (*t));
    errno = saved;
}

uint64_t health_lost (const struct health *h)
{
    return h->file.lost + h->file.missing - h->cut_events + h->undecoded;
}
