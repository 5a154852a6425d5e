/* SPDX-License-Identifier: MIT
 *
 * marks.h - marks and pairs of events
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* --- marks.c: regions that name their step or epoch, and barriers -> when each
 * one was ---
 */

enum mark_kind {
    MARK_STEP,
    MARK_EPOCH,
    MARK_BARRIER,
    MARK_CHECKPOINT,
    MARK_KINDS
};

/* [start, end), ns of CLOCK_REALTIME; a number below 0: not said. */
struct mark {
    int64_t number;
    uint64_t start, end;
};

/* All zero is empty. */
struct marks {
    struct mark *item; /* owned */
    size_t count, room;
};

/* A region of this number was seen. One that follows another of the same number
 * makes it longer. */
void marks_add (struct marks *m, int64_t number, uint64_t start, uint64_t end);
void marks_append (struct marks *m, const struct marks *more);

/* Marks of a rank -> windows: sorted by start, each reaching to the start of
 * the next, the last one to its own end; neighbours of the same number are
 * one. Marks without a number get their place, from 0. */
void marks_to_windows (struct marks *m);

/* The window in which t is, or NULL. */
const struct mark *windows_find (const struct marks *windows, uint64_t t);

void marks_clear (struct marks *m);

struct packer;
struct unpacker;
void marks_pack (struct packer *p, const struct marks *m);
/* Add the marks that were packed. 0, or -1: u->bad. */
int marks_unpack (struct unpacker *u, struct marks *m);

/* --- pairs.c: 64-bit numbers -> ordinals, in order of first insertion --- */

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

/* The ordinal of a key, which is p->count before the call when the key is new.
 */
static inline int64_t pairs_ordinal (struct pairs *p, uint64_t key)
{
    const struct pairs_slot *s =
        p->slots ? &p->slot[pairs_home (p, key)] : NULL;

    return s && s->ordinal && s->key == key ? s->ordinal - 1
                                            : pairs_find (p, key);
}

void pairs_clear (struct pairs *p);
