/* SPDX-License-Identifier: MIT
 *
 * profcount.h - counters of a profile: each changes by one store
 *
 * Private to the recorder. Nobody but the thread itself writes its counters;
 * readers may look at any time.
 */
#pragma once

#include "preload/record/prof.h"

static inline void prof_put (uint64_t *counter, uint64_t value)
{
    __atomic_store_n (counter, value, __ATOMIC_RELAXED);
}

static inline void prof_add (uint64_t *counter, uint64_t n)
{
    prof_put (counter, *counter + n);
}

static inline void prof_most (uint64_t *counter, uint64_t n)
{
    if (n > *counter)
        prof_put (counter, n);
}

/* 0 is none: one more than the value. */
static inline void prof_least (uint64_t *counter, uint64_t n)
{
    if (n + 1 < *counter || !*counter)
        prof_put (counter, n + 1);
}

/* --- histograms ----------------------------------------------------------- */

/* Return the key of a row's histogram: one for each call, and one for each
 * region. */
static inline uint64_t prof_hist_key (const struct profile_row *row,
                                      enum profile_hist what,
                                      unsigned group)
{
    uint16_t call = row->head.call;
    uint32_t number = call < CALL_open ? row->head.number : 0;

    return ((uint64_t)number << 32 | (uint32_t)call << 9 | (unsigned)what << 8 |
            group) +
           1;
}

static inline unsigned prof_hist_at (uint64_t key)
{
    return (unsigned)(key * 0x9e3779b97f4a7c15u >> (64 - PROF_GROUPED_LOG));
}

/* Counter of a value. */
struct prof_cell {
    uint8_t *few;   /* NULL: it is in many */
    uint32_t *many; /* NULL: it is in few */
};

/* The cell of a value: 1, or 0 when its group is not at hand, or the cell is
 * full. */
static inline int prof_hist_cell (const struct prof *p,
                                  const struct profile_row *row,
                                  enum profile_hist what,
                                  uint64_t value,
                                  struct prof_cell *cell)
{
    unsigned bucket = profile_bucket (value);
    uint64_t key = prof_hist_key (row, what, bucket / PROFILE_BUCKETS);
    unsigned at = prof_hist_at (key);
    uintptr_t count = p->grouped[at].count;

    bucket %= PROFILE_BUCKETS;
    if (__builtin_expect (p->grouped[at].key != key, 0))
        return 0;
    if (__builtin_expect (count & 1, 0)) {
        cell->many = NULL;
        cell->few = (uint8_t *)(count - 1) + bucket;
        return *cell->few < UINT8_MAX;
    }
    cell->few = NULL;
    cell->many = (uint32_t *)count + bucket;
    return *cell->many < UINT32_MAX;
}

/* The cell of a size, which is often that of the call before. */
static inline int prof_size_cell (struct prof *p,
                                  const struct profile_row *row,
                                  uint64_t size,
                                  struct prof_cell *cell)
{
    struct prof_size *last = &p->size;

    if (last->row == row && last->size == size && last->cell &&
        *last->cell < UINT32_MAX) {
        cell->few = NULL;
        cell->many = last->cell;
        return 1;
    }
    if (!prof_hist_cell (p, row, PROFILE_HIST_SIZE, size, cell))
        return 0;
    last->row = row;
    last->size = size;
    last->cell = cell->many;
    return 1;
}

static inline void prof_hist_add (const struct prof_cell *cell)
{
    if (__builtin_expect (cell->few != NULL, 0))
        __atomic_store_n (cell->few, (uint8_t)(*cell->few + 1),
                          __ATOMIC_RELAXED);
    else
        __atomic_store_n (cell->many, *cell->many + 1, __ATOMIC_RELAXED);
}

/* Count a value, wherever; without room it is not counted: the sum of the row
 * says how many there are. */
void prof_hist_count (struct prof *p,
                      const struct profile_row *row,
                      enum profile_hist what,
                      uint64_t value,
                      int wiped);

/* --- values (profvalues.c) ------------------------------------------------ */

static inline int prof_sizes_wanted (const struct call_info *info)
{
    return info->category == CALL_CATEGORY_POSIX ||
           info->category == CALL_CATEGORY_STDIO;
}

/* There are records of c. */
static inline int prof_values_known (const struct prof_cache *c,
                                     enum prof_what what)
{
    return c->values >> what & 1;
}

/* Return the values of a row of cache[]. */
static inline struct prof_values *prof_values_cached (
    const struct prof *p, const struct prof_cache *c, enum prof_what what)
{
    return &p->values[(c - p->cache) * PROF_WHATS + (int)what];
}

static inline unsigned prof_values_hash (uint32_t code)
{
    return code * 0x9e3779b1u >> (32 - PROF_VALUES_LOG);
}

