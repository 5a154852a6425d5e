/* SPDX-License-Identifier: MIT
 *
 * mmreg.c - mapping -> slot, address -> mapping
 */
#include "config.h"

#include <string.h>

#include "preload/record/recorder.h"
#include "preload/mmap/mmreg.h"

enum { TRIES = 1000 }; /* while another thread writes a slot */

struct slot {
    uint32_t sequence; /* odd: being written */
    struct mm_map map; /* name 0: free */
};

static struct slot slots[MMREG_MAX];
static unsigned used; /* all slots in use are below */
static uint64_t lost;
static uint32_t ids;

unsigned mm_maps;

/* Odd sequence number that is now ours, or 0. */
static uint32_t mmreg_claim (struct slot *s)
{
    for (int i = 0; i < TRIES; i++) {
        uint32_t was = __atomic_load_n (&s->sequence, __ATOMIC_ACQUIRE);

        if (!(was & 1) &&
            __atomic_compare_exchange_n (&s->sequence, &was, was + 1, 0,
                                         __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return was + 1;
    }
    return 0;
}

static void mmreg_give_back (struct slot *s, uint32_t sequence)
{
    __atomic_store_n (&s->sequence, sequence + 1, __ATOMIC_RELEASE);
}

static void mmreg_put (struct slot *s, const struct mm_map *m)
{
    __atomic_store_n (&s->map.start, m->start, __ATOMIC_RELAXED);
    __atomic_store_n (&s->map.end, m->end, __ATOMIC_RELAXED);
    __atomic_store_n (&s->map.offset, m->offset, __ATOMIC_RELAXED);
    __atomic_store_n (&s->map.id, m->id, __ATOMIC_RELAXED);
    __atomic_store_n (&s->map.flags, m->flags, __ATOMIC_RELAXED);
    __atomic_store_n (&s->map.own, m->own, __ATOMIC_RELAXED);
    __atomic_store_n (&s->map.filled, m->filled, __ATOMIC_RELAXED);
    __atomic_store_n (&s->map.cached, m->cached, __ATOMIC_RELAXED);
    __atomic_store_n (&s->map.name, m->name, __ATOMIC_RELAXED);
}

static void mmreg_slot_get (const struct slot *s, struct mm_map *m)
{
    m->start = __atomic_load_n (&s->map.start, __ATOMIC_RELAXED);
    m->end = __atomic_load_n (&s->map.end, __ATOMIC_RELAXED);
    m->offset = __atomic_load_n (&s->map.offset, __ATOMIC_RELAXED);
    m->id = __atomic_load_n (&s->map.id, __ATOMIC_RELAXED);
    m->flags = __atomic_load_n (&s->map.flags, __ATOMIC_RELAXED);
    m->own = __atomic_load_n (&s->map.own, __ATOMIC_RELAXED);
    m->filled = __atomic_load_n (&s->map.filled, __ATOMIC_RELAXED);
    m->cached = __atomic_load_n (&s->map.cached, __ATOMIC_RELAXED);
    m->name = __atomic_load_n (&s->map.name, __ATOMIC_RELAXED);
}

unsigned mmreg_slots (void)
{
    return __atomic_load_n (&used, __ATOMIC_ACQUIRE);
}

uint64_t mmreg_lost (void)
{
    return __atomic_load_n (&lost, __ATOMIC_RELAXED);
}

int mmreg_get (unsigned slot, struct mm_map *m)
{
    const struct slot *s = &slots[slot];

    for (int i = 0; i < TRIES; i++) {
        uint32_t before = __atomic_load_n (&s->sequence, __ATOMIC_ACQUIRE);

        if (before & 1)
            continue;
        mmreg_slot_get (s, m);
        __atomic_thread_fence (__ATOMIC_ACQUIRE);
        if (__atomic_load_n (&s->sequence, __ATOMIC_RELAXED) == before)
            return m->name != 0;
    }
    m->name = 0;
    return 0;
}

static void raise_used (unsigned n)
{
    unsigned was = __atomic_load_n (&used, __ATOMIC_RELAXED);

    while (was < n &&
           !__atomic_compare_exchange_n (&used, &was, n, 1, __ATOMIC_RELEASE,
                                         __ATOMIC_RELAXED))
        ;
}

static int add_at (unsigned i, const struct mm_map *m)
{
    struct slot *s = &slots[i];
    uint32_t sequence;

    if (__atomic_load_n (&s->map.name, __ATOMIC_RELAXED) ||
        !(sequence = mmreg_claim (s)))
        return 0;
    if (s->map.name) {
        mmreg_give_back (s, sequence);
        return 0;
    }
    mmreg_put (s, m);
    mmreg_give_back (s, sequence);
    raise_used (i + 1);
    __atomic_add_fetch (&mm_maps, 1, __ATOMIC_RELAXED);
    return 1;
}

int mmreg_add (struct mm_map *m)
{
    if (m->id == 0)
        m->id = __atomic_add_fetch (&ids, 1, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < MMREG_MAX; i++)
        if (add_at (i, m))
            return 0;
    __atomic_add_fetch (&lost, 1, __ATOMIC_RELAXED);
    return -1;
}

/* What of *m lies outside of [start, end): the first part stays in *m (name 0
 * when there is none), the second goes to *rest. */
static void mmreg_cut_map (struct mm_map *m,
                           uint64_t start,
                           uint64_t end,
                           struct mm_map *rest)
{
    *rest = *m;
    rest->cached = -1;
    if (m->end > end) {
        rest->start = end;
        rest->offset += end - m->start;
    } else
        rest->name = 0;
    if (m->start < start)
        m->end = start;
    else {
        *m = *rest;
        rest->name = 0;
    }
}

/* Name of the mapping when it was hit. */
static uint32_t cut_slot (struct slot *s, uint64_t start, uint64_t end)
{
    struct mm_map m, rest = {.name = 0};
    uint32_t name, sequence = mmreg_claim (s);

    if (!sequence)
        return 0;
    mmreg_slot_get (s, &m);
    name = m.name;
    if (!name || m.start >= end || m.end <= start) {
        mmreg_give_back (s, sequence);
        return 0;
    }
    mmreg_cut_map (&m, start, end, &rest);
    mmreg_put (s, &m);
    mmreg_give_back (s, sequence);
    if (!m.name)
        __atomic_sub_fetch (&mm_maps, 1, __ATOMIC_RELAXED);
    if (rest.name)
        (void)mmreg_add (&rest);
    return name;
}

uint32_t mmreg_cut (uint64_t start, uint64_t end)
{
    uint32_t name = 0;
    unsigned n = mmreg_slots ();

    for (unsigned i = 0; i < n; i++) {
        const struct mm_map *m = &slots[i].map;
        uint64_t from = __atomic_load_n (&m->start, __ATOMIC_RELAXED);
        uint64_t to = __atomic_load_n (&m->end, __ATOMIC_RELAXED);
        uint32_t hit;

        if (from >= end || to <= start)
            continue;
        hit = cut_slot (&slots[i], start, end);
        if (hit && (from <= start || !name))
            name = hit;
    }
    return name;
}

int mmreg_find (uint64_t addr, struct mm_map *m)
{
    unsigned n = mmreg_slots ();

    for (unsigned i = 0; i < n; i++) {
        const struct mm_map *at = &slots[i].map;

        if (addr >= __atomic_load_n (&at->start, __ATOMIC_RELAXED) &&
            addr < __atomic_load_n (&at->end, __ATOMIC_RELAXED) &&
            mmreg_get (i, m) && addr >= m->start && addr < m->end)
            return 1;
    }
    m->name = 0;
    return 0;
}

static void carry_slot (struct slot *s)
{
    uint32_t name = __atomic_load_n (&s->map.name, __ATOMIC_RELAXED);
    uint32_t to = names_carried (name), sequence;

    if (to == name || !(sequence = mmreg_claim (s)))
        return;
    if (s->map.name == name) {
        __atomic_store_n (&s->map.name, to, __ATOMIC_RELAXED);
        if (!to)
            __atomic_sub_fetch (&mm_maps, 1, __ATOMIC_RELAXED);
    }
    mmreg_give_back (s, sequence);
}

void mmreg_carry (void)
{
    unsigned n = mmreg_slots ();

    for (unsigned i = 0; i < n; i++)
        carry_slot (&slots[i]);
}

void mmreg_atfork_child (void)
{
    for (unsigned i = 0; i < mmreg_slots (); i++) {
        slots[i].map.cached = -1;
        if (slots[i].sequence & 1) {
            slots[i].sequence++;
            if (slots[i].map.name)
                mm_maps--;
            slots[i].map.name = 0;
        }
    }
}
