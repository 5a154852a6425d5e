/* SPDX-License-Identifier: MIT
 *
 * mt19937.c - seed -> the numbers and the order of numpy's RandomState
 */
#include "config.h"

#include "etc/examples/minigpt/mt19937.h"

enum { MIDDLE = 397 };

void mt19937_seed (struct mt19937 *r, uint32_t seed)
{
    for (uint32_t i = 0; i < MT19937_WORDS; i++) {
        r->key[i] = seed;
        seed = 1812433253u * (seed ^ seed >> 30) + i + 1;
    }
    r->next = MT19937_WORDS;
}

static void refill (struct mt19937 *r)
{
    uint32_t *k = r->key;

    for (int i = 0; i < MT19937_WORDS; i++) {
        uint32_t y =
            (k[i] & 0x80000000u) | (k[(i + 1) % MT19937_WORDS] & 0x7fffffffu);

        k[i] = k[(i + MIDDLE) % MT19937_WORDS] ^ y >> 1 ^
               (y & 1 ? 0x9908b0dfu : 0);
    }
    r->next = 0;
}

uint32_t mt19937_u32 (struct mt19937 *r)
{
    uint32_t y;

    if (r->next == MT19937_WORDS)
        refill (r);
    y = r->key[r->next++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

uint32_t mt19937_interval (struct mt19937 *r, uint32_t max)
{
    uint32_t mask = max, value;

    if (max == 0)
        return 0;
    for (int shift = 1; shift <= 16; shift *= 2)
        mask |= mask >> shift;
    do
        value = mt19937_u32 (r) & mask;
    while (value > max);
    return value;
}

void mt19937_shuffle (struct mt19937 *r, uint32_t *item, size_t n)
{
    for (size_t i = n; i-- > 1;) {
        uint32_t j = mt19937_interval (r, (uint32_t)i), swap = item[i];

        item[i] = item[j];
        item[j] = swap;
    }
}
