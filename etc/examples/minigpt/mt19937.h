/* SPDX-License-Identifier: MIT
 *
 * mt19937.h - numpy.random.RandomState: the numbers that shuffle an index
 *
 * The same seed gives the same order as numpy, so an index of ours equals
 * the one that Megatron builds.
 */
#ifndef MINIGPT_MT19937_H
#define MINIGPT_MT19937_H

#include <stddef.h>
#include <stdint.h>

enum { MT19937_WORDS = 624 };

struct mt19937 {
    uint32_t key[MT19937_WORDS];
    uint32_t next; /* word to hand out */
};

/* RandomState (seed) */
void mt19937_seed (struct mt19937 *r, uint32_t seed);
uint32_t mt19937_u32 (struct mt19937 *r);
/* Even over 0 … max. */
uint32_t mt19937_interval (struct mt19937 *r, uint32_t max);
/* RandomState.shuffle of a one-dimensional array; n < 2^32. */
void mt19937_shuffle (struct mt19937 *r, uint32_t *item, size_t n);

#endif
