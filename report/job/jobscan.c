/* SPDX-License-Identifier: MIT
 *
 * jobscan.c - the events of a job -> what happened when
 *
 * In:  batches of events of all threads, totals of the job
 * Out: lanes and bytes by bin of the job's time, for the rows of figures;
 *      histograms; steps
 *
 * A worker takes a thread. What it found is added to the thread's process,
 * and a process whose threads have all been read to its rows, so that bins of
 * few processes are in memory at a time.
 */
#include "config.h"

#include "report/job/jobscan.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/pool.h"
#include "lib/util/progress.h"
#include "report/job/jobrows.h"
#include "report/job/threadscan.h"

enum { WORKERS_MAX = 64 }; /* what pool.h runs at most */

struct scan_worker {
    struct threadscan thread;
    struct scan_sums sums;
    struct batch_reader *reader;
};

struct scan_work {
    const struct result *r;
    struct jobscan *s;
    struct jobrows rows;
    struct parts parts;
    struct part_thread *thread;
    size_t threads;
    struct dict *dict;
    struct scan_worker *worker[WORKERS_MAX];
    int workers, failed;
    pthread_mutex_t lock;          /* of all that follows, and of the rows */
    struct scan_process **process; /* NULL: not begun, or done */
    size_t *left;                  /* threads of each that are not read */
};

/* --- processes -> rows ------------------------------------------------------
 */

static void jobscan_row_add (struct scan_row *row,
                             const struct scan_process *p,
                             const struct process *totals)
{
    static const int sets[LANE_COUNT] = {
        [LANE_COMPUTE] = SET_COMPUTE,       [LANE_LOADER] = SET_LOADER,
        [LANE_STALL] = SET_STALL,           [LANE_IO] = -1,
        [LANE_CHECKPOINT] = SET_CHECKPOINT, [LANE_FAULT] = -1};

    for (size_t l = 0; l < LANE_FAULT; l++) {
        uint64_t sum = 0;

        for (size_t i = 0; i < BINS; i++) {
            row->busy[l][i] += p->busy[l][i];
            sum += p->busy[l][i];
        }
        row->lane_ns[l] += sets[l] >= 0 ? totals->time[sets[l]] : sum;
    }
    for (size_t i = 0; i < 2 * BINS; i++)
        row->bytes[i / BINS][i % BINS] += p->bytes[i / BINS][i % BINS];
    for (size_t c = 0; c < SCAN_CLASSES; c++)
        row->class_ns[c] += p->class_ns[c];
}

static void jobscan_process_done (struct scan_work *w, size_t index)
{
    struct scan_process *p = w->process[index];
    const struct process *totals = &w->r->totals->process[index];
    struct jobscan *s = w->s;

    for (size_t l = 0; l < LANE_FAULT; l++)
        for (size_t i = 0; i < BINS; i++)
            if (p->busy[l][i] > bins_width (&s->bins, i))
                p->busy[l][i] = bins_width (&s->bins, i);
    if (w->rows.process[index] != JOBROW_NONE)
        jobscan_row_add (&s->processes.row[w->rows.process[index]], p, totals);
    if (w->rows.node[index] != JOBROW_NONE)
        jobscan_row_add (&s->nodes.row[w->rows.node[index]], p, totals);
    for (size_t i = 0; i < 2 * BINS; i++)
        s->sums.bytes[i / BINS][i % BINS] += p->bytes[i / BINS][i % BINS];
    free (p);
    w->process[index] = NULL;
}

static void
jobscan_thread_done (struct scan_work *w, size_t index, struct threadscan *t)
{
    (void)pthread_mutex_lock (&w->lock);
    if (!w->process[index] &&
        !(w->process[index] = calloc (1, sizeof (**w->process))))
        w->failed = 1;
    else
        threadscan_end (t, w->process[index]);
    if (--w->left[index] == 0 && w->process[index])
        jobscan_process_done (w, index);
    (void)pthread_mutex_unlock (&w->lock);
}

/* --- threads ----------------------------------------------------------------
 */

