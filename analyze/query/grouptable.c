/* SPDX-License-Identifier: MIT
 *
 * grouptable.c - words of --view -> keys; groups -> rows of a table
 *
 * In:  the command line; struct groups, from groups.c
 * Out: struct grouping; columns and rows
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/query/groups.h"
#include "analyze/render/viewcells.h"

enum { TEXT = 0, NUMBER = 1 };

const struct group_key_info group_key_table[GROUP_KEYS] = {
#define KEY(WORD, TITLE, ORDER, HELP) {#WORD, TITLE, HELP, ORDER},
#include "lib/model/groupkeys.def"
#undef KEY
};

/* --- words --------------------------------------------------------------- */

static int find_key (const char *word, size_t n)
{
    for (int i = 0; i < GROUP_KEYS; i++)
        if (strlen (group_key_table[i].word) == n &&
            memcmp (group_key_table[i].word, word, n) == 0)
            return i;
    return -1;
}

int grouping_has (const struct grouping *g, enum group_key key)
{
    for (int k = 0; k < g->keys; k++)
        if (g->key[k] == key)
            return 1;
    return 0;
}

int grouping_parse (struct grouping *g, const char *words, struct errtext *err)
{
    g->keys = 0;
    for (const char *word = words;; word++) {
        size_t n = strcspn (word, ",");
        int key = find_key (word, n);

        errno = EINVAL;
        if (key < 0)
            return errf (err,
                         "--view %s: no such view or key: see dftrace "
                         "help views",
                         words);
        if (g->keys == GROUP_BY_MAX)
            return errf (err, "--view %s: more than %d keys", words,
                         GROUP_BY_MAX);
        if (grouping_has (g, (enum group_key)key))
            return errf (err, "--view %s: the same key twice", words);
        g->key[g->keys++] = (enum group_key)key;
        word += n;
        if (!*word)
            return 0;
    }
}

/* --- rows ---------------------------------------------------------------- */

void groups_columns (struct textable *t, const struct grouping *g)
{
    for (int k = 0; k < g->keys; k++) {
        const struct group_key_info *key = &group_key_table[g->key[k]];

        textable_column (t, key->word, key->title,
                         g->key[k] == GROUP_interval ? "s" : "", key->number);
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

int group_value_order (const char *a, const char *b)
{
    double x = strtod (a, NULL), y = strtod (b, NULL);
    int order = (*b == '-') - (*a == '-');

    if (order)
        return -order;
    order = (*a == 'm') - (*b == 'm'); /* "more" */
    return order ? order : (x > y) - (x < y);
}

static const struct grouping *sorting; /* qsort has no cookie */

static int by_key (const void *a, const void *b)
{
    const struct group *x = *(const struct group *const *)a;
    const struct group *y = *(const struct group *const *)b;
    int order = 0;

    for (int k = 0; !order && k < sorting->keys; k++)
        if (group_key_table[sorting->key[k]].number)
            order = group_value_order (x->value[k], y->value[k]);
    if (!order)
        order = (x->ns < y->ns) - (x->ns > y->ns);
    for (int k = 0; !order && k < sorting->keys; k++)
        order = strcmp (x->value[k], y->value[k]);
    return order;
}

static void
row (struct textable *t, const struct grouping *g, const struct group *x)
{
    textable_row (t);
    for (int k = 0; k < g->keys; k++)
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
    if (grouping_has (g, GROUP_interval))
        textable_na (t); /* the sum is of time inside the interval */
    else
        textable_double (t, (double)x->ns / (double)x->count / 1e3, 2);
    textable_double (t, (double)x->max / 1e3, 2);
}

void groups_rows (struct textable *t,
                  const struct grouping *g,
                  const struct groups *gs,
                  size_t top)
{
    const struct group **order = calloc (gs->count + 1, sizeof (*order));

    if (!order)
        return;
    for (size_t i = 0; i < gs->count; i++)
        order[i] = &gs->item[i];
    sorting = g;
    qsort (order, gs->count, sizeof (*order), by_key);
    for (size_t i = 0; i < gs->count && (!top || i < top); i++)
        row (t, g, order[i]);
    free (order);
}
