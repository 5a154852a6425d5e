/* SPDX-License-Identifier: MIT
 *
 * mmregistry.c - start address -> file name id
 *
 * A slot is one word: page number << 28 | name id, 0 when free (user
 * addresses have at most 47 bits, so page numbers have 35; ids of files have
 * 28). A page lives in one of the PROBES slots behind its hash.
 */
#include "config.h"

#include "preload/mmap/mmregistry.h"
#include "preload/record/recorder.h"

enum {
    SLOTS = 4096, /* mappings at a time; 32 KiB */
    PROBES = 16,  /* slots looked at for one address */
    NAME_BITS = 28,
    PAGE_BITS = 12
};

static uint64_t map_slots[SLOTS];
static unsigned mappings; /* 0: munmap need not look */

static uint64_t page_of (const void *addr)
{
    return (uint64_t)(uintptr_t)addr >> PAGE_BITS;
}

static uint64_t *maps_slot_of (uint64_t page, unsigned probe)
{
    uint64_t hash = (page * 0x9e3779b97f4a7c15u) >> 52;

    return &map_slots[(hash + probe) % SLOTS];
}

static uint64_t *maps_find_page (uint64_t page, uint64_t *word)
{
    for (unsigned i = 0; i < PROBES; i++) {
        uint64_t *slot = maps_slot_of (page, i);

        *word = __atomic_load_n (slot, __ATOMIC_ACQUIRE);
        if (*word && *word >> NAME_BITS == page)
            return slot;
    }
    return NULL;
}

static int maps_put (uint64_t *slot, uint64_t expected, uint64_t word)
{
    return __atomic_compare_exchange_n (slot, &expected, word, 0,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

void maps_add (const void *addr, uint32_t name)
{
    uint64_t page = page_of (addr), old;
    uint64_t word = page << NAME_BITS | name;
    uint64_t *slot = maps_find_page (page, &old);

    if (name == 0 || name >> NAME_BITS || page >> (64 - NAME_BITS))
        return;
    if (slot && maps_put (slot, old, word)) /* MAP_FIXED over an older one */
        return;
    for (unsigned i = 0; i < PROBES; i++) {
        if (maps_put (maps_slot_of (page, i), 0, word)) {
            __atomic_add_fetch (&mappings, 1, __ATOMIC_RELAXED);
            return;
        }
    }
}

uint32_t maps_find (const void *addr)
{
    uint64_t word;

    if (__atomic_load_n (&mappings, __ATOMIC_RELAXED) == 0 ||
        !maps_find_page (page_of (addr), &word))
        return 0;
    return (uint32_t)(word & ((1u << NAME_BITS) - 1));
}

void maps_carry (void)
{
    for (int i = 0; i < SLOTS; i++) {
        uint64_t word = __atomic_load_n (&map_slots[i], __ATOMIC_ACQUIRE);
        uint32_t name = (uint32_t)(word & ((1u << NAME_BITS) - 1));
        uint32_t to = names_carried (name);

        if (to == name)
            continue;
        if (maps_put (&map_slots[i], word, to ? word - name + to : 0) && !to)
            __atomic_sub_fetch (&mappings, 1, __ATOMIC_RELAXED);
    }
}

uint32_t maps_take (const void *addr)
{
    uint64_t word, *slot;

    if (__atomic_load_n (&mappings, __ATOMIC_RELAXED) == 0)
        return 0;
    slot = maps_find_page (page_of (addr), &word);
    if (!slot || !maps_put (slot, word, 0))
        return 0;
    __atomic_sub_fetch (&mappings, 1, __ATOMIC_RELAXED);
    return (uint32_t)(word & ((1u << NAME_BITS) - 1));
}

/* ---- mapping -> slot, address -> mapping ---- */

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

/* Cut [start, end) out of *m: the part before it stays in *m (name 0 if there
 * is none), the part behind it goes to *rest. */
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
        mmreg_add (&rest);
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
