/* SPDX-License-Identifier: MIT
 *
 * pairs.h - 64-bit numbers -> ordinals, in order of first insertion
 */
#ifndef DFT_ANALYZE_PAIRS_H
#define DFT_ANALYZE_PAIRS_H

#include <stddef.h>
#include <stdint.h>

struct pairs_slot {
    uint64_t key;
    uint32_t ordinal; /* + 1; 0: empty */
};

/* All zero is empty. */
struct pairs {
    struct pairs_slot *slot; /* owned; a power of two of them */
    size_t slots;
    uint32_t count;
};

/* pairs_ordinal for a key that the first slot does not hold. */
int64_t pairs_find (struct pairs *p, uint64_t key);

static inline size_t pairs_home (const struct pairs *p, uint64_t key)
{
    return (size_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (p->slots - 1);
}

/* The ordinal of a key, which is p->count before the call when the key is new;
 * -1: ENOMEM. */
static inline int64_t pairs_ordinal (struct pairs *p, uint64_t key)
{
    const struct pairs_slot *s =
        p->slots ? &p->slot[pairs_home (p, key)] : NULL;

    return s && s->ordinal && s->key == key ? s->ordinal - 1
                                            : pairs_find (p, key);
}

void pairs_clear (struct pairs *p); /* keeps errno */

#endif
