/* SPDX-License-Identifier: MIT
 *
 * varint.h - numbers in as few bytes as they need (LEB128), sign folded in
 */
#pragma once

#include <stdint.h>

enum { VARINT_MAX = 10 }; /* bytes of the longest */

static inline uint64_t zigzag (int64_t v)
{
    return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static inline int64_t unzigzag (uint64_t v)
{
    return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

/* Returns the byte behind what was written. */
static inline unsigned char *put_varint (unsigned char *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (unsigned char)(v | 0x80);
        v >>= 7;
    }
    *p++ = (unsigned char)v;
    return p;
}

static inline const unsigned char *get_varint_long (const unsigned char *p,
                                                    const unsigned char *limit,
                                                    uint64_t *out)
{
    uint64_t v = 0;

    for (int shift = 0; shift < 64 && p < limit; shift += 7) {
        unsigned char byte = *p++;

        if (shift == 63 && byte > 1)
            return NULL;
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = v;
            return p;
        }
    }
    return NULL;
}

/* Returns the byte behind it, or NULL when it does not end before limit or
 * does not fit in 64 bits. Nearly all have one or two bytes. */
static inline const unsigned char *
get_varint (const unsigned char *p, const unsigned char *limit, uint64_t *out)
{
    if (limit - p < 2)
        return get_varint_long (p, limit, out);
    if (p[0] < 0x80) {
        *out = p[0];
        return p + 1;
    }
    if (p[1] < 0x80) {
        *out = (uint64_t)(p[0] & 0x7f) | (uint64_t)p[1] << 7;
        return p + 2;
    }
    return get_varint_long (p, limit, out);
}
