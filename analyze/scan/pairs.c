/* SPDX-License-Identifier: MIT
 *
 * pairs.c - 64-bit numbers -> ordinals, in order of first insertion
 *
 * In:  numbers, or two ordinals in one
 * Out: ordinals, to query.c and column.c
 */
#include "config.h"

#include "analyze/scan/marks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS_FIRST = 64 };

static struct pairs_slot *pairs_slot_of (const struct pairs *p, uint64_t key)
{
    size_t at = pairs_home (p, key);

    while (p->slot[at].ordinal && p->slot[at].key != key)
        at = (at + 1) & (p->slots - 1);
    return &p->slot[at];
}

/* At most half of the slots are used. */
static int pairs_grow (struct pairs *p)
{
    struct pairs more = {.slots = p->slots ? 2 * p->slots : PAIRS_FIRST,
                         .count = p->count};

    if (2 * ((size_t)p->count + 1) <= p->slots)
        return 0;
    if (p->count == UINT32_MAX - 1 ||
        !(more.slot = calloc (more.slots, sizeof (*more.slot)))) {
        errno = ENOMEM;
        return -1;
    }
    for (size_t i = 0; i < p->slots; i++)
        if (p->slot[i].ordinal)
            *pairs_slot_of (&more, p->slot[i].key) = p->slot[i];
    free (p->slot);
    *p = more;
    return 0;
}

int64_t pairs_find (struct pairs *p, uint64_t key)
{
    struct pairs_slot *s;

    if (pairs_grow (p) < 0)
        return -1;
    s = pairs_slot_of (p, key);
    if (!s->ordinal) {
        s->key = key;
        s->ordinal = ++p->count;
    }
    return s->ordinal - 1;
}

void pairs_clear (struct pairs *p)
{
    int saved = errno;

    free (p->slot);
    memset (p, 0, sizeof (*p));
    errno = saved;
}
