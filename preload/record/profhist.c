/* SPDX-License-Identifier: MIT
 *
 * profhist.c - one duration or size -> a cell of its histogram
 *
 * In:  a row and a value, from prof.c
 * Out: groups of buckets in blocks of the shard: at first with cells of 8 bits,
 *      which most never fill; where one is full, the values of its group from
 *      then on have a group with cells of 32 bits beside it, and so on. Nothing
 *      is moved: readers add them up.
 * Caveat: runs in the user's thread; no malloc, lock or stdio.
 */
#include "config.h"

#include "preload/record/profcount.h"

/* A group with room in the bucket of a value. */
static struct profile_head *prof_hist_group (struct prof *p,
                                             const struct profile_row *row,
                                             enum profile_hist what,
                                             unsigned bucket,
                                             uint32_t number,
                                             int wiped)
{
    struct profile_head like = {.type = PROFILE_FEW,
                                .kind = (uint8_t)what,
                                .call = row->head.call,
                                .number = bucket / PROFILE_BUCKETS,
                                .number2 = number};
    unsigned at = bucket % PROFILE_BUCKETS;
    struct profile_few *few =
        prof_find_or_make (p, &like, sizeof (*few), wiped);

    if (!few || few->count[at] < UINT8_MAX)
        return few ? &few->head : NULL;
    like.type = PROFILE_MANY;
    for (unsigned i = 0; i < PROFILE_AGAIN_MAX; i++) { /* of 2^32 each */
        struct profile_many *many =
            prof_find_or_make (p, &like, sizeof (*many), wiped);

        if (!many || many->count[at] < UINT32_MAX)
            return many ? &many->head : NULL;
        like.kind += PROFILE_AGAIN;
    }
    return NULL;
}

void prof_hist_count (struct prof *p,
                      const struct profile_row *row,
                      enum profile_hist what,
                      uint64_t value,
                      int wiped)
{
    unsigned bucket = profile_bucket (value);
    uint64_t key = prof_hist_key (row, what, bucket / PROFILE_BUCKETS);
    unsigned at = prof_hist_at (key);
    struct profile_head *group;
    struct prof_cell cell;

    if (!prof_hist_cell (p, row, what, value, &cell)) {
        group = prof_hist_group (p, row, what, bucket,
                                 (uint32_t)((key - 1) >> 32), wiped);
        if (!group)
            return;
        p->grouped[at].count =
            (uintptr_t)(group + 1) + (group->type == PROFILE_FEW);
        p->grouped[at].key = key;
        if (!prof_hist_cell (p, row, what, value, &cell))
            return; /* somebody else has written to the file */
    }
    prof_hist_add (&cell);
}
