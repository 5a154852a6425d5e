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

#include "lib/format/profile.h"
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

/* ---- one duration or size -> a cell of its histogram ---- */

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

/* ---- calls -> what a thread moved when: bins that widen as it runs ---- */

enum {
    PROFMAP_SHIFT = 20, /* of the first bins: 2^20 ns, about 1 ms */
    PROFMAP_FIRST = 8,  /* bins of the first one of a thread */
    PROFMAP_LAST = 128, /* the sum of all is at most PROFILE_BINS_MAX */
    PROFMAP_GROWTH = 4,
    PROFMAP_TAKEN = 1 << 20 /* a process that has taken more makes no more */
};
_Static_assert(PROFMAP_FIRST + PROFMAP_FIRST * PROFMAP_GROWTH + PROFMAP_LAST <=
                   PROFILE_BINS_MAX,
               "bins of a thread");

/* A larger one, which begins with this time; 0, or -1: no room. */
static int profmap_new (struct prof *p, uint64_t ns, int wiped)
{
    struct prof_map *m = &p->map;
    uint32_t bins = m->bins ? m->bins * PROFMAP_GROWTH : PROFMAP_FIRST;
    struct profile_head like = {.type = PROFILE_MAP, .number = bins};
    struct profile_map *record;
    size_t bytes = sizeof (*record) + (bins + 1) * sizeof (record->bin[0]);
    uint32_t shift = m->bins ? m->shift : PROFMAP_SHIFT;

    if (m->bins == PROFMAP_LAST || (m->bins && prof_taken () > PROFMAP_TAKEN))
        return -1;
    record = prof_append (p, &like, (uint32_t)bytes, wiped);
    if (!record)
        return -1;
    record->state = shift;
    record->base = ns;
    (void)prof_commit (p, record);
    m->record = record;
    m->at = record->bin;
    m->shift = shift;
    m->base = ns >> shift << shift;
    m->bins = bins;
    m->now = NULL;
    return 0;
}

static void
profmap_state (struct prof_map *m, uint32_t shift, uint32_t done, int spare)
{
    __atomic_store_n (&m->record->state,
                      (uint64_t)done << PROFILE_DONE_SHIFT |
                          (spare ? PROFILE_SPARE : 0u) | shift,
                      __ATOMIC_RELEASE);
}

static void
profmap_join (struct prof_map *m, uint32_t to, uint32_t from, uint32_t odd)
{
    struct profile_bin sum = {{0}};

    for (uint32_t i = 0; i < 2; i++)
        if (from + i >= odd && from + i - odd < m->bins)
            for (int c = 0; c < PROFILE_BIN_COUNTERS; c++)
                sum.n[c] += m->at[from + i - odd + 1].n[c];
    for (int c = 0; c < PROFILE_BIN_COUNTERS; c++)
        prof_put (&m->at[to].n[c], sum.n[c]);
}

/* Bins twice as wide; profile.h says what a reader sees meanwhile. */
static void profmap_fold (struct prof_map *m)
{
    uint32_t odd = (uint32_t)(m->base >> m->shift) & 1;
    uint32_t all = (m->bins + odd + 1) / 2;

    for (uint32_t i = 0; i < all; i++) {
        profmap_join (m, i == odd ? 0 : i + 1, 2 * i, odd);
        profmap_state (m, m->shift, i + 1, i >= odd);
    }
    m->at[odd + 1] = m->at[0];
    for (uint32_t i = all; i < m->bins; i++)
        m->at[i + 1] = (struct profile_bin){{0}};
    m->shift++;
    m->now = NULL;
    m->base = m->base >> m->shift << m->shift;
    profmap_state (m, m->shift, 0, 0);
}

/* Room for all times up to this one; 0, or -1: there is no map. */
static int
profmap_reach (struct prof *p, uint64_t start, uint64_t end, int wiped)
{
    struct prof_map *m = &p->map;

    if (!m->bins && profmap_new (p, start, wiped) < 0)
        return -1;
    if (end > m->base && (end - m->base) >> m->shift >= m->bins)
        (void)profmap_new (p, start, wiped);
    while (end > m->base && (end - m->base) >> m->shift >= m->bins)
        profmap_fold (m);
    return 0;
}

void prof_map_count (struct prof *p,
                     enum call_class class,
                     unsigned storage,
                     const struct prof_time *t,
                     uint64_t moved,
                     int wiped)
{
    uint64_t start = t->start, end = t->end;
    struct profkind k = profkind (class, (storage & PROF_STORAGE) != 0,
                                  (storage & PROF_STORAGE2) != 0);
    struct prof_map *m = &p->map;
    uint64_t at, *n;

    if (profmap_reach (p, start, end, wiped) < 0)
        return;
    /* Time before the first bin, of nested calls, counts in the first bin. */
    at = start < m->base ? 0 : (start - m->base) >> m->shift;
    n = m->at[at + 1].n;
    prof_add (&n[k.calls], 1);
    if (k.reads)
        prof_add (&n[PROFILE_BIN_read_bytes], moved);
    if (k.writes)
        prof_add (&n[PROFILE_BIN_write_bytes], moved);
    for (; start < end; at++) {
        uint64_t limit = m->base + ((at + 1) << m->shift);
        uint64_t until = end < limit || at + 1 == m->bins ? end : limit;

        m->now = m->at[at + 1].n;
        m->now_ns = (uint64_t)1 << m->shift;
        m->now_start = m->base + (at << m->shift);
        prof_add (&m->now[k.time], until - start);
        start = until;
    }
}
