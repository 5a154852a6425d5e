/* SPDX-License-Identifier: MIT
 *
 * tokenizer.c - text -> uint16 tokens
 */
#include "config.h"

#include "etc/examples/minigpt/tokenizer.h"

enum { PIECE_BYTES = 7 }; /* of a long word: about what subwords have */

enum kind { LETTER, DIGIT, SPACE, OTHER };

static enum kind kind_of (unsigned char c)
{
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80)
        return LETTER;
    if (c >= '0' && c <= '9')
        return DIGIT;
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r')
        return SPACE;
    return OTHER;
}

static uint16_t number_of (const char *p, size_t n)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)p[i]) * 0x100000001b3u;
    return (uint16_t)(TOKEN_FIRST +
                      (hash ^ hash >> 32) % (TOKEN_LIMIT - TOKEN_FIRST));
}

size_t tokenize (const char *text, size_t n, uint16_t *out)
{
    size_t count = 0, i = 0;

    while (i < n) {
        enum kind kind = kind_of ((unsigned char)text[i]);
        size_t from = i++;

        while (i < n && kind_of ((unsigned char)text[i]) == kind &&
               (kind == SPACE || i - from < PIECE_BYTES))
            i++;
        if (kind == SPACE && i - from == 1)
            continue; /* a single space belongs to the word after it */
        out[count++] = number_of (text + from, i - from);
    }
    return count;
}
