/* SPDX-License-Identifier: MIT
 *
 * arena.h - memory that is given back all at once
 */
#pragma once

#include <stddef.h>

struct arena;

/* For the tool only: when memory is short the program ends with a message, so
 * nothing here returns NULL. */
struct arena *arena_create (void);
void arena_destroy (struct arena *a);

/* Zeroed, aligned for any type. */
void *arena_alloc (struct arena *a, size_t size);
void *arena_array (struct arena *a, size_t count, size_t size);

char *arena_copy (struct arena *a, const char *text, size_t length);
char *arena_text (struct arena *a, const char *text);
char *arena_format (struct arena *a, const char *fmt, ...)
    __attribute__ ((format (printf, 2, 3)));

/* Room for one more of `size` bytes after `count` elements: the array, moved
 * when it was full (capacities are powers of two, from the first call on). */
void *arena_grow (struct arena *a, void *array, size_t count, size_t size);
