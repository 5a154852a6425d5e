/* SPDX-License-Identifier: MIT
 *
 * profvalues.c - a size or a stride -> how often it was met
 *
 * In:  a row and the bytes that a call moved, a file and the bytes that an
 *      access skipped; from prof.c
 * Out: of sizes nothing while all of the row are the same, which its least and
 *      its most say; of strides nothing while all are 0, which the file counts;
 *      then a record of few values, then a second one. Values that have no slot
 *      are counted nowhere: readers know how many there are.
 * Caveat: runs in the user's thread; no malloc, lock or stdio.
 */
#include "config.h"

#include <string.h>

#include "preload/record/profcount.h"

/* A process that has taken as much makes no second records any more, so that
 * those of a thousand files fit into 1 MiB. */
enum { PROF_VALUES_BYTES = 256 << 10 };

static struct profile_head prof_values_head (const struct prof_cache *c,
                                             enum prof_what what,
                                             unsigned record)
{
    struct profile_head like = {.type = PROFILE_SIZES,
                                .kind = (uint8_t)record,
                                .call = c->row->head.call,
                                .number = c->row->head.number,
                                .number2 = c->row->head.number2};
    int is_write = call_table[c->call].class == CALL_CLASS_WRITE;

    if (what == PROF_STRIDES) {
        like.type = PROFILE_STRIDES;
        like.kind |= (uint8_t)(is_write ? PROFILE_STRIDES_WRITE : 0);
        like.call = 0;
    }
    return like;
}

static struct prof_values *prof_values_of (const struct prof *p,
                                           const struct prof_cache *c,
                                           enum prof_what what)
{
    int cached = c >= p->cache && c < p->cache + PROF_CACHED;

    return cached ? prof_values_cached (p, c, what)
                  : &p->values[PROF_CACHED * PROF_WHATS + (int)what];
}

/* Look for the records. 1: there are some. */
static int
prof_values_find (struct prof *p, struct prof_cache *c, enum prof_what what)
{
    struct prof_values *v = prof_values_of (p, c, what);

    memset (v, 0, sizeof (*v));
    for (unsigned r = 0; r < PROFILE_VALUES_RECORDS; r++) {
        const struct profile_head like = prof_values_head (c, what, r);
        struct profile_values *record = prof_has (p, &like);

        v->slot[r] = record ? record->slot : NULL;
    }
    c->values &= (uint8_t) ~((1u + PROF_FULL) << what);
    c->values |= (uint8_t)(v->slot[0] ? 1u << what : 0);
    return v->slot[0] != NULL;
}

/* Make a record. */
static void prof_values_make (struct prof *p,
                              struct prof_cache *c,
                              enum prof_what what,
                              unsigned record,
                              const uint64_t *slot,
                              int wiped)
{
    const struct profile_head like = prof_values_head (c, what, record);
    uint32_t bytes = profile_values_slots (record) * (uint32_t)sizeof (*slot);
    struct profile_values *made =
        record && prof_taken () > PROF_VALUES_BYTES
            ? NULL
            : prof_make (p, &like, slot, bytes, wiped);
    struct prof_values *v = prof_values_of (p, c, what); /* may have moved */

    v->slot[record] = made ? made->slot : &p->unkept;
    c->values |= (uint8_t)(1u << what);
}

/* The latest value of this hash. */
static void prof_values_index (struct prof_values *v,
                               uint32_t code,
                               unsigned record,
                               unsigned slot)
{
    uint8_t *at = &v->at[prof_values_hash (code)];

    *at = (uint8_t)((*at & PROF_VALUES_MORE) |
                    (record * PROFILE_VALUES_FIRST + slot + 1));
}

/* All slots are used, and no value in them ever changes: index them all. */
static void prof_values_full (struct prof_values *v)
{
    memset (v->at, 0, sizeof (v->at));
    for (unsigned r = 0; r < PROFILE_VALUES_RECORDS; r++)
        for (unsigned i = 0; i < profile_values_slots (r); i++) {
            uint32_t code = (uint32_t)v->slot[r][i];
            uint8_t *at = &v->at[prof_values_hash (code)];

            *at = *at ? PROF_VALUES_MORE : 0;
            prof_values_index (v, code, r, i);
        }
}

