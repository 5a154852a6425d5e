/* SPDX-License-Identifier: MIT
 *
 * queryanswer.c - states of all workers -> one answer
 *
 * In:  struct query_state, from query.c; a whole job
 * Out: cells in the order of their values
 */
#include "config.h"

#include <stdatomic.h>

#include "analyze/query/querystate.h"
#include "analyze/scan/spanunion.h"
#include "lib/base/array.h"
#include "lib/util/pool.h"
#include "lib/util/xalloc.h"

/* --- merging -------------------------------------------------------------- */

/* Ordinals of from's values in to; malloc'd. */
static uint32_t *answer_translate (struct column *to, const struct column *from)
{
    size_t n = strmap_count (from->texts);
    uint32_t *of = ZEROED (of, n + 1);

    for (size_t i = 0; i < n; i++)
        of[i] = (uint32_t)column_text (to, strmap_key (from->texts, i, NULL),
                                       from->number[i]);
    return of;
}

static int answer_merge_group (struct query_state *to,
                               const uint32_t *ordinal,
                               struct query_group *from)
{
    struct query_group *g = query_state_group (to, ordinal);
    struct query_times **end = &from->running;

    if (!g)
        return -1;
    query_group_add (g, from, to->query->values);
    while (*end)
        end = &(*end)->next;
    *end = g->running;
    g->running = from->running;
    g->split = 0;
    from->running = NULL;
    return 0;
}

/* Add all of another state of the same query, which is then empty. 0, or -1
 * (EOVERFLOW). */
static int query_state_merge (struct query_state *to, struct query_state *from)
{
    int keys = to->query->keys, rc = 0;
    uint32_t *of[QUERY_KEYS_MAX], ordinal[QUERY_KEYS_MAX];

    query_state_settle (from);
    for (int k = 0; k < keys; k++)
        of[k] = answer_translate (&to->column[k], &from->column[k]);
    for (size_t i = 0; rc == 0 && i < from->groups; i++) {
        for (int k = 0; k < keys; k++)
            ordinal[k] = of[k][from->ordinal[i * (size_t)keys + (size_t)k]];
        rc = answer_merge_group (to, ordinal, &from->group[i]);
    }
    for (int k = 0; k < keys; k++)
        free (of[k]);
    return rc == 0 && to->with ? query_state_merge (to->with, from->with) : rc;
}

/* --- unions --------------------------------------------------------------- */

struct answer_unions {
    const struct query_state *state;
    struct query_cell *cell; /* in the order of the groups */
    size_t *with;            /* group of state->with of each; owned */
    atomic_int failed;       /* errno */
};

/* The logs of a group, *n of them; malloc'd. */
static const struct spanlog **answer_logs (const struct query_group *g,
                                           size_t *n)
{
    const struct spanlog **logs;

    *n = 0;
    for (const struct query_times *t = g->running; t; t = t->next)
        ++*n;
    NEW (logs, *n + 1);
    *n = 0;
    for (const struct query_times *t = g->running; t; t = t->next)
        logs[(*n)++] = &t->log;
    return logs;
}

static int answer_overlap (struct answer_unions *u,
                           size_t index,
                           const struct spanlog *const *logs,
                           size_t n)
{
    size_t others;
    const struct spanlog **with =
        answer_logs (&u->state->with->group[u->with[index]], &others);
    int rc = spans_common (logs, n, with, others, &u->cell[index].overlap);

    free (with);
    return rc;
}

static void answer_unite (void *cookie, size_t index, int worker)
{
    struct answer_unions *u = cookie;
    size_t n;
    const struct spanlog **logs = answer_logs (&u->state->group[index], &n);

    if (n)
        spans_length (logs, n, &u->cell[index].running);
    if (u->with && answer_overlap (u, index, logs, n) < 0)
        atomic_store (&u->failed, errno);
    free (logs);
}

/* Which group of state->with has the values of each cell; one without times
 * where there is none. 0, or -1 (EOVERFLOW). */
static int answer_find_with (struct answer_unions *u)
{
    const struct query_state *s = u->state;
    size_t keys = s->query->keys;

    if (!s->with)
        return 0;
    NEW (u->with, s->groups + 1);
    for (size_t i = 0; i < s->groups; i++) {
        uint32_t ordinal[QUERY_KEYS_MAX];
        const struct query_group *g;

        for (int k = 0; k < s->with_query.keys; k++) {
            uint32_t at = s->ordinal[i * keys + (size_t)k];

            ordinal[k] = (uint32_t)column_text (
                &s->with->column[k], strmap_key (s->column[k].texts, at, NULL),
                s->column[k].number[at]);
        }
        if (!(g = query_state_group (s->with, ordinal)))
            return -1;
        u->with[i] = g - s->with->group;
    }
    return 0;
}

/* --- cells ---------------------------------------------------------------- */

static void
answer_make_cell (struct query_state *s, struct query_cell *c, size_t i)
{
    const struct query_group *g = &s->group[i];
    const struct query_sums *n = &g->sums;
    size_t keys = s->query->keys;

    *c = (struct query_cell){.value = s->value + i * keys,
                             .number = s->number + i * keys,
                             .count = n->count,
                             .errors = n->errors,
                             .bytes = n->bytes,
                             .bytes_read = n->bytes_read,
                             .bytes_written = n->bytes_written,
                             .spread_read = n->spread_read,
                             .spread_written = n->spread_written,
                             .ns = n->ns,
                             .min = n->min,
                             .max = n->max,
                             .times = g->times,
                             .sizes = g->sizes,
                             .numbers = g->numbers};
    for (size_t k = 0; k < keys; k++) {
        uint32_t ordinal = s->ordinal[i * keys + k];

        s->value[i * keys + k] = strmap_key (s->column[k].texts, ordinal, NULL);
        s->number[i * keys + k] = s->column[k].number[ordinal];
    }
}

