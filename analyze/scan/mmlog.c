/* SPDX-License-Identifier: MIT
 *
 * mmlog.c - events of layer mmap -> lists of a thread or process
 *
 * In:  events with arguments of usage.def, page_fault, mm_* events
 * Out: lists, to mmjoin.c; their form in partial results
 */
#include "config.h"

#include "analyze/scan/mmlog.h"
#include "lib/base/array.h"
#include "lib/format/calls.h"
#include "lib/util/xalloc.h"

/* --- lists ---------------------------------------------------------------- */

struct mm_bytes_used {
    uint64_t bytes;
};

/* The lists of struct mm_log, in the order of the bytes. */
static const struct mmlog_list {
    size_t list; /* offset in struct mm_log */
    size_t size; /* of an item */
    size_t map;  /* offset of the map that an item's ordinal is of; 0: none */
    size_t ordinal; /* offset in an item */
    int named;      /* MM_NOBODY would be damage */
} mmlog_lists[] = {
#define LIST(FIELD, TYPE) \
    .list = offsetof (struct mm_log, FIELD), .size = sizeof (struct TYPE)
#define NAMED(TYPE, FIELD, MAP)           \
    .map = offsetof (struct mm_log, MAP), \
    .ordinal = offsetof (struct TYPE, FIELD)
    {LIST (uses, mm_use)},
    {LIST (looks, mm_look), NAMED (mm_look, file, files), .named = 1},
    {LIST (faults, mm_seen), NAMED (mm_seen, file, files)},
    {LIST (misses, mm_miss), NAMED (mm_miss, file, files)},
    {LIST (parts, mm_part), NAMED (mm_part, op, ops), .named = 1},
    {LIST (watched, mm_watch)},
    {LIST (sizes, mm_bytes_used)},
#undef LIST
#undef NAMED
};

enum {
    MMLOG_SIZES = ITEMS (mmlog_lists) - 1 /* whose items have an op each */
};

static struct mmlist *mmlog_list_of (const struct mm_log *log, size_t list)
{
    return (void *)((char *)(uintptr_t)log + mmlog_lists[list].list);
}

static struct strmap **mmlog_map_of (const struct mm_log *log, size_t list)
{
    return (void *)((char *)(uintptr_t)log + mmlog_lists[list].map);
}

/* The ordinal of item i. */
static uint32_t *
mmlog_ordinal_of (const struct mm_log *log, size_t list, size_t i)
{
    const struct mmlog_list *l = &mmlog_lists[list];

    return (void *)((char *)mmlog_list_of (log, list)->item + i * l->size +
                    l->ordinal);
}

void *mmlist_add (struct mmlist *l, size_t n)
{
    if (l->count == l->room)
        xgrow (&l->item, &l->room, l->count + 1, n, 0);
    return memset ((char *)l->item + l->count++ * n, 0, n);
}

/* One more item, which is assigned. */
#define MMLOG_ADD(LIST, TYPE) \
    *(struct TYPE *)mmlist_add (LIST, sizeof (struct TYPE))

uint32_t mmlog_ordinal (struct strmap **map, const char *text, size_t length)
{
    if (!*map)
        *map = strmap_create ();
    return (uint32_t)strmap_intern (*map, text, length, NULL);
}

void mmlog_size (struct mm_log *log, uint32_t op, uint64_t size)
{
    while (log->sizes.count <= op)
        mmlist_add (&log->sizes, sizeof (size));
    ((uint64_t *)log->sizes.item)[op] += size;
}

/* --- merging ----------------------------------------------------------------
 */

static uint32_t
moved (struct strmap **to, const struct strmap *from, uint32_t at)
{
    size_t length;
    const char *text;

    if (at == MM_NOBODY)
        return at;
    text = strmap_key (from, at, &length);
    return mmlog_ordinal (to, text, length);
}

static void
mmlog_append_list (struct mm_log *to, const struct mm_log *from, size_t list)
{
    const struct mmlog_list *l = &mmlog_lists[list];
    const struct mmlist *more = mmlog_list_of (from, list);
    struct mmlist *all = mmlog_list_of (to, list);

    for (size_t i = 0; i < more->count; i++) {
        uint32_t *at;

        memcpy (mmlist_add (all, l->size), (char *)more->item + i * l->size,
                l->size);
        if (!l->map)
            continue;
        at = mmlog_ordinal_of (to, list, all->count - 1);
        *at = moved (mmlog_map_of (to, list), *mmlog_map_of (from, list), *at);
    }
}

