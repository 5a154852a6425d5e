/* SPDX-License-Identifier: MIT
 *
 * viewpercentile.c - the table of percentiles of calls and operations
 *
 * In:  struct result, from views.c
 * Out: columns and rows
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/tables/viewcells.h"

/* In the order of the columns, between min_us and max_us. */
static const double percentiles[] = {0.01, 0.05, 0.10, 0.25, 0.50,
                                     0.75, 0.90, 0.95, 0.99, 0.999};

static void percentile_row (struct textable *t,
                            const char *category,
                            const char *name,
                            const struct hist *h)
{
    if (!h->count || !hist_whole (h))
        return;
    textable_row (t);
    textable_text (t, category);
    textable_text (t, name);
    textable_uint (t, h->count);
    cell_micros (t, h->min);
    for (size_t i = 0; i < sizeof (percentiles) / sizeof (percentiles[0]); i++)
        cell_micros (t, hist_quantile (h, percentiles[i]));
    cell_micros (t, h->max);
}

void fill_percentile (struct textable *t, const struct result *r, size_t top)
{
    const struct tally *tally = &r->totals->tally;
    size_t *order = operations_sorted (tally);

    for (int call = 0; call < CALL_MAX; call++)
        if (tally->call[call])
            percentile_row (t, call_category_name (call_table[call].category),
                            call_table[call].name, &tally->call[call]->time);
    for (size_t i = 0;
         order && i < strmap_count (tally->ops) && (!top || i < top); i++) {
        size_t length;
        const char *category = strmap_key (tally->ops, order[i], &length);
        const struct op_total *op = strmap_value (tally->ops, order[i]);
        size_t n = strlen (category);

        percentile_row (t, category, n < length ? category + n + 1 : "",
                        &op->time);
    }
    free (order);
}
