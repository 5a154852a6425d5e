/* SPDX-License-Identifier: MIT
 *
 * dict.c - names of a job <-> numbers, and what follows from a name
 *
 * In:  names of chunks and lines
 * Out: numbers, the same for all threads; facts looked up once
 *
 * A name's hash decides which of the tables, each with its lock, holds it.
 * Entries are in segments, each twice as long as the one before, that never
 * move, so they are read without a lock.
 */
#include "config.h"

#include "analyze/trace/dict.h"

#include <pthread.h>
#include <strings.h>

#include "lib/base/array.h"
#include "lib/format/usagekeys.h"
#include "lib/util/xalloc.h"

enum {
    TABLES = 64,         /* a power of two */
    SLOTS_FIRST = 64,    /* of a table; a power of two */
    SEGMENT_BITS = 10,   /* entries of the first segment, as a power */
    SEGMENTS = 22,       /* together all 32-bit numbers */
    TEXT_BYTES = 1 << 16 /* of a block of texts */
};

struct slot {
    uint32_t number; /* 0: empty */
    uint32_t hash;   /* its upper half */
};

struct text_block {
    struct text_block *next;
    char bytes[];
};

struct dict_table {
    pthread_mutex_t lock;
    struct slot *slot; /* owned */
    size_t slots, count;
    struct text_block *block; /* owned */
    size_t used, room;
};

struct dict {
    const struct kind_rules *rules;
    const struct strmap *checkpoints; /* NULL: none */
    const struct strmap *programs;    /* directories; NULL: none */
    struct dict_table table[TABLES];
    struct dict_entry *segment[SEGMENTS]; /* owned; atomic */
    uint32_t count;                       /* numbers given; atomic */
};

static const struct kind_rules default_rules;

/* --- entries -------------------------------------------------------------- */

static unsigned segment_of (uint32_t number, uint32_t *at)
{
    uint64_t place = (uint64_t)number + (1u << SEGMENT_BITS);
    unsigned bits = 63 - (unsigned)__builtin_clzll (place);

    *at = (uint32_t)(place - ((uint64_t)1 << bits));
    return bits - SEGMENT_BITS;
}

const struct dict_entry *dict_entry (const struct dict *d, uint32_t number)
{
    uint32_t at;
    unsigned segment = segment_of (number, &at);

    if (!number)
        return NULL;
    return __atomic_load_n (&d->segment[segment], __ATOMIC_ACQUIRE) + at;
}

/* The entry of a new number, to be filled in. */
static struct dict_entry *dict_place (struct dict *d, uint32_t number)
{
    uint32_t at;
    unsigned segment = segment_of (number, &at);
    struct dict_entry *have =
        __atomic_load_n (&d->segment[segment], __ATOMIC_ACQUIRE);
    struct dict_entry *more;

