/* SPDX-License-Identifier: MIT
 *
 * strmap.h - bytes -> pointer or number; insertion order kept
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct strmap;

struct strmap *strmap_create (void);
void strmap_destroy (struct strmap *m); /* not the values */

/* Ordinal of the key (from 0, in order of first insertion), adding it when it
 * is new; *isnew may be NULL. -1 when memory is short. The key is copied. */
int64_t
strmap_intern (struct strmap *m, const char *key, size_t length, int *isnew);
/* Ordinal, or -1 when not there. */
int64_t strmap_find (const struct strmap *m, const char *key, size_t length);

size_t strmap_count (const struct strmap *m);
/* Key of an ordinal; NUL-terminated copy owned by the map. */
const char *strmap_key (const struct strmap *m, size_t ordinal, size_t *length);
void *strmap_value (const struct strmap *m, size_t ordinal);
void strmap_set (struct strmap *m, size_t ordinal, void *value);