uint64_t *prof_values_search (struct prof *p,
                              struct prof_cache *c,
                              enum prof_what what,
                              uint32_t code)
{
    struct prof_values *v = prof_values_of (p, c, what);
    unsigned at = v->at[prof_values_hash (code)], full = PROF_FULL << what;

    if (code == PROFILE_VALUES_NONE)
        return &p->unkept;
    if (c->values & full && !(at & PROF_VALUES_MORE))
        return &p->unkept; /* the only slot of its hash has been looked at */
    for (unsigned r = 0; r < PROFILE_VALUES_RECORDS; r++) {
        uint64_t *slot = v->slot[r];

        if (!slot || slot == &p->unkept)
            return slot;
        for (unsigned i = 0; i < profile_values_slots (r); i++)
            if (!slot[i] || prof_values_is (slot[i], code)) {
                prof_values_index (v, code, r, i);
                return &slot[i];
            }
    }
    if (!(c->values & full))
        prof_values_full (v);
    c->values |= (uint8_t)full;
    return &p->unkept;
}

/* Return the values of a row; NULL if a record has to be made first. */
static uint64_t *prof_values_any (struct prof *p,
                                  struct prof_cache *c,
                                  enum prof_what what,
                                  uint32_t code)
{
    return prof_values_known (c, what)
               ? prof_values_slot (p, c, what, prof_values_of (p, c, what),
                                   code)
               : NULL;
}

/* Count a value, wherever. */
static void prof_values_add (struct prof *p,
                             struct prof_cache *c,
                             enum prof_what what,
                             uint64_t value,
                             int wiped)
{
    static const uint64_t none[PROFILE_VALUES_SECOND];
    uint32_t code = profile_value_code (value);
    uint64_t *slot = prof_values_any (p, c, what, code);

    /* Another row of cache[] may have made what there is. */
    if (!slot && prof_values_find (p, c, what))
        slot = prof_values_any (p, c, what, code);
    for (unsigned r = 0; !slot && r < PROFILE_VALUES_RECORDS; r++) {
        if (prof_values_of (p, c, what)->slot[r])
            continue;
        prof_values_make (p, c, what, r, none, wiped);
        slot = prof_values_any (p, c, what, code);
    }
    if (slot)
        prof_values_put (slot, code);
}

/* --- sizes ---------------------------------------------------------------- */

/* A record of sizes, which has what the row had before this call. */
static void
prof_sizes_make (struct prof *p, struct prof_cache *c, int failed, int wiped)
{
    const uint64_t *n = c->row->n;
    uint64_t slot[PROFILE_VALUES_SECOND] = {0}, some;
    uint64_t calls =
        n[PROFILE_calls] - 1 - (n[PROFILE_errors] - (uint64_t)failed);
    uint32_t code = profile_value_code (n[PROFILE_size_most]);

    if (n[PROFILE_size_least] == n[PROFILE_size_most] + 1 &&
        code != PROFILE_VALUES_NONE)
        for (unsigned i = 0; calls && i < PROFILE_VALUES_FIRST; i++) {
            some = calls < UINT32_MAX ? calls : UINT32_MAX;
            slot[i] = some << PROFILE_VALUES_SHIFT | code;
            calls -= some;
        }
    prof_values_make (p, c, PROF_SIZES, 0, slot, wiped);
}

void prof_sizes_count (
    struct prof *p, struct prof_cache *c, uint64_t size, int failed, int wiped)
{
    if (!prof_values_known (c, PROF_SIZES)) {
        if (!c->row->n[PROFILE_size_least] || prof_sizes_same (c, size))
            return; /* the first one, or the same */
        if (!prof_values_find (p, c, PROF_SIZES))
            prof_sizes_make (p, c, failed, wiped);
    }
    if (!failed)
        prof_values_add (p, c, PROF_SIZES, size, wiped);
}

/* --- strides -------------------------------------------------------------- */

void prof_strides_count (struct prof *p,
                         struct prof_cache *c,
                         uint64_t offset,
                         uint64_t size,
                         int wiped)
{
    int is_write = call_table[c->call].class == CALL_CLASS_WRITE;
    uint64_t stride = prof_stride (c->file, is_write, offset);

    if (stride)
        prof_values_add (p, c, PROF_STRIDES, stride, wiped);
    prof_stride_add (c->file, is_write, stride == 0, offset + size);
}
