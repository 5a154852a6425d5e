/* SPDX-License-Identifier: MIT
 *
 * mmwatch.c - when a thread's faults were watched -> how long they were not
 */
#include "config.h"

#include "analyze/facts/mmwork.h"

static int watch_order (const void *a, const void *b)
{
    const struct mm_watch *x = a, *y = b;
    int order = mm_compare (x->tid, y->tid);

    return order ? order : mm_compare (x->start, y->start);
}

/* Times of a thread do not overlap; what does is cut. */
void mm_sort_watched (struct join *j)
{
    struct mm_watch *w = j->log->watched.item;

    mm_sort (&j->log->watched, sizeof (*w), watch_order);
    for (size_t i = 1; i < j->log->watched.count; i++)
        if (w[i].tid == w[i - 1].tid && w[i].start < w[i - 1].end) {
            w[i].start = w[i - 1].end;
            if (w[i].end < w[i].start)
                w[i].end = w[i].start;
        }
}

/* The first one of a thread that ends after a time, or one behind it. */
static size_t first_after (const struct join *j, uint32_t tid, uint64_t ns)
{
    const struct mm_watch *w = j->log->watched.item;
    size_t low = 0, high = j->log->watched.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (w[middle].tid < tid ||
            (w[middle].tid == tid && w[middle].end <= ns))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t
mm_unwatched (const struct join *j, uint32_t tid, uint64_t start, uint64_t end)
{
    const struct mm_watch *w = j->log->watched.item;
    uint64_t left = mm_minus (end, start);

    for (size_t i = first_after (j, tid, start);
         i < j->log->watched.count && w[i].tid == tid && w[i].start < end;
         i++) {
        uint64_t from = w[i].start > start ? w[i].start : start;
        uint64_t to = w[i].end < end ? w[i].end : end;

        left = mm_minus (left, mm_minus (to, from));
    }
    return left;
}

uint64_t mm_unwatched_all (const struct join *j)
{
    const struct mm_watch *w = j->log->watched.item;
    size_t n = j->log->watched.count;
    uint64_t first = UINT64_MAX, gaps = 0, begin = j->log->mapped_at;

    if (!begin) /* a child of fork */
        begin = j->t->process[j->index].start;
    for (size_t i = 0; i < n; i++) {
        first = w[i].start < first ? w[i].start : first;
        if (i && w[i].tid == w[i - 1].tid)
            gaps += mm_minus (w[i].start, w[i - 1].end);
    }
    return n ? gaps + mm_minus (first, begin) : UINT64_MAX;
}