static int answer_order (const void *a, const void *b, void *query)
{
    const struct query_cell *x = a, *y = b;
    const struct query *q = query;
    int order = 0;

    for (int k = 0; !order && k < q->keys; k++)
        order = query_key_is_number (&q->key[k])
                    ? query_number_order (x->value[k], y->value[k])
                    : strcmp (x->value[k], y->value[k]);
    return order;
}

int query_state_answer (struct query_state *s,
                        struct query_answer *a,
                        int threads)
{
    size_t keys = s->query->keys;
    struct answer_unions u = {.state = s};
    int rc;

    *a = (struct query_answer){.state = s, .count = s->groups};
    NEW (a->cell, s->groups + 1);
    NEW (s->value, s->groups * keys + 1);
    NEW (s->number, s->groups * keys + 1);
    query_state_settle (s);
    for (size_t i = 0; i < s->groups; i++)
        answer_make_cell (s, &a->cell[i], i);
    u.cell = a->cell;
    rc = answer_find_with (&u);
    if (rc == 0)
        pool_run (s->groups, threads, answer_unite, &u);
    free (u.with);
    if (rc < 0 || (errno = atomic_load (&u.failed)))
        return -1;
    qsort_r (a->cell, a->count, sizeof (*a->cell), answer_order,
             (void *)(uintptr_t)s->query);
    return 0;
}

void query_answers_clear (struct query_answer *a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free (a[i].cell);
        query_state_destroy (a[i].state);
        ZERO (&a[i]);
    }
}

/* --- a pass --------------------------------------------------------------- */

static int answer_begin (void *cookie, size_t split, int worker)
{
    struct query_work *w = cookie;

    query_state_begin (w->state[worker]);
    return 0;
}

static int answer_take (void *cookie, int worker, const struct batch *b)
{
    struct query_work *w = cookie;

    return query_state_add (w->state[worker], b);
}

void query_work_make (struct query_work *w,
                      struct pass_user *user,
                      const struct query *q,
                      const struct query_context *context,
                      const struct pass *pass)
{
    ZERO (w);
    w->pass = pass;
    *user =
        (struct pass_user){w, answer_begin, answer_take, NULL, query_need (q)};
    for (int i = 0; i < pass->workers; i++)
        w->state[i] = query_state_create (q, context, pass->dict);
}

struct query_state *query_work_merge (struct query_work *w)
{
    struct query_state *all = w->state[0];

    for (int i = 1; i < w->pass->workers; i++) {
        if (query_state_merge (all, w->state[i]) < 0)
            return NULL;
        query_state_destroy (w->state[i]);
        w->state[i] = NULL;
    }
    w->state[0] = NULL;
    return all;
}

void query_work_clear (struct query_work *w)
{
    for (int i = 0; i < PASS_WORKERS_MAX; i++)
        query_state_destroy (w->state[i]);
    ZERO (w);
}

int query_fail (const char *label, struct errtext *err)
{
    if (errno == EOVERFLOW)
        return errf (err,
                     "%s: more than %d groups: use fewer keys, or bins of "
                     "them (dftrace help views)",
                     label, QUERY_GROUPS_MAX);
    return err_system (err, label, errno);
}

/* --- a job ---------------------------------------------------------------- */

struct answer_run {
    struct pass pass;
    struct query_context simple;
    struct query_work *work;
    struct pass_user *user;
};

static int answer_run (struct answer_run *r,
                       struct query_answer *a,
                       const struct query *q,
                       size_t n,
                       const struct query_context *context,
                       int threads)
{
    for (size_t i = 0; i < n; i++)
        query_work_make (&r->work[i], &r->user[i], &q[i], context, &r->pass);
    if (pass_run (&r->pass, r->user, n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct query_state *s = query_work_merge (&r->work[i]);

        if (!s || query_state_answer (s, &a[i], threads) < 0)
            return -1;
    }
    return 0;
}

int query_job (struct query_answer *a,
               const struct query *q,
               size_t n,
               const struct query_input *in,
               struct errtext *err)
{
    struct answer_run r = {.work = ZEROED (r.work, n),
                           .user = ZEROED (r.user, n)};
    int rc;

    memset (a, 0, n * sizeof (*a));
    pass_open (&r.pass, in->job, in->rules, in->threads);
    r.simple.label = in->job->label;
    r.simple.interval = 1000000000;
    r.simple.start = r.simple.first_start = parts_start (&r.pass.parts);
    rc = answer_run (&r, a, q, n, in->context ? in->context : &r.simple,
                     in->threads);
    if (rc < 0)
        query_fail (in->job->label, err);
    for (size_t i = 0; rc == 0 && i < n; i++)
        if (q[i].where)
            rc = where_check (q[i].where, r.pass.dict, err);
    if (rc < 0)
        query_answers_clear (a, n);
    for (size_t i = 0; i < n; i++)
        query_work_clear (&r.work[i]);
    free (r.work);
    free (r.user);
    pass_close (&r.pass);
    return rc;
}
