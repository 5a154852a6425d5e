/* SPDX-License-Identifier: MIT
 *
 * tokenizer.h - text -> uint16 tokens
 *
 * A word or a run of the same kind of characters is a token; long words are
 * cut into pieces. The number is a hash of the bytes: no vocabulary is
 * needed, and the same text gives the same tokens everywhere.
 */
#ifndef MINIGPT_TOKENIZER_H
#define MINIGPT_TOKENIZER_H

#include <stddef.h>
#include <stdint.h>

enum {
    TOKEN_END = 0,      /* of a document */
    TOKEN_FIRST = 256,  /* below: reserved */
    TOKEN_LIMIT = 65521 /* a prime: all numbers are used */
};

/* Tokens of n bytes to out, which has room for n; returns how many. A token
 * is at least one byte. */
size_t tokenize (const char *text, size_t n, uint16_t *out);

#endif
