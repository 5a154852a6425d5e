/* SPDX-License-Identifier: MIT
 *
 * profreadvalues.c - records of sizes and strides in a profile -> how often
 *                    there was which
 *
 * In:  records of a thread, perhaps while it counts (profile.h); hostile
 * Out: struct profvalue of each slot; of each row how many calls have no size
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/trace/profread_own.h"

int profread_value (struct profrows *p,
                    const struct profvalue *like,
                    uint64_t bytes,
                    uint64_t times)
{
    struct profvalue *r;

    if (!times)
        return 1;
    if (!(r = profrows_value (p)))
        return -1;
    *r = *like;
    r->bytes = bytes;
    r->times = times;
    return 1;
}

int profread_values (struct profrows *p,
                     const struct profvalue *like,
                     const unsigned char *at,
                     size_t bytes)
{
    size_t n = (bytes - sizeof (struct profile_head)) / sizeof (uint64_t);

    at += sizeof (struct profile_head);
    for (size_t i = 0; i < n; i++) {
        uint64_t slot;

        memcpy (&slot, at + i * sizeof (slot), sizeof (slot));
        if (profread_value (p, like, profile_value_of ((uint32_t)slot),
                            slot >> PROFILE_VALUES_SHIFT) < 0)
            return -1;
    }
    return 1;
}

static int profreadvalues_order (const void *a, const void *b)
{
    const struct profvalue *x = a, *y = b;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->call != y->call)
        return x->call < y->call ? -1 : 1;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    return (x->name2 > y->name2) - (x->name2 < y->name2);
}

/* Sort them, and let the first of each row have the sum of `times`. */
static void profreadvalues_sum (struct profvalue *size, size_t n)
{
    size_t first = 0;

    if (n)
        qsort (size, n, sizeof (*size), profreadvalues_order);
    for (size_t i = 0; i < n; i++) {
        if (profreadvalues_order (&size[first], &size[i]) != 0)
            first = i;
        size[first].sum += size[i].times;
    }
}

/* The first of a row; NULL: it has none. */
static const struct profvalue *profreadvalues_of (const struct profvalue *size,
                                                  size_t n,
                                                  const struct profrow *r)
{
    const struct profvalue key = {.kind = PROFVALUE_SIZE,
                                  .thread = r->thread,
                                  .call = r->call,
                                  .name = r->name,
                                  .name2 = r->name2};
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (profreadvalues_order (&size[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && profreadvalues_order (&size[low], &key) == 0 ? &size[low]
                                                                   : NULL;
}

void profread_sizes_known (struct profrows *p, size_t row, size_t value)
{
    size_t n = p->values - value;

    if (n)
        profreadvalues_sum (p->value + value, n);
    for (; row < p->rows; row++) {
        struct profrow *r = &p->row[row];
        const struct profvalue *s =
            n ? profreadvalues_of (p->value + value, n, r) : NULL;
        uint64_t known = s ? s->sum : 0, good = profrow_good (r);

        r->same = !s && r->n[PROFILE_size_least] &&
                  r->n[PROFILE_size_least] - 1 == r->n[PROFILE_size_most];
        r->unknown = r->same || known > good ? 0 : good - known;
    }
}
