/* SPDX-License-Identifier: MIT
 *
 * jobscan.c - the events of a job -> what happened when
 *
 * In:  batches of events of all threads, totals of the job
 * Out: lanes and bytes by bin of the job's time, for the rows of figures;
 *      histograms; steps
 *
 * What a worker found of a thread is added to the thread's process, and a
 * process whose threads have all been read to its rows, so that bins of few
 * processes are in memory at a time.
 */
#include "config.h"

#include "analyze/report/job/jobscan.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/report/job/jobrows.h"
#include "analyze/report/job/threadscan.h"

struct scan_worker {
    struct threadscan thread;
    struct scan_sums sums;
};

struct jobscan_work {
    struct jobscan *s; /* owned until it is made */
    struct jobrows rows;
    const struct pass *pass; /* while it is read */
    struct scan_worker *worker[PASS_WORKERS_MAX];
    size_t processes;
    int pieces;                    /* a thread comes in pieces */
    pthread_mutex_t lock;          /* of all that follows, and of the rows */
    struct scan_process **process; /* NULL: not begun, or done */
    size_t *left;                  /* threads of each that are not read */
};

/* --- processes -> rows ------------------------------------------------------
 */
static const int jobscan_sets[LANE_COUNT] = {
#define LANE(NAME, TITLE, SHORT, SET) [LANE_##NAME] = SET,
#include "analyze/report/job/lanes.def"
#undef LANE
};

static void jobscan_row_add (struct scan_row *row, const struct scan_process *p)
{
    for (size_t l = 0; l < LANE_FAULT; l++)
        for (size_t i = 0; i < BINS; i++) {
            row->busy[l][i] += p->busy[l][i];
            row->lane_ns[l] += jobscan_sets[l] >= 0 ? 0 : p->busy[l][i];
        }
    for (size_t i = 0; i < 2 * BINS; i++)
        row->bytes[i / BINS][i % BINS] += p->bytes[i / BINS][i % BINS];
    for (size_t c = 0; c < SCAN_CLASSES; c++)
        row->class_ns[c] += p->class_ns[c];
}

static void jobscan_process_done (struct jobscan_work *w, size_t index)
{
    struct scan_process *p = w->process[index];
    struct jobscan *s = w->s;

    for (size_t l = 0; l < LANE_FAULT; l++)
        for (size_t i = 0; i < BINS; i++)
            if (p->busy[l][i] > bins_width (&s->bins, i))
                p->busy[l][i] = bins_width (&s->bins, i);
    if (w->rows.process[index] != JOBROW_NONE)
        jobscan_row_add (&s->processes.row[w->rows.process[index]], p);
    if (w->rows.node[index] != JOBROW_NONE)
        jobscan_row_add (&s->nodes.row[w->rows.node[index]], p);
    for (size_t i = 0; i < 2 * BINS; i++)
        s->sums.bytes[i / BINS][i % BINS] += p->bytes[i / BINS][i % BINS];
    free (p);
    w->process[index] = NULL;
}

/* --- threads ----------------------------------------------------------------
 */

static int jobscan_thread_begin (void *cookie, size_t piece, int worker)
{
    struct jobscan_work *w = cookie;

    (void)piece;
    threadscan_begin (&w->worker[worker]->thread);
    return 0;
}

static int jobscan_take (void *cookie, int worker, const struct batch *b)
{
    struct jobscan_work *w = cookie;

    return threadscan_batch (&w->worker[worker]->thread, b);
}

static int jobscan_ignore (void *cookie, int worker, const struct batch *b)
{
    (void)cookie;
    (void)worker;
    (void)b;
    return 0;
}

