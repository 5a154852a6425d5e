/* SPDX-License-Identifier: MIT
 *
 * compatmerge.c - DFAnalyzer's sums of two workers -> one
 *
 * In:  struct compat_tally of each, from compatread.c
 * Out: the one that has both
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/compat/compattally.h"

/* Ordinals of the keys of from in to, by what makes them; malloc'd. */
static uint32_t *
numbers_in (struct compat_tally *to,
            const struct strmap *from,
            int64_t (*number) (struct compat_tally *, const char *, size_t))
{
    size_t count = strmap_count (from);
    uint32_t *of = calloc (count + 1, sizeof (*of));

    for (size_t i = 0; of && i < count; i++) {
        size_t n;
        const char *key = strmap_key (from, i, &n);
        int64_t at = number (to, key, n);

        if (at < 0) {
            free (of);
            return NULL;
        }
        of[i] = (uint32_t)at;
    }
    return of;
}

/* What a run has, into one that has nothing yet or something. */
static int compatmerge_run (struct compat_run *to, struct compat_run *from)
{
    struct compat_run moved = *from;

    if (to->seconds || to->set.count)
        return compat_run_add (to, from);
    moved.op = to->op;
    moved.thread = to->thread;
    *to = moved;
    memset (from, 0, sizeof (*from));
    return 0;
}

static int merge_runs (struct compat_tally *to,
                       struct compat_tally *from,
                       const uint32_t *op,
                       const uint32_t *thread)
{
    for (size_t i = 0; i < strmap_count (from->threads); i++) {
        const struct compat_thread *t = strmap_value (from->threads, i);
        struct compat_thread *same = strmap_value (to->threads, thread[i]);

        same->counts |= t->counts;
    }
    for (size_t i = 0; i < strmap_count (from->runs); i++) {
        struct compat_run *r = strmap_value (from->runs, i);
        struct compat_run *same =
            compat_tally_run (to, op[r->op], thread[r->thread]);

        if (!same || compatmerge_run (same, r) < 0)
            return -1;
    }
    return 0;
}

int compat_tally_merge (struct compat_tally *to, struct compat_tally *from)
{
    uint32_t *op = numbers_in (to, from->ops, compat_tally_op);
    uint32_t *thread = numbers_in (to, from->threads, compat_tally_thread);
    int rc = op && thread ? merge_runs (to, from, op, thread) : -1;

    for (size_t i = 0; rc == 0 && i < strmap_count (from->paths); i++) {
        size_t n;
        const char *hash = strmap_key (from->paths, i, &n);

        rc = compat_tally_path (to, hash, n, strmap_value (from->paths, i));
    }
    if (rc == 0)
        rc = compat_totals_merge (&to->totals, &from->totals);
    if (from->end > to->end)
        to->end = from->end;
    free (op);
    free (thread);
    return rc;
}