void mmlog_append (struct mm_log *to, const struct mm_log *from)
{
    const uint64_t *size = from->sizes.item;

    for (size_t i = 0; i < MMLOG_SIZES; i++)
        mmlog_append_list (to, from, i);
    for (size_t i = 0; i < from->sizes.count; i++)
        mmlog_size (to, moved (&to->ops, from->ops, (uint32_t)i), size[i]);
    if (from->mapped_at && (!to->mapped_at || from->mapped_at < to->mapped_at))
        to->mapped_at = from->mapped_at;
    to->sources |= from->sources;
    if (from->perf_errno)
        to->perf_errno = from->perf_errno;
    mm_losses_meet (&to->lost, &from->lost);
}

int mmlog_empty (const struct mm_log *log)
{
    for (size_t i = 0; i < ITEMS (mmlog_lists); i++)
        if (mmlog_list_of (log, i)->count)
            return 0;
    return !log->sources && !log->mapped_at;
}

void mmlog_clear (struct mm_log *log)
{
    for (size_t i = 0; i < ITEMS (mmlog_lists); i++)
        free (mmlog_list_of (log, i)->item);
    free (log->open.item);
    strmap_destroy (log->files);
    strmap_destroy (log->ops);
    ZERO (log);
}

/* An event on its way. */
struct mmlog_at {
    const struct dict *dict;
    const struct batch *b;
    size_t i;
    uint64_t start, end;
};

static uint32_t mmlog_name (struct strmap **map,
                            const struct mmlog_at *at,
                            enum shard_name_kind kind)
{
    const struct dict_entry *e =
        dict_entry_of (at->dict, at->b->name[at->i], kind);

    return e ? mmlog_ordinal (map, e->text, e->length) : MM_NOBODY;
}

/* --- arguments -------------------------------------------------------------
 */

struct usage {
    uint64_t value[USAGE_COUNT];
    uint64_t has; /* bits 1 << enum usage_key */
    uint64_t size;
};

static void mmlog_hear (struct usage *s, const struct mmlog_at *at)
{
    const struct batch *b = at->b;

    ZERO (s);
    for (uint32_t a = b->arg[at->i]; a < b->arg[at->i + 1]; a++) {
        const struct batch_arg *arg = &b->args[a];
        unsigned key = arg->key ? dict_entry (at->dict, arg->key)->key : 0;

        if (arg->type != EVENT_ARG_INT || arg->i < 0)
            continue;
        if (key == DICT_KEY_IMAGE_SIZE)
            s->size = arg->i;
        else if (key >= DICT_KEY_USAGE) {
            s->value[key - DICT_KEY_USAGE] = arg->i;
            s->has |= (uint64_t)1 << (key - DICT_KEY_USAGE);
        }
    }
}

static int says (const struct usage *s, enum usage_key key)
{
    return s->has >> key & 1;
}

/* --- observations ----------------------------------------------------------
 */

static void note_sources (struct mm_log *log,
                          const struct mmlog_at *at,
                          const struct usage *s)
{
    struct mm_losses losses;

    log->sources |= (unsigned)at->b->flags[at->i];
    if (says (s, USAGE_ERRNO))
        log->perf_errno = (int)s->value[USAGE_ERRNO];
#define LOSS(FIELD, ROW) losses.FIELD = s->value[USAGE_##ROW];
    MM_LOSSES
#undef LOSS
    mm_losses_meet (&log->lost, &losses);
}

