/* SPDX-License-Identifier: MIT
 *
 * rng.h - the same random numbers in every run (xorshift64*)
 */
#ifndef DFT_TESTS_UNIT_RNG_H
#define DFT_TESTS_UNIT_RNG_H

#include <stdint.h>

static inline uint64_t rng (uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1du;
}

/* Below n, n > 0. */
static inline uint64_t rng_below (uint64_t *state, uint64_t n)
{
    return rng (state) % n;
}

/* As likely small as large: a number of random length. */
static inline uint64_t rng_wide (uint64_t *state)
{
    uint64_t v = rng (state);

    return v >> rng_below (state, 64);
}

#endif
