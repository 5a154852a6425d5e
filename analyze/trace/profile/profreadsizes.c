/* SPDX-License-Identifier: MIT
 *
 * profreadsizes.c - records of sizes in a profile -> how often each row moved
 *                   which size
 *
 * In:  records of a thread, perhaps while it counts (profile.h); hostile
 * Out: struct profsize of each slot; of each row how many calls have none
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/trace/profile/profread_own.h"

int profread_sizes (struct profrows *p,
                    const struct profsize *row,
                    const unsigned char *at,
                    size_t bytes)
{
    size_t n = (bytes - sizeof (struct profile_head)) / sizeof (uint64_t);

    at += sizeof (struct profile_head);
    for (size_t i = 0; i < n; i++) {
        struct profsize *r;
        uint64_t slot;

        memcpy (&slot, at + i * sizeof (slot), sizeof (slot));
        if (!(slot >> PROFILE_SIZES_SHIFT))
            continue;
        if (!(r = profrows_size (p)))
            return -1;
        *r = *row;
        r->bytes = (uint32_t)slot;
        r->times = slot >> PROFILE_SIZES_SHIFT;
    }
    return 1;
}

static int profreadsizes_order (const void *a, const void *b)
{
    const struct profsize *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->call != y->call)
        return x->call < y->call ? -1 : 1;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    return (x->name2 > y->name2) - (x->name2 < y->name2);
}

/* Sort them, and let the first of each row have the sum of `times`. */
static void profreadsizes_sum (struct profsize *size, size_t n)
{
    size_t first = 0;

    if (n)
        qsort (size, n, sizeof (*size), profreadsizes_order);
    for (size_t i = 0; i < n; i++) {
        if (profreadsizes_order (&size[first], &size[i]) != 0)
            first = i;
        size[first].sum += size[i].times;
    }
}

/* The first of a row; NULL: it has none. */
static const struct profsize *profreadsizes_of (const struct profsize *size,
                                                size_t n,
                                                const struct profrow *r)
{
    const struct profsize key = {.thread = r->thread,
                                 .call = r->call,
                                 .name = r->name,
                                 .name2 = r->name2};
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (profreadsizes_order (&size[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && profreadsizes_order (&size[low], &key) == 0 ? &size[low]
                                                                  : NULL;
}

void profread_sizes_known (struct profrows *p, size_t row, size_t size)
{
    size_t n = p->sizes - size;

    if (n)
        profreadsizes_sum (p->size + size, n);
    for (; row < p->rows; row++) {
        struct profrow *r = &p->row[row];
        const struct profsize *s =
            n ? profreadsizes_of (p->size + size, n, r) : NULL;
        uint64_t known = s ? s->sum : 0, good = profrow_good (r);

        r->same = !s && r->n[PROFILE_size_least] &&
                  r->n[PROFILE_size_least] - 1 == r->n[PROFILE_size_most];
        r->unknown = r->same || known > good ? 0 : good - known;
    }
}
