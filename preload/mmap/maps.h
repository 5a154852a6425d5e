/* SPDX-License-Identifier: MIT
 *
 * maps.h - file mappings that were recorded
 *
 * A small lock-free table by start address; async-signal-safe. A mapping that
 * finds no room is not remembered: its munmap is then not recorded.
 */
#ifndef DFT_PRELOAD_MAPS_H
#define DFT_PRELOAD_MAPS_H

#include <stdint.h>

/* name: id of the file, not 0. addr: page aligned, not NULL. */
void maps_add (const void *addr, uint32_t name);

/* Carry the names along (names_carry_by). */
void maps_carry (void);

/* Name of the mapping that starts at addr, 0 when there is none; maps_take
 * also forgets it. */
uint32_t maps_find (const void *addr);
uint32_t maps_take (const void *addr);

#endif
