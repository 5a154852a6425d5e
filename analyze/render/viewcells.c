/* SPDX-License-Identifier: MIT
 *
 * viewcells.c - cells and the order of rows, for the tables of views.def
 */
#include "config.h"

#include "analyze/render/viewcells.h"

#include <stdlib.h>
#include <string.h>

/* --- cells ------------------------------------------------------------ */

void cell_seconds (struct textable *t, uint64_t ns)
{
    textable_double (t, (double)ns / 1e9, 6);
}

void cell_micros (struct textable *t, uint64_t ns)
{
    textable_double (t, (double)ns / 1e3, 2);
}

void cell_known (struct textable *t, int known, uint64_t value)
{
    if (known)
        textable_uint (t, value);
    else
        textable_na (t);
}

void cell_known_seconds (struct textable *t, int known, uint64_t ns)
{
    if (known)
        cell_seconds (t, ns);
    else
        textable_na (t);
}

void cell_rate (struct textable *t, uint64_t bytes, uint64_t ns)
{
    if (ns)
        textable_double (t, (double)bytes / 1048576 * 1e9 / (double)ns, 1);
    else
        textable_na (t);
}

void cell_rank (struct textable *t, const struct process *p)
{
    if (p->who->p.rank < 0)
        textable_na (t);
    else
        textable_uint (t, (uint64_t)p->who->p.rank);
}

/* --- order ------------------------------------------------------------ */

/* qsort_r would be GNU only in its argument order; a key per row is clear. */
struct weighted {
    uint64_t weight;
    const char *name;
    size_t length, index;
};

static int viewcells_by_weight (const void *a, const void *b)
{
    const struct weighted *x = a, *y = b;
    size_t n = x->length < y->length ? x->length : y->length;
    int order;

    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    order = memcmp (x->name, y->name, n);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

size_t *rows_sorted (const struct strmap *m,
                     uint64_t (*weight) (const void *value))
{
    size_t n = m ? strmap_count (m) : 0;
    struct weighted *row = calloc (n + 1, sizeof (*row));
    size_t *order = calloc (n + 1, sizeof (*order));

    if (!m || !row || !order) {
        free (row);
        free (order);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        row[i].index = i;
        row[i].weight = weight (strmap_value (m, i));
        row[i].name = strmap_key (m, i, &row[i].length);
    }
    qsort (row, n, sizeof (*row), viewcells_by_weight);
    for (size_t i = 0; i < n; i++)
        order[i] = row[i].index;
    free (row);
    return order;
}