static int jobscan_scan_chunk (struct scan_worker *k,
                               const struct part *part,
                               size_t process,
                               const struct trace_chunk *c)
{
    const struct batch *b;
    int rc;

    /* what cannot be read is in the health of the totals */
    if (batch_reader_chunk (k->reader, part, process, c) < 0)
        return errno == ENOMEM ? -1 : 0;
    while ((rc = batch_reader_next (k->reader, &b)) > 0)
        if (threadscan_batch (&k->thread, b) < 0)
            return -1;
    return rc < 0 && errno == ENOMEM ? -1 : 0;
}

static void jobscan_scan_thread (void *cookie, size_t index, int worker)
{
    struct scan_work *w = cookie;
    struct scan_worker *k = w->worker[worker];
    const struct part_thread *t = &w->thread[index];
    uint64_t events = 0;

    threadscan_begin (&k->thread);
    for (size_t i = 0; i < t->chunks && !w->failed; i++) {
        if (jobscan_scan_chunk (k, &w->parts.item[t->part], t->part,
                                t->chunk[i]) < 0)
            w->failed = 1;
        events += t->chunk[i]->events;
    }
    jobscan_thread_done (w, t->part, &k->thread);
    progress_add (events);
}

/* --- all of it --------------------------------------------------------------
 */

static int jobscan_scan_plan (struct scan_work *w)
{
    size_t n;

    if (parts_make (&w->parts, w->r->job) < 0 ||
        !(w->thread = parts_threads (&w->parts, &w->threads)) ||
        jobrows_make (&w->rows, w->s, w->r) < 0)
        return -1;
    n = w->parts.count;
    w->process = calloc (n + 1, sizeof (struct scan_process *));
    w->left = calloc (n + 1, sizeof (*w->left));
    if (!w->process || !w->left || !(w->dict = dict_create (NULL)))
        return -1;
    for (size_t i = 0; i < w->threads; i++)
        w->left[w->thread[i].part]++;
    return 0;
}

static int jobscan_scan_hire (struct scan_work *w)
{
    w->workers = pool_threads ();
    if (w->workers > WORKERS_MAX)
        w->workers = WORKERS_MAX;
    for (int i = 0; i < w->workers; i++) {
        struct scan_worker *k = calloc (1, sizeof (*k));

        if (!(w->worker[i] = k) || !(k->reader = batch_reader_create (w->dict)))
            return -1;
        k->thread.bins = &w->s->bins;
        k->thread.dict = w->dict;
        k->thread.sums = &k->sums;
    }
    return 0;
}

static int jobscan_scan_run (struct scan_work *w)
{
    uint64_t events = w->r->summary->n.events;

    progress_start ("figures", events, "events");
    if (pool_run (w->threads, w->workers, jobscan_scan_thread, w) < 0)
        w->failed = 1;
    progress_end ();
    errno = ENOMEM;
    return w->failed ? -1 : 0;
}

static int jobscan_step_order (const void *a, const void *b)
{
    const struct scan_step *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->ns > y->ns) - (x->ns < y->ns);
}

static void jobscan_scan_add (uint64_t *to, const uint64_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] += from[i];
}

static int jobscan_sums_add (struct scan_sums *to, const struct scan_sums *from)
{
    size_t n = to->step_count + from->step_count;
    struct scan_step *step = reallocarray (to->step, n + 1, sizeof (*step));

    if (!step)
        return -1;
    to->step = step;
    if (from->step_count)
        memcpy (step + to->step_count, from->step,
                from->step_count * sizeof (*step));
    to->step_count = to->step_room = n;
    for (size_t i = 0; i < 2; i++) {
        hist_merge (&to->size[i], &from->size[i]);
        jobscan_scan_add (to->placed[i], from->placed[i], PLACED_COUNT);
        jobscan_scan_add (to->ended[i], from->ended[i], BINS);
        jobscan_scan_add (to->ended_bytes[i], from->ended_bytes[i], BINS);
    }
    for (size_t i = 0; i < SCAN_CLASSES; i++)
        hist_merge (&to->latency[i], &from->latency[i]);
    hist_merge (&to->steps, &from->steps);
    return 0;
}

