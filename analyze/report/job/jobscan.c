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

/* Design. Few rows are kept: figures show at most 48 processes, the first
 * one of each rank before others, and nodes as rows where there are several;
 * the bins of other processes are dropped when their last thread has been
 * read. */

#include "config.h"

#include <pthread.h>

#include "analyze/report/job/fig_job.h"
#include "analyze/report/job/jobscan.h"
#include "analyze/trace/batch.h"
#include "lib/base/array.h"
#include "lib/model/metric.h"
#include "lib/util/xalloc.h"

/* One worker's. */
struct threadscan {
    const struct bins *bins;
    const struct dict *dict;
    struct scan_sums *sums;
    struct place_seen *place; /* by number of the dictionary; owned */
    size_t places;
    uint64_t chunk; /* how many have begun */
    /* of the thread at hand */
    struct lanetime lane[LANE_FAULT];
    struct scan_process did; /* without lanes */
    size_t steps, first; /* kept steps of the thread, in sums from first on */
    size_t every, skip;  /* every so many are kept; to be left out */
};

/* --- the time of a job in equal slices, and what is in each -----------------
 */

__extension__ typedef unsigned __int128 bins_wide;

void bins_init (struct bins *b, uint64_t start, uint64_t end)
{
    uint64_t ns = end > start ? end - start : 1;

    for (size_t i = 0; i <= BINS; i++)
        b->edge[i] = start + (uint64_t)((bins_wide)ns * i / BINS);
    b->per_ns = BINS / (double)ns;
}

uint64_t bins_width (const struct bins *b, size_t bin)
{
    uint64_t ns = b->edge[bin + 1] - b->edge[bin];

    return ns ? ns : 1;
}

double bins_seconds (const struct bins *b)
{
    return (b->edge[BINS] - b->edge[0]) / 1e9;
}

double bins_bin_seconds (const struct bins *b)
{
    return bins_seconds (b) / BINS;
}

size_t bins_at (const struct bins *b, uint64_t t)
{
    size_t i;

    if (t <= b->edge[0])
        return 0;
    if (t >= b->edge[BINS])
        return BINS - 1;
    i = (double)(t - b->edge[0]) * b->per_ns;
    i = i < BINS ? i : BINS - 1;
    while (t < b->edge[i])
        i--;
    while (t >= b->edge[i + 1])
        i++;
    return i;
}

static uint64_t bins_clamp (const struct bins *b, uint64_t t)
{
    return t < b->edge[0] ? b->edge[0] : t > b->edge[BINS] ? b->edge[BINS] : t;
}

void bins_spread (const struct bins *b,
                  uint64_t to[BINS],
                  uint64_t start,
                  uint64_t end,
                  uint64_t amount)
{
    uint64_t before = 0;
    size_t i, last;

    start = bins_clamp (b, start);
    end = bins_clamp (b, end);
    i = bins_at (b, start);
    last = end > start ? bins_at (b, end - 1) : i;
    for (; i < last; i++) {
        uint64_t until =
            (bins_wide)amount * (b->edge[i + 1] - start) / (end - start);

        to[i] += until - before;
        before = until;
    }
    to[last] += amount - before;
}

/* --- lanes -----------------------------------------------------------------
 */

/* Add [start, end), of which nothing is in the bins yet. */
static void lane_put (struct lanetime *l,
                      const struct bins *b,
                      uint64_t start,
                      uint64_t end)
{
    for (size_t i = bins_at (b, start); i < BINS && b->edge[i] < end; i++) {
        uint64_t from = MAX (start, b->edge[i]);
        uint64_t to = end < b->edge[i + 1] ? end : b->edge[i + 1];

        l->ns[i] += to > from ? to - from : 0;
    }
}

/* All of [start, end) was busy; of that the bins have a part already. */
static void lane_cover (struct lanetime *l,
                        const struct bins *b,
                        uint64_t start,
                        uint64_t end)
{
    for (size_t i = bins_at (b, start); i < BINS && b->edge[i] < end; i++) {
        uint64_t from = MAX (start, b->edge[i]);
        uint64_t to = end < b->edge[i + 1] ? end : b->edge[i + 1];
        uint64_t most = to > b->edge[i] ? to - b->edge[i] : 0;
        uint64_t sum = l->ns[i] + (to > from ? to - from : 0);

        l->ns[i] = from == b->edge[i] || sum > most ? most : sum;
    }
}

