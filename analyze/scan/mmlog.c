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

void *mmlist_add (struct mmlist *l, size_t n)
{
    char *at;

    if (l->count == l->room)
        xgrow (&l->item, &l->room, l->count + 1, n, 0);
    at = (char *)l->item + l->count++ * n;
    memset (at, 0, n);
    return at;
}

static int
mmlists_append (struct mmlist *to, const struct mmlist *from, size_t n)
{
    for (size_t i = 0; i < from->count; i++) {
        void *item = mmlist_add (to, n);

        if (!item)
            return -1;
        memcpy (item, (const char *)from->item + i * n, n);
    }
    return 0;
}

/* Ordinal of a text; MM_NOBODY, errno ENOMEM on failure. */
uint32_t mmlog_ordinal (struct strmap **map, const char *text, size_t length)
{
    int isnew;
    int64_t at;

    if (!*map)
        *map = strmap_create ();
    at = strmap_intern (*map, text, length, &isnew);
    return at < 0 ? MM_NOBODY : (uint32_t)at;
}

int mmlog_size (struct mm_log *log, uint32_t op, uint64_t size)
{
    while (log->sizes.count <= op)
        if (!mmlist_add (&log->sizes, sizeof (uint64_t)))
            return -1;
    ((uint64_t *)log->sizes.item)[op] += size;
    return 0;
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

#define MOVE(LIST, TYPE, MAP, FIELD)                                       \
    for (size_t i = to->LIST.count - from->LIST.count; i < to->LIST.count; \
         i++) {                                                            \
        struct TYPE *x = (struct TYPE *)to->LIST.item + i;                 \
        x->FIELD = moved (&to->MAP, from->MAP, x->FIELD);                  \
    }

int mmlog_append (struct mm_log *to, const struct mm_log *from)
{
    const uint64_t *size = from->sizes.item;

    errno = 0;
    if (mmlists_append (&to->uses, &from->uses, sizeof (struct mm_use)) < 0 ||
        mmlists_append (&to->looks, &from->looks, sizeof (struct mm_look)) <
            0 ||
        mmlists_append (&to->faults, &from->faults, sizeof (struct mm_seen)) <
            0 ||
        mmlists_append (&to->misses, &from->misses, sizeof (struct mm_miss)) <
            0 ||
        mmlists_append (&to->parts, &from->parts, sizeof (struct mm_part)) <
            0 ||
        mmlists_append (&to->watched, &from->watched,
                        sizeof (struct mm_watch)) < 0)
        return -1;
    MOVE (looks, mm_look, files, file)
    MOVE (faults, mm_seen, files, file)
    MOVE (misses, mm_miss, files, file)
    MOVE (parts, mm_part, ops, op)
    for (size_t i = 0; i < from->sizes.count; i++) {
        uint32_t op = moved (&to->ops, from->ops, (uint32_t)i);

        if (op != MM_NOBODY && mmlog_size (to, op, size[i]) < 0)
            return -1;
    }
    if (from->mapped_at && (!to->mapped_at || from->mapped_at < to->mapped_at))
        to->mapped_at = from->mapped_at;
    to->sources |= from->sources;
    if (from->perf_errno)
        to->perf_errno = from->perf_errno;
    mm_losses_meet (&to->lost, &from->lost);
    return errno == ENOMEM ? -1 : 0;
}

int mmlog_empty (const struct mm_log *log)
{
    return !log->uses.count && !log->looks.count && !log->faults.count &&
           !log->watched.count && !log->misses.count && !log->parts.count &&
           !log->sizes.count && !log->sources && !log->mapped_at;
}

void mmlog_clear (struct mm_log *log)
{
    int saved = errno;

    free (log->uses.item);
    free (log->looks.item);
    free (log->faults.item);
    free (log->misses.item);
    free (log->parts.item);
    free (log->open.item);
    free (log->sizes.item);
    free (log->watched.item);
    strmap_destroy (log->files);
    strmap_destroy (log->ops);
    ZERO (log);
    errno = saved;
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

static int add_fault (struct mm_log *log,
                      const struct mmlog_at *at,
                      const struct usage *s,
                      uint32_t file)
{
    struct mm_seen *f = mmlist_add (&log->faults, sizeof (*f));

    if (f)
        *f = (struct mm_seen){at->start,
                              at->end,
                              (uint32_t)at->b->flags[at->i],
                              file,
                              s->value[USAGE_MINOR],
                              s->value[USAGE_READ]};
    return f ? 0 : -1;
}

static int add_watch (struct mm_log *log, const struct mmlog_at *at)
{
    struct mm_watch *w = mmlist_add (&log->watched, sizeof (*w));

    if (w)
        *w = (struct mm_watch){at->start, at->end,
                               (uint32_t)at->b->flags[at->i]};
    return w ? 0 : -1;
}

static int add_look (struct mm_log *log,
                     const struct mmlog_at *at,
                     const struct usage *s,
                     uint32_t file)
{
    struct mm_look *k = mmlist_add (&log->looks, sizeof (*k));

    if (!k)
        return -1;
    *k = (struct mm_look){.t = at->end,
                          .mapped = at->b->size[at->i],
                          .touched = s->value[USAGE_TOUCHED],
                          .cached = s->value[USAGE_CACHED],
                          .loaded = s->value[USAGE_LOADED],
                          .file = file,
                          .cached_known = says (s, USAGE_CACHED)};
    return 0;
}

static int add_use (struct mm_log *log, const struct usage *s, uint64_t t)
{
    struct mm_use *u = mmlist_add (&log->uses, sizeof (*u));

    if (u)
        *u = (struct mm_use){t, s->value[USAGE_READ], s->value[USAGE_MAJOR],
                             s->value[USAGE_OUTSIDE], s->value[USAGE_WAIT]};
    return u ? 0 : -1;
}

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

static int observation (struct mm_log *log,
                        const struct mmlog_at *at,
                        const struct usage *s)
{
    uint32_t file = mmlog_name (&log->files, at, SHARD_NAME_FILE);

    if (file == MM_NOBODY && errno == ENOMEM)
        return -1;
    switch (at->b->call[at->i]) {
    case CALL_page_fault:
        return add_fault (log, at, s, file);
    case CALL_mm_pages:
        return file == MM_NOBODY ? 0 : add_look (log, at, s, file);
    case CALL_mm_watched:
        return add_watch (log, at);
    case CALL_mm_usage:
        return add_use (log, s, at->end);
    case CALL_mm_sources:
        note_sources (log, at, s);
        return 0;
    default:
        return 0;
    }
}

/* --- calls and regions ------------------------------------------------------
 */

static uint64_t mmlog_minus (uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static int push_open (struct mm_log *log, const struct usage *s, uint64_t start)
{
    struct mm_open *o = mmlist_add (&log->open, sizeof (*o));

    if (o)
        *o = (struct mm_open){.start = start,
                              .major = s->value[USAGE_MAJOR],
                              .read = s->value[USAGE_READ],
                              .wait_us = s->value[USAGE_WAIT],
                              .system_us = s->value[USAGE_SYSTEM],
                              .quick = s->value[USAGE_CALLS]};
    return o ? 0 : -1;
}

static int
add_miss (struct mm_log *log, uint64_t t, uint64_t bytes, uint32_t file)
{
    struct mm_miss *m = bytes ? mmlist_add (&log->misses, sizeof (*m)) : NULL;

    if (m)
        *m = (struct mm_miss){t, bytes, file, 0};
    return m || !bytes ? 0 : -1;
}

/* A call that maps, or that finds its data in a mapping, reads by faults. */
static int
slow_call (struct mm_log *log, const struct mmlog_at *at, const struct usage *s)
{
    int class = call_table[at->b->call[at->i]].class;
    struct mm_miss *m;

    if (add_miss (log, at->end, s->value[USAGE_CALLS], MM_NOBODY) < 0 ||
        !(m = mmlist_add (&log->misses, sizeof (*m))))
        return -1;
    m->t = at->end;
    m->bytes = s->value[USAGE_READ];
    m->file = MM_NOBODY;
    m->mapped = class == CALL_CLASS_MAP ||
                (class == CALL_CLASS_WRITE && s->value[USAGE_MAJOR] > 0);
    if (class != CALL_CLASS_WRITE)
        m->file = mmlog_name (&log->files, at, SHARD_NAME_FILE);
    return m->mapped ? 0 : push_open (log, s, at->start);
}

static int
region (struct mm_log *log, const struct mmlog_at *at, const struct usage *s)
{
    const struct mm_open *open = log->open.item;
    struct mm_part p = {.start = at->start,
                        .end = at->end,
                        .major = s->value[USAGE_MAJOR],
                        .read = s->value[USAGE_READ],
                        .wait_us = s->value[USAGE_WAIT],
                        .system_us = s->value[USAGE_SYSTEM],
                        .tid = at->b->tid};
    uint64_t quick = s->value[USAGE_CALLS];
    struct mm_part *to;

    p.op = mmlog_name (&log->ops, at, SHARD_NAME_EVENT);
    if (p.op == MM_NOBODY)
        return errno == ENOMEM ? -1 : 0;
    if (s->size && mmlog_size (log, p.op, s->size) < 0)
        return -1;
    if (!says (s, USAGE_MAJOR) && !says (s, USAGE_READ) &&
        !says (s, USAGE_WAIT))
        return 0;
    while (log->open.count && open[log->open.count - 1].start >= at->start) {
        const struct mm_open *o = &open[--log->open.count];

        p.major = mmlog_minus (p.major, o->major);
        p.read = mmlog_minus (p.read, o->read);
        p.wait_us = mmlog_minus (p.wait_us, o->wait_us);
        p.system_us = mmlog_minus (p.system_us, o->system_us);
        quick = mmlog_minus (quick, o->quick);
    }
    p.read = mmlog_minus (p.read, quick);
    if (add_miss (log, at->end, quick, MM_NOBODY) < 0)
        return -1;
    if (p.major || p.read || p.wait_us) {
        if (!(to = mmlist_add (&log->parts, sizeof (*to))))
            return -1;
        *to = p;
    }
    return push_open (log, s, at->start);
}

static void note_map (struct mm_log *log, const struct mmlog_at *at)
{
    const struct dict_entry *e = dict_entry (at->dict, at->b->name[at->i]);

    if (at->b->error[at->i] == 0 && e && e->class == FILE_CLASS_STORAGE &&
        (!log->mapped_at || at->end < log->mapped_at))
        log->mapped_at = at->end;
}

int mmlog_event (struct mm_log *log,
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
        return 0;
    errno = 0;
    mmlog_hear (&s, &at);
    if (category == CALL_CATEGORY_MMAP)
        return observation (log, &at, &s);
    if (b->call[i] == CALL_region)
        return region (log, &at, &s);
    if (category != CALL_CATEGORY_APP && s.has)
        return slow_call (log, &at, &s);
    return 0;
}

/* The lists of struct mm_log, in the order of the bytes. */
#define LISTS                \
    LIST (uses, mm_use)      \
    LIST (looks, mm_look)    \
    LIST (faults, mm_seen)   \
    LIST (misses, mm_miss)   \
    LIST (parts, mm_part)    \
    LIST (watched, mm_watch) \
    LIST (sizes, mm_bytes_used)

struct mm_bytes_used {
    uint64_t bytes;
};

uint64_t mmlog_layout (void)
{
    uint64_t sum = 0;

#define LIST(FIELD, TYPE) sum = sum * 1000 + sizeof (struct TYPE);
    LISTS
#undef LIST
    return sum;
}

/* --- writing -------------------------------------------------------------- */

static void
mmpack_pack_list (struct packer *p, const struct mmlist *l, size_t n)
{
    pack_uint (p, l->count);
    pack_bytes (p, l->item, l->count * n);
}

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
#define LIST(FIELD, TYPE) \
    mmpack_pack_list (p, &log->FIELD, sizeof (struct TYPE));
    LISTS
#undef LIST
    pack_uint (p, log->mapped_at);
    pack_uint (p, log->sources);
    pack_uint (p, log->perf_errno);
#define LOSS(FIELD, ROW) pack_uint (p, log->lost.FIELD);
    MM_LOSSES
#undef LOSS
}

/* --- reading -------------------------------------------------------------- */

static int unpack_list (struct unpacker *u, struct mmlist *l, size_t n)
{
    uint64_t count = unpack_uint (u);

    for (uint64_t i = 0; i < count && !u->bad; i++) {
        void *item = mmlist_add (l, n);

        if (!item)
            return -1;
        unpack_bytes (u, item, n);
    }
    return u->bad ? -1 : 0;
}

static int unpack_map (struct unpacker *u, struct strmap **m)
{
    uint64_t count = unpack_uint (u);
    int isnew;

    if (count && !u->bad)
        *m = strmap_create ();
    for (uint64_t i = 0; i < count && !u->bad; i++) {
        size_t n;
        const char *key = unpack_text (u, &n);

        if (key)
            strmap_intern (*m, key, n, &isnew);
        if (key && !isnew)
            u->bad = 1;
    }
    return u->bad ? -1 : 0;
}

static int mmpack_known (uint32_t at, const struct strmap *m)
{
    return at == MM_NOBODY || (m && at < strmap_count (m));
}

#define CHECK(LIST, TYPE, FIELD, MAP)                                      \
    for (size_t i = 0; i < log->LIST.count; i++)                           \
        if (!mmpack_known (((const struct TYPE *)log->LIST.item)[i].FIELD, \
                           log->MAP))                                      \
            return 0;

/* Does every ordinal stand for something? */
static int makes_sense (const struct mm_log *log)
{
    CHECK (looks, mm_look, file, files)
    CHECK (faults, mm_seen, file, files)
    CHECK (misses, mm_miss, file, files)
    CHECK (parts, mm_part, op, ops)
    for (size_t i = 0; i < log->looks.count; i++)
        if (((const struct mm_look *)log->looks.item)[i].file == MM_NOBODY)
            return 0;
    for (size_t i = 0; i < log->parts.count; i++)
        if (((const struct mm_part *)log->parts.item)[i].op == MM_NOBODY)
            return 0;
    return log->sizes.count <= (log->ops ? strmap_count (log->ops) : 0);
}

int mmlog_unpack (struct unpacker *u, struct mm_log *log)
{
    if (!mmlog_empty (log)) {
        u->bad = 1;
        return -1;
    }
    if (unpack_map (u, &log->files) < 0 || unpack_map (u, &log->ops) < 0)
        return -1;
#define LIST(FIELD, TYPE)                                       \
    if (unpack_list (u, &log->FIELD, sizeof (struct TYPE)) < 0) \
        return -1;
    LISTS
#undef LIST
    log->mapped_at = unpack_uint (u);
    log->sources = (unsigned)unpack_uint (u);
    log->perf_errno = (int)unpack_uint (u);
#define LOSS(FIELD, ROW) log->lost.FIELD = unpack_uint (u);
    MM_LOSSES
#undef LOSS
    if (!u->bad && !makes_sense (log))
        u->bad = 1;
    return u->bad ? -1 : 0;
}
