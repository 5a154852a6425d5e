/* SPDX-License-Identifier: MIT
 *
 * names.c - texts of this process -> small numbers
 *
 * In:  paths, event names, argument keys and values
 * Out: ids for the recorder, which defines them in each chunk that uses them
 *
 * Two stores, each one mapping with a hash table beside it; both are lock-free
 * and do not grow. What the application says of itself (events, keys, values)
 * is kept for good, as far as there is room. Paths, and what found none, go
 * round in a ring: a program may look at any number of files, and no more than
 * the last 2 MiB of their names are of use. Whoever holds the id of a path for
 * longer than a call has it carried along: see names_carry_by.
 *
 * The first bytes of the ring, and a table of their own, lie beside other
 * things that change in each process: one that has few names needs no mapping.
 *
 * An id is the place of its entry, in units of 16 bytes from the start of the
 * process, so that an id which was overwritten is known by its age. Readers
 * look again when they have read: see names_valid. A thread that stops
 * anywhere (signal, fork, death) leaves at worst an entry nobody refers to.
 * After fork the child has its own copy with the same ids.
 */

/* Design. Names (paths, region names, keys) are interned in append-only,
 * lock-free tables; a chunk defines the ones it uses, so it can be read
 * alone. */

#include "config.h"

#include <stdatomic.h>

#include "lib/base/sys.h"
#include "lib/format/event.h"
#include "preload/record/tbuf.h"
#include "preload/record/recorder.h"
#include "preload/record/shardlive.h"

enum {
    UNIT = 16,            /* bytes */
    RING_UNITS = 1 << 17, /* 2 MiB: some 18,000 paths */
    KEPT_UNITS = 1 << 16, /* 1 MiB */
    RING_SLOTS = 1 << 15, /* for the half of the ring that is fresh */
    KEPT_SLOTS = 1 << 14,
    KEPT_FIRST = 1 << 10, /* slots of one page, where most processes' few are */
    PROBES = 16,
    EARLY_UNITS = 112, /* of the ring, 1.75 KiB: some 18 paths */
    EARLY_SLOTS = 64,
    EARLY_PROBES = 4
};

/* The two kinds of ids, and how far those of the ring count: 4 GiB of names.
 * Whoever holds one for longer has it carried along. */
#define ID_KEPT  0x80000000u
#define ID_ROUND 0x0fffffffu

struct entry {
    uint32_t hash;
    uint16_t length;
    uint8_t kind, class;
    char text[];
};

struct store {
    uint32_t units, slots, flag;
    _Atomic uint64_t head;  /* units given out */
    _Atomic (void *) table; /* of _Atomic uint32_t; then the bytes */
};

static SYS_STATE struct store ring = {
    .units = RING_UNITS, .slots = RING_SLOTS, .head = 1}; /* 0 is nobody */
static SYS_STATE struct store kept = {
    .units = KEPT_UNITS, .slots = KEPT_SLOTS, .flag = ID_KEPT, .head = 1};

static SYS_STATE _Alignas(UNIT) char early[EARLY_UNITS * UNIT];
static SYS_STATE _Atomic uint64_t early_table[EARLY_SLOTS]; /* hash, id */

static SYS_START void (*carry) (void);
static SYS_STATE _Atomic int carrying;
static uint32_t carried; /* units, at this turn */

_Static_assert(EVENT_NAME_MAX <= UINT16_MAX, "length fits");
_Static_assert(sizeof (struct entry) < UNIT, "no more than a unit");

/* The mapping of a store, made now if it is not there yet: its table, then its
 * bytes. */
static _Atomic uint32_t *memory (struct store *s)
{
    void *p = atomic_load_explicit (&s->table, memory_order_acquire);
    size_t size = (size_t)s->units * UNIT + s->slots * sizeof (uint32_t);
    void *fresh;

    if (p)
        return p;
    fresh = sys_memory (size);
    if (!fresh)
        return NULL;
    if (atomic_compare_exchange_strong (&s->table, &p, fresh))
        return fresh;
    (void)sys_munmap (fresh, size);
    return p;
}