static void
lane_settle_some (struct lanetime *l, const struct bins *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lane_put (l, b, l->open[i].start, l->open[i].end);
    if (count)
        l->settled = l->open[count - 1].end;
    l->count -= count;
    memmove (l->open, l->open + count, l->count * sizeof (l->open[0]));
}

void lane_add (struct lanetime *l,
               const struct bins *b,
               uint64_t start,
               uint64_t end)
{
    struct lane_stretch *last;

    start = bins_clamp (b, start);
    end = bins_clamp (b, end);
    if (start >= end)
        return;
    l->used = 1;
    while (l->count && l->open[l->count - 1].start >= start)
        l->count--;
    if (l->count) {
        last = &l->open[l->count - 1];
        if (last->end >= start) {
            last->end = MAX (end, last->end);
            return;
        }
    } else if (start < l->settled) {
        lane_cover (l, b, start, MIN (end, l->settled));
        if (end <= l->settled)
            return;
        start = l->settled;
    }
    if (l->count == LANE_STRETCHES)
        lane_settle_some (l, b, LANE_STRETCHES / 2);
    l->open[l->count++] = (struct lane_stretch){start, end};
}

void lane_settle (struct lanetime *l, const struct bins *b)
{
    lane_settle_some (l, b, l->count);
}

void lane_clear (struct lanetime *l)
{
    if (l->used)
        ZERO (&l->ns);
    l->count = 0;
    l->settled = 0;
    l->used = 0;
}

/* --- the events of one thread -> when it was at what ------------------------
 */

/* So many steps of a thread are kept: each dot of a figure is one. */
enum { STEPS_KEPT = 512 };

/* Return the place of the thread in a file, in this chunk. */
struct place_seen {
    struct place at;
    uint64_t chunk;
};

/* enum scan_class by class of a call, plus 1. */
static const uint8_t threadscan_class[] = {
    [CALL_CLASS_READ] = SCAN_READ + 1, [CALL_CLASS_WRITE] = SCAN_WRITE + 1,
    [CALL_CLASS_COPY] = SCAN_COPY + 1, [CALL_CLASS_META] = SCAN_META + 1,
    [CALL_CLASS_SYNC] = SCAN_SYNC + 1, [CALL_CLASS_LAST] = 0};

/* --- calls -----------------------------------------------------------------
 */

static struct place *threadscan_place (struct threadscan *t, uint32_t name)
{
    struct place_seen *seen;

    GROW_ZEROED (t->place, t->places, (size_t)name + 1);
    seen = &t->place[name];
    if (seen->chunk != t->chunk)
        *seen = (struct place_seen){.chunk = t->chunk};
    return &seen->at;
}

/* Bytes of event i that were read from, or written to, a file on storage. */
static void
threadscan_move (struct threadscan *t, const struct batch *b, size_t i, int way)
{
    uint64_t bytes = way ? b->bytes_written[i] : b->bytes_read[i];
    size_t bin = bins_at (t->bins, b->end[i]);

    hist_add (&t->sums->size[way], bytes);
    t->sums->n.ended[way][bin]++;
    t->sums->n.ended_bytes[way][bin] += bytes;
    if (b->start[i] >= t->bins->edge[bin])
        t->did.bytes[way][bin] += bytes;
    else
        bins_spread (t->bins, t->did.bytes[way], b->start[i], b->end[i], bytes);
}

static void
threadscan_access (struct threadscan *t, const struct batch *b, size_t i)
{
    int way = call_table[b->call[i]].class == CALL_CLASS_WRITE;
    struct place *at = threadscan_place (t, b->name[i]);

    t->sums->n.placed[way][place_move (at, b->call[i], b->offset[i],
                                       way ? b->bytes_written[i]
                                           : b->bytes_read[i])]++;
}

static int threadscan_on_storage (const struct threadscan *t, uint32_t name)
{
    const struct dict_entry *e = dict_entry_of (t->dict, name, SHARD_NAME_FILE);

    return e && e->class == FILE_CLASS_STORAGE;
}

/* A call of a layer above POSIX. What it asks for are POSIX calls inside. */
static void
threadscan_above (struct threadscan *t, const struct batch *b, size_t i)
{
    int lane = call_table[b->call[i]].category == CALL_CATEGORY_MPIIO
                   ? LANE_MPIIO
                   : LANE_HDF5;

    if (!above_is_request (b->call[i]))
        lane_add (&t->lane[lane], t->bins, b->start[i], b->end[i]);
}

