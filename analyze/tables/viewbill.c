/* SPDX-License-Identifier: MIT
 *
 * viewbill.c - tables of what the time of the ranks went into, what I/O costs
 *
 * In:  struct result, from views.c
 * Out: columns and rows
 */
#include "config.h"

#include "analyze/tables/viewcells.h"

static void
viewbill_put_times (struct textable *t, uint64_t all, const uint64_t *time)
{
    cell_seconds (t, all);
    for (int row = 0; row < BILL_COUNT; row++)
        cell_seconds (t, time[row]);
}

void fill_bill (struct textable *t, const struct result *r, size_t top)
{
    const struct summary *s = r->summary;

    (void)top;
    if (summary_is_profile (s)) /* nobody knows who waited for what */
        return;
    for (size_t i = 0; i < s->lanes; i++) {
        const struct bill_lane *lane = &s->lane[i];

        textable_row (t);
        cell_rank (t, lane->first);
        textable_text (t, lane->first->who->text[SHARD_STRING_HOST]);
        textable_uint (t, lane->first->who->p.pid);
        viewbill_put_times (t, lane->end - lane->start, lane->time);
    }
    textable_row (t);
    textable_na (t);
    textable_text (t, "all");
    textable_na (t);
    viewbill_put_times (t, s->billed, s->bill);
}

static void viewbill_put_cost (struct textable *t,
                               const struct result *r,
                               const char *title,
                               struct cost_time time,
                               const struct transfer *n)
{
    const struct summary *s = r->summary;

    textable_row (t);
    textable_text (t, title);
    cell_union (t, r, time.own);
    if (s->end > s->start && !summary_is_profile (s))
        textable_double (
            t, 100 * (double)time.own / (double)(s->end - s->start), 2);
    else
        textable_na (t);
    cell_union (t, r, time.all);
    cell_seconds (t, n->ns);
    textable_uint (t, n->count);
    cell_known (t, n->bytes > 0, n->bytes);
    if (n->bytes)
        cell_union_rate (t, r, n->bytes, time.all);
    else
        textable_na (t);
}

void fill_io (struct textable *t, const struct result *r, size_t top)
{
    const struct summary *s = r->summary;
    struct transfer all = {0};

    (void)top;
    for (int row = 0; row < COST_COUNT; row++) {
        viewbill_put_cost (t, r, cost_table[row].title, s->cost[row],
                           &s->n.cost[row]);
        transfer_add (&all, &s->n.cost[row]);
    }
    viewbill_put_cost (t, r, "all", (struct cost_time){s->io_time, s->io_time},
                       &all);
}
