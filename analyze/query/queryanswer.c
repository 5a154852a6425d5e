/* SPDX-License-Identifier: MIT
 *
 * queryanswer.c - states of all workers -> one answer
 *
 * In:  struct query_state, from query.c; a whole job
 * Out: cells in the order of their values
 */
#include "config.h"

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

/* Add all of another state of the same query, which is then empty. 0, or -1
 * (EOVERFLOW). */
static int query_state_merge (struct query_state *to, struct query_state *from)
{
    size_t keys = to->query->keys;
    uint32_t *of[QUERY_KEYS_MAX], ordinal[QUERY_KEYS_MAX];
    int64_t at = 0;

    query_state_settle (from);
    for (size_t k = 0; k < keys; k++)
        of[k] = answer_translate (&to->column[k], &from->column[k]);
    for (size_t i = 0; at >= 0 && i < from->groups; i++) {
        struct query_group *g, *one = &from->group[i];
        struct query_times **end = &one->running;

        for (size_t k = 0; k < keys; k++)
            ordinal[k] = of[k][from->ordinal[i * keys + k]];
        if ((at = query_state_group (to, ordinal)) < 0)
            break;
        g = &to->group[at];
        query_group_add (g, one, to->query->values);
        while (*end)
            end = &(*end)->next;
        *end = g->running;
        g->running = one->running;
        g->split = 0;
        one->running = NULL;
    }
    for (size_t k = 0; k < keys; k++)
        free (of[k]);
    return at < 0 ? -1 : 0;
}

/* --- cells ---------------------------------------------------------------- */

/* Make cell `index`, of the group with this number. */
static void answer_make_cell (void *cookie, size_t index, int worker)
{
    struct query_answer *a = cookie;
    const struct query_state *s = a->state;
    const struct query_group *g = &s->group[index];
    size_t keys = s->query->keys, n = 0;
    const struct spanlog **logs;

    a->cell[index] = g->cell;
    a->cell[index].value = s->value + index * keys;
    for (size_t k = 0; k < keys; k++)
        s->value[index * keys + k] =
            strmap_key (s->column[k].texts, s->ordinal[index * keys + k], NULL);
    for (const struct query_times *t = g->running; t; t = t->next)
        n++;
    if (!n)
        return;
    NEW (logs, n);
    n = 0;
    for (const struct query_times *t = g->running; t; t = t->next)
        logs[n++] = &t->log;
    spans_length (logs, n, &a->cell[index].running);
    free (logs);
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

void query_state_answer (struct query_state *s,
                         struct query_answer *a,
                         int threads)
{
    *a = (struct query_answer){.state = s, .count = s->groups};
    NEW (a->cell, s->groups + 1);
    NEW (s->value, s->groups * (size_t)s->query->keys + 1);
    query_state_settle (s);
    pool_run (s->groups, threads, answer_make_cell, a);
    qsort_r (a->cell, a->count, sizeof (*a->cell), answer_order,
             (void *)(uintptr_t)s->query);
}

void query_answer_clear (struct query_answer *a)
{
    free (a->cell);
    query_state_destroy (a->state);
    ZERO (a);
}

/* --- a pass --------------------------------------------------------------- */

static void answer_begin (void *cookie, size_t split, int worker)
{
    struct query_work *w = cookie;

    query_state_begin (w->state[worker]);
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

int query_job (struct query_answer *a,
               const struct query *q,
               const struct query_input *in,
               struct errtext *err)
{
    struct query_context simple = {.label = in->job->label,
                                   .interval = 1000000000};
    struct query_state *s = NULL;
    struct query_work work;
    struct pass_user user;
    struct pass pass;
    int rc;

    ZERO (a);
    pass_open (&pass, in->job, in->rules, in->threads);
    simple.start = simple.first_start = parts_start (&pass.parts);
    query_work_make (&work, &user, q, in->context ? in->context : &simple,
                     &pass);
    if (pass_run (&pass, &user, 1) < 0 || !(s = query_work_merge (&work)))
        rc = query_fail (in->job->label, err);
    else {
        query_state_answer (s, a, in->threads);
        rc = q->where ? where_check (q->where, pass.dict, err) : 0;
    }
    if (rc < 0)
        query_answer_clear (a);
    query_work_clear (&work);
    pass_close (&pass);
    return rc;
}
