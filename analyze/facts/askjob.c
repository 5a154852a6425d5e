/* SPDX-License-Identifier: MIT
 *
 * askjob.c - a question about an open job -> its answer, in one reading where
 *            that will do
 *
 * In:  what processes say of themselves; all events, once
 * Out: the cells of the question; what is wrong with the files
 */
#include "config.h"

#include "analyze/facts/askjob.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/query/chunkskip.h"
#include "analyze/scan/learn.h"

/* When the events of a worker were. */
struct askjob_bounds {
    uint64_t start, end; /* ns of CLOCK_REALTIME; start UINT64_MAX: none */
};

struct askjob {
    const struct query *q;
    struct job *job;
    struct totals *t;
    struct summary *s;
    struct pass pass;
    struct query_context context;
    struct query_work work;
    struct learn *learn; /* owned; NULL: files of the question have no kinds */
    struct askjob_bounds bounds[PASS_WORKERS_MAX];
    int times; /* the question depends on when the job was */
    int kinds; /* it depends on what files are for */
};

/* --- when the events were ------------------------------------------------- */

static int askjob_take (void *cookie, int worker, const struct batch *b)
{
    struct askjob_bounds *t = &((struct askjob *)cookie)->bounds[worker];

    for (size_t i = 0; i < b->count; i++) {
        t->start = b->start[i] < t->start ? b->start[i] : t->start;
        t->end = b->end[i] > t->end ? b->end[i] : t->end;
    }
    return 0;
}

/* Do all processes say when they ended? Those of foreign traces never do. */
static int askjob_ends_known (const struct askjob *j)
{
    for (size_t i = 0; i < j->t->processes; i++) {
        const struct shard_process *p = &j->t->process[i].who->p;

        if (!p->end_ns && !p->exec_ns)
            return 0;
    }
    return 1;
}

static void askjob_begin_bounds (struct askjob *j)
{
    for (int i = 0; i < PASS_WORKERS_MAX; i++)
        j->bounds[i] = (struct askjob_bounds){UINT64_MAX, 0};
}

/* The job was longer than its processes say. */
static int askjob_longer (struct askjob *j, struct askjob_bounds *all)
{
    struct askjob_bounds was = *all;

    for (int i = 0; i < PASS_WORKERS_MAX; i++) {
        const struct askjob_bounds *t = &j->bounds[i];

        all->start = t->start < all->start ? t->start : all->start;
        all->end = t->end > all->end ? t->end : all->end;
    }
    return all->start != was.start || all->end != was.end;
}

/* --- one reading ---------------------------------------------------------- */

/* known: when the job was, from a reading before; NULL: none was. */
static int askjob_begin (struct askjob *j,
                         const struct askjob_bounds *known,
                         const struct kind_rules *rules,
                         int threads,
                         struct errtext *err)
{
    if (pass_open (&j->pass, j->job, rules, threads) < 0 ||
        totals_heads (j->t, &j->pass) < 0 || summary_heads (j->s, j->t) < 0) {
        (void)query_fail (j->job->label, err);
        return -1;
    }
    if (known) {
        j->s->start = known->start;
        j->s->end = known->end;
    }
    return jobcontext_make (&j->context, j->q, j->job, j->t, j->s, err);
}

/* The first reading only finds when the job was, where the question depends on
 * it and nothing says so. */
static int askjob_read (struct askjob *j, int first)
{
    struct pass_user user[3];
    size_t users = 0;

    if ((!first || !j->times || askjob_ends_known (j)) &&
        query_work_make (&j->work, &user[users++], j->q, &j->context,
                         &j->pass) < 0)
        return -1;
    /* what else is to be found out needs all events */
    if (!j->times && !j->kinds &&
        chunkskip (&j->pass, j->q->where, &j->context) < 0)
        return -1;
    if (j->kinds) {
        if (!(j->learn = learn_create (&j->pass)))
            return -1;
        user[users++] = learn_user (j->learn);
    }
    askjob_begin_bounds (j);
    if (j->times)
        user[users++] =
            (struct pass_user){j, NULL, askjob_take, NULL, BATCH_REGIONS};
    return pass_run (&j->pass, user, users);
}

/* Is there anything that the reading should have known? 1, 0, -1 (ENOMEM). */
static int askjob_again (struct askjob *j, struct askjob_bounds *known)
{
    int files =
        j->learn ? learn_checkpoints (j->learn, j->job->checkpoints) : 0;

    *known = (struct askjob_bounds){j->s->start, j->s->end};
    if (files < 0)
        return -1;
    return (j->times && askjob_longer (j, known)) || files || !j->work.pass;
}

static int askjob_answer (struct askjob *j, struct query_answer *a, int threads)
{
    struct query_state *s = query_work_merge (&j->work);

    if (!s)
        return -1;
    j->t->health = j->pass.health;
    j->pass.health = NULL;
    summary_health (j->s, j->t, j->job);
    return query_state_answer (s, a, threads);
}

/* The totals and the summary, too, where the job is read again. */
static void askjob_end (struct askjob *j)
{
    learn_destroy (j->learn);
    j->learn = NULL;
    query_work_clear (&j->work);
    query_context_clear (&j->context);
    pass_close (&j->pass);
}

static int askjob_once (const struct question *question,
                        struct query_answer *a,
                        struct totals *t,
                        struct summary *s,
                        struct errtext *err)
{
    const struct query *q = question->q;
    struct job *job = question->job;
    struct askjob j = {.q = q, .job = job, .t = t, .s = s};
    struct askjob_bounds known;
    int rc = -1;

    j.times = query_has_key (q, GROUP_interval);
    j.kinds = query_has_key (q, GROUP_kind) ||
              (q->where && where_has (q->where, WHERE_BY_kind));
    for (int round = 0; round < 2; round++) {
        if (round) {
            askjob_end (&j);
            summary_clear (s);
            totals_clear (t);
        }
        if ((rc = askjob_begin (&j, round ? &known : NULL, question->rules,
                                question->threads, err)) < 0)
            break;
        errno = 0;
        if ((rc = askjob_read (&j, !round)) == 0 && !round)
            rc = askjob_again (&j, &known);
        if (rc < 0)
            (void)query_fail (job->label, err);
        if (rc <= 0)
            break;
    }
    if (rc == 0 && askjob_answer (&j, a, question->threads) < 0)
        rc = query_fail (job->label, err);
    if (rc == 0 && q->where)
        rc = where_check (q->where, j.pass.dict, err);
    if (rc < 0)
        query_answers_clear (a, 1);
    askjob_end (&j);
    return rc;
}

/* Steps and epochs are of a rank, and known when all its threads have been
 * read. */
static int askjob_twice (const struct question *question,
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
    rc = query_job (a, question->q, 1,
                    &(struct query_input){job, question->rules, &context,
                                          question->threads},
                    err);
    query_context_clear (&context);
    return rc;
}

int askjob (const struct question *question,
            struct query_answer *a,
            struct totals *t,
            struct summary *s,
            struct errtext *err)
{
    memset (a, 0, sizeof (*a));
    return jobcontext_needs_marks (question->q)
               ? askjob_twice (question, a, t, s, err)
               : askjob_once (question, a, t, s, err);
}
