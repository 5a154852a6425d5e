/* SPDX-License-Identifier: MIT
 *
 * profmap.c - calls -> what a thread moved when: bins that widen as it runs
 *
 * In:  a call of posix or stdio with its times, from prof.c
 * Out: maps of time in blocks of the shard: a small one first, then larger ones
 *      beside it, which begin where the one before was full; the last one is
 *      folded whenever time has gone beyond it (profile.h)
 * Caveat: runs in the user's thread; no malloc, lock or stdio.
 */
#include "config.h"

#include "preload/record/profcount.h"
#include "lib/format/profkind.h"

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
                     uint64_t start,
                     uint64_t end,
                     uint64_t moved,
                     int wiped)
{
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