static void observation (struct mm_log *log,
                         const struct mmlog_at *at,
                         const struct usage *s)
{
    uint32_t file = mmlog_name (&log->files, at, SHARD_NAME_FILE);
    uint32_t tid = (uint32_t)at->b->flags[at->i];

    switch (at->b->call[at->i]) {
    case CALL_page_fault:
        MMLOG_ADD (&log->faults, mm_seen) = (struct mm_seen){
            at->start,           at->end, tid, file, s->value[USAGE_MINOR],
            s->value[USAGE_READ]};
        break;
    case CALL_mm_pages:
        if (file != MM_NOBODY)
            MMLOG_ADD (&log->looks, mm_look) =
                (struct mm_look){.t = at->end,
                                 .mapped = at->b->size[at->i],
                                 .touched = s->value[USAGE_TOUCHED],
                                 .cached = s->value[USAGE_CACHED],
                                 .loaded = s->value[USAGE_LOADED],
                                 .file = file,
                                 .cached_known = says (s, USAGE_CACHED)};
        break;
    case CALL_mm_watched:
        MMLOG_ADD (&log->watched, mm_watch) =
            (struct mm_watch){at->start, at->end, tid};
        break;
    case CALL_mm_usage:
        MMLOG_ADD (&log->uses, mm_use) = (struct mm_use){
            at->end, s->value[USAGE_READ], s->value[USAGE_MAJOR],
            s->value[USAGE_OUTSIDE], s->value[USAGE_WAIT]};
        break;
    case CALL_mm_sources:
        note_sources (log, at, s);
        break;
    default:
        break;
    }
}

/* --- calls and regions ------------------------------------------------------
 */

static uint64_t mmlog_minus (uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static void
push_open (struct mm_log *log, const struct usage *s, uint64_t start)
{
    MMLOG_ADD (&log->open, mm_open) =
        (struct mm_open){.start = start,
                         .major = s->value[USAGE_MAJOR],
                         .read = s->value[USAGE_READ],
                         .wait_us = s->value[USAGE_WAIT],
                         .system_us = s->value[USAGE_SYSTEM],
                         .quick = s->value[USAGE_CALLS]};
}

/* Bytes that quick calls had. */
static void add_miss (struct mm_log *log, uint64_t t, uint64_t bytes)
{
    if (bytes)
        MMLOG_ADD (&log->misses, mm_miss) =
            (struct mm_miss){t, bytes, MM_NOBODY, 0};
}

/* A call that maps, or that finds its data in a mapping, reads by faults. */
static void
slow_call (struct mm_log *log, const struct mmlog_at *at, const struct usage *s)
{
    int class = call_table[at->b->call[at->i]].class;
    struct mm_miss m = {
        .t = at->end,
        .bytes = s->value[USAGE_READ],
        .file = MM_NOBODY,
        .mapped = class == CALL_CLASS_MAP ||
                  (class == CALL_CLASS_WRITE && s->value[USAGE_MAJOR] > 0)};

    if (class != CALL_CLASS_WRITE)
        m.file = mmlog_name (&log->files, at, SHARD_NAME_FILE);
    add_miss (log, at->end, s->value[USAGE_CALLS]);
    MMLOG_ADD (&log->misses, mm_miss) = m;
    if (!m.mapped)
        push_open (log, s, at->start);
}

static void
region (struct mm_log *log, const struct mmlog_at *at, const struct usage *s)
{
    const struct mm_open *open = log->open.item;
    struct mm_part p = {.start = at->start,
                        .end = at->end,
                        .major = s->value[USAGE_MAJOR],
                        .read = s->value[USAGE_READ],
                        .wait_us = s->value[USAGE_WAIT],
                        .system_us = s->value[USAGE_SYSTEM],
                        .op = mmlog_name (&log->ops, at, SHARD_NAME_EVENT),
                        .tid = at->b->tid};
    uint64_t quick = s->value[USAGE_CALLS];

    if (p.op == MM_NOBODY)
        return;
    if (s->size)
        mmlog_size (log, p.op, s->size);
    if (!says (s, USAGE_MAJOR) && !says (s, USAGE_READ) &&
        !says (s, USAGE_WAIT))
        return;
    while (log->open.count && open[log->open.count - 1].start >= at->start) {
        const struct mm_open *o = &open[--log->open.count];

        p.major = mmlog_minus (p.major, o->major);
        p.read = mmlog_minus (p.read, o->read);
        p.wait_us = mmlog_minus (p.wait_us, o->wait_us);
        p.system_us = mmlog_minus (p.system_us, o->system_us);
        quick = mmlog_minus (quick, o->quick);
    }
    p.read = mmlog_minus (p.read, quick);
    add_miss (log, at->end, quick);
    if (p.major || p.read || p.wait_us)
        MMLOG_ADD (&log->parts, mm_part) = p;
    push_open (log, s, at->start);
}

static void note_map (struct mm_log *log, const struct mmlog_at *at)
{
    const struct dict_entry *e = dict_entry (at->dict, at->b->name[at->i]);

    if (at->b->error[at->i] == 0 && e && e->class == FILE_CLASS_STORAGE &&
        (!log->mapped_at || at->end < log->mapped_at))
        log->mapped_at = at->end;
}

void mmlog_event (struct mm_log *log,
                  const struct dict *dict,
                  const struct batch *b,
                  size_t i)
{
    struct mmlog_at at = {dict, b, i, b->start[i], b->end[i]};
    int category = call_table[b->call[i]].category;
    struct usage s;

    if (b->call[i] == CALL_mmap)
        note_map (log, &at);
    if (category != CALL_CATEGORY_MMAP && b->arg[i] == b->arg[i + 1])
        return;
    mmlog_hear (&s, &at);
    if (category == CALL_CATEGORY_MMAP)
        observation (log, &at, &s);
    else if (b->call[i] == CALL_region)
        region (log, &at, &s);
    else if (category != CALL_CATEGORY_APP && s.has)
        slow_call (log, &at, &s);
}

uint64_t mmlog_layout (void)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < ITEMS (mmlog_lists); i++)
        sum = sum * 1000 + mmlog_lists[i].size;
    return sum;
}

