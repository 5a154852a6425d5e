/* SPDX-License-Identifier: MIT
 *
 * minigpt.h - the corpus of minigpt and mkcorpus, in Megatron's format
 *
 *   PREFIX.bin  the tokens of all documents; each document ends in TOKEN_END
 *   PREFIX.idx  struct idx_head, then for each document
 *                 int32  its tokens
 *                 int64  offset in the .bin, in bytes
 *               and int64 the numbers of all documents, and of their end
 *   All little-endian.
 */
#ifndef MINIGPT_H
#define MINIGPT_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { TOKEN_END = 0, IDX_INT32 = 4, IDX_UINT16 = 8 };

#define IDX_MAGIC "MMIDIDX\0"

struct idx_head {
    char magic[9];
    uint64_t version;         /* 1 */
    uint8_t type;             /* IDX_ */
    uint64_t documents, ends; /* ends: documents + 1 */
} __attribute__ ((packed));

/* Digits, and K, M or G. Return 0, or -1 if the text is anything else. */
static inline int parse_size (const char *text, uint64_t *out)
{
    static const char units[] = "KMG";
    const char *unit;
    char *end;

    if (*text < '0' || *text > '9')
        return -1;
    *out = strtoull (text, &end, 10);
    if (*end && (unit = strchr (units, *end))) {
        *out <<= 10 * (unit - units + 1);
        end++;
    }
    return *end ? -1 : 0;
}

/* splitmix64: numbers that depend on the seed only. */
static inline uint64_t next_random (uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

#endif
