/* SPDX-License-Identifier: MIT
 *
 * profsizes.c - bytes that a call moved -> how often its row moved as many
 *
 * In:  a row and a size, from prof.c
 * Out: nothing while all sizes of the row are the same, which its least and
 *      its most say; then a record of few sizes, then a second one. Sizes that
 *      have no slot are counted nowhere: readers know how many there are.
 * Caveat: runs in the user's thread; no malloc, lock or stdio.
 */
#include "config.h"

#include <string.h>

#include "lib/core/profile/profcount.h"

static struct profile_head prof_sizes_head (const struct prof_cache *c,
                                            unsigned record)
{
    struct profile_head like = c->row->head;

    like.type = PROFILE_SIZES;
    like.kind = (uint8_t)record;
    like.flags = like.class = 0;
    return like;
}

static struct prof_sizes *prof_sizes_of (const struct prof *p,
                                         const struct prof_cache *c)
{
    int cached = c >= p->cache && c < p->cache + PROF_CACHED;

    return &p->sizes[cached ? c - p->cache : PROF_CACHED];
}

void prof_sizes_find (struct prof *p, struct prof_cache *c)
{
    const uint64_t *n = c->row->n;
    struct prof_sizes *to = prof_sizes_of (p, c);

    c->differ = 0;
    if (n[PROFILE_size_least] == n[PROFILE_size_most] + 1 ||
        !n[PROFILE_size_least])
        return; /* all are the same, or there is none yet */
    for (unsigned i = 0; i < PROFILE_SIZES_RECORDS; i++) {
        const struct profile_head like = prof_sizes_head (c, i);
        struct profile_sizes *s = prof_has (p, &like);

        to->slot[i] = s ? s->slot : NULL;
        c->differ |= s != NULL;
    }
}

uint64_t *
prof_sizes_slot (struct prof *p, const struct prof_cache *c, uint64_t size)
{
    const struct prof_sizes *at = prof_sizes_of (p, c);

    if (!c->differ)
        return NULL;
    if (size > UINT32_MAX)
        return &p->unkept;
    for (unsigned r = 0; r < PROFILE_SIZES_RECORDS; r++) {
        uint64_t *slot = at->slot[r];

        if (!slot || slot == &p->unkept)
            return slot;
        for (unsigned i = 0; i < profile_sizes_slots (r); i++)
            if (!slot[i] || ((uint32_t)slot[i] == size &&
                             slot[i] >> PROFILE_SIZES_SHIFT < UINT32_MAX))
                return &slot[i];
    }
    return &p->unkept;
}

/* So many calls of a size, into slots that are free. */
static void prof_sizes_fill (uint64_t *slot, uint64_t size, uint64_t calls)
{
    if (size > UINT32_MAX)
        return;
    for (unsigned i = 0; calls && i < PROFILE_SIZES_FIRST; i++) {
        uint64_t some = calls < UINT32_MAX ? calls : UINT32_MAX;

        slot[i] = some << PROFILE_SIZES_SHIFT | (uint32_t)size;
        calls -= some;
    }
}

/* Make a record: the first one with what the row had before this call. */
static void prof_sizes_make (struct prof *p,
                             struct prof_cache *c,
                             unsigned record,
                             int failed,
                             int wiped)
{
    const uint64_t *n = c->row->n;
    const struct profile_head like = prof_sizes_head (c, record);
    struct prof_sizes *to;
    uint64_t slot[PROFILE_SIZES_SECOND] = {0};
    uint32_t bytes = profile_sizes_slots (record) * (uint32_t)sizeof (*slot);
    struct profile_sizes *s;

    if (!record && n[PROFILE_size_least] == n[PROFILE_size_most] + 1)
        prof_sizes_fill (slot, n[PROFILE_size_most],
                         n[PROFILE_calls] - 1 -
                             (n[PROFILE_errors] - (uint64_t)failed));
    s = prof_make (p, &like, slot, bytes, wiped);
    to = prof_sizes_of (p, c); /* the index may have moved */
    to->slot[record] = s ? s->slot : &p->unkept;
    if (!record)
        to->slot[1] = NULL;
    c->differ = 1;
}

void prof_sizes_count (
    struct prof *p, struct prof_cache *c, uint64_t size, int failed, int wiped)
{
    uint64_t *slot;

    if (!c->differ &&
        (!c->row->n[PROFILE_size_least] || prof_sizes_same (c, size)))
        return;     /* the first one, or the same */
    if (!c->differ) /* rows of folded files are in several places of cache[] */
        prof_sizes_find (p, c);
    if (!c->differ)
        prof_sizes_make (p, c, 0, failed, wiped);
    if (failed)
        return;
    if (!(slot = prof_sizes_slot (p, c, size))) {
        prof_sizes_find (p, c);
        slot = prof_sizes_slot (p, c, size);
    }
    if (!slot && c->differ) {
        prof_sizes_make (p, c, 1, failed, wiped);
        slot = prof_sizes_slot (p, c, size);
    }
    if (slot)
        prof_sizes_put (slot, size);
}
