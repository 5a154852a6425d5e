/* SPDX-License-Identifier: MIT
 *
 * names.c - texts of this process -> small numbers
 *
 * In:  paths, event names, argument keys and values
 * Out: ids for the recorder, which defines them in each chunk that uses them
 *
 * Append only and lock-free: entries and texts live in segments that are
 * mapped when first needed; a hash table of three levels, each sixteen times
 * the one before, finds them. A thread that stops anywhere (signal, fork,
 * death) leaves at worst an entry nobody refers to. After fork the child has
 * its own copy with the same ids.
 */
#include "config.h"

#include <stdatomic.h>
#include <string.h>

#include "lib/core/event.h"
#include "lib/core/recorder.h"
#include "lib/core/shardfile.h"
#include "lib/core/sys.h"

enum {
    ENTRIES_PER_SEGMENT = 4096,
    ENTRY_SEGMENTS = 256, /* 1 M names */
    TEXT_SEGMENT = 1 << 18,
    TEXT_SEGMENTS = 256, /* 64 MiB of text */
    LEVELS = 3,
    LEVEL_BITS = 12, /* slots of the first level, as a power of two */
    LEVEL_STEP = 4,
    PROBES = 16
};

struct entry {
    const char *text;
    uint32_t hash;
    uint16_t length;
    uint8_t kind, class;
};

static _Atomic (void *) entries[ENTRY_SEGMENTS]; /* of struct entry */
static _Atomic (void *) texts[TEXT_SEGMENTS];    /* of char */
static _Atomic (void *) levels[LEVELS];          /* of _Atomic uint32_t */
static _Atomic uint32_t entry_count = 1;         /* id 0 is nobody */
static _Atomic uint64_t text_used;

_Static_assert(EVENT_NAME_MAX <= UINT16_MAX, "length fits");
_Static_assert((int)EVENT_NAME_MAX <= (int)TEXT_SEGMENT,
               "a text fits a segment");

/* The segment behind *slot, mapped now if it is not there yet. */
static void *segment (_Atomic (void *) *slot, size_t size)
{
    void *p = atomic_load_explicit (slot, memory_order_acquire);
    void *fresh;

    if (p)
        return p;
    fresh = sys_memory (size);
    if (!fresh)
        return NULL;
    if (atomic_compare_exchange_strong (slot, &p, fresh))
        return fresh;
    (void)sys_munmap (fresh, size);
    return p;
}

static struct entry *entry_at (uint32_t id)
{
    struct entry *seg;

    if (id == 0 || id >= ENTRY_SEGMENTS * ENTRIES_PER_SEGMENT)
        return NULL;
    seg = atomic_load_explicit (&entries[id / ENTRIES_PER_SEGMENT],
                                memory_order_acquire);
    return seg ? &seg[id % ENTRIES_PER_SEGMENT] : NULL;
}

static uint32_t
hash_text (unsigned kind, unsigned class, const char *text, size_t length)
{
    uint64_t h = shard_checksum (text, length, kind << 8 | class);

    return (uint32_t)(h ^ h >> 32);
}

/* Room for length bytes that do not cross a segment, or NULL. */
static char *text_room (size_t length)
{
    uint64_t at = atomic_load (&text_used), begin;
    char *seg;

    do {
        begin = at;
        if (begin % TEXT_SEGMENT + length > TEXT_SEGMENT)
            begin += TEXT_SEGMENT - begin % TEXT_SEGMENT;
        if (begin / TEXT_SEGMENT >= TEXT_SEGMENTS)
            return NULL;
    } while (!atomic_compare_exchange_weak (&text_used, &at, begin + length));
    seg = segment (&texts[begin / TEXT_SEGMENT], TEXT_SEGMENT);
    return seg ? seg + begin % TEXT_SEGMENT : NULL;
}

/* Id of a new entry, not yet in the table; 0 without room. */
static uint32_t add (const struct entry *like, const char *text)
{
    uint32_t id = atomic_load (&entry_count);
    struct entry *seg;
    char *copy;

    do {
        if (id >= ENTRY_SEGMENTS * ENTRIES_PER_SEGMENT)
            return 0;
    } while (!atomic_compare_exchange_weak (&entry_count, &id, id + 1));
    copy = text_room (like->length ? like->length : 1u);
    seg = segment (&entries[id / ENTRIES_PER_SEGMENT],
                   ENTRIES_PER_SEGMENT * sizeof (struct entry));
    if (!copy || !seg)
        return 0;
    memcpy (copy, text, like->length);
    seg[id % ENTRIES_PER_SEGMENT] = *like;
    seg[id % ENTRIES_PER_SEGMENT].text = copy;
    return id;
}

static int same (uint32_t id, const struct entry *like, const char *text)
{
    const struct entry *e = entry_at (id);

    return e && e->hash == like->hash && e->length == like->length &&
           e->kind == like->kind && e->class == like->class && e->text &&
           memcmp (e->text, text, like->length) == 0;
}

/* Look in one level, and add where a slot is free. -1: go on to the next. */
static int64_t in_level (_Atomic uint32_t *slots,
                         uint32_t mask,
                         const struct entry *like,
                         const char *text,
                         uint32_t *fresh)
{
    for (uint32_t i = 0; i < PROBES; i++) {
        _Atomic uint32_t *slot = &slots[(like->hash + i) & mask];
        uint32_t id = atomic_load_explicit (slot, memory_order_acquire);

        if (id == 0) {
            if (*fresh == 0 && (*fresh = add (like, text)) == 0)
                return 0;
            if (atomic_compare_exchange_strong (slot, &id, *fresh))
                return *fresh;
        }
        if (same (id, like, text))
            return id;
    }
    return -1;
}

uint32_t names_intern (enum shard_name_kind kind,
                       enum file_class class,
                       const char *text,
                       size_t length)
{
    struct entry like = {.kind = (uint8_t)kind, .class = (uint8_t) class};
    uint32_t fresh = 0;

    if (length > EVENT_NAME_MAX)
        length = EVENT_NAME_MAX;
    like.length = (uint16_t)length;
    like.hash = hash_text (kind, class, text, length);
    for (int level = 0; level < LEVELS; level++) {
        size_t slots = (size_t)1 << (LEVEL_BITS + level * LEVEL_STEP);
        void *table = segment (&levels[level], slots * sizeof (uint32_t));
        int64_t id;

        if (!table)
            break;
        id = in_level (table, (uint32_t)slots - 1, &like, text, &fresh);
        if (id > 0)
            return (uint32_t)id;
        if (id == 0)
            break;
    }
    shardfile_count (&shardfile_live ()->lost_names, 1);
    return 0;
}

const char *names_text (uint32_t id, size_t *length, enum file_class *class)
{
    const struct entry *e = entry_at (id);

    if (!e || !e->text)
        return NULL;
    if (length)
        *length = e->length;
    if (class)
        *class = (enum file_class)e->class;
    return e->text;
}

enum shard_name_kind names_kind (uint32_t id)
{
    const struct entry *e = entry_at (id);

    return e ? (enum shard_name_kind)e->kind : SHARD_NAME_NONE;
}
