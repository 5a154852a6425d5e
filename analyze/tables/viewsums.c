/* SPDX-License-Identifier: MIT
 *
 * viewsums.c - the tables of what only sums are known of: lines that add up
 *              many calls; maps of time of profiles
 *
 * In:  struct result, from views.c
 * Out: columns and rows; n/a what is not exact
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/scan/timemap.h"
#include "analyze/tables/viewcells.h"

static uint64_t weight_of_sum (const void *value)
{
    return ((const struct pfw_sum *)value)->ns;
}

static void put_us (struct textable *t, uint64_t ns, int known)
{
    if (known)
        cell_micros (t, ns);
    else
        textable_na (t);
}

static void
viewsums_put_row (struct textable *t, const struct strmap *of, size_t i)
{
    size_t length;
    const char *key = strmap_key (of, i, &length);
    const struct pfw_sum *s = strmap_value (of, i);
    size_t n = strlen (key);
    int counted = s->count && !(s->unknown & PFW_UNKNOWN_COUNT);
    int timed = !(s->unknown & PFW_UNKNOWN_TIME);

    textable_row (t);
    textable_text (t, key);
    textable_text (t, n < length ? key + n + 1 : "");
    textable_uint (t, s->lines);
    textable_uint (t, s->count);
    cell_known (t, counted, s->count);
    cell_known_seconds (t, timed, s->ns);
    put_us (t, s->min, timed);
    put_us (t, counted ? s->ns / s->count : 0, counted && timed);
    put_us (t, s->max, timed);
    cell_known (t, !(s->unknown & PFW_UNKNOWN_BYTES), s->bytes);
}

void fill_sum (struct textable *t, const struct result *r, size_t top)
{
    const struct pfw_sums *sums = &r->totals->tally.sums;
    size_t *order = rows_sorted (sums->of, weight_of_sum);

    for (size_t i = 0; order && i < pfw_sums_count (sums) && (!top || i < top);
         i++)
        viewsums_put_row (t, sums->of, order[i]);
    free (order);
}

void fill_timemap (struct textable *t, const struct result *r, size_t top)
{
    struct timemap map;

    timemap_rows (&map, r->totals->tally.time);
    for (size_t i = 0; i < map.rows && (!top || i < top); i++) {
        const uint64_t *n = map.n[i];
        int known = !map.bytes_only;
        int64_t from =
            (int64_t)(map.start + i * map.width) - (int64_t)r->summary->start;

        textable_row (t);
        textable_double (t, (double)from / 1e9, 6);
        cell_seconds (t, map.width);
        cell_known (t, known, n[PROFILE_BIN_reads]);
        textable_uint (t, n[PROFILE_BIN_read_bytes]);
        cell_known_seconds (t, known, n[PROFILE_BIN_read_time]);
        cell_known (t, known, n[PROFILE_BIN_writes]);
        textable_uint (t, n[PROFILE_BIN_write_bytes]);
        cell_known_seconds (t, known, n[PROFILE_BIN_write_time]);
        cell_known (t, known, n[PROFILE_BIN_others]);
        cell_known_seconds (t, known, n[PROFILE_BIN_other_time]);
    }
}
