/* SPDX-License-Identifier: MIT
 *
 * strmap.c - bytes -> ordinal and value
 *
 * Open addressing over an array of entries in order of insertion; keys live
 * in blocks that never move.
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/util/strmap.h"
#include "lib/util/xalloc.h"

enum {
    FIRST_SLOTS = 16,       /* a power of two */
    BLOCK_BYTES = 64 * 1024 /* of key text; longer keys get their own */
};

struct entry {
    const char *key;
    size_t length;
    uint64_t hash;
    void *value;
};

struct block {
    struct block *next;
    size_t used, room;
    char text[];
};

struct strmap {
    struct entry *entry;
    size_t count, room;
    uint32_t *slot; /* ordinal + 1, 0 empty */
    size_t slots;
    struct block *block;
};

struct strmap *strmap_create (void)
{
    struct strmap *m = ZEROED (m, 1);

    NEW (m->slot, FIRST_SLOTS);
    m->slots = FIRST_SLOTS;
    return m;
}

void strmap_destroy (struct strmap *m)
{
    int saved_errno = errno;

    if (!m)
        return;
    for (struct block *b = m->block, *next; b; b = next) {
        next = b->next;
        free (b);
    }
    free (m->entry);
    free (m->slot);
    free (m);
    errno = saved_errno;
}

void strmap_clear (struct strmap *m)
{
    struct block *b;

    while ((b = m->block) && b->next) {
        m->block = b->next;
        free (b);
    }
    if (b)
        b->used = 0;
    memset (m->slot, 0, m->slots * sizeof (*m->slot));
    m->count = 0;
}

/* The slot that holds the key, or the empty one where it belongs. */
static size_t
probe (const struct strmap *m, const char *key, size_t n, uint64_t hash)
{
    size_t i = hash & (m->slots - 1);

    for (; m->slot[i]; i = (i + 1) & (m->slots - 1)) {
        const struct entry *e = &m->entry[m->slot[i] - 1];

        if (e->hash == hash && e->length == n && memcmp (e->key, key, n) == 0)
            break;
    }
    return i;
}

/* Keep the table at most half full. */
static void grow_slots (struct strmap *m)
{
    size_t slots = m->slots * 2;
    uint32_t *slot = ZEROED (slot, slots);

    for (size_t i = 0; i < m->count; i++) {
        size_t s = m->entry[i].hash & (slots - 1);

        while (slot[s])
            s = (s + 1) & (slots - 1);
        slot[s] = (uint32_t)i + 1;
    }
    free (m->slot);
    m->slot = slot;
    m->slots = slots;
}

static const char *copy_key (struct strmap *m, const char *key, size_t n)
{
    struct block *b = m->block;
    char *text;

    if (!b || b->room - b->used < n + 1) {
        size_t room = n + 1 > BLOCK_BYTES ? n + 1 : BLOCK_BYTES;

        b = xmalloc (sizeof (*b) + room);
        b->next = m->block;
        b->used = 0;
        b->room = room;
        m->block = b;
    }
    text = b->text + b->used;
    if (n > 0)
        memcpy (text, key, n);
    text[n] = '\0';
    b->used += n + 1;
    return text;
}

size_t
strmap_intern (struct strmap *m, const char *key, size_t length, int *isnew)
{
    uint64_t hash = strmap_hash (key, length, 0);
    size_t s = probe (m, key, length, hash);

    if (isnew)
        *isnew = 0;
    if (m->slot[s])
        return m->slot[s] - 1;
    if (m->count >= UINT32_MAX - 1)
        xalloc_die ();
    GROW (m->entry, m->room, m->count + 1);
    if ((m->count + 1) * 2 > m->slots) {
        grow_slots (m);
        s = probe (m, key, length, hash);
    }
    m->entry[m->count] = (struct entry){
        .key = copy_key (m, key, length), .length = length, .hash = hash};
    m->slot[s] = (uint32_t)++m->count;
    if (isnew)
        *isnew = 1;
    return m->count - 1;
}

int64_t strmap_find (const struct strmap *m, const char *key, size_t length)
{
    size_t s = probe (m, key, length, strmap_hash (key, length, 0));

    return (int64_t)m->slot[s] - 1;
}

size_t strmap_count (const struct strmap *m)
{
    return m->count;
}

const char *strmap_key (const struct strmap *m, size_t ordinal, size_t *length)
{
    if (length)
        *length = m->entry[ordinal].length;
    return m->entry[ordinal].key;
}

void *strmap_value (const struct strmap *m, size_t ordinal)
{
    return m->entry[ordinal].value;
}

void strmap_set (struct strmap *m, size_t ordinal, void *value)
{
    m->entry[ordinal].value = value;
}
