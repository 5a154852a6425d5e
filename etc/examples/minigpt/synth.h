/* SPDX-License-Identifier: MIT
 *
 * synth.h - seed -> documents that look like text to a data loader
 *
 * Words by Zipf's law, lengths log-normal with a mean of about 900 tokens, as
 * web text has. The same seed gives the same documents everywhere.
 */
#ifndef MINIGPT_SYNTH_H
#define MINIGPT_SYNTH_H

#include <stddef.h>
#include <stdint.h>

#include "etc/examples/minigpt/mt19937.h"

enum { SYNTH_TOKENS_MAX = 32768 };

struct synth {
    struct mt19937 random;
};

void synth_init (struct synth *s, uint32_t seed);
/* Tokens of a document, by that distribution. */
size_t synth_length (struct synth *s);
/* Tokens of the next document to out (room for SYNTH_TOKENS_MAX). */
size_t synth_document (struct synth *s, uint16_t *out);

#endif
