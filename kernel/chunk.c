/* SPDX-License-Identifier: MIT
 *
 * chunk.c - events and their files -> a block of the trace
 *
 * A chunk is in memory and written now and then: header last, so that it never
 * says more than is there.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/chunk.h"

enum {
    CHUNK_FIRST = 4096,
    CHUNK_MAX = 65536,
    CHUNK_GROWTH = 4,
    NAME_BYTES = EVENT_NAME_MAX + 16,
    KEY_BYTES = 64, /* of an argument's key */
    DICT_SLOTS = 1024
};

/* Where in the chunk each name was defined; of two in one slot the later one is
 * remembered, and the other is defined again when it comes again. */
struct chunk_dict {
    struct {
        uint32_t at; /* of its text; 0: none */
        uint32_t length;
        uint32_t id;
        uint32_t class;
    } slot[DICT_SLOTS];
};

static unsigned chunk_slot (const char *text, size_t n)
{
    return (unsigned)(shard_checksum (text, n, 0) >> 20) % DICT_SLOTS;
}

/* By enum usage_key. */
static const char *const chunk_keys[] = {
#define USAGE(NAME, KEY, HELP) KEY,
#include "lib/format/usage.def"
#undef USAGE
};

/* Memory for events and names of need bytes. */
static int chunk_begin (struct chunk *c, size_t need, uint64_t tick)
{
    uint32_t capacity = c->next_capacity ? c->next_capacity : CHUNK_FIRST;

    while (capacity < need + sizeof (struct shard_block))
        capacity *= 2;
    if (!c->dict && !(c->dict = malloc (sizeof (*c->dict))))
        return -1;
    c->bytes = calloc (1, capacity);
    if (!c->bytes)
        return -1;
    memset (c->dict, 0, sizeof (*c->dict));
    event_state_init (&c->state, tick);
    c->capacity = capacity;
    c->used = sizeof (struct shard_block);
    c->written = 0;
    c->events = 0;
    c->place = 0;
    c->base = tick;
    c->next_capacity = capacity * CHUNK_GROWTH;
    if (c->next_capacity > CHUNK_MAX)
        c->next_capacity = CHUNK_MAX;
    return 0;
}

static uint32_t chunk_define (struct chunk *c,
                              enum shard_name_kind kind,
                              const struct chunk_name *name)
{
    size_t n = name->length < EVENT_NAME_MAX ? name->length : EVENT_NAME_MAX;
    unsigned slot = chunk_slot (name->path, n);

    if (c->dict->slot[slot].at && c->dict->slot[slot].length == n &&
        c->dict->slot[slot].class == (uint32_t)name->class &&
        memcmp (c->bytes + c->dict->slot[slot].at, name->path, n) == 0)
        return c->dict->slot[slot].id;
    c->used += (uint32_t)event_encode_name (&c->state, kind, name->class,
                                            name->path, n, c->bytes + c->used);
    c->dict->slot[slot].at = c->used - (uint32_t)n;
    c->dict->slot[slot].length = (uint32_t)n;
    c->dict->slot[slot].class = name->class;
    c->dict->slot[slot].id = c->state.names;
    return c->state.names;
}

static size_t chunk_need (const struct chunk_name *name)
{
    return name->path ? (name->length < EVENT_NAME_MAX ? name->length + 16
                                                       : NAME_BYTES)
                      : 0;
}

/* Keys of arguments, from usage_key to their names here. */
static void chunk_define_keys (struct chunk *c, struct event *ev)
{
    for (unsigned i = 0; i < ev->nargs; i++) {
        const char *key = chunk_keys[ev->args[i].key];
        struct chunk_name name = {key, strlen (key), FILE_CLASS_UNKNOWN};

        ev->args[i].key = chunk_define (c, SHARD_NAME_KEY, &name);
    }
}

int chunk_put (struct chunk *c,
               struct event *ev,
               const struct chunk_name *file,
               const struct chunk_name *file2)
{
    size_t need = EVENT_BYTES_MAX + chunk_need (file) + chunk_need (file2) +
                  (size_t)ev->nargs * KEY_BYTES;

    if (c->bytes && c->capacity - c->used < need)
        return 1;
    if (!c->bytes && chunk_begin (c, need, ev->start) < 0)
        return -1;
    chunk_define_keys (c, ev);
    ev->file = file->path ? chunk_define (c, SHARD_NAME_FILE, file) : 0;
    ev->file2 = file2->path ? chunk_define (c, SHARD_NAME_FILE, file2) : 0;
    c->used += (uint32_t)event_encode (&c->state, ev, c->bytes + c->used);
    c->events++;
    return 0;
}

static int chunk_write (struct chunk *c,
                        struct space *s,
                        const struct chunk_owner *owner,
                        unsigned flags)
{
    struct shard_block *b = (struct shard_block *)(void *)c->bytes;
    uint32_t from = c->written ? c->written : (uint32_t)sizeof (*b);

    if (!c->place && !(c->place = space_take (s, c->capacity)))
        return -1;
    *b = (struct shard_block){
        .magic = SHARD_MAGIC,
        .type = SHARD_BLOCK_EVENTS,
        .flags = (uint16_t)flags,
        .commit = (uint64_t)c->events << 32 | (c->used - sizeof (*b)),
        .capacity = c->capacity,
        .proc = owner->proc,
        .tid = owner->tid,
        .seq = c->seq,
        .base = c->base,
        .base_ns = c->base,
        .lost = owner->lost,
    };
    b->check = shard_block_check (b);
    if (flags & SHARD_SEALED)
        b->checksum = shard_events_sum (b, b + 1);
    if (space_write (s, c->bytes + from, c->used - from, c->place + from) < 0 ||
        space_write (s, b, sizeof (*b), c->place) < 0)
        return -1;
    c->written = c->used;
    return 0;
}

int chunk_flush (struct chunk *c,
                 struct space *s,
                 const struct chunk_owner *owner)
{
    return c->bytes && c->written != c->used ? chunk_write (c, s, owner, 0) : 0;
}

int chunk_seal (struct chunk *c,
                struct space *s,
                const struct chunk_owner *owner)
{
    int rc = 0;

    if (c->bytes)
        rc = chunk_write (c, s, owner, SHARD_SEALED);
    free (c->bytes);
    c->bytes = NULL;
    c->seq++;
    return rc;
}

void chunk_drop (struct chunk *c)
{
    free (c->bytes);
    free (c->dict);
    memset (c, 0, sizeof (*c));
}
