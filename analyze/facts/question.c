/* SPDX-License-Identifier: MIT
 *
 * question.c - a question about an open job -> its answer, in one reading where
 *            that will do
 *
 * In:  what processes say of themselves; all events, once
 * Out: the cells of the question; what is wrong with the files
 */

/* Design. A question takes one reading (facts/question.c: --view KEY[,KEY],
 * --by, --show, dftrace compare). Which rank a process belongs to, when the
 * job began and when it ended follow from what processes say of themselves.
 * The job is read twice where that is not so: questions about steps and
 * epochs, which are those of a rank and known when all its threads have been
 * read; intervals of a job in which a process does not say when it ended
 * (killed, or a trace of DFTracer); questions about kinds of files where the
 * reading finds a checkpoint that its name does not tell. --view event shows
 * the step of each event, so it is read twice, too. A question makes no
 * totals and writes no tables. */

#include "config.h"

#include "analyze/facts/question.h"
#include "analyze/query/chunkindex.h"
#include "analyze/scan/learn.h"
#include "lib/base/array.h"
#include "lib/util/spool.h"
#include "lib/util/xalloc.h"

/* --- a job that has been read -> what a query needs to know of it -----------
 */

enum { ROWS_GOOD = 60 };

/* Does the process train? Steps of others are not what a rank is in. */
static int jobcontext_trains (const struct process *p)
{
    return p->time[SET_COMPUTE] || p->time[SET_STALL];
}

static void jobcontext_windows (struct query_context *c,
                                const struct totals *t,
                                enum mark_kind kind)
{
    for (int any = 0; any < 2; any++)
        for (size_t i = 0; i < t->processes; i++) {
            const struct process *p = &t->process[i];
            struct marks *m = &c->windows[p->rank].of[kind];

            if (any ? !m->count : jobcontext_trains (p))
                marks_append (m, &p->marks[kind]);
        }
    for (size_t r = 0; r < c->ranks; r++)
        marks_to_windows (&c->windows[r].of[kind]);
}

/* As a key, in a condition or as numbers. */
static int jobcontext_asks (const struct query *q,
                            enum group_key key,
                            enum where_column column)
{
    int asks =
        query_has_key (q, key) || (q->where && where_has (q->where, column));

    for (int v = 0; !asks && v < q->values; v++)
        asks = q->value[v].column == column;
    return asks;
}

/* Does q ask for steps or epochs, which a reading of its own finds? */
static int jobcontext_needs_marks (const struct query *q)
{
    return jobcontext_asks (q, GROUP_step, WHERE_BY_step) ||
           jobcontext_asks (q, GROUP_epoch, WHERE_BY_epoch);
}

static void jobcontext_ranks (struct query_context *c,
                              const struct query *q,
                              const struct totals *t,
                              const struct summary *s)
{
    c->ranks = s->ranks;
    NEW (c->windows, c->ranks + 1);
    NEW (c->number, c->ranks + 1);
    for (size_t i = 0; i < c->ranks; i++)
        c->number[i] = s->rank[i].first->who->p.rank;
    if (jobcontext_asks (q, GROUP_step, WHERE_BY_step))
        jobcontext_windows (c, t, MARK_STEP);
    if (jobcontext_asks (q, GROUP_epoch, WHERE_BY_epoch))
        jobcontext_windows (c, t, MARK_EPOCH);
}

static void jobcontext_members (struct query_context *c, const struct totals *t)
{
    c->first_start = UINT64_MAX;
    NEW (c->member, t->processes + 1);
    for (size_t i = 0; i < t->processes; i++) {
        const struct trace_process *who = t->process[i].who;

        c->member[i] = (struct query_member){who->text[SHARD_STRING_HOST],
                                             who->p.start_real, who->p.pid,
                                             t->process[i].rank};
        if (who->p.start_real < c->first_start)
            c->first_start = who->p.start_real;
    }
    c->members = t->processes;
}

