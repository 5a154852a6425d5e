/* SPDX-License-Identifier: MIT
 *
 * evstream.c - the events of a job -> a stream of Arrow's record batches
 *
 * In:  a job that is open; conditions and columns
 * Out: struct ArrowArrayStream, whose functions need no Python
 */

/* Design. Events are a stream of Arrow (evstream.c). Splits of threads are
 * put together to groups of a batch's size; workers read groups
 * (evstream.c), put what a condition lets through into columns (evfill.c)
 * and wait when four batches are ready, but never the one whose group is
 * next. So batches come in one order, and memory does not depend on the size
 * of the trace. A column of texts is a dictionary of those that occur in the
 * batch. Nothing of that knows Python: consumers call it from threads of
 * their own. */

#include "config.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "analyze/facts/question.h"
#include "analyze/python/evstream.h"
#include "lib/base/array.h"
#include "lib/util/pool.h"
#include "lib/util/xalloc.h"

/* An array that waits. */
struct evread_batch {
    struct ArrowArray array;
    struct evread_batch *next;
};

/* Consecutive splits of threads, with as many events as one batch has. */
struct evread_group {
    size_t first, end;                 /* splits of the pass */
    struct evread_batch *batch, *last; /* owned */
    int done;
};

struct evread {
    struct readjob *job; /* held */
    struct evcolumns columns;
    struct where where;
    struct query_context context;
    int has_context, strict;
    uint64_t start; /* of the job */
    size_t rows;
    struct pass pass;
    struct evread_group *group; /* owned */
    size_t groups;
    struct evfill *fill[PASS_WORKERS_MAX];         /* owned */
    struct batch_reader *reader[PASS_WORKERS_MAX]; /* owned */
    pid_t pid;
    pthread_t thread;
    int started;
    _Atomic uint64_t lost;
    struct errtext err;
    pthread_mutex_t lock; /* of what follows, and of the batches of groups */
    pthread_cond_t change;
    size_t head;  /* the group whose batches are next */
    size_t ahead; /* batches of all groups */
    int stop;     /* nobody wants more */
    int failed;   /* errno */
    int finished; /* all groups have been read, or one failed */
};

/* --- the splits of a job's threads -> arrays, in order, read ahead ----------
 */

enum { EVREAD_AHEAD = 2 }; /* batches for each worker */

/* --- groups --------------------------------------------------------------- */

/* Divide the pass into groups. */
static void evread_plan (struct evread *r)
{
    const struct pass *p = &r->pass;
    uint64_t events = 0;

    NEW (r->group, p->splits + 1);
    for (size_t i = 0; i < p->splits; i++) {
        struct evread_group *g = &r->group[r->groups];

        if (!events)
            g->first = i;
        g->end = i + 1;
        events += p->split[i].events + 1;
        if (events >= r->rows || i + 1 == p->splits) {
            r->groups++;
            events = 0;
        }
    }
}

/* --- workers -------------------------------------------------------------- */

static int evread_stopped (struct evread *r)
{
    int stop;

    pthread_mutex_lock (&r->lock);
    stop = r->stop || r->failed;
    pthread_mutex_unlock (&r->lock);
    return stop;
}

/* Hand over what the worker has. */
static void evread_give (struct evread *r, size_t group, struct evfill *f)
{
    struct evread_group *g = &r->group[group];
    struct evread_batch *b;
    size_t most = EVREAD_AHEAD * (size_t)r->pass.workers;

    if (evfill_count (f) == 0)
        return;
    NEW (b, 1);
    evfill_array (f, &b->array);
    pthread_mutex_lock (&r->lock); /* no memory is needed under it */
    while (r->ahead >= most && group != r->head && !r->stop && !r->failed)
        pthread_cond_wait (&r->change, &r->lock);
    if (g->last)
        g->last->next = b;
    else
        g->batch = b;
    g->last = b;
    r->ahead++;
    pthread_cond_broadcast (&r->change);
    pthread_mutex_unlock (&r->lock);
}

/* Read a chunk as far as possible and count what is damaged. Return 0, or -1
 * with errno. */