/* --- entries ----------------------------------------------------------- */

static struct store *store_of (uint32_t id)
{
    return id & ID_KEPT ? &kept : &ring;
}

/* Units that were given out since this one was; too many for an id that never
 * was. */
static uint64_t age (const struct store *s, uint32_t id)
{
    uint64_t head = atomic_load_explicit (&s->head, memory_order_relaxed);

    return s->flag ? head - (id & ID_ROUND)
                   : (uint64_t)((uint32_t)(head - id) & ID_ROUND);
}

/* New enough to be given to somebody who may keep it for a while. */
static int is_fresh (const struct store *s, uint32_t id)
{
    return id && age (s, id) <= s->units / (s->flag ? 1 : 2);
}

int names_valid (uint32_t id)
{
    const struct store *s = store_of (id);

    atomic_thread_fence (memory_order_acquire);
    return id && age (s, id) <= s->units;
}

static struct entry *entry_at (struct store *s, uint32_t id)
{
    char *table = atomic_load_explicit (&s->table, memory_order_acquire);
    size_t at = (size_t)((id & ID_ROUND) % s->units) * UNIT;

    if (!s->flag && at < sizeof (early))
        return (struct entry *)(void *)(early + at);
    at += s->slots * sizeof (uint32_t);
    return table ? (struct entry *)(void *)(table + at) : NULL;
}

/* Its header, as it was when the id was still valid. */
static int read_entry (uint32_t id, struct entry *copy, const char **text)
{
    const struct entry *e = id ? entry_at (store_of (id), id) : NULL;

    if (!e)
        return 0;
    memcpy (copy, e, offsetof (struct entry, text));
    *text = e->text;
    return names_valid (id);
}

/* Return the first place for units in a row: all in one mapping, none with id
 * 0. */
static uint64_t first_place (const struct store *s, uint64_t at, uint32_t units)
{
    if (at % s->units + units > s->units)
        at += s->units - at % s->units;
    if ((at & ID_ROUND) == 0)
        at++;
    if (!s->flag && at % s->units < EARLY_UNITS &&
        at % s->units + units > EARLY_UNITS)
        at += EARLY_UNITS - at % s->units;
    return at;
}

/* Their place; 0 when there is none. */
static uint64_t take_units (struct store *s, uint32_t units)
{
    uint64_t head = atomic_load (&s->head), at;

    do {
        at = first_place (s, head, units);
        if (s->flag && at + units > s->units)
            return 0;
    } while (!atomic_compare_exchange_weak (&s->head, &head, at + units));
    atomic_thread_fence (memory_order_release); /* before what overwrites */
    return at;
}

/* Id of a new entry, not yet in the table; 0 without room. */
static uint32_t
names_add (struct store *s, const struct entry *like, const char *text)
{
    uint32_t bytes = (uint32_t)offsetof (struct entry, text) + like->length;
    uint64_t at;
    struct entry *e;

    at = take_units (s, (bytes + UNIT - 1) / UNIT);
    if (!at || ((s->flag || at % s->units >= EARLY_UNITS) && !memory (s)))
        return 0;
    e = entry_at (s, (uint32_t)at & ID_ROUND);
    memcpy (e, like, offsetof (struct entry, text));
    memcpy (e->text, text, like->length);
    return ((uint32_t)at & ID_ROUND) | s->flag;
}

/* --- table -------------------------------------------------------------- */

static uint32_t
names_hash_text (unsigned kind, unsigned class, const char *text, size_t length)
{
    uint64_t h = shard_checksum (text, length, kind << 8 | class);

    return (uint32_t)(h ^ h >> 32);
}

