/* SPDX-License-Identifier: MIT
 *
 * maps.c - start address -> file name id
 *
 * A slot is one word: page number << 28 | name id, 0 when free (user
 * addresses have at most 47 bits, so page numbers have 35; ids of files have
 * 28). A page lives in one of the PROBES slots behind its hash.
 */
#include "config.h"

#include <stddef.h>

#include "preload/record/recorder.h"
#include "preload/mmap/maps.h"

enum {
    SLOTS = 4096, /* mappings at a time; 32 KiB */
    PROBES = 16,  /* slots looked at for one address */
    NAME_BITS = 28,
    PAGE_BITS = 12
};

static uint64_t slots[SLOTS];
static unsigned mappings; /* 0: munmap need not look */

static uint64_t page_of (const void *addr)
{
    return (uint64_t)(uintptr_t)addr >> PAGE_BITS;
}

static uint64_t *maps_slot_of (uint64_t page, unsigned probe)
{
    uint64_t hash = (page * 0x9e3779b97f4a7c15u) >> 52;

    return &slots[(hash + probe) % SLOTS];
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
        uint64_t word = __atomic_load_n (&slots[i], __ATOMIC_ACQUIRE);
        uint32_t name = (uint32_t)(word & ((1u << NAME_BITS) - 1));
        uint32_t to = names_carried (name);

        if (to == name)
            continue;
        if (maps_put (&slots[i], word, to ? word - name + to : 0) && !to)
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
