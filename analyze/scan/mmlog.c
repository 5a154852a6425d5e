/* SPDX-License-Identifier: MIT
 *
 * mmlog.c - events -> lists of what layer mmap says
 */
#include "config.h"

#include "analyze/scan/mmlog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format/calls.h"

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

struct said {
    uint64_t value[USAGE_COUNT];
    unsigned has; /* bits 1 << enum usage_key */
    uint64_t size;
};

static void mmlog_hear (struct said *s, const struct mmlog_at *at)
{
    const struct batch *b = at->b;

    memset (s, 0, sizeof (*s));
    for (uint32_t a = b->arg[at->i]; a < b->arg[at->i + 1]; a++) {
        const struct batch_arg *arg = &b->args[a];
        unsigned key = arg->key ? dict_entry (at->dict, arg->key)->key : 0;

        if (arg->type != EVENT_ARG_INT || arg->i < 0)
            continue;
        if (key == DICT_KEY_IMAGE_SIZE)
            s->size = (uint64_t)arg->i;
        else if (key >= DICT_KEY_USAGE) {
            s->value[key - DICT_KEY_USAGE] = (uint64_t)arg->i;
            s->has |= 1u << (key - DICT_KEY_USAGE);
        }
    }
}

static int says (const struct said *s, enum usage_key key)
{
    return s->has >> key & 1;
}

/* --- observations ----------------------------------------------------------
 */

static int add_fault (struct mm_log *log,
                      const struct mmlog_at *at,
                      const struct said *s,
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
                     const struct said *s,
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

static int add_use (struct mm_log *log, const struct said *s, uint64_t t)
{
    struct mm_use *u = mmlist_add (&log->uses, sizeof (*u));

    if (u)
        *u = (struct mm_use){t, s->value[USAGE_READ], s->value[USAGE_MAJOR],
                             s->value[USAGE_OUTSIDE], s->value[USAGE_WAIT]};
    return u ? 0 : -1;
}

static void note_sources (struct mm_log *log,
                          const struct mmlog_at *at,
                          const struct said *s)
{
    struct mm_losses said;

    log->sources |= (unsigned)at->b->flags[at->i];
    if (says (s, USAGE_ERRNO))
        log->perf_errno = (int)s->value[USAGE_ERRNO];
#define LOSS(FIELD, ROW) said.FIELD = s->value[USAGE_##ROW];
#include "lib/format/mmlosses.def"
#undef LOSS
    mm_losses_meet (&log->lost, &said);
}

static int observation (struct mm_log *log,
                        const struct mmlog_at *at,
                        const struct said *s)
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

static int push_open (struct mm_log *log, const struct said *s, uint64_t start)
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
slow_call (struct mm_log *log, const struct mmlog_at *at, const struct said *s)
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
region (struct mm_log *log, const struct mmlog_at *at, const struct said *s)
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
    struct said s;

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