static int evread_chunk (struct evread *r,
                         size_t group,
                         const struct pass_split *p,
                         const struct trace_chunk *c,
                         int worker)
{
    struct batch_reader *reader = r->reader[worker];
    struct evfill *f = r->fill[worker];
    const struct batch *b;
    uint64_t decoded = 0;
    int opened = batch_reader_chunk (reader, &r->pass.parts.item[p->process],
                                     p->process, c) == 0,
        rc = -1;

    while (opened && (rc = batch_reader_next (reader, &b)) > 0) {
        if (evfill_take (f, b) < 0)
            return -1;
        if (evfill_full (f))
            evread_give (r, group, f);
    }
    if (rc < 0 && errno == ENOMEM)
        return -1;
    if (opened)
        decoded = batch_reader_events (reader);
    if (decoded < c->events)
        atomic_fetch_add (&r->lost, c->events - decoded);
    return 0;
}

static int evread_group_all (struct evread *r, size_t group, int worker)
{
    const struct evread_group *g = &r->group[group];

    for (size_t i = g->first; i < g->end; i++) {
        const struct pass_split *p = &r->pass.split[i];

        for (size_t k = 0; k < p->chunks; k++)
            if (evread_stopped (r))
                return 0;
            else if (evread_chunk (r, group, p, p->chunk[k], worker) < 0)
                return -1;
    }
    evread_give (r, group, r->fill[worker]);
    return 0;
}

struct evread_todo {
    struct evread *read;
    size_t group;
    int worker, rc;
};

static void evread_try (void *cookie)
{
    struct evread_todo *t = cookie;

    t->rc = evread_group_all (t->read, t->group, t->worker);
}

static void evread_work (void *cookie, size_t group, int worker)
{
    struct evread *r = cookie;
    struct evread_todo t = {r, group, worker, 0};
    int rc = 0;

    errno = 0;
    if (!evread_stopped (r))
        rc = xalloc_guard (evread_try, &t) < 0 ? -1 : t.rc;
    pthread_mutex_lock (&r->lock);
    if (rc < 0 && !r->failed)
        r->failed = errno ? errno : ENOMEM;
    r->group[group].done = 1;
    pthread_cond_broadcast (&r->change);
    pthread_mutex_unlock (&r->lock);
}

static void *evread_main (void *arg)
{
    struct evread *r = arg;

    pool_run (r->groups, r->pass.workers, evread_work, r);
    pthread_mutex_lock (&r->lock);
    r->finished = 1;
    pthread_cond_broadcast (&r->change);
    pthread_mutex_unlock (&r->lock);
    return NULL;
}

/* Signals are the business of the program's own threads. */
static int evread_start (struct evread *r)
{
    sigset_t all, before;
    int rc;

    for (int i = 0; i < r->pass.workers; i++) {
        r->reader[i] = batch_reader_create (r->pass.dict);
        NEW (r->fill[i], 1);
        r->fill[i]->columns = &r->columns;
        r->fill[i]->rows = r->rows;
        evfill_init (r->fill[i], &r->where, r->pass.dict,
                     r->has_context ? &r->context : NULL, r->start);
        batch_reader_needs (r->reader[i],
                            evcolumns_need (&r->columns, &r->where));
    }
    sigfillset (&all);
    pthread_sigmask (SIG_BLOCK, &all, &before);
    rc = pthread_create (&r->thread, NULL, evread_main, r);
    pthread_sigmask (SIG_SETMASK, &before, NULL);
    errno = rc;
    r->started = rc == 0;
    return rc ? -1 : 0;
}

/* --- who takes ------------------------------------------------------------ */

/* The lock is held. Is there a batch, or nothing to wait for? */
static int evread_ready (struct evread *r)
{
    for (; r->head < r->groups; r->head++) {
        const struct evread_group *g = &r->group[r->head];

        if (g->batch || r->failed)
            return 1;
        if (!g->done)
            return 0;
        pthread_cond_broadcast (&r->change);
    }
    return r->finished;
}

