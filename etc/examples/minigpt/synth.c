/* SPDX-License-Identifier: MIT
 *
 * synth.c - seed -> documents
 */
#include "config.h"

#include <math.h>

#include "etc/examples/minigpt/synth.h"
#include "etc/examples/minigpt/tokenizer.h"

enum { TOKENS_MIN = 16, WORDS = 50000 };

/* exp (MEDIAN_LOG + SPREAD^2 / 2) is 900 tokens */
static const double median_log = 6.16, spread = 1.13;

void synth_init (struct synth *s, uint32_t seed)
{
    mt19937_seed (&s->random, seed);
}

/* In (0, 1). */
static double uniform (struct synth *s)
{
    return (mt19937_u32 (&s->random) + 0.5) / 4294967296.0;
}

/* Twelve uniform numbers are near enough to a normal one. */
static double normal (struct synth *s)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += uniform (s);
    return sum;
}

/* Rank r with a probability of about 1 / r. */
static uint16_t word (struct synth *s)
{
    uint64_t rank = (uint64_t)exp (uniform (s) * log (WORDS));

    return (uint16_t)(TOKEN_FIRST + rank * 40503 % (TOKEN_LIMIT - TOKEN_FIRST));
}

size_t synth_length (struct synth *s)
{
    double want = exp (median_log + spread * normal (s));

    if (want < TOKENS_MIN)
        return TOKENS_MIN;
    return want > SYNTH_TOKENS_MAX ? SYNTH_TOKENS_MAX : (size_t)want;
}

size_t synth_document (struct synth *s, uint16_t *out)
{
    size_t n = synth_length (s);

    for (size_t i = 0; i < n; i++)
        out[i] = word (s);
    return n;
}