static int jobscan_thread_end (void *cookie, size_t piece, int worker)
{
    struct jobscan_work *w = cookie;
    size_t index = w->pass->piece[piece].process;
    int rc = 0;

    (void)pthread_mutex_lock (&w->lock);
    if (!w->process[index] &&
        !(w->process[index] = calloc (1, sizeof (**w->process))))
        rc = -1;
    else {
        threadscan_end (&w->worker[worker]->thread, w->process[index]);
        if (--w->left[index] == 0)
            jobscan_process_done (w, index);
    }
    (void)pthread_mutex_unlock (&w->lock);
    return rc;
}

/* --- reading ----------------------------------------------------------------
 */

static void jobscan_dismiss (struct jobscan_work *w)
{
    for (int i = 0; i < PASS_WORKERS_MAX; i++) {
        if (w->worker[i]) {
            threadscan_clear (&w->worker[i]->thread);
            free (w->worker[i]->sums.step);
        }
        free (w->worker[i]);
        w->worker[i] = NULL;
    }
}

/* Forget all that was read. */
static void jobscan_drop (struct jobscan_work *w)
{
    jobscan_dismiss (w);
    for (size_t i = 0; w->process && i < w->processes; i++)
        free (w->process[i]);
    free (w->process);
    free (w->left);
    jobrows_clear (&w->rows);
    jobscan_destroy (w->s);
    w->process = NULL;
    w->left = NULL;
    w->rows = (struct jobrows){NULL, NULL};
    w->s = NULL;
}

static int jobscan_hire (struct jobscan_work *w)
{
    for (int i = 0; i < w->pass->workers; i++) {
        struct scan_worker *k = calloc (1, sizeof (*k));

        if (!(w->worker[i] = k))
            return -1;
        k->thread.bins = &w->s->bins;
        k->thread.dict = w->pass->dict;
        k->thread.sums = &k->sums;
    }
    return 0;
}

/* Begin to read the pass of a job of which r is known. */
static int jobscan_plan (struct jobscan_work *w,
                         const struct pass *pass,
                         const struct result *r)
{
    size_t n = pass->parts.count;

    jobscan_drop (w);
    w->pass = pass;
    w->processes = n;
    w->pieces = 0;
    w->process = calloc (n + 1, sizeof (struct scan_process *));
    w->left = calloc (n + 1, sizeof (*w->left));
    if (!w->process || !w->left || !(w->s = calloc (1, sizeof (*w->s))))
        return -1;
    bins_init (&w->s->bins, r->summary->start, r->summary->end);
    for (size_t i = 0; i < pass->pieces; i++) {
        w->left[pass->piece[i].process]++;
        w->pieces |= pass->piece[i].continues;
    }
    return jobrows_make (&w->rows, w->s, r) < 0 ? -1 : jobscan_hire (w);
}

/* All has been read. */
static int jobscan_sum (void *cookie)
{
    struct jobscan_work *w = cookie;
    struct scan_sums *s = &w->s->sums;

    for (int i = 0; i < w->pass->workers; i++)
        if (scansums_add (s, &w->worker[i]->sums) < 0)
            return -1;
    scansums_sort (s);
    jobscan_dismiss (w);
    return 0;
}

/* --- together with the totals -----------------------------------------------
 */

static const struct pass_user jobscan_user = {
    NULL, jobscan_thread_begin, jobscan_take, jobscan_thread_end, BATCH_ALL};

/* What processes say of themselves, and the heads of their chunks. */
static int jobscan_guess (void *cookie,
                          struct totals *t,
                          const struct pass *pass,
                          struct pass_user *user)
{
    struct jobscan_work *w = cookie;
    struct summary s;
    struct result r = {pass->job, t, &s};
    int rc = summary_ranks (&s, t);

    s.start = parts_start (&pass->parts);
    for (size_t i = 0; i < t->processes; i++)
        if (t->process[i].end > s.end)
            s.end = t->process[i].end;
    for (size_t i = 0; i < pass->pieces; i++)
        t->process[pass->piece[i].process].n.events += pass->piece[i].events;
    if (rc == 0)
        rc = jobscan_plan (w, pass, &r);
    for (size_t i = 0; i < t->processes; i++)
        t->process[i].n.events = 0;
    summary_clear (&s);
    *user = w->pieces
                ? (struct pass_user){w, NULL, jobscan_ignore, NULL, BATCH_FILES}
                : jobscan_user;
    user->cookie = w;
    return rc;
}

