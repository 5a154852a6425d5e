/* SPDX-License-Identifier: MIT
 *
 * strmap.h - bytes -> pointer or number; insertion order kept
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct strmap;

/* The hash of n bytes; seed: 0, or what tells keys of one kind from others. */
static inline uint64_t strmap_hash (const char *p, size_t n, uint64_t seed)
{
    uint64_t h = 0x9e3779b97f4a7c15u ^ n ^ seed, w;

    for (; n >= 8; p += 8, n -= 8) {
        memcpy (&w, p, 8);
        h = (h ^ w) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    for (w = 0; n > 0; p++, n--)
        w = w << 8 | (unsigned char)*p;
    h = (h ^ w) * 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 29;
}

struct strmap *strmap_create (void);
void strmap_destroy (struct strmap *m); /* not the values */
void strmap_clear (struct strmap *m);   /* as new, in the same memory */

/* Ordinal of the key (from 0, in order of first insertion), adding it when it
 * is new; *isnew may be NULL. The key is copied. */
size_t
strmap_intern (struct strmap *m, const char *key, size_t length, int *isnew);
/* Ordinal, or -1 when not there. */
int64_t strmap_find (const struct strmap *m, const char *key, size_t length);

size_t strmap_count (const struct strmap *m);
/* Key of an ordinal; NUL-terminated copy owned by the map. */
const char *strmap_key (const struct strmap *m, size_t ordinal, size_t *length);
void *strmap_value (const struct strmap *m, size_t ordinal);
void strmap_set (struct strmap *m, size_t ordinal, void *value);
