/* SPDX-License-Identifier: MIT
 *
 * shares.c - files of a thread -> sums of each, found by a hash
 */
#include "config.h"

#include "analyze/scan/shares.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format/shard.h"

enum { SLOTS_LEAST = 16 };

uint64_t shares_id (const char *path, size_t length)
{
    return shard_checksum (path, length, 0);
}

static size_t shares_slot (const struct shares *s, uint64_t id)
{
    size_t at = id & (s->slots - 1);

    while (s->slot[at] && s->item[s->slot[at] - 1].id != id)
        at = (at + 1) & (s->slots - 1);
    return at;
}

static int shares_grow (struct shares *s)
{
    size_t slots = s->slots ? s->slots * 2 : SLOTS_LEAST;
    uint32_t *slot = calloc (slots, sizeof (*slot));
    struct share *item = reallocarray (s->item, slots / 2, sizeof (*item));

    if (item)
        s->item = item;
    if (!slot || !item) {
        free (slot);
        return -1;
    }
    free (s->slot);
    s->slot = slot;
    s->slots = slots;
    s->room = slots / 2;
    for (size_t i = 0; i < s->count; i++)
        s->slot[shares_slot (s, s->item[i].id)] = (uint32_t)i + 1;
    return 0;
}

int64_t shares_at (struct shares *s, uint64_t id)
{
    size_t at;

    if (s->count == s->room && shares_grow (s) < 0)
        return -1;
    at = shares_slot (s, id);
    if (!s->slot[at]) {
        s->item[s->count] = (struct share){.id = id};
        s->slot[at] = (uint32_t)++s->count;
    }
    return s->slot[at] - 1;
}

int shares_append (struct shares *to, const struct shares *from)
{
    for (size_t i = 0; i < from->count; i++) {
        const struct share *f = &from->item[i];
        int64_t at = shares_at (to, f->id);
        struct share *t = at < 0 ? NULL : &to->item[at];

        if (!t)
            return -1;
        t->reads += f->reads;
        t->read_bytes += f->read_bytes;
        t->writes += f->writes;
        t->write_bytes += f->write_bytes;
        t->ns += f->ns;
        t->write_ns += f->write_ns;
    }
    return 0;
}

void shares_clear (struct shares *s)
{
    int saved = errno;

    free (s->item);
    free (s->slot);
    memset (s, 0, sizeof (*s));
    errno = saved;
}