static void
threadscan_call (struct threadscan *t, const struct batch *b, size_t i)
{
    int class = threadscan_class[call_table[b->call[i]].class] - 1, from, to;

    if (call_category_is_above (call_table[b->call[i]].category)) {
        threadscan_above (t, b, i);
        return;
    }
    if (class < 0 || call_table[b->call[i]].category == CALL_CATEGORY_KERNEL)
        return;
    from = threadscan_on_storage (t, b->name[i]);
    to = class == SCAN_COPY && threadscan_on_storage (t, b->name2[i]);
    if (!from && !to)
        return;
    t->did.class_ns[class] += b->end[i] - b->start[i];
    hist_add (&t->sums->latency[class], b->end[i] - b->start[i]);
    lane_add (&t->lane[LANE_IO], t->bins, b->start[i], b->end[i]);
    if (class > SCAN_COPY || b->error[i] != 0 || b->ret[i] < 0)
        return;
    if (class == SCAN_WRITE || to)
        threadscan_move (t, b, i, 1);
    if (class != SCAN_WRITE && from)
        threadscan_move (t, b, i, 0);
    if (class != SCAN_COPY) {
        threadscan_access (t, b, i);
        return;
    }
    t->sums->n.placed[0][PLACED_NOT] += from;
    t->sums->n.placed[1][PLACED_NOT] += to;
}

/* --- regions ---------------------------------------------------------------
 */

/* Thin a long list: drop every second step, and keep only every second one from
 * now on. */
static void threadscan_thin_steps (struct threadscan *t)
{
    struct scan_step *step = t->sums->step + t->first;

    for (size_t i = 0; 2 * i < t->steps; i++)
        step[i] = step[2 * i];
    t->steps = (t->steps + 1) / 2;
    t->sums->step_count = t->first + t->steps;
    t->every *= 2;
}

static void
threadscan_step (struct threadscan *t, const struct batch *b, size_t i)
{
    struct scan_sums *s = t->sums;

    hist_add (&s->steps, b->end[i] - b->start[i]);
    if (t->skip) {
        t->skip--;
        return;
    }
    if (t->steps == STEPS_KEPT)
        threadscan_thin_steps (t);
    GROW (s->step, s->step_room, s->step_count + 1);
    s->step[s->step_count++] = (struct scan_step){
        b->start[i], b->end[i] - b->start[i], b->who->p.rank};
    t->steps++;
    t->skip = t->every - 1;
}

static void
threadscan_region (struct threadscan *t, const struct batch *b, size_t i)
{
    static const int lanes[ROLE_COUNT] = {[ROLE_NONE] = -1,
                                          [ROLE_COMPUTE] = LANE_COMPUTE,
                                          [ROLE_LOADER] = LANE_LOADER,
                                          [ROLE_STALL] = LANE_STALL,
                                          [ROLE_CHECKPOINT] = LANE_CHECKPOINT,
                                          [ROLE_BARRIER] = -1,
                                          [ROLE_EPOCH] = -1,
                                          [ROLE_COLLECTIVE] = -1,
                                          [ROLE_BODY] = -1,
                                          [ROLE_WORKERS] = -1};
    const struct dict_entry *e =
        dict_entry_of (t->dict, b->name[i], SHARD_NAME_EVENT);

    if (!e || lanes[e->role] < 0)
        return;
    lane_add (&t->lane[lanes[e->role]], t->bins, b->start[i], b->end[i]);
    if (e->role == ROLE_COMPUTE && strcmp (dict_region_name (e), "step") == 0)
        threadscan_step (t, b, i);
}

/* --- threads ---------------------------------------------------------------
 */

static void threadscan_batch (struct threadscan *t, const struct batch *b)
{
    t->chunk += b->begins;
    for (size_t i = 0; i < b->count; i++)
        if (b->call[i] == CALL_region)
            threadscan_region (t, b, i);
        else
            threadscan_call (t, b, i);
}

static void threadscan_begin (struct threadscan *t)
{
    for (size_t i = 0; i < LANE_FAULT; i++)
        lane_clear (&t->lane[i]);
    ZERO (&t->did.bytes);
    ZERO (&t->did.class_ns);
    t->chunk++; /* files of the thread before are forgotten */
    t->first = t->sums->step_count;
    t->steps = t->skip = 0;
    t->every = 1;
}