static int names_same (uint32_t id, const struct entry *like, const char *text)
{
    struct entry e;
    const char *is;

    return read_entry (id, &e, &is) && e.hash == like->hash &&
           e.length == like->length && e.kind == like->kind &&
           e.class == like->class && memcmp (is, text, like->length) == 0 &&
           names_valid (id);
}

/* A slot and what was seen in it. */
struct place {
    _Atomic uint32_t *slot;
    uint32_t id;
};

static _Atomic uint32_t *names_slot (const struct store *s,
                                     _Atomic uint32_t *table,
                                     uint32_t hash,
                                     uint32_t probe)
{
    if (s->flag && probe == 0)
        return &table[hash % KEPT_FIRST];
    return &table[(hash + probe) % s->slots];
}

/* The id of a text in its slots, or 0 and the place for it. */
static uint32_t names_find (const struct store *s,
                            _Atomic uint32_t *table,
                            const struct entry *like,
                            const char *text,
                            struct place *place)
{
    place->slot = NULL;
    for (uint32_t i = 0; i < PROBES; i++) {
        _Atomic uint32_t *slot = names_slot (s, table, like->hash, i);
        uint32_t id = atomic_load_explicit (slot, memory_order_acquire);

        if (is_fresh (s, id)) {
            if (names_same (id, like, text))
                return id;
        } else if (!place->slot)
            *place = (struct place){slot, id};
        if (!id)
            break;
    }
    if (!place->slot) { /* all in use: the first is not found any more */
        place->slot = names_slot (s, table, like->hash, 0);
        place->id = atomic_load (place->slot);
    }
    return 0;
}

/* Find a name in the table of the first names, or add it; 0 if all its slots
 * are in use. */
static uint32_t find_early (const struct entry *like, const char *text)
{
    for (uint32_t i = 0; i < EARLY_PROBES; i++) {
        _Atomic uint64_t *slot = &early_table[(like->hash + i) % EARLY_SLOTS];
        uint64_t seen = atomic_load_explicit (slot, memory_order_acquire);
        uint32_t id = (uint32_t)seen;

        if (!is_fresh (&ring, id)) {
            id = names_add (&ring, like, text);
            if (!id || atomic_compare_exchange_strong (
                           slot, &seen, (uint64_t)like->hash << 32 | id))
                return id;
            id = (uint32_t)seen; /* another thread was here */
        }
        if (seen >> 32 == like->hash && names_same (id, like, text))
            return id;
    }
    return 0;
}

static uint32_t
names_intern_store (struct store *s, const struct entry *like, const char *text)
{
    uint32_t id = s->flag ? 0 : find_early (like, text), fresh = 0;
    _Atomic uint32_t *table = id ? NULL : memory (s);

    if (id)
        return id;

    while (table) {
        struct place place;

        id = names_find (s, table, like, text, &place);
        if (id)
            return id;
        if (!fresh)
            fresh = names_add (s, like, text);
        if (!fresh ||
            atomic_compare_exchange_strong (place.slot, &place.id, fresh))
            break; /* else another thread was here: it may have the same */
    }
    return fresh;
}

/* --- going round --------------------------------------------------------- */

void names_carry_by (void (*function) (void))
{
    carry = function;
}

void names_forked (void)
{
    atomic_store (&carrying, 0);
}

/* At each quarter of the ring, what is held is looked at. */
static void names_turn (uint64_t before)
{
    uint64_t now = atomic_load (&ring.head);

    if (before / (RING_UNITS / 4) == now / (RING_UNITS / 4) || !carry ||
        atomic_exchange (&carrying, 1))
        return;
    carried = 0;
    carry ();
    atomic_store (&carrying, 0);
}

uint32_t names_carried (uint32_t id)
{
    struct entry e;
    const char *text;
    uint32_t to;

    if (!id || is_fresh (store_of (id), id))
        return id;
    if (carried > RING_UNITS / 4 || !read_entry (id, &e, &text))
        return 0;
    carried += 1u + e.length / UNIT;
    to = names_intern_store (&ring, &e, text);
    return names_valid (id) ? to : 0;
}