/* 1, 2 or 5 times a power of ten, so that there are at most 60 rows. */
static uint64_t jobcontext_round_interval (uint64_t ns)
{
    uint64_t step = 1;

    for (int i = 0; ns / step > ROWS_GOOD; i++)
        step = i % 3 == 1 ? step / 2 * 5 : step * 2;
    return step;
}

static int jobcontext_choose_interval (struct query_context *c,
                                       const struct query *q,
                                       const struct summary *s,
                                       struct errtext *err)
{
    c->start = s->start;
    c->interval = q->interval ? q->interval
                              : jobcontext_round_interval (s->end - s->start);
    if (query_has_key (q, GROUP_interval) &&
        (s->end - s->start) / c->interval > GROUP_INTERVALS_MAX) {
        errno = EINVAL;
        return errf (err, "--interval: more than %d of them: use longer ones",
                     GROUP_INTERVALS_MAX);
    }
    return 0;
}

int jobcontext_make (struct query_context *c,
                     const struct query *q,
                     const struct job *job,
                     const struct totals *t,
                     const struct summary *s,
                     struct errtext *err)
{
    ZERO (c);
    c->label = job->label;
    if (jobcontext_choose_interval (c, q, s, err) < 0)
        return -1;
    jobcontext_ranks (c, q, t, s);
    jobcontext_members (c, t);
    return 0;
}

/* --- all of it --------------------------------------------------------------
 */

/* When the events of a worker were. */
struct question_bounds {
    uint64_t start, end; /* ns of CLOCK_REALTIME; start UINT64_MAX: none */
};

struct question_work {
    const struct query *q;
    struct job *job;
    struct totals *t;
    struct summary *s;
    struct pass pass;
    struct query_context context;
    struct query_work work;
    struct learn *learn; /* owned; NULL: files of the question have no kinds */
    struct question_bounds bounds[PASS_WORKERS_MAX];
    int times; /* the question depends on when the job was */
    int kinds; /* it depends on what files are for */
};

/* --- when the events were ------------------------------------------------- */

static int question_take (void *cookie, int worker, const struct batch *b)
{
    struct question_bounds *t =
        &((struct question_work *)cookie)->bounds[worker];

    for (size_t i = 0; i < b->count; i++) {
        t->start = MIN (b->start[i], t->start);
        t->end = MAX (b->end[i], t->end);
    }
    return 0;
}

/* Do all processes say when they ended? Those of foreign traces never do. */
static int question_ends_known (const struct question_work *j)
{
    for (size_t i = 0; i < j->t->processes; i++) {
        const struct shard_process *p = &j->t->process[i].who->p;

        if (!p->end_ns && !p->exec_ns)
            return 0;
    }
    return 1;
}

static void question_begin_bounds (struct question_work *j)
{
    for (int i = 0; i < PASS_WORKERS_MAX; i++)
        j->bounds[i] = (struct question_bounds){UINT64_MAX, 0};
}

/* The job was longer than its processes say. */
static int question_longer (struct question_work *j,
                            struct question_bounds *all)
{
    struct question_bounds was = *all;

    for (int i = 0; i < PASS_WORKERS_MAX; i++) {
        const struct question_bounds *t = &j->bounds[i];

        all->start = MIN (t->start, all->start);
        all->end = MAX (t->end, all->end);
    }
    return all->start != was.start || all->end != was.end;
}

/* --- one reading ---------------------------------------------------------- */

/* known: when the job was, from a reading before; NULL: none was. */
static int question_begin (struct question_work *j,
                           const struct question_bounds *known,
                           const struct kind_rules *rules,
                           int threads,
                           struct errtext *err)
{
    pass_open (&j->pass, j->job, rules, threads);
    totals_heads (j->t, &j->pass);
    summary_heads (j->s, j->t);
    if (known) {
        j->s->start = known->start;
        j->s->end = known->end;
    }
    return jobcontext_make (&j->context, j->q, j->job, j->t, j->s, err);
}

/* The first reading only finds when the job was, where the question depends on
 * it and nothing says so. */
