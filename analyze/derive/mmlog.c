/* SPDX-License-Identifier: MIT
 *
 * mmlog.c - events -> lists of what layer mmap says
 */
#include "config.h"

#include "analyze/derive/mmlog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/core/calls.h"

static uint32_t name_of (struct strmap **map,
                         const struct decoder *d,
                         uint32_t id,
                         enum shard_name_kind kind)
{
    const struct name *name = decoder_name (d, id);

    if (!name || name->kind != kind)
        return MM_NOBODY;
    return mmlog_ordinal (map, name->text, name->length);
}

/* --- arguments -------------------------------------------------------------
 */

struct said {
    uint64_t value[USAGE_COUNT];
    unsigned has; /* bits 1 << enum usage_key */
    uint64_t size;
};

static int is_text (const struct name *name, const char *text)
{
    return name->length == strlen (text) &&
           memcmp (name->text, text, name->length) == 0;
}

static void
listen (struct said *s, const struct event_arg *arg, const struct name *key)
{
    if (is_text (key, "image_size"))
        s->size = (uint64_t)arg->i;
    if (key->length < 3 || memcmp (key->text, "mm.", 3) != 0)
        return;
    for (int i = 0; i < USAGE_COUNT; i++)
        if (is_text (key, usage_keys[i])) {
            s->value[i] = (uint64_t)arg->i;
            s->has |= 1u << i;
        }
}

static void
hear (struct said *s, const struct event *ev, const struct decoder *d)
{
    memset (s, 0, sizeof (*s));
    for (int i = 0; i < ev->nargs; i++) {
        const struct event_arg *arg = &ev->args[i];
        const struct name *key = decoder_name (d, arg->key);

        if (key && arg->type == EVENT_ARG_INT && arg->i >= 0)
            listen (s, arg, key);
    }
}

static int says (const struct said *s, enum usage_key key)
{
    return s->has >> key & 1;
}

/* --- observations ----------------------------------------------------------
 */

static int add_fault (struct mm_log *log,
                      const struct event *ev,
                      uint32_t file,
                      uint64_t start,
                      uint64_t end)
{
    struct mm_seen *f = mmlist_add (&log->faults, sizeof (*f));

    if (f)
        *f = (struct mm_seen){start, end, (uint32_t)ev->flags, file};
    return f ? 0 : -1;
}