/* Add arrays, or structs of numbers. */
static void numbers_add (void *to, const void *from, size_t bytes)
{
    uint64_t *sum = to;
    const uint64_t *n = from;

    for (size_t i = 0; i < bytes / sizeof (*sum); i++)
        sum[i] += n[i];
}

/* Add what the thread did to its process. */
static void threadscan_end (struct threadscan *t, struct scan_process *p)
{
    for (size_t i = 0; i < LANE_FAULT; i++) {
        lane_settle (&t->lane[i], t->bins);
        if (t->lane[i].used)
            numbers_add (p->busy[i], t->lane[i].ns, sizeof (p->busy[i]));
    }
    numbers_add (p->bytes, t->did.bytes, sizeof (p->bytes));
    numbers_add (p->class_ns, t->did.class_ns, sizeof (p->class_ns));
}

/* --- what several workers have read of a job -> one -------------------------
 */

static int scansums_order (const void *a, const void *b)
{
    const struct scan_step *x = a, *y = b;

    return ORDER (x->start, y->start)
           ?: ORDER (x->rank, y->rank)
           ?: ORDER (x->ns, y->ns);
}

/* Add what another worker has; to has room for its steps. */
static void scansums_add (struct scan_sums *to, const struct scan_sums *from)
{
    for (size_t i = 0; i < from->step_count; i++)
        to->step[to->step_count++] = from->step[i];
    for (size_t i = 0; i < 2; i++)
        hist_merge (&to->size[i], &from->size[i]);
    for (size_t i = 0; i < SCAN_CLASSES; i++)
        hist_merge (&to->latency[i], &from->latency[i]);
    hist_merge (&to->steps, &from->steps);
    numbers_add (&to->n, &from->n, sizeof (to->n));
}

/* --- all of it --------------------------------------------------------------
 */
struct scan_worker {
    struct threadscan thread;
    struct scan_sums sums;
};

struct jobscan_work {
    struct jobscan *s;
    struct jobrows rows;
    const struct pass *pass; /* while it is read */
    struct scan_worker *worker[PASS_WORKERS_MAX];
    size_t processes;
    int splits;                    /* a thread comes in splits */
    pthread_mutex_t lock;          /* of all that follows, and of the rows */
    struct scan_process **process; /* NULL: not begun, or done */
    size_t *left;                  /* threads of each that are not read */
};

/* --- processes -> rows ------------------------------------------------------
 */
const struct lane_info lane_table[LANE_COUNT] = {
    [LANE_COMPUTE] = {"compute", "compute", SET_COMPUTE},
    [LANE_LOADER] = {"data loader", "data loader", SET_LOADER},
    [LANE_STALL] = {"waiting for data", "waiting for data", SET_STALL},
    [LANE_HDF5] = {"HDF5, NetCDF", "HDF5, NetCDF", -1},
    [LANE_MPIIO] = {"MPI-IO", "MPI-IO", -1},
    [LANE_IO] = {"I/O on storage", "I/O", -1},
    [LANE_CHECKPOINT] = {"checkpoint", "checkpoint", SET_CHECKPOINT},
    [LANE_FAULT] = {"page-fault stall", "page faults", -1},
};

/* The row of a process in a figure, or NULL. */
static struct scan_row *
jobscan_row (struct scan_rows *rows, const uint32_t *of, size_t process)
{
    return of[process] == JOBROW_NONE ? NULL : &rows->row[of[process]];
}

/* The rows that a process is in; the rest is NULL. */
static void jobscan_rows_of (const struct jobscan_work *w,
                             size_t process,
                             struct scan_row *row[2])
{
    row[0] = jobscan_row (&w->s->processes, w->rows.process, process);
    row[1] = jobscan_row (&w->s->nodes, w->rows.node, process);
}

