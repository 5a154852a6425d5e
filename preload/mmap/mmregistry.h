/* SPDX-License-Identifier: MIT
 *
 * mmregistry.h - file mappings that were recorded
 *
 * A small lock-free table by start address; async-signal-safe. A mapping that
 * finds no room is not remembered: its munmap is then not recorded.
 */
#pragma once

#include "preload/mmap/mm.h"

/* -- file mappings that were recorded -- */

/* name: id of the file, not 0. addr: page aligned, not NULL. */
void maps_add (const void *addr, uint32_t name);

/* Carry the names along (names_carry_by). */
void maps_carry (void);

/* Name of the mapping that starts at addr, 0 when there is none; maps_take
 * also forgets it. */
uint32_t maps_find (const void *addr);
uint32_t maps_take (const void *addr);

/* -- the file mappings of this process -- */

enum { MMREG_MAX = 2048 }; /* mappings at a time */

/* Add a mapping; it gets an id unless it has one. 0, or -1 when there is no
 * room (counted). */
int mmreg_add (struct mm_map *m);

/* Forget a range of addresses, cutting mappings that reach beyond it. Returns
 * the name of the one at its begin, 0 none. */
uint32_t mmreg_cut (uint64_t start, uint64_t end);

/* The mapping at an address: 1 and *m, or 0 and m->name 0. */
int mmreg_find (uint64_t addr, struct mm_map *m);

/* Slots that may be in use are those below this; the mapping of one. */
unsigned mmreg_slots (void);
int mmreg_get (unsigned slot, struct mm_map *m);

uint64_t mmreg_lost (void);

/* Carry the names along (names_carry_by); a mapping that loses its name is
 * forgotten. */
void mmreg_carry (void);

/* In a child of fork: slots that another thread was writing are given up. */
void mmreg_atfork_child (void);
