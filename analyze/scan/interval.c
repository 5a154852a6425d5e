/* SPDX-License-Identifier: MIT
 *
 * interval.c - sets of time, exactly: union, intersection, length
 *
 * In:  start and end of events, from tally.c
 * Out: lengths without double counting, to summary.c
 */
#include "config.h"

#include "analyze/scan/interval.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int interval_grow (struct intervals *set, size_t count)
{
    size_t room = set->room ? set->room : 16;
    struct interval *item;

    if (count <= set->room)
        return 0;
    while (room < count)
        room *= 2;
    if (!(item = reallocarray (set->item, room, sizeof (*item))))
        return -1;
    set->item = item;
    set->room = room;
    return 0;
}

/* Out of order: merge with whatever touches [start, end). */
static int insert (struct intervals *set, uint64_t start, uint64_t end)
{
    size_t first = 0, last = set->count;

    while (first < last) { /* the first that ends at start or after it */
        size_t middle = first + (last - first) / 2;

        if (set->item[middle].end < start)
            first = middle + 1;
        else
            last = middle;
    }
    for (last = first; last < set->count && set->item[last].start <= end;
         last++) {
        if (set->item[last].start < start)
            start = set->item[last].start;
        if (set->item[last].end > end)
            end = set->item[last].end;
    }
    memmove (&set->item[first + 1], &set->item[last],
             (set->count - last) * sizeof (*set->item));
    set->item[first] = (struct interval){start, end};
    set->count = first + 1 + set->count - last;
    return 0;
}

int intervals_add (struct intervals *set, uint64_t start, uint64_t end)
{
    size_t n = set->count;

    if (end <= start)
        return 0;
    if (interval_grow (set, n + 1) < 0)
        return -1;
    if (n && set->item[n - 1].end > end)
        return insert (set, start, end);
    while (n && set->item[n - 1].end >= start) {
        n--;
        if (set->item[n].start < start)
            start = set->item[n].start;
    }
    set->item[n] = (struct interval){start, end};
    set->count = n + 1;
    return 0;
}

/* Append in order of start; out has room. */
static void interval_append (struct intervals *out, const struct interval *v)
{
    struct interval *last = out->count ? &out->item[out->count - 1] : NULL;

    if (last && last->end >= v->start) {
        if (v->end > last->end)
            last->end = v->end;
    } else
        out->item[out->count++] = *v;
}

static int merge (struct intervals *out,
                  const struct intervals *a,
                  const struct intervals *b)
{
    size_t i = 0, j = 0;

    if (interval_grow (out, a->count + b->count) < 0)
        return -1;
    while (i < a->count || j < b->count)
        if (j == b->count ||
            (i < a->count && a->item[i].start <= b->item[j].start))
            interval_append (out, &a->item[i++]);
        else
            interval_append (out, &b->item[j++]);
    return 0;
}

/* Halves, then their union: n log(sets). */
int intervals_union (struct intervals *out,
                     const struct intervals *const *sets,
                     size_t count)
{
    static const struct intervals empty;
    struct intervals left = empty, right = empty;
    int rc = -1;

    *out = empty;
    if (count == 0)
        return 0;
    if (count == 1)
        return merge (out, sets[0], &empty);
    if (intervals_union (&left, sets, count / 2) < 0 ||
        intervals_union (&right, sets + count / 2, count - count / 2) < 0 ||
        merge (out, &left, &right) < 0)
        goto done;
    rc = 0;
done:
    intervals_clear (&left);
    intervals_clear (&right);
    if (rc < 0)
        intervals_clear (out);
    return rc;
}

uint64_t intervals_length (const struct intervals *set)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < set->count; i++)
        sum += set->item[i].end - set->item[i].start;
    return sum;
}

uint64_t intervals_common (const struct intervals *a, const struct intervals *b)
{
    uint64_t sum = 0;
    size_t i = 0, j = 0;

    while (i < a->count && j < b->count) {
        const struct interval *x = &a->item[i], *y = &b->item[j];
        uint64_t start = x->start > y->start ? x->start : y->start;
        uint64_t end = x->end < y->end ? x->end : y->end;

        if (start < end)
            sum += end - start;
        if (x->end < y->end)
            i++;
        else
            j++;
    }
    return sum;
}

void intervals_clear (struct intervals *set)
{
    int saved = errno;

    free (set->item);
    memset (set, 0, sizeof (*set));
    errno = saved;
}