static void jobscan_process_done (struct jobscan_work *w, size_t index)
{
    struct scan_process *p = w->process[index];
    struct scan_row *row[2];

    for (size_t l = 0; l < LANE_FAULT; l++)
        for (size_t i = 0; i < BINS; i++)
            p->busy[l][i] = MIN (p->busy[l][i], bins_width (&w->s->bins, i));
    jobscan_rows_of (w, index, row);
    for (int k = 0; k < 2; k++) {
        if (!row[k])
            continue;
        numbers_add (&row[k]->did, p, sizeof (*p));
        for (size_t i = 0; i < LANE_FAULT * BINS; i++)
            row[k]->lane_ns[i / BINS] +=
                lane_table[i / BINS].set >= 0 ? 0 : p->busy[i / BINS][i % BINS];
    }
    numbers_add (w->s->sums.n.bytes, p->bytes, sizeof (p->bytes));
    free (p);
    w->process[index] = NULL;
}

/* --- threads ----------------------------------------------------------------
 */

static void jobscan_thread_begin (void *cookie, size_t split, int worker)
{
    struct jobscan_work *w = cookie;

    threadscan_begin (&w->worker[worker]->thread);
}

static int jobscan_take (void *cookie, int worker, const struct batch *b)
{
    struct jobscan_work *w = cookie;

    threadscan_batch (&w->worker[worker]->thread, b);
    return 0;
}

static int jobscan_ignore (void *cookie, int worker, const struct batch *b)
{
    return 0;
}

static void jobscan_thread_end (void *cookie, size_t split, int worker)
{
    struct jobscan_work *w = cookie;
    size_t index = w->pass->split[split].process;

    xalloc_lock (&w->lock);
    if (!w->process[index])
        NEW (w->process[index], 1);
    threadscan_end (&w->worker[worker]->thread, w->process[index]);
    if (--w->left[index] == 0)
        jobscan_process_done (w, index);
    xalloc_unlock (&w->lock);
}

/* --- reading ----------------------------------------------------------------
 */