/* --- what others see ------------------------------------------------------ */

uint32_t names_intern (enum shard_name_kind kind,
                       enum file_class class,
                       const char *text,
                       size_t length)
{
    struct entry like = {.kind = (uint8_t)kind, .class = (uint8_t) class};
    uint64_t head = atomic_load_explicit (&ring.head, memory_order_relaxed);
    uint32_t id = 0;

    if (length > EVENT_NAME_MAX)
        length = EVENT_NAME_MAX;
    like.length = (uint16_t)length;
    like.hash = names_hash_text (kind, class, text, length);
    if (kind != SHARD_NAME_FILE)
        id = names_intern_store (&kept, &like, text);
    if (!id)
        id = names_intern_store (&ring, &like, text);
    if (!id)
        shardlive_count (&shardlive ()->lost_names, 1);
    names_turn (head);
    return id;
}

const char *names_text (uint32_t id, size_t *length, enum file_class *class)
{
    struct entry e;
    const char *text;

    if (!read_entry (id, &e, &text))
        return NULL;
    if (length)
        *length = e.length;
    if (class)
        *class = (enum file_class)e.class;
    return text;
}

enum shard_name_kind names_kind (uint32_t id)
{
    struct entry e;
    const char *text;

    return read_entry (id, &e, &text) ? (enum shard_name_kind)e.kind
                                      : SHARD_NAME_NONE;
}

/* ---- which of the last names is most like a new one ---- */

enum { WORTH = 4 }; /* bytes that saying what is shared may cost */

static uint64_t word_at (const char *p)
{
    uint64_t word;

    memcpy (&word, p, sizeof (word));
    return word;
}

/* Bytes that a and b, of n each, begin with. */
static size_t same_begin (const char *a, const char *b, size_t n)
{
    size_t i = 0;

    for (; n - i >= 8; i += 8) {
        uint64_t differ = word_at (a + i) ^ word_at (b + i);

        if (differ)
            return i + (size_t)__builtin_ctzll (differ) / 8;
    }
    while (i < n && a[i] == b[i])
        i++;
    return i;
}

/* Bytes that end at a and b, at most n, from the last backwards. */
static size_t same_end (const char *a, const char *b, size_t n)
{
    size_t i = 0;

    for (; n - i >= 8; i += 8) {
        uint64_t differ = word_at (a - i - 8) ^ word_at (b - i - 8);

        if (differ)
            return i + (size_t)__builtin_clzll (differ) / 8;
    }
    while (i < n && a[-1 - (ptrdiff_t)i] == b[-1 - (ptrdiff_t)i])
        i++;
    return i;
}

static struct event_like
compare (const char *text, size_t length, const char *base, size_t base_length)
{
    size_t n = length < base_length ? length : base_length;
    struct event_like like = {.prefix = (uint32_t)same_begin (text, base, n)};

    like.suffix =
        (uint32_t)same_end (text + length, base + base_length, n - like.prefix);
    return like;
}

int recent_find (const struct recent *r,
                 uint32_t local,
                 uint32_t id,
                 struct event_like *like)
{
    enum file_class class, base_class;
    size_t length, base_length, most = WORTH;
    const char *text = names_text (id, &length, &class);

    for (uint32_t back = 1; text && back <= RECENT_NAMES; back++) {
        uint32_t base_id = r->ids[(local - back) % RECENT_NAMES];
        const char *base = names_text (base_id, &base_length, &base_class);
        struct event_like found;

        if (!base || base_class != class ||
            names_kind (base_id) != names_kind (id))
            continue;
        found = compare (text, length, base, base_length);
        if (found.prefix + found.suffix <= most || !names_valid (base_id))
            continue;
        most = found.prefix + found.suffix;
        *like = found;
        like->back = back;
    }
    return most > WORTH;
}
