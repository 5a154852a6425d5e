/* SPDX-License-Identifier: MIT
 *
 * opens.c - address of an open file -> its path
 *
 * Caveat: a file that is closed stays until its address is used again, which
 *         the kernel does soon; beyond OPENS_MAX all are forgotten, and those
 *         that are still open are asked for their name no more (it is counted).
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/opens.h"

enum { OPENS_FIRST = 1024, OPENS_MAX = 1 << 20 };

struct opens {
    struct open_file *slot; /* address 0: free */
    size_t room, used;      /* room: a power of 2 */
};

struct opens *opens_create (void)
{
    struct opens *o = calloc (1, sizeof (*o));

    if (!o)
        return NULL;
    o->room = OPENS_FIRST;
    o->slot = calloc (o->room, sizeof (*o->slot));
    if (!o->slot) {
        free (o);
        return NULL;
    }
    return o;
}

static void opens_clear (struct opens *o)
{
    for (size_t i = 0; i < o->room; i++)
        free (o->slot[i].path);
    memset (o->slot, 0, o->room * sizeof (*o->slot));
    o->used = 0;
}

void opens_destroy (struct opens *o)
{
    if (!o)
        return;
    opens_clear (o);
    free (o->slot);
    free (o);
}

/* Its slot, or the free one where it would be. */
static struct open_file *opens_slot (const struct opens *o, uint64_t address)
{
    size_t i = (size_t)((address * 0x9e3779b97f4a7c15u) >> 20);

    for (;; i++) {
        struct open_file *f = &o->slot[i & (o->room - 1)];

        if (f->address == address || !f->address)
            return f;
    }
}

static void opens_grow (struct opens *o)
{
    struct opens big = {.room = o->room * 2};

    if (o->room >= OPENS_MAX ||
        !(big.slot = calloc (big.room, sizeof (*big.slot)))) {
        opens_clear (o);
        return;
    }
    for (size_t i = 0; i < o->room; i++)
        if (o->slot[i].address)
            *opens_slot (&big, o->slot[i].address) = o->slot[i];
    free (o->slot);
    o->slot = big.slot;
    o->room = big.room;
}

int opens_set (struct opens *o, const struct open_file *f)
{
    struct open_file *slot;
    char *path = malloc ((size_t)f->length + 1);

    if (!path || !f->address) {
        free (path);
        return -1;
    }
    memcpy (path, f->path, f->length);
    if (o->used * 4 >= o->room * 3)
        opens_grow (o);
    slot = opens_slot (o, f->address);
    o->used += !slot->address;
    free (slot->path);
    *slot = *f;
    slot->path = path;
    return 0;
}

const struct open_file *
opens_get (const struct opens *o, uint64_t address, uint32_t number)
{
    const struct open_file *f = opens_slot (o, address);

    return address && f->address && f->number == number ? f : NULL;
}
