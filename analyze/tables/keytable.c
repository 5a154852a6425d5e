/* SPDX-License-Identifier: MIT
 *
 * keytable.c - the cells of a query -> rows of a table
 *
 * In:  struct query_answer
 * Out: columns and rows of --view KEY,KEY
 */
#include "config.h"

#include "analyze/tables/keytable.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/facts/jobcontext.h"
#include "analyze/tables/viewcells.h"

int keytable_answer (struct query_answer *a,
                     const struct query *q,
                     const struct result *r,
                     const struct kind_rules *rules,
                     int threads,
                     struct errtext *err)
{
    struct query_context context;
    int rc;

    memset (a, 0, sizeof (*a));
    if (jobcontext_make (&context, q, r->job, r->totals, r->summary, err) < 0)
        return -1;
    rc = query_job (a, q, 1, r->job, rules, &context, threads, err);
    query_context_clear (&context);
    return rc;
}

void keytable_columns (struct textable *t, const struct query *q)
{
    for (int k = 0; k < q->keys; k++) {
        const struct query_key *key = &q->key[k];

        textable_column (t, query_key_word (key), query_key_title (key),
                         key->what == GROUP_interval ? "s" : "",
                         query_key_is_number (key));
    }
    textable_column (t, "count", "count", "", 1);
    textable_column (t, "errors", "failed", "", 1);
    textable_column (t, "bytes", "bytes", "", 1);
    textable_column (t, "sum_s", "sum", "s", 1);
    textable_column (t, "union_s", "union", "s", 1);
    textable_column (t, "bandwidth", "bytes/union", "MiB/s", 1);
    textable_column (t, "ops_per_s", "count/union", "1/s", 1);
    textable_column (t, "min_us", "min", "us", 1);
    textable_column (t, "mean_us", "mean", "us", 1);
    textable_column (t, "max_us", "max", "us", 1);
}

static int keytable_order (const void *a, const void *b, void *query)
{
    const struct query_cell *x = *(const struct query_cell *const *)a;
    const struct query_cell *y = *(const struct query_cell *const *)b;
    const struct query *q = query;
    int order = 0;

    for (int k = 0; !order && k < q->keys; k++)
        if (query_key_is_number (&q->key[k]))
            order = query_number_order (x->value[k], y->value[k]);
    if (!order)
        order = (x->ns < y->ns) - (x->ns > y->ns);
    for (int k = 0; !order && k < q->keys; k++)
        order = strcmp (x->value[k], y->value[k]);
    return order;
}

static void keytable_row (struct textable *t,
                          const struct query *q,
                          const struct query_cell *x)
{
    textable_row (t);
    for (int k = 0; k < q->keys; k++)
        textable_text (t, x->value[k]);
    textable_uint (t, x->count);
    textable_uint (t, x->errors);
    textable_uint (t, x->bytes);
    cell_seconds (t, x->ns);
    cell_seconds (t, x->running);
    if (x->bytes && x->running)
        textable_double (
            t, (double)x->bytes / 1048576 * 1e9 / (double)x->running, 1);
    else
        textable_na (t);
    if (x->running)
        textable_double (t, (double)x->count * 1e9 / (double)x->running, 1);
    else
        textable_na (t);
    if (!x->count) { /* only passed through the interval */
        for (int i = 0; i < 3; i++)
            textable_na (t);
        return;
    }
    textable_double (t, (double)x->min / 1e3, 2);
    if (query_has_key (q, GROUP_interval))
        textable_na (t); /* the sum is of time inside the interval */
    else
        textable_double (t, (double)x->ns / (double)x->count / 1e3, 2);
    textable_double (t, (double)x->max / 1e3, 2);
}

void keytable_rows (struct textable *t,
                    const struct query *q,
                    const struct query_answer *a,
                    size_t top)
{
    const struct query_cell **order = calloc (a->count + 1, sizeof (*order));

    if (!order)
        return;
    for (size_t i = 0; i < a->count; i++)
        order[i] = &a->cell[i];
    qsort_r (order, a->count, sizeof (*order), keytable_order,
             (void *)(uintptr_t)q);
    for (size_t i = 0; i < a->count && (!top || i < top); i++)
        keytable_row (t, q, order[i]);
    free (order);
}