/* Was it right? 1, 0, or -1 (ENOMEM). */
static int jobscan_guessed (const struct jobscan_work *w,
                            const struct result *r)
{
    size_t bytes = w->processes * sizeof (*w->rows.process);
    struct jobscan s = {.bins = {.per_ns = 0}};
    struct jobrows rows = {NULL, NULL};
    int rc = 0;

    bins_init (&s.bins, r->summary->start, r->summary->end);
    if (w->pieces || memcmp (&s.bins, &w->s->bins, sizeof (s.bins)) != 0)
        return 0;
    if (jobrows_make (&rows, &s, r) < 0)
        rc = -1;
    else
        rc = memcmp (rows.process, w->rows.process, bytes) == 0 &&
             memcmp (rows.node, w->rows.node, bytes) == 0;
    jobrows_clear (&rows);
    scan_rows_clear (&s.processes);
    scan_rows_clear (&s.nodes);
    return rc;
}

struct jobscan_work *jobscan_begin (struct totals_guest *guest)
{
    struct jobscan_work *w = calloc (1, sizeof (*w));

    if (w && pthread_mutex_init (&w->lock, NULL) != 0) {
        free (w);
        w = NULL;
    }
    *guest = (struct totals_guest){w, jobscan_guess, jobscan_sum};
    return w;
}

void jobscan_end (struct jobscan_work *w)
{
    if (!w)
        return;
    jobscan_drop (w);
    (void)pthread_mutex_destroy (&w->lock);
    free (w);
}

/* --- all of it --------------------------------------------------------------
 */

/* Read the events once more. What cannot be read is in the health of the
 * totals. */
static int jobscan_again (struct jobscan_work *w, const struct result *r)
{
    struct pass pass;
    struct pass_user user = jobscan_user;
    int rc = -1;

    user.cookie = w;
    if (pass_open_whole (&pass, r->job, NULL, 0) < 0)
        return -1;
    if (jobscan_plan (w, &pass, r) == 0 && pass_run (&pass, &user, 1) == 0)
        rc = jobscan_sum (w);
    pass_close (&pass);
    return rc;
}

/* The times of roles are those of the totals. */
static void jobscan_row_roles (struct scan_row *row, const struct process *p)
{
    for (size_t l = 0; l < LANE_COUNT; l++)
        row->lane_ns[l] += jobscan_sets[l] >= 0 ? p->time[jobscan_sets[l]] : 0;
}

static void jobscan_roles (struct jobscan_work *w, const struct totals *t)
{
    for (size_t i = 0; i < t->processes; i++) {
        uint32_t process = w->rows.process[i], node = w->rows.node[i];

        if (process != JOBROW_NONE)
            jobscan_row_roles (&w->s->processes.row[process], &t->process[i]);
        if (node != JOBROW_NONE)
            jobscan_row_roles (&w->s->nodes.row[node], &t->process[i]);
    }
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

static void jobscan_stalls (struct jobscan_work *w, const struct mm_totals *mm)
{
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

struct jobscan *jobscan_make (struct jobscan_work *w,
                              const struct result *r,
                              struct errtext *err)
{
    int guessed = jobscan_guessed (w, r);
    struct jobscan *s;

    if (guessed < 0 || (!guessed && jobscan_again (w, r) < 0)) {
        (void)errf (err, "%s: %s", r->job->label, strerror (ENOMEM));
        return NULL;
    }
    jobscan_roles (w, r->totals);
    jobscan_stalls (w, &r->summary->mm);
    s = w->s;
    w->s = NULL;
    return s;
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