/* The next array: 1; 0 at the end; -1 with errno. */
static int evread_next (struct evread *r, struct ArrowArray *out)
{
    struct evread_batch *b = NULL;
    int failed;

    pthread_mutex_lock (&r->lock);
    while (!evread_ready (r))
        pthread_cond_wait (&r->change, &r->lock);
    failed = r->failed;
    if (!failed && r->head < r->groups) {
        struct evread_group *g = &r->group[r->head];

        b = g->batch;
        g->batch = b->next;
        if (!g->batch)
            g->last = NULL;
        r->ahead--;
        pthread_cond_broadcast (&r->change);
    }
    pthread_mutex_unlock (&r->lock);
    if (failed) {
        errno = failed;
        return -1;
    }
    if (b)
        *out = b->array;
    free (b);
    return b != NULL;
}

/* --- the end -------------------------------------------------------------- */

static void evread_stop (struct evread *r)
{
    pthread_mutex_lock (&r->lock);
    r->stop = 1;
    pthread_cond_broadcast (&r->change);
    pthread_mutex_unlock (&r->lock);
    pthread_join (r->thread, NULL);
}

static void evread_drop_batches (struct evread *r)
{
    struct evread_batch *next;

    for (size_t i = 0; r->group && i < r->groups; i++)
        for (struct evread_batch *b = r->group[i].batch; b; b = next) {
            next = b->next;
            b->array.release (&b->array);
            free (b);
        }
    free (r->group);
}

/* Stop reading, wait for the threads, and free all of it. */
static void evread_destroy (struct evread *r)
{
    if (r->started && r->pid != getpid ())
        return; /* its threads, and what they hold, are the parent's */
    if (r->started)
        evread_stop (r);
    evread_drop_batches (r);
    for (int i = 0; i < PASS_WORKERS_MAX; i++) {
        batch_reader_destroy (r->reader[i]);
        if (r->fill[i])
            evfill_clear (r->fill[i]);
        free (r->fill[i]);
    }
    pass_close (&r->pass);
    if (r->has_context)
        query_context_clear (&r->context);
    where_clear (&r->where);
    pthread_cond_destroy (&r->change);
    pthread_mutex_destroy (&r->lock);
    readjob_drop (r->job);
    free (r);
}

/* --- which types arguments have that are columns ----------------------------
 */

enum { EVLEARN_INT = 1, EVLEARN_DOUBLE = 2, EVLEARN_TEXT = 4 };

struct evlearn {
    struct evread *read;
    struct batch_reader *reader[PASS_WORKERS_MAX];
    uint32_t key[EVCOLUMNS_MAX]; /* dictionary; 0: no argument */
    atomic_uint seen[EVCOLUMNS_MAX];
    atomic_int failed;
};

static void evlearn_batch (struct evlearn *l, const struct batch *b)
{
    static const unsigned bit[] = {[EVENT_ARG_INT] = EVLEARN_INT,
                                   [EVENT_ARG_DOUBLE] = EVLEARN_DOUBLE,
                                   [EVENT_ARG_TEXT] = EVLEARN_TEXT};

    for (uint32_t a = 0; a < b->arg[b->count]; a++)
        for (size_t i = 0; i < l->read->columns.count; i++)
            if (l->key[i] && l->key[i] == b->args[a].key)
                atomic_fetch_or (&l->seen[i], bit[b->args[a].type]);
}

static void evlearn_split (void *cookie, size_t split, int worker)
{
    struct evlearn *l = cookie;
    const struct pass *pass = &l->read->pass;
    const struct pass_split *p = &pass->split[split];
    struct batch_reader *r = l->reader[worker];
    const struct batch *b;

    for (size_t i = 0; i < p->chunks && !atomic_load (&l->failed); i++) {
        int rc = batch_reader_chunk (r, &pass->parts.item[p->process],
                                     p->process, p->chunk[i]);

        while (rc >= 0 && (rc = batch_reader_next (r, &b)) > 0)
            evlearn_batch (l, b);
        if (rc < 0 && errno == ENOMEM)
            atomic_store (&l->failed, ENOMEM);
    }
}

