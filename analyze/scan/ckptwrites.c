/* SPDX-License-Identifier: MIT
 *
 * ckptwrites.c - writes of a piece of a thread -> those outside of checkpoint
 *                regions
 *
 * In:  writes and regions in the order of their ends, from learn.c
 * Out: marks of files; what is left over
 *
 * A region ends after the calls inside it. So each piece keeps the writes that
 * no checkpoint region was around yet, an entry for each file, by the time of
 * the last one; a region takes them off from the end. What is left at the end
 * of a thread was written outside of checkpoint regions.
 */
#include "config.h"

#include "analyze/scan/ckptwrites.h"

#include <stdlib.h>

int ckptwrites_put (struct ckptwrites *w, struct ckptwrite one)
{
    size_t room = w->room ? 2 * w->room : 64;
    struct ckptwrite *item = w->item;

    if (w->count == w->room) {
        if (!(item = reallocarray (item, room, sizeof (*item))))
            return -1;
        w->item = item;
        w->room = room;
    }
    w->item[w->count++] = one;
    return 0;
}

void ckptwrites_pack (struct ckptwrites *w, uint32_t *at)
{
    size_t n = 0;

    for (size_t i = 0; i < w->count; i++)
        if (w->item[i].number) {
            w->item[n++] = w->item[i];
            if (at)
                at[w->item[n - 1].number] = (uint32_t)n;
        }
    w->count = n;
}

void ckptwrites_cover (struct ckptwrites *w,
                       uint64_t start,
                       uint32_t *at,
                       uint8_t *mark)
{
    for (size_t i = w->count; i-- > 0 && w->item[i].last >= start;) {
        struct ckptwrite *one = &w->item[i];

        if (!one->number)
            continue;
        mark[one->number] |= CKPTWRITE_INSIDE;
        if (one->first < start)
            continue; /* the earlier ones are still open */
        if (at)
            at[one->number] = 0;
        one->number = 0;
    }
    while (w->count && !w->item[w->count - 1].number)
        w->count--;
}
