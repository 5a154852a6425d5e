/* SPDX-License-Identifier: MIT
 *
 * arena.c - blocks of memory, freed together
 */
#include "config.h"

#include <stdarg.h>

#include "lib/base/array.h"
#include "lib/util/log.h"
#include "lib/util/xalloc.h"
#include "sweep/spec/arena.h"

enum {
    ARENA_BLOCK = 64 * 1024, /* bytes; larger pieces get their own block */
    ARENA_ALIGN = 16,
};

struct block {
    struct block *next;
    size_t used, size;
    _Alignas(ARENA_ALIGN) char data[];
};

struct arena {
    struct block *head;
};

static _Noreturn void memory_short_exit (void)
{
    log_error ("memory: not enough: use a smaller grid");
    exit (1);
}

static struct block *block_create (size_t size)
{
    struct block *b;

    if (size > SIZE_MAX / 2 || !(b = calloc (1, sizeof (*b) + size)))
        memory_short_exit ();
    b->size = size;
    return b;
}

struct arena *arena_create (void)
{
    struct arena *a = ZEROED (a, 1);

    if (!a)
        memory_short_exit ();
    return a;
}

void arena_destroy (struct arena *a)
{
    if (!a)
        return;
    while (a->head) {
        struct block *b = a->head;
        a->head = b->next;
        free (b);
    }
    free (a);
}

void *arena_alloc (struct arena *a, size_t size)
{
    struct block *b = a->head;
    size_t need = (size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;

    if (need < size)
        memory_short_exit ();
    if (!b || b->size - b->used < need) {
        b = block_create (MAX (need, ARENA_BLOCK));
        b->next = a->head;
        a->head = b;
    }
    b->used += need;
    return b->data + b->used - need;
}

void *arena_array (struct arena *a, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        memory_short_exit ();
    return arena_alloc (a, count * size);
}

char *arena_copy (struct arena *a, const char *text, size_t length)
{
    char *copy = arena_alloc (a, length + 1);

    memcpy (copy, text, length);
    return copy;
}

char *arena_text (struct arena *a, const char *text)
{
    return arena_copy (a, text, strlen (text));
}

char *arena_format (struct arena *a, const char *fmt, ...)
{
    va_list ap;
    char *text;
    int length;

    va_start (ap, fmt);
    length = vsnprintf (NULL, 0, fmt, ap);
    va_end (ap);
    text = arena_alloc (a, (size_t)length + 1);
    va_start (ap, fmt);
    vsnprintf (text, (size_t)length + 1, fmt, ap);
    va_end (ap);
    return text;
}

void *arena_grow (struct arena *a, void *array, size_t count, size_t size)
{
    void *larger;

    if (count & (count - 1))
        return array; /* not a power of two: there is room */
    larger = arena_array (a, count ? count * 2 : 1, size);
    if (count)
        memcpy (larger, array, count * size);
    return larger;
}
