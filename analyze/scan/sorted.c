/* SPDX-License-Identifier: MIT
 *
 * sorted.c - maps of names -> the order of the tables: heaviest first
 *
 * In:  names with what is known of them
 * Out: indices of the map, to the tables and findings
 */
#include "config.h"

#include "analyze/scan/sorted.h"

#include <stdlib.h>
#include <string.h>

/* qsort_r would be GNU only in its argument order; a key per row is clear. */
struct weighted {
    uint64_t weight;
    const char *name;
    size_t length, index;
};

static int by_weight (const void *a, const void *b)
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
    qsort (row, n, sizeof (*row), by_weight);
    for (size_t i = 0; i < n; i++)
        order[i] = row[i].index;
    free (row);
    return order;
}

static uint64_t op_weight (const void *value)
{
    return ((const struct op_total *)value)->time.sum;
}

static uint64_t file_weight (const void *value)
{
    const struct file_total *f = value;

    return f->read_bytes + f->write_bytes;
}

size_t *operations_sorted (const struct tally *t)
{
    return rows_sorted (t->ops, op_weight);
}

size_t *files_sorted (const struct tally *t)
{
    return rows_sorted (t->files, file_weight);
}