static int add_look (struct mm_log *log,
                     const struct event *ev,
                     const struct said *s,
                     uint32_t file,
                     uint64_t t)
{
    struct mm_look *k = mmlist_add (&log->looks, sizeof (*k));

    if (!k)
        return -1;
    *k = (struct mm_look){.t = t,
                          .mapped = ev->size,
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
        *u = (struct mm_use){t, s->value[USAGE_READ], s->value[USAGE_MAJOR]};
    return u ? 0 : -1;
}

static void
note_sources (struct mm_log *log, const struct event *ev, const struct said *s)
{
    log->sources |= (unsigned)ev->flags;
    if (says (s, USAGE_ERRNO))
        log->perf_errno = (int)s->value[USAGE_ERRNO];
    if (s->value[USAGE_LOST_MAPS] > log->lost_maps)
        log->lost_maps = s->value[USAGE_LOST_MAPS];
    if (s->value[USAGE_LOST_FAULTS] > log->lost_faults)
        log->lost_faults = s->value[USAGE_LOST_FAULTS];
}

static int observation (struct mm_log *log,
                        const struct event *ev,
                        const struct decoder *d,
                        const struct said *s,
                        uint64_t start,
                        uint64_t end)
{
    uint32_t file = MM_NOBODY;

    if (ev->file)
        file = name_of (&log->files, d, ev->file, SHARD_NAME_FILE);
    if (ev->file && file == MM_NOBODY && errno == ENOMEM)
        return -1;
    switch (ev->call) {
    case CALL_page_fault:
        return add_fault (log, ev, file, start, end);
    case CALL_mm_pages:
        return file == MM_NOBODY ? 0 : add_look (log, ev, s, file, end);
    case CALL_mm_usage:
        return add_use (log, s, end);
    case CALL_mm_sources:
        note_sources (log, ev, s);
        return 0;
    default:
        return 0;
    }
}

/* --- calls and regions ------------------------------------------------------
 */

static uint64_t minus (uint64_t a, uint64_t b)
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
static int slow_call (struct mm_log *log,
                      const struct event *ev,
                      const struct decoder *d,
                      const struct said *s,
                      uint64_t start,
                      uint64_t end)
{
    int class = call_table[ev->call].class;
    struct mm_miss *m;

    if (add_miss (log, end, s->value[USAGE_CALLS], MM_NOBODY) < 0 ||
        !(m = mmlist_add (&log->misses, sizeof (*m))))
        return -1;
    m->t = end;
    m->bytes = s->value[USAGE_READ];
    m->file = MM_NOBODY;
    m->mapped = class == CALL_CLASS_MAP ||
                (class == CALL_CLASS_WRITE && s->value[USAGE_MAJOR] > 0);
    if (class != CALL_CLASS_WRITE)
        m->file = name_of (&log->files, d, ev->file, SHARD_NAME_FILE);
    return m->mapped ? 0 : push_open (log, s, start);
}

static int region (struct mm_log *log,
                   const struct event *ev,
                   const struct decoder *d,
                   const struct said *s,
                   uint32_t tid,
                   uint64_t start,
                   uint64_t end)
{
    const struct mm_open *open = log->open.item;
    struct mm_part p = {.start = start,
                        .end = end,
                        .major = s->value[USAGE_MAJOR],
                        .read = s->value[USAGE_READ],
                        .wait_us = s->value[USAGE_WAIT],
                        .system_us = s->value[USAGE_SYSTEM],
                        .tid = tid};
    uint64_t quick = s->value[USAGE_CALLS];
    struct mm_part *to;

    p.op = name_of (&log->ops, d, ev->file, SHARD_NAME_EVENT);
    if (p.op == MM_NOBODY)
        return errno == ENOMEM ? -1 : 0;
    if (s->size && mmlog_size (log, p.op, s->size) < 0)
        return -1;
    if (!says (s, USAGE_MAJOR) && !says (s, USAGE_READ))
        return 0;
    while (log->open.count && open[log->open.count - 1].start >= start) {
        const struct mm_open *o = &open[--log->open.count];

        p.major = minus (p.major, o->major);
        p.read = minus (p.read, o->read);
        p.wait_us = minus (p.wait_us, o->wait_us);
        p.system_us = minus (p.system_us, o->system_us);
        quick = minus (quick, o->quick);
    }
    p.read = minus (p.read, quick);
    if (add_miss (log, end, quick, MM_NOBODY) < 0)
        return -1;
    if (p.major || p.read) {
        if (!(to = mmlist_add (&log->parts, sizeof (*to))))
            return -1;
        *to = p;
    }
    return push_open (log, s, start);
}

static void note_map (struct mm_log *log,
                      const struct event *ev,
                      const struct decoder *d,
                      uint64_t t)
{
    const struct name *name = decoder_name (d, ev->file);

    if (ev->err == 0 && name && name->class == FILE_CLASS_STORAGE &&
        (!log->mapped_at || t < log->mapped_at))
        log->mapped_at = t;
}

int mmlog_event (struct mm_log *log,
                 const struct event *ev,
                 const struct decoder *d,
                 uint32_t tid,
                 uint64_t start,
                 uint64_t end)
{
    int category = call_table[ev->call].category;
    struct said s;

    if (ev->call == CALL_mmap)
        note_map (log, ev, d, end);
    if (category != CALL_CATEGORY_MMAP && ev->nargs == 0)
        return 0;
    errno = 0;
    hear (&s, ev, d);
    if (category == CALL_CATEGORY_MMAP)
        return observation (log, ev, d, &s, start, end);
    if (ev->call == CALL_region)
        return region (log, ev, d, &s, tid, start, end);
    if (category != CALL_CATEGORY_APP && s.has)
        return slow_call (log, ev, d, &s, start, end);
    return 0;
}