static int jobscan_scan_sum (struct scan_work *w)
{
    struct scan_sums *s = &w->s->sums;

    for (int i = 0; i < w->workers; i++)
        if (jobscan_sums_add (s, &w->worker[i]->sums) < 0)
            return -1;
    if (s->step_count)
        qsort (s->step, s->step_count, sizeof (*s->step), jobscan_step_order);
    return 0;
}

/* Stalls of page faults are known by stretches of time. */
static void jobscan_row_stall (struct scan_row *row,
                               const struct bins *b,
                               const struct mm_bin *m,
                               const struct mm_totals *mm)
{
    uint64_t start = mm->start + m->bin * mm->bin_ns;

    row->lane_ns[LANE_FAULT] += m->stall_ns;
    bins_spread (b, row->busy[LANE_FAULT], start, start + mm->bin_ns,
                 m->stall_ns);
}

static void jobscan_rows_limit (struct scan_rows *rows, const struct bins *b)
{
    for (size_t r = 0; r < rows->count; r++)
        for (size_t i = 0; i < BINS; i++) {
            uint64_t most = bins_width (b, i) * rows->row[r].processes;
            uint64_t *ns = &rows->row[r].busy[LANE_FAULT][i];

            *ns = *ns > most ? most : *ns;
        }
}

static void jobscan_scan_stalls (struct scan_work *w)
{
    const struct mm_totals *mm = &w->r->summary->mm;
    const struct mm_bin *m = mm->bins.item;
    struct jobscan *s = w->s;

    for (size_t i = 0; i < mm->bins.count; i++) {
        uint32_t process = w->rows.process[m[i].process];
        uint32_t node = w->rows.node[m[i].process];

        if (process != JOBROW_NONE)
            jobscan_row_stall (&s->processes.row[process], &s->bins, &m[i], mm);
        if (node != JOBROW_NONE)
            jobscan_row_stall (&s->nodes.row[node], &s->bins, &m[i], mm);
    }
    jobscan_rows_limit (&s->processes, &s->bins);
    jobscan_rows_limit (&s->nodes, &s->bins);
}

static void jobscan_scan_clear (struct scan_work *w)
{
    for (int i = 0; i < w->workers; i++)
        if (w->worker[i]) {
            threadscan_clear (&w->worker[i]->thread);
            batch_reader_destroy (w->worker[i]->reader);
            free (w->worker[i]->sums.step);
            free (w->worker[i]);
        }
    for (size_t i = 0; w->process && i < w->parts.count; i++)
        free (w->process[i]);
    free (w->process);
    free (w->left);
    free (w->thread);
    jobrows_clear (&w->rows);
    dict_destroy (w->dict);
    parts_clear (&w->parts);
    (void)pthread_mutex_destroy (&w->lock);
}

struct jobscan *jobscan_make (const struct result *r, struct errtext *err)
{
    struct jobscan *s = calloc (1, sizeof (*s));
    struct scan_work w = {.r = r, .s = s};
    int rc = s && pthread_mutex_init (&w.lock, NULL) == 0 ? 0 : -1;

    if (rc == 0) {
        bins_init (&s->bins, r->summary->start, r->summary->end);
        if (jobscan_scan_plan (&w) < 0 || jobscan_scan_hire (&w) < 0 ||
            jobscan_scan_run (&w) < 0 || jobscan_scan_sum (&w) < 0)
            rc = -1;
        else
            jobscan_scan_stalls (&w);
        jobscan_scan_clear (&w);
    }
    if (rc == 0)
        return s;
    (void)errf (err, "%s: %s", r->job->label, strerror (ENOMEM));
    jobscan_destroy (s);
    return NULL;
}

void jobscan_destroy (struct jobscan *s)
{
    int saved = errno;

    if (s) {
        scan_rows_clear (&s->processes);
        scan_rows_clear (&s->nodes);
        free (s->sums.step);
        free (s);
    }
    errno = saved;
}