static int evlearn_take (struct evlearn *l)
{
    struct evread *r = l->read;

    for (size_t i = 0; i < r->columns.count; i++) {
        struct evcolumn *c = &r->columns.item[i];

        if (c->from != EVCOLUMN_ARGUMENT)
            continue;
        switch (atomic_load (&l->seen[i])) {
        case 0:
            errno = EINVAL;
            return errf (&r->err, "columns: %s: no event has this argument",
                         c->word);
        case EVLEARN_INT:
            c->type = ARROWCOL_INT64;
            break;
        case EVLEARN_DOUBLE:
        case EVLEARN_INT | EVLEARN_DOUBLE:
            c->type = ARROWCOL_DOUBLE;
            break;
        case EVLEARN_TEXT:
            c->type = ARROWCOL_WORDS;
            break;
        default:
            c->type = ARROWCOL_TEXT;
            break;
        }
    }
    return 0;
}

/* Numbers of the names of arguments that are columns. How many. */
static int evlearn_keys (struct evlearn *l)
{
    int keys = 0;

    for (size_t i = 0; i < l->read->columns.count; i++) {
        const struct evcolumn *c = &l->read->columns.item[i];

        if (c->from != EVCOLUMN_ARGUMENT)
            continue;
        l->key[i] =
            dict_number (l->read->pass.dict, SHARD_NAME_KEY, FILE_CLASS_UNKNOWN,
                         c->word + 4, strlen (c->word + 4));
        keys++;
    }
    return keys;
}

/* Which types arguments have that are columns; reads all events if there are
 * any. 0, or -1 with r->err (errno EINVAL: there is no such argument). */
static int evlearn_arguments (struct evread *r)
{
    struct evlearn l = {.read = r};

    if (!evlearn_keys (&l))
        return 0;
    for (int i = 0; i < r->pass.workers; i++)
        l.reader[i] = batch_reader_create (r->pass.dict);
    pool_run (r->pass.splits, r->pass.workers, evlearn_split, &l);
    for (int i = 0; i < r->pass.workers; i++)
        batch_reader_destroy (l.reader[i]);
    if ((errno = atomic_load (&l.failed)))
        return err_system (&r->err, readjob_job (r->job)->label, errno);
    return evlearn_take (&l);
}

/* --- questions ------------------------------------------------------------ */

static int evstream_parse (struct evcolumns *columns,
                           struct where *where,
                           const struct evstream_asked *asked,
                           struct errtext *err)
{
    const char *const *word =
        asked->columns ? asked->columns : evcolumns_default;
    struct errtext why;

    for (; *word; word++)
        if (evcolumns_add (columns, *word, err) < 0)
            return -1;
    errno = EINVAL;
    if (columns->count == 0)
        return errf (err, "columns: none: name at least one");
    if (asked->rows > EVSTREAM_ROWS_MAX)
        return errf (err, "rows: %zu: more than %d rows of a batch",
                     asked->rows, EVSTREAM_ROWS_MAX);
    for (const char *const *w = asked->where; w && *w; w++)
        if (where_add (where, *w, &why) < 0) {
            errno = EINVAL;
            return errf (err, "where: %s", why.text);
        }
    return 0;
}

int evstream_check (const struct evstream_asked *asked, struct errtext *err)
{
    struct evcolumns *columns = ZEROED (columns, 1);
    struct where where = {.terms = 0};
    int rc = evstream_parse (columns, &where, asked, err);

    where_clear (&where);
    free (columns);
    return rc;
}

/* --- opening -------------------------------------------------------------- */

/* Steps, epochs and checkpoints are known when the job has been read. */
static int evstream_context (struct evread *r)
{
    const struct query q = {
        .key = {{.what = GROUP_step}, {.what = GROUP_epoch}}, .keys = 2};
    int rc;

    if (!evcolumns_need_context (&r->columns) &&
        !where_needs_context (&r->where) &&
        !where_has (&r->where, WHERE_BY_kind))
        return 0;
    readjob_enter ();
    rc = readjob_load (r->job, &r->err);
    readjob_leave ();
    if (rc < 0)
        return -1;
    if (jobcontext_make (&r->context, &q, readjob_job (r->job), &r->job->totals,
                         &r->job->summary, &r->err) < 0)
        return -1;
    r->has_context = 1;
    return 0;
}