/* A slot of this value that has room for one more. */
static inline int prof_values_is (uint64_t slot, uint32_t code)
{
    return (uint32_t)slot == code && slot >> PROFILE_VALUES_SHIFT < UINT32_MAX;
}

/* As prof_values_slot, one by one. */
uint64_t *prof_values_search (struct prof *p,
                              struct prof_cache *c,
                              enum prof_what what,
                              uint32_t code);

/* The slot of a value where there are records, perhaps a free one; NULL: one
 * has to be made. v: of c and what. */
static inline uint64_t *prof_values_slot (struct prof *p,
                                          struct prof_cache *c,
                                          enum prof_what what,
                                          const struct prof_values *v,
                                          uint32_t code)
{
    unsigned at = v->at[prof_values_hash (code)] & (PROF_VALUES_MORE - 1u);
    unsigned second = at > PROFILE_VALUES_FIRST;
    uint64_t *slot = v->slot[second];

    if (at) {
        slot += at - 1 - (second ? PROFILE_VALUES_FIRST : 0);
        if (prof_values_is (*slot, code))
            return slot;
    }
    return prof_values_search (p, c, what, code);
}

/* As prof_values_slot, but NULL if there are none. */
static inline uint64_t *prof_values_try (struct prof *p,
                                         struct prof_cache *c,
                                         enum prof_what what,
                                         uint64_t value)
{
    return prof_values_known (c, what)
               ? prof_values_slot (p, c, what, prof_values_cached (p, c, what),
                                   profile_value_code (value))
               : NULL;
}

/* Once more, by one store. */
static inline void prof_values_put (uint64_t *slot, uint32_t code)
{
    prof_put (slot, ((*slot >> PROFILE_VALUES_SHIFT) + 1)
                            << PROFILE_VALUES_SHIFT |
                        code);
}

/* All calls of the row moved this size, so that nothing has to be counted. */
static inline int prof_sizes_same (const struct prof_cache *c, uint64_t size)
{
    const uint64_t *n = c->row->n;

    return __builtin_expect (!prof_values_known (c, PROF_SIZES), 1) &&
           n[PROFILE_size_most] == size && n[PROFILE_size_least] == size + 1;
}

static inline void prof_sizes_add (uint64_t *n, uint64_t *slot, uint64_t size)
{
    prof_values_put (slot, profile_value_code (size));
    prof_least (&n[PROFILE_size_least], size);
    prof_most (&n[PROFILE_size_most], size);
}

/* A call that is in `calls` and `errors` of its row, but not in its sizes. */
void prof_sizes_count (
    struct prof *p, struct prof_cache *c, uint64_t size, int failed, int wiped);

/* Bytes that a read, or write, at this offset skips; 0: none, or it is the
 * first one. */
static inline uint64_t
prof_stride (const struct profile_file *f, int is_write, uint64_t offset)
{
    uint64_t end = f->ends[is_write];

    return offset >= end && end ? offset - (end - 1) : 0;
}

static inline void prof_stride_add (struct profile_file *f,
                                    int is_write,
                                    unsigned zero,
                                    uint64_t end)
{
    prof_add (&f->zero[is_write], zero);
    f->ends[is_write] = end + 1;
}

/* An access to c->file that did not fail. */
void prof_strides_count (struct prof *p,
                         struct prof_cache *c,
                         uint64_t offset,
                         uint64_t size,
                         int wiped);

/* One call, as the decoder of an event would have its times. */
struct prof_time {
    uint64_t start, end, length; /* ns, CLOCK_MONOTONIC */
    uint64_t overlap;            /* of length, before the end of the last one */
};

/* --- map of time (profmap.c) ---------------------------------------------- */

/* Count a call on files on storage (set of enum prof_storage, not 0), wherever.
 * moved: bytes. */
void prof_map_count (struct prof *p,
                     enum call_class class,
                     unsigned storage,
                     const struct prof_time *t,
                     uint64_t moved,
                     int wiped);

/* The counters of the bin in which all of [start, end] is, if that is the one
 * of the call before, else NULL. */
static inline uint64_t *
prof_map_bin (const struct prof *p, uint64_t start, uint64_t end)
{
    const struct prof_map *m = &p->map;

    return start >= m->now_start && end - m->now_start < m->now_ns ? m->now
                                                                   : NULL;
}

/* A read or write. */
static inline void
prof_map_add (uint64_t *n, int is_write, uint64_t length, uint64_t bytes)
{
    n += is_write ? PROFILE_BIN_writes : PROFILE_BIN_reads;
    prof_add (&n[0], 1);
    prof_add (&n[PROFILE_BIN_read_bytes - PROFILE_BIN_reads], bytes);
    prof_add (&n[PROFILE_BIN_read_time - PROFILE_BIN_reads], length);
}
