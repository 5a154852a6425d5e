/* SPDX-License-Identifier: MIT
 *
 * texts.c - blocks of memory, one behind the other
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format/texts.h"

struct texts_block {
    struct texts_block *next;
    char bytes[TEXTS_MAX];
};

/* The block behind the current one: one of an earlier chunk, or a new one. */
static struct texts_block *texts_next_block (struct texts *t)
{
    struct texts_block **link = t->now ? &t->now->next : &t->first;

    if (!*link) {
        *link = malloc (sizeof (**link));
        if (*link)
            (*link)->next = NULL;
    }
    return *link;
}

char *texts_room (struct texts *t, size_t n)
{
    char *p;

    if (n > TEXTS_MAX) {
        errno = EINVAL;
        return NULL;
    }
    if (!t->now || TEXTS_MAX - t->used < n) {
        struct texts_block *b = texts_next_block (t);

        if (!b)
            return NULL;
        t->now = b;
        t->used = 0;
    }
    p = t->now->bytes + t->used;
    t->used += n;
    return p;
}

void texts_reset (struct texts *t)
{
    t->now = NULL;
    t->used = 0;
}

void texts_free (struct texts *t)
{
    while (t->first) {
        struct texts_block *b = t->first;

        t->first = b->next;
        free (b);
    }
    memset (t, 0, sizeof (*t));
}
