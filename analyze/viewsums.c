/* SPDX-License-Identifier: MIT
 *
 * viewsums.c - the table of calls of which only sums are known
 *
 * In:  struct result, from views.c
 * Out: columns and rows; n/a what is not exact
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/viewrows.h"

struct row {
    const char *key;
    size_t length;
    const struct pfw_sum *sum;
};

/* The longest first; names decide where that is equal. */
static int by_time (const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    size_t n = x->length < y->length ? x->length : y->length;
    int order = (x->sum->ns < y->sum->ns) - (x->sum->ns > y->sum->ns);

    if (!order)
        order = memcmp (x->key, y->key, n);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

static void put_us (struct textable *t, uint64_t ns, int known)
{
    if (known)
        textable_double (t, (double)ns / 1e3, 2);
    else
        textable_na (t);
}

static void put_row (struct textable *t, const struct row *r)
{
    const struct pfw_sum *s = r->sum;
    size_t n = strlen (r->key);
    int counted = s->count && !(s->unknown & PFW_UNKNOWN_COUNT);
    int timed = !(s->unknown & PFW_UNKNOWN_TIME);

    textable_row (t);
    textable_text (t, r->key);
    textable_text (t, n < r->length ? r->key + n + 1 : "");
    textable_uint (t, s->lines);
    textable_uint (t, s->count);
    if (counted)
        textable_uint (t, s->count);
    else
        textable_na (t);
    if (timed)
        textable_double (t, (double)s->ns / 1e9, 6);
    else
        textable_na (t);
    put_us (t, s->min, timed);
    put_us (t, counted ? s->ns / s->count : 0, counted && timed);
    put_us (t, s->max, timed);
    if (s->unknown & PFW_UNKNOWN_BYTES)
        textable_na (t);
    else
        textable_uint (t, s->bytes);
}

void fill_sum (struct textable *t, const struct result *r, size_t top)
{
    const struct pfw_sums *sums = &r->totals->tally.sums;
    size_t n = pfw_sums_count (sums);
    struct row *row = calloc (n + 1, sizeof (*row));

    for (size_t i = 0; row && i < n; i++) {
        row[i].key = strmap_key (sums->of, i, &row[i].length);
        row[i].sum = strmap_value (sums->of, i);
    }
    if (row && n)
        qsort (row, n, sizeof (*row), by_time);
    for (size_t i = 0; row && i < n && (!top || i < top); i++)
        put_row (t, &row[i]);
    free (row);
}