static void evstream_pass (struct evread *r)
{
    struct readjob *j = r->job;
    int loaded = readjob_loaded (j);

    xalloc_lock (&j->lock);
    pass_open (&r->pass, readjob_job (j), &j->rules, j->threads);
    xalloc_unlock (&j->lock);
    /* the list of checkpoints grows while the job is read */
    if (!loaded)
        dict_know_checkpoints (r->pass.dict, NULL);
    r->start =
        r->has_context ? r->context.first_start : parts_start (&r->pass.parts);
}

static int evstream_make (struct evread *r, const struct evstream_asked *asked)
{
    if (evstream_parse (&r->columns, &r->where, asked, &r->err) < 0 ||
        evstream_context (r) < 0)
        return -1;
    r->rows = asked->rows ? asked->rows : EVSTREAM_ROWS;
    if (r->rows < BATCH_EVENTS)
        r->rows = BATCH_EVENTS;
    r->strict = asked->strict;
    evstream_pass (r);
    evread_plan (r);
    return evlearn_arguments (r);
}

/* --- the stream ----------------------------------------------------------- */

static int evstream_fail (struct evread *r, int error)
{
    if (!r->err.text[0])
        err_system (&r->err, readjob_job (r->job)->label, error);
    return error;
}

static int evstream_schema (struct ArrowArrayStream *s, struct ArrowSchema *out)
{
    struct evread *r = s->private_data;
    struct arrowcol_field field[EVCOLUMNS_MAX];

    evcolumns_fields (&r->columns, field);
    arrowcol_schema (out, field, r->columns.count);
    return 0;
}

/* At the end: was a word of the condition nowhere, is something missing? */
static int evstream_end (struct evread *r)
{
    unsigned long long lost = atomic_load (&r->lost);

    if (where_check (&r->where, r->pass.dict, &r->err) < 0)
        return EINVAL;
    if (!r->strict)
        return 0;
    for (size_t i = 0; i < readjob_job (r->job)->sources; i++)
        if (readjob_problem (r->job, i, &r->err))
            return EIO;
    if (!lost)
        return 0;
    errf (&r->err,
          "%s: %llu events cannot be read, and strict was asked for: "
          "see view (\"health\")",
          readjob_job (r->job)->label, lost);
    return EIO;
}

static int evstream_next (struct ArrowArrayStream *s, struct ArrowArray *out)
{
    struct evread *r = s->private_data;
    int rc;

    ZERO (out);
    if (r->pid != getpid ()) {
        errf (&r->err, "a stream of events is of the process that "
                       "opened it: read the job anew after fork");
        return EINVAL;
    }
    if (!r->started && evread_start (r) < 0)
        return evstream_fail (r, errno);
    rc = evread_next (r, out);
    if (rc < 0)
        return evstream_fail (r, errno);
    return rc ? 0 : evstream_end (r);
}

static const char *evstream_error (struct ArrowArrayStream *s)
{
    struct evread *r = s->private_data;

    return r->err.text[0] ? readjob_say (r->err.text) : NULL;
}

static void evstream_release (struct ArrowArrayStream *s)
{
    evread_destroy (s->private_data);
    s->private_data = NULL;
    s->release = NULL;
}

int evstream_open (struct ArrowArrayStream *out,
                   struct readjob *j,
                   const struct evstream_asked *asked,
                   struct errtext *err)
{
    struct evread *r = ZEROED (r, 1);

    r->job = readjob_hold (j);
    r->pid = getpid ();
    pthread_mutex_init (&r->lock, NULL);
    pthread_cond_init (&r->change, NULL);
    if (evstream_make (r, asked) < 0) {
        int saved = errno;

        *err = r->err;
        evread_destroy (r);
        errno = saved;
        return -1;
    }
    *out = (struct ArrowArrayStream){.get_schema = evstream_schema,
                                     .get_next = evstream_next,
                                     .get_last_error = evstream_error,
                                     .release = evstream_release,
                                     .private_data = r};
    return 0;
}
