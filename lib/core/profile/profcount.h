/* SPDX-License-Identifier: MIT
 *
 * profcount.h - counters of a profile: each changes by one store
 *
 * Private to the recorder. Nobody but the thread itself writes its counters;
 * readers may look at any time.
 */
#ifndef DFT_CORE_PROFCOUNT_H
#define DFT_CORE_PROFCOUNT_H

#include "lib/core/profile/prof.h"

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

/* --- histograms (profhist.c) ---------------------------------------------- */

/* Of a row: calls of one name have one, each region its own. */
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

/* Where a value is counted. */
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

/* --- most used sizes (profsizes.c) ---------------------------------------- */

static inline int prof_sizes_wanted (const struct call_info *info)
{
    return info->category == CALL_CATEGORY_POSIX ||
           info->category == CALL_CATEGORY_STDIO;
}

/* All calls of the row moved this size, so that nothing has to be counted. */
static inline int prof_sizes_same (const struct prof_cache *c, uint64_t size)
{
    const uint64_t *n = c->row->n;

    return __builtin_expect (!c->differ, 1) && n[PROFILE_size_most] == size &&
           n[PROFILE_size_least] == size + 1;
}

/* The slot of a size, perhaps a free one; NULL: a record has to be made. */
uint64_t *
prof_sizes_slot (struct prof *p, const struct prof_cache *c, uint64_t size);

/* Once more, by one store. */
static inline void prof_sizes_put (uint64_t *slot, uint64_t size)
{
    prof_put (slot, ((*slot >> PROFILE_SIZES_SHIFT) + 1)
                            << PROFILE_SIZES_SHIFT |
                        (uint32_t)size);
}

static inline void prof_sizes_add (uint64_t *n, uint64_t *slot, uint64_t size)
{
    prof_sizes_put (slot, size);
    prof_least (&n[PROFILE_size_least], size);
    prof_most (&n[PROFILE_size_most], size);
}

/* A call that is in `calls` and `errors` of its row, but not in its sizes. */
void prof_sizes_count (
    struct prof *p, struct prof_cache *c, uint64_t size, int failed, int wiped);

/* --- map of time (profmap.c) ---------------------------------------------- */

/* Count a call on files on storage (set of enum prof_storage, not 0), wherever;
 * times are CLOCK_MONOTONIC ns. moved: bytes. */
void prof_map_count (struct prof *p,
                     enum call_class class,
                     unsigned storage,
                     uint64_t start,
                     uint64_t end,
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

#endif