    if (!have) {
        more = xcalloc ((size_t)1 << (segment + SEGMENT_BITS), sizeof (*more));
        if (__atomic_compare_exchange_n (&d->segment[segment], &have, more, 0,
                                         __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            have = more;
        else
            free (more); /* another thread was first */
    }
    return have + at;
}

uint32_t dict_limit (const struct dict *d)
{
    return __atomic_load_n (&d->count, __ATOMIC_ACQUIRE) + 1;
}

/* --- what follows from a name ------------------------------------------------
 */

static void read_region (struct dict_entry *e)
{
    size_t category = strlen (e->text);

    e->name_at = (uint16_t)(category < e->length ? category + 1 : e->length);
    e->layer = strcasecmp (e->text, "POSIX") == 0   ? CALL_CATEGORY_POSIX
               : strcasecmp (e->text, "STDIO") == 0 ? CALL_CATEGORY_STDIO
                                                    : CALL_CATEGORY_APP;
    if (category < e->length) {
        e->role = (uint8_t)role_of (e->text, dict_region_name (e));
        e->sample = (uint8_t)role_sample_of (e->text, dict_region_name (e));
    }
}

static void read_key (struct dict_entry *e)
{
    static const struct {
        const char *word;
        enum dict_key key;
    } keys[] = {{"image_size", DICT_KEY_IMAGE_SIZE},
                {"step", DICT_KEY_STEP},
                {"epoch", DICT_KEY_EPOCH},
                {"count", DICT_KEY_COUNT},
                {"again", DICT_KEY_AGAIN}};

    for (size_t i = 0; i < ITEMS (keys); i++)
        if (strcmp (e->text, keys[i].word) == 0)
            e->key = (uint8_t)keys[i].key;
    for (int i = 0; i < USAGE_COUNT; i++)
        if (strcmp (e->text, usage_keys[i]) == 0)
            e->key = (uint8_t)(DICT_KEY_USAGE + i);
}

static enum file_kind dict_file_kind (const struct dict *d,
                                      const struct dict_entry *e)
{
    enum file_kind kind = kind_of (d->rules, e->text);

    if (kind == KIND_DATA ? d->rules->patterns[KIND_DATA] != NULL
                          : kind != KIND_INDEX)
        return kind; /* as somebody said, or its name does */
    if (kind == KIND_DATA && d->programs &&
        strmap_find (d->programs, e->text, e->length) >= 0)
        return KIND_PROGRAM;
    return d->checkpoints &&
                   strmap_find (d->checkpoints, e->text, e->length) >= 0
               ? KIND_CHECKPOINT
               : kind;
}

static void dict_read_facts (const struct dict *d, struct dict_entry *e)
{
    e->file_kind = KIND_NONE;
    if (e->kind == SHARD_NAME_FILE && e->class == FILE_CLASS_STORAGE)
        e->file_kind = (uint8_t)dict_file_kind (d, e);
    else if (e->kind == SHARD_NAME_EVENT)
        read_region (e);
    else if (e->kind == SHARD_NAME_KEY && strlen (e->text) == e->length)
        read_key (e);
}

/* --- tables --------------------------------------------------------------- */

static const char *
dict_copy_text (struct dict_table *t, const char *text, size_t length)
{
    struct text_block *block;
    char *to;

    if (t->room - t->used < length + 1) {
        size_t room = length + 1 > TEXT_BYTES ? length + 1 : TEXT_BYTES;

        block = xmalloc (sizeof (*block) + room);
        block->next = t->block;
        t->block = block;
        t->room = room;
        t->used = 0;
    }
    to = t->block->bytes + t->used;
    if (length)
        memcpy (to, text, length);
    to[length] = '\0';
    t->used += length + 1;
    return to;
}

/* At most half of the slots are used. */
static void grow_table (struct dict_table *t)
{
    size_t slots = t->slots ? 2 * t->slots : SLOTS_FIRST;
    struct slot *slot;

    if (2 * (t->count + 1) <= t->slots)
        return;
    slot = xcalloc (slots, sizeof (*slot));
    for (size_t i = 0; i < t->slots; i++) {
        size_t at = t->slot[i].hash & (slots - 1);

        if (!t->slot[i].number)
            continue;
        while (slot[at].number)
            at = (at + 1) & (slots - 1);
        slot[at] = t->slot[i];
    }
    free (t->slot);
    t->slot = slot;
    t->slots = slots;
}

static uint32_t
dict_add (struct dict *d, struct dict_table *t, const struct dict_entry *want)
{
    uint32_t number = __atomic_add_fetch (&d->count, 1, __ATOMIC_ACQ_REL);
    struct dict_entry *e = dict_place (d, number);

    *e = *want;
    e->text = dict_copy_text (t, want->text, want->length);
    dict_read_facts (d, e);
    return number;
}

static int same_name (const struct dict_entry *a, const struct dict_entry *b)
{
    return a->length == b->length && a->kind == b->kind &&
           a->class == b->class && memcmp (a->text, b->text, b->length) == 0;
}

static uint32_t dict_find (struct dict *d,
                           struct dict_table *t,
                           const struct dict_entry *want,
                           uint32_t hash)
{
    struct slot *s;
    size_t at;

    grow_table (t);
    at = hash & (t->slots - 1);
    for (s = &t->slot[at]; s->number; s = &t->slot[at]) {
        if (s->hash == hash && same_name (dict_entry (d, s->number), want))
            return s->number;
        at = (at + 1) & (t->slots - 1);
    }
    s->number = dict_add (d, t, want);
    s->hash = hash;
    t->count++;
    return s->number;
}

uint32_t dict_number (struct dict *d,
                      enum shard_name_kind kind,
                      enum file_class class,
                      const char *text,
                      size_t length)
{
    struct dict_entry want = {.text = length ? text : "",
                              .length = (uint32_t)length,
                              .kind = (uint8_t)kind,
                              .class = (uint8_t) class};
    uint64_t hash = strmap_hash (
        text, length, (uint64_t)((unsigned)kind << 8 | (unsigned)class) << 32);
    struct dict_table *t = &d->table[hash % TABLES];
    uint32_t number;

    xalloc_lock (&t->lock);
    number = dict_find (d, t, &want, (uint32_t)(hash >> 32));
    xalloc_unlock (&t->lock);
    return number;
}

/* --- begin and end -------------------------------------------------------- */

struct dict *dict_create (const struct kind_rules *rules)
{
    struct dict *d = xcalloc (1, sizeof (*d));

    d->rules = rules ? rules : &default_rules;
    for (int i = 0; i < TABLES; i++)
        pthread_mutex_init (&d->table[i].lock, NULL);
    return d;
}

void dict_know_programs (struct dict *d, const struct strmap *paths)
{
    d->programs = paths;
}

void dict_know_checkpoints (struct dict *d, const struct strmap *paths)
{
    d->checkpoints = paths;
}

void dict_destroy (struct dict *d)
{
    if (!d)
        return;
    for (int i = 0; i < TABLES; i++) {
        struct dict_table *t = &d->table[i];

        for (struct text_block *b = t->block, *next; b; b = next) {
            next = b->next;
            free (b);
        }
        free (t->slot);
        pthread_mutex_destroy (&t->lock);
    }
    for (int i = 0; i < SEGMENTS; i++)
        free (d->segment[i]);
    free (d);
}