/* --- writing -------------------------------------------------------------- */

static void pack_map (struct packer *p, const struct strmap *m)
{
    size_t count = m ? strmap_count (m) : 0, n;

    pack_uint (p, count);
    for (size_t i = 0; i < count; i++) {
        const char *key = strmap_key (m, i, &n);

        pack_uint (p, n);
        pack_bytes (p, key, n);
    }
}

void mmlog_pack (struct packer *p, const struct mm_log *log)
{
    pack_map (p, log->files);
    pack_map (p, log->ops);
    for (size_t i = 0; i < ITEMS (mmlog_lists); i++) {
        const struct mmlist *l = mmlog_list_of (log, i);

        pack_uint (p, l->count);
        pack_bytes (p, l->item, l->count * mmlog_lists[i].size);
    }
    pack_uint (p, log->mapped_at);
    pack_uint (p, log->sources);
    pack_uint (p, log->perf_errno);
#define LOSS(FIELD, ROW) pack_uint (p, log->lost.FIELD);
    MM_LOSSES
#undef LOSS
}

/* --- reading -------------------------------------------------------------- */

static void unpack_map (struct unpacker *u, struct strmap **m)
{
    uint64_t count = unpack_uint (u);
    int isnew = 1;

    for (uint64_t i = 0; i < count && !u->bad; i++) {
        size_t n;
        const char *key = unpack_text (u, &n);

        if (!*m)
            *m = strmap_create ();
        if (key)
            strmap_intern (*m, key, n, &isnew);
        u->bad |= !isnew;
    }
}

/* Each ordinal must stand for something. */
static void unpack_list (struct unpacker *u, struct mm_log *log, size_t list)
{
    const struct mmlog_list *l = &mmlog_lists[list];
    const struct strmap *map = l->map ? *mmlog_map_of (log, list) : NULL;
    uint64_t count = unpack_uint (u);

    for (uint64_t i = 0; i < count && !u->bad; i++) {
        uint32_t at;

        unpack_bytes (u, mmlist_add (mmlog_list_of (log, list), l->size),
                      l->size);
        if (!l->map)
            continue;
        at = *mmlog_ordinal_of (log, list, i);
        u->bad |= at == MM_NOBODY ? l->named : !map || at >= strmap_count (map);
    }
}

int mmlog_unpack (struct unpacker *u, struct mm_log *log)
{
    u->bad |= !mmlog_empty (log);
    if (u->bad)
        return -1;
    unpack_map (u, &log->files);
    unpack_map (u, &log->ops);
    for (size_t i = 0; i < ITEMS (mmlog_lists); i++)
        unpack_list (u, log, i);
    log->mapped_at = unpack_uint (u);
    log->sources = (unsigned)unpack_uint (u);
    log->perf_errno = (int)unpack_uint (u);
#define LOSS(FIELD, ROW) log->lost.FIELD = unpack_uint (u);
    MM_LOSSES
#undef LOSS
    u->bad |= log->sizes.count > (log->ops ? strmap_count (log->ops) : 0);
    return u->bad ? -1 : 0;
}