static int question_read (struct question_work *j, int first)
{
    struct pass_user user[3];
    size_t users = 0;

    if (!first || !j->times || question_ends_known (j))
        query_work_make (&j->work, &user[users++], j->q, &j->context, &j->pass);
    /* what else is to be found out needs all events */
    if (!j->times && !j->kinds &&
        chunkskip (&j->pass, j->q->where, &j->context) < 0)
        return -1;
    if (j->kinds) {
        j->learn = learn_create (&j->pass);
        user[users++] = learn_user (j->learn);
    }
    question_begin_bounds (j);
    if (j->times)
        user[users++] =
            (struct pass_user){j, NULL, question_take, NULL, BATCH_REGIONS};
    return pass_run (&j->pass, user, users);
}

/* Is there anything that the reading should have known? 1, 0, -1 (ENOMEM). */
static int question_again (struct question_work *j,
                           struct question_bounds *known)
{
    int files =
        j->learn ? learn_checkpoints (j->learn, j->job->checkpoints) : 0;

    *known = (struct question_bounds){j->s->start, j->s->end};
    if (files < 0)
        return -1;
    return (j->times && question_longer (j, known)) || files || !j->work.pass;
}

static int
question_cells (struct question_work *j, struct query_answer *a, int threads)
{
    struct query_state *s = query_work_merge (&j->work);

    if (!s)
        return -1;
    j->t->health = j->pass.health;
    j->pass.health = NULL;
    summary_health (j->s, j->t, j->job);
    query_state_answer (s, a, threads);
    return 0;
}

/* The totals and the summary, too, where the job is read again. */
static void question_end (struct question_work *j)
{
    learn_destroy (j->learn);
    j->learn = NULL;
    query_work_clear (&j->work);
    query_context_clear (&j->context);
    pass_close (&j->pass);
}

static int question_once (const struct question *question,
                          struct query_answer *a,
                          struct totals *t,
                          struct summary *s,
                          struct errtext *err)
{
    const struct query *q = question->q;
    struct job *job = question->job;
    struct question_work j = {.q = q, .job = job, .t = t, .s = s};
    struct question_bounds known;
    int rc = -1;

    j.times = query_has_key (q, GROUP_interval);
    j.kinds = query_has_key (q, GROUP_kind) ||
              (q->where && where_has (q->where, WHERE_BY_kind));
    for (int round = 0; round < 2; round++) {
        if (round) {
            question_end (&j);
            summary_clear (s);
            totals_clear (t);
        }
        if ((rc = question_begin (&j, round ? &known : NULL, question->rules,
                                  question->threads, err)) < 0)
            break;
        errno = 0;
        if ((rc = question_read (&j, !round)) == 0 && !round)
            rc = question_again (&j, &known);
        if (rc < 0)
            query_fail (job->label, err);
        if (rc <= 0)
            break;
    }
    if (rc == 0 && question_cells (&j, a, question->threads) < 0)
        rc = query_fail (job->label, err);
    if (rc == 0 && q->where)
        rc = where_check (q->where, j.pass.dict, err);
    if (rc < 0)
        query_answer_clear (a);
    question_end (&j);
    return rc;
}

/* Steps and epochs are of a rank, and known when all its threads have been
 * read. */
static int question_twice (const struct question *question,
                           struct query_answer *a,
                           struct totals *t,
                           struct summary *s,
                           struct errtext *err)
{
    const struct job *job = question->job;
    struct query_context context;
    int rc;

    if (totals_load (t, job, question->rules, NULL, question->threads, err) <
            0 ||
        summary_make (s, t, job, err) < 0 ||
        jobcontext_make (&context, question->q, job, t, s, err) < 0)
        return -1;
    rc = query_job (a, question->q,
                    &(struct query_input){job, question->rules, &context,
                                          question->threads},
                    err);
    query_context_clear (&context);
    return rc;
}

int question_answer (const struct question *question,
                     struct query_answer *a,
                     struct totals *t,
                     struct summary *s,
                     struct errtext *err)
{
    ZERO (a);
    return jobcontext_needs_marks (question->q)
               ? question_twice (question, a, t, s, err)
               : question_once (question, a, t, s, err);
}