static void jobscan_dismiss (struct jobscan_work *w)
{
    for (int i = 0; i < PASS_WORKERS_MAX; i++) {
        if (w->worker[i]) {
            free (w->worker[i]->thread.place);
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
    for (size_t i = 0; i < w->processes; i++)
        free (w->process[i]);
    w->processes = 0;
}

static void jobscan_hire (struct jobscan_work *w)
{
    for (int i = 0; i < w->pass->workers; i++) {
        struct scan_worker *k = NEW (w->worker[i], 1);

        k->thread.bins = &w->s->bins;
        k->thread.dict = w->pass->dict;
        k->thread.sums = &k->sums;
    }
}

/* Begin to read the pass of a job of which r is known. */
static void jobscan_plan (struct jobscan_work *w,
                          const struct pass *pass,
                          const struct result *r)
{
    size_t n = pass->parts.count;

    jobscan_drop (w);
    w->pass = pass;
    w->processes = n;
    w->splits = 0;
    w->process = arena_array (n, sizeof (*w->process));
    w->left = arena_array (n, sizeof (*w->left));
    w->s = arena_alloc (sizeof (*w->s));
    bins_init (&w->s->bins, r->summary->start, r->summary->end);
    for (size_t i = 0; i < pass->splits; i++) {
        w->left[pass->split[i].process]++;
        w->splits |= pass->split[i].continues;
    }
    jobrows_make (&w->rows, w->s, r);
    jobscan_hire (w);
}

/* All has been read. */
static int jobscan_sum (void *cookie)
{
    struct jobscan_work *w = cookie;
    struct scan_sums *s = &w->s->sums;
    size_t steps = 0;

    for (int i = 0; i < w->pass->workers; i++)
        steps += w->worker[i]->sums.step_count;
    s->step = arena_array (steps, sizeof (*s->step));
    for (int i = 0; i < w->pass->workers; i++)
        scansums_add (s, &w->worker[i]->sums);
    if (s->step_count)
        SORT (s->step, s->step_count, scansums_order);
    jobscan_dismiss (w);
    return 0;
}

/* --- together with the totals -----------------------------------------------
 */

static const struct pass_user jobscan_user = {
    NULL, jobscan_thread_begin, jobscan_take, jobscan_thread_end, BATCH_ALL};

/* Take the start and end of processes and the number of their events from the
 * heads of chunks. */
static int jobscan_guess (void *cookie,
                          struct totals *t,
                          const struct pass *pass,
                          struct pass_user *user)
{
    struct jobscan_work *w = cookie;
    struct summary s;
    struct result r = {pass->job, t, &s};

    summary_ranks (&s, t);
    s.start = parts_start (&pass->parts);
    for (size_t i = 0; i < t->processes; i++)
        if (t->process[i].end > s.end)
            s.end = t->process[i].end;
    for (size_t i = 0; i < pass->splits; i++)
        t->process[pass->split[i].process].n.events += pass->split[i].events;
    jobscan_plan (w, pass, &r);
    for (size_t i = 0; i < t->processes; i++)
        t->process[i].n.events = 0;
    summary_clear (&s);
    *user = w->splits
                ? (struct pass_user){w, NULL, jobscan_ignore, NULL, BATCH_FILES}
                : jobscan_user;
    user->cookie = w;
    return 0;
}

/* Was it right? */
static int jobscan_guessed (const struct jobscan_work *w,
                            const struct result *r)
{
    size_t bytes = w->processes * sizeof (*w->rows.process);
    struct jobscan s = {.bins = {.per_ns = 0}};
    struct jobrows rows;

    bins_init (&s.bins, r->summary->start, r->summary->end);
    if (w->splits || memcmp (&s.bins, &w->s->bins, sizeof (s.bins)) != 0)
        return 0;
    jobrows_make (&rows, &s, r);
    return memcmp (rows.process, w->rows.process, bytes) == 0 &&
           memcmp (rows.node, w->rows.node, bytes) == 0;
}

struct jobscan_work *jobscan_begin (struct totals_guest *guest)
{
    struct jobscan_work *w = arena_alloc (sizeof (*w));

    pthread_mutex_init (&w->lock, NULL);
    *guest = (struct totals_guest){w, jobscan_guess, jobscan_sum};
    return w;
}

void jobscan_end (struct jobscan_work *w)
{
    jobscan_drop (w);
    pthread_mutex_destroy (&w->lock);
}

/* --- all of it --------------------------------------------------------------
 */

/* Read the events once more. What cannot be read is in the health of the
 * totals. */
static void jobscan_again (struct jobscan_work *w, const struct result *r)
{
    struct pass pass;
    struct pass_user user = jobscan_user;

    user.cookie = w;
    pass_open_whole (&pass, r->job, NULL, 0);
    jobscan_plan (w, &pass, r);
    if (pass_run (&pass, &user, 1) < 0)
        xalloc_die ();
    jobscan_sum (w);
    pass_close (&pass);
}

/* The times of roles are those of the totals. */
static void jobscan_roles (struct jobscan_work *w, const struct totals *t)
{
    for (size_t i = 0; i < t->processes; i++) {
        struct scan_row *row[2];

        jobscan_rows_of (w, i, row);
        for (int k = 0; k < 2; k++)
            for (size_t l = 0; row[k] && l < LANE_COUNT; l++)
                row[k]->lane_ns[l] +=
                    lane_table[l].set >= 0
                        ? t->process[i].time[lane_table[l].set]
                        : 0;
    }
}

static void jobscan_rows_limit (struct scan_rows *rows, const struct bins *b)
{
    for (size_t r = 0; r < rows->count; r++)
        for (size_t i = 0; i < BINS; i++) {
            uint64_t *ns = &rows->row[r].did.busy[LANE_FAULT][i];

            *ns = MIN (*ns, bins_width (b, i) * rows->row[r].processes);
        }
}

/* Stalls of page faults are known by stretches of time. */
static void jobscan_stalls (struct jobscan_work *w, const struct mm_totals *mm)
{
    const struct mm_bin *m = mm->bins.item;
    struct jobscan *s = w->s;

    for (size_t i = 0; i < mm->bins.count; i++) {
        uint64_t start = mm->start + m[i].bin * mm->bin_ns;
        struct scan_row *row[2];

        jobscan_rows_of (w, m[i].process, row);
        for (int k = 0; k < 2; k++) {
            if (!row[k])
                continue;
            row[k]->lane_ns[LANE_FAULT] += m[i].stall_ns;
            bins_spread (&s->bins, row[k]->did.busy[LANE_FAULT], start,
                         start + mm->bin_ns, m[i].stall_ns);
        }
    }
    jobscan_rows_limit (&s->processes, &s->bins);
    jobscan_rows_limit (&s->nodes, &s->bins);
}

struct jobscan *jobscan_make (struct jobscan_work *w, const struct result *r)
{
    if (!jobscan_guessed (w, r))
        jobscan_again (w, r);
    jobscan_roles (w, r->totals);
    jobscan_stalls (w, &r->summary->mm);
    return w->s;
}
