/* SPDX-License-Identifier: MIT
 *
 * prof.c - one finished call or region -> the counters of its rows
 *
 * In:  struct record with ids of names_intern
 * Out: counters in blocks of the shard
 * Caveat: runs in the user's thread; no malloc, lock or stdio. A counter
 *         changes by one store, so that a death at any instruction leaves each
 *         as it was before this call or after it.
 */

/* Design. A profile instead of events (layer word profile, preload/record/).
 * The way of an event ends in prof_record instead of an encoder: one row of
 * counters for each thread, call and file (profile.def), one of places for
 * each file (enum profile_place), histograms for each call in groups of 16
 * buckets, which are made when a value falls into them. All lie in blocks of
 * type SHARD_BLOCK_PROFILE, which are chunks like others: a shared mapping of
 * the node's file, first a page, then each twice as long. A block is a thread's
 * own, so that no counter is shared, locked or added to by atomic
 * operations; readers add up threads. A record is committed with one store
 * when it is new; from then on each counter changes by a store of 8 bytes:
 * after a SIGKILL it has what was counted up to then. Rows are found by a
 * small table of the last ones, then by an index with open addressing in
 * memory that a child of fork does not get, as it does not get the blocks:
 * it begins anew like any child. When a thread ends, its blocks wait for the
 * next new thread. A process takes at most 4 MiB: files for which there is
 * no row any more are counted by the pattern of their path (digits become
 * #), then by directory, then all as one; such names are flagged. Durations
 * become nanoseconds as in the decoder, by pairs of the clock that are taken
 * at the same intervals. */

#include "config.h"

#include <sys/mman.h>

#include "lib/base/text.h"
#include "lib/base/clock.h"
#include "lib/format/calls.h"
#include "lib/format/event.h"
#include "preload/record/detailnow.h"
#include "preload/record/prof.h"
#include "preload/record/profcount.h"
#include "preload/record/tbuf.h"
#include "preload/record/usage.h"

/* --- time ----------------------------------------------------------------- */

/* A pair, as often as a chunk of events would have one. */
static __attribute__ ((noinline)) void prof_clock (struct prof *p)
{
    struct clock_pair pair;

    p->due = prof_look (p);
    if (!clock_known ())
        return;
    pair = clock_pair ();
    if (p->due > pair.tick + clock_interval (&pair))
        p->due = pair.tick + clock_interval (&pair);
    p->pair_tick = pair.tick;
    p->pair_ns = pair.ns;
    p->scale = ((uint64_t)CLOCK_NS_PER_S << 32) / clock_hz (&pair);
}

static inline uint64_t prof_ns (const struct prof *p, int64_t ticks)
{
    return (uint64_t)((__int128)ticks * (int64_t)p->scale >> 32);
}

static inline struct prof_time
prof_place_time (struct prof *p, uint64_t start, uint64_t tick)
{
    uint64_t end = tick < p->end ? p->end : tick;
    uint64_t length = start < end ? end - start : 0;
    uint64_t before = p->end_ns;
    struct prof_time t = {.end = end, .length = length};

    p->end = end;
    if (p->scale) {
        t.end = p->pair_ns + prof_ns (p, (int64_t)(end - p->pair_tick));
        t.length = prof_ns (p, (int64_t)length);
    }
    if (t.end < before)
        t.end = before;
    t.start = t.length < t.end ? t.end - t.length : 0;
    if (before > t.start)
        t.overlap = before - t.start;
    p->end_ns = t.end;
    return t;
}

/* --- calls ---------------------------------------------------------------- */

static inline int prof_moves (const struct call_info *info)
{
    return info->class == CALL_CLASS_READ || info->class == CALL_CLASS_WRITE ||
           info->class == CALL_CLASS_COPY;
}

static inline int prof_failed (const struct record *r)
{
    return r->err || r->ret == -1;
}

/* As place_move of the analysis. */
static inline void prof_count_place (struct profile_file *f,
                                     int is_write,
                                     uint64_t offset,
                                     uint64_t bytes)
{
    uint64_t gap = 0, before = f->before & PROFILE_BEFORE_MASK;
    uint64_t now = is_write ? PROFILE_BEFORE_WRITE : PROFILE_BEFORE_READ;

    if (before) {
        gap = offset > f->end ? offset - f->end : 0;
        prof_add (&f->n[offset == f->end  ? PROFILE_PLACE_consecutive
                        : offset < f->end ? PROFILE_PLACE_backward
                        : gap == f->gap   ? PROFILE_PLACE_strided
                                          : PROFILE_PLACE_sequential],
                  1);
        if (before != now)
            prof_add (&f->n[PROFILE_PLACE_switches], 1);
    }
    if (offset % CALL_PAGE)
        prof_add (&f->n[PROFILE_PLACE_unaligned], 1);
    f->gap = gap;
    f->end = offset + bytes;
    f->before += now - before;
    if (!is_write)
        prof_most (&f->n[PROFILE_PLACE_extent], f->end);
}

/* Add the bytes that libc moved for a call on a stream. */
static uint64_t prof_stream (uint64_t *n, const struct record *r)
{
    uint64_t again = 0;

    for (unsigned i = 0; i < r->nargs; i++) {
        uint64_t value = r->args[i].i > 0 ? (uint64_t)r->args[i].i : 0;

        if (r->args[i].type != EVENT_ARG_INT)
            continue;
        if (r->args[i].key == usage_name (USAGE_STDIO_READ))
            prof_add (&n[PROFILE_more], value);
        else if (r->args[i].key == usage_name (USAGE_STDIO_WRITTEN))
            prof_add (&n[PROFILE_also], value);
        else if (r->args[i].key == usage_name (USAGE_STDIO_AGAIN))
            again = value;
    }
    return again;
}

static void prof_map (uint64_t *n, const struct record *r)
{
    if (r->err)
        return;
    prof_add (&n[PROFILE_more], r->size);
    prof_add (&n[PROFILE_also],
              (r->flags & PROT_WRITE) != 0 &&
                  (r->flags >> MAP_FLAGS_SHIFT & MAP_SHARED) != 0);
}

/* Add bytes moved, and the counters that only some calls have. */
static uint64_t prof_moved (struct prof *p,
                            struct prof_cache *c,
                            const struct call_info *info,
                            const struct record *r,
                            int wiped)
{
    uint64_t *n = c->row->n;
    uint64_t bytes = r->ret > 0 && prof_moves (info) ? (uint64_t)r->ret : 0,
             again;

    if (info->category == CALL_CATEGORY_STDIO && r->nargs) {
        again = prof_stream (n, r);
        bytes -= again < bytes ? again : bytes;
    } else if (r->call == CALL_mmap)
        prof_map (n, r);
    else if (info->category >= CALL_CATEGORY_HDF5) {
        prof_add (&n[PROFILE_more], (r->flags & CALL_ABOVE_COLLECTIVE) != 0);
        prof_add (&n[PROFILE_also],
                  (r->flags & (info->category == CALL_CATEGORY_HDF5
                                   ? CALL_ABOVE_NO_SIZE
                                   : CALL_ABOVE_INDEPENDENT)) != 0);
    }
    if (info->fields & F_SIZE)
        prof_add (&n[PROFILE_asked], r->size);
    if (!prof_moves (info))
        return bytes;
    prof_add (&n[PROFILE_bytes], bytes);
    if (prof_sizes_wanted (info))
        prof_sizes_count (p, c, bytes, prof_failed (r), wiped);
    prof_least (&n[PROFILE_size_least], bytes);
    prof_most (&n[PROFILE_size_most], bytes);
    prof_hist_count (p, c->row, PROFILE_HIST_SIZE, bytes, wiped);
    return bytes;
}

void prof_rest (struct prof *p)
{
    p->turn++;
    memset (p->cache, 0, sizeof (p->cache)); /* prof_find looks at the turn */
}

/* --- regions -------------------------------------------------------------- */

/* Time inside a begin that did not end as a region (a mark, a time that was
 * only asked for) belongs to the outer one. */
void prof_begin (struct prof *p, uint64_t tick)
{
    if (p->opened == PROF_OPEN) { /* forgotten ones among them, perhaps */
        memmove (p->open, p->open + 1, sizeof (p->open) - sizeof (p->open[0]));
        p->opened--;
    }
    p->open[p->opened].start = tick;
    p->open[p->opened++].inside = 0;
}

/* ns outside of the regions inside. */
static uint64_t
prof_self (struct prof *p, const struct record *r, uint64_t length)
{
    uint64_t inside = 0;

    while (p->opened > 0 && p->open[p->opened - 1].start >= r->start)
        inside += p->open[--p->opened].inside;
    if (p->opened > 0)
        p->open[p->opened - 1].inside += length;
    return inside < length ? length - inside : 0;
}

/* --- all of it ------------------------------------------------------------ */

static inline struct prof_cache *
prof_cache_at (struct prof *p, uint32_t id, uint32_t call)
{
    return &p->cache[prof_cache_slot (id, call)];
}

static inline void prof_count_time (uint64_t *n, const struct prof_time *t)
{
    prof_add (&n[PROFILE_calls], 1);
    prof_add (&n[PROFILE_time], t->length);
    prof_least (&n[PROFILE_least], t->length);
    prof_most (&n[PROFILE_most], t->length);
    prof_least (&n[PROFILE_first], t->start);
    prof_most (&n[PROFILE_last], t->end);
    if (t->overlap)
        prof_add (&n[PROFILE_overlap],
                  t->overlap < t->length ? t->overlap : t->length);
}

/* A read or write that moved all that it asked for. */
struct prof_access {
    enum call call;
    uint32_t file;
    uint64_t start, end, size;
    int64_t offset;
};

static inline int prof_transfer (struct prof *p, const struct prof_access *a)
{
    struct prof_cache *c = prof_cache_at (p, a->file, a->call);
    int is_write = call_table[a->call].class == CALL_CLASS_WRITE;
    uint64_t *bin = NULL, *slot = NULL, before = p->end, before_ns = p->end_ns;
    struct profile_file *f = a->offset >= 0 ? c->file : NULL;
    uint64_t stride = 0, *skips = NULL;
    struct prof_cell time, sizes;
    struct prof_time t;

    if (c->call != a->call || c->id != a->file || a->end >= p->due)
        return 0;
    t = prof_place_time (p, a->start, a->end);
    if (f)
        stride = prof_stride (f, is_write, (uint64_t)a->offset);
    if ((c->storage && !(bin = prof_map_bin (p, t.start, t.end))) ||
        !prof_hist_cell (p, c->row, PROFILE_HIST_TIME, t.length, &time) ||
        !prof_size_cell (p, c->row, a->size, &sizes) ||
        (!prof_sizes_same (c, a->size) &&
         !(slot = prof_values_try (p, c, PROF_SIZES, a->size))) ||
        (stride && !(skips = prof_values_try (p, c, PROF_STRIDES, stride)))) {
        p->end = before;
        p->end_ns = before_ns;
        return 0;
    }
    prof_count_time (c->row->n, &t);
    prof_add (&c->row->n[PROFILE_asked], a->size);
    prof_add (&c->row->n[PROFILE_bytes], a->size);
    if (slot)
        prof_sizes_add (c->row->n, slot, a->size);
    if (f) {
        if (skips)
            prof_values_put (skips, profile_value_code (stride));
        prof_stride_add (f, is_write, !skips, (uint64_t)a->offset + a->size);
        prof_count_place (f, is_write, (uint64_t)a->offset, a->size);
    }
    prof_hist_add (&time);
    prof_hist_add (&sizes);
    if (bin)
        prof_map_add (bin, is_write, t.length, a->size);
    return 1;
}

int prof_transfer_here (enum call call,
                        uint64_t start,
                        uint64_t end,
                        uint32_t file,
                        uint64_t size,
                        int64_t offset)
{
    const struct prof_access access = {call, file, start, end, size, offset};
    struct recorder_thread *self = &recorder_self;
    struct prof *p;
    int done = 0;

    if (!self->tbuf || self->busy)
        return 0;
    self->busy = recorder_mark ();
    __asm__ volatile("" ::: "memory");
    if ((p = tbuf_prof (self->tbuf)))
        done = prof_transfer (p, &access);
    __asm__ volatile("" ::: "memory");
    self->busy = 0;
    return done;
}

static struct prof_cache *prof_cached (struct prof *p,
                                       const struct record *r,
                                       const struct call_info *info,
                                       int wiped,
                                       struct prof_cache *pair)
{
    uint32_t id = info->fields & F_FILE ? r->file : 0;
    uint32_t id2 = info->fields & F_FILE2 ? r->file2 : 0;
    struct prof_cache *c = prof_cache_at (p, id, r->call);

    return c->call == r->call && c->id == id && !id2
               ? c
               : prof_find (p, r, id, id2, wiped, pair);
}

int prof_record (struct prof *p, const struct record *r, int wiped)
{
    const struct call_info *info = &call_table[r->call];
    struct prof_cache *c;
    struct prof_cache pair;
    struct prof_time t;
    uint64_t *n, bytes;

    if (!p->base) /* the first one */
        p->base = p->end = r->start;
    if (r->end >= p->due)
        prof_clock (p);
    t = prof_place_time (p, r->start, r->end);
    if (!p->base_ns)
        p->base_ns = t.start;
    if (!(c = prof_cached (p, r, info, wiped, &pair)))
        return -1;
    n = c->row->n;
    prof_count_time (n, &t);
    if (prof_failed (r))
        prof_add (&n[PROFILE_errors], 1);
    bytes = prof_moved (p, c, info, r, wiped);
    if (c->file && r->offset >= 0) {
        if (!prof_failed (r))
            prof_strides_count (p, c, (uint64_t)r->offset, bytes, wiped);
        prof_count_place (c->file, info->class == CALL_CLASS_WRITE,
                          (uint64_t)r->offset, bytes);
    }
    if (r->call == CALL_region)
        prof_add (&n[PROFILE_more], prof_self (p, r, t.length));
    prof_hist_count (p, c->row, PROFILE_HIST_TIME, t.length, wiped);
    if (c->storage)
        prof_map_count (p, (enum call_class)info->class, c->storage, &t, bytes,
                        wiped);
    return 0;
}

/* ---- paths of many files -> names of few series ---- */

static int fold_is_digit (char c)
{
    return c >= '0' && c <= '9';
}

/* Runs of digits become one sign. */
static size_t fold_digits (const char *text, size_t n, char *buf)
{
    size_t out = 0;

    for (size_t i = 0; i < n; i++)
        if (!fold_is_digit (text[i]))
            buf[out++] = text[i];
        else if (i == 0 || !fold_is_digit (text[i - 1]))
            buf[out++] = '#';
    return out;
}

size_t prof_fold (enum prof_fold how, const char *text, size_t n, char *buf)
{
    size_t dir = text_folder (text, n);

    switch (how) {
    case PROF_FOLD_NOT:
        break;
    case PROF_FOLD_DIGITS:
        return fold_digits (text, n, buf);
    case PROF_FOLD_DIR:
        if (dir) /* numbered directories are a series, too */
            return fold_digits (text, dir, buf);
        /* fall through */
    case PROF_FOLD_ALL:
        if (n)
            buf[0] = '*';
        return n ? 1 : 0;
    }
    memcpy (buf, text, n);
    return n;
}

/* ---- histograms of a thread -> whether its calls have become slow ---- */

enum {
    LOOK_MS = 50,
    WINDOW_CALLS = 100, /* at least, for a 99th percentile */
    WINDOW_SLOW = 10    /* as many slow ones are enough before that */
};

struct profslow {
    uint64_t calls, above;
};

/* first: the first bucket that is above the bound. */
static void
profslow_add (struct profslow *sum, unsigned bucket, unsigned first, uint64_t n)
{
    sum->calls += n;
    sum->above += bucket >= first ? n : 0;
}

/* All records of a group: the first one has few, those behind it many. */
static void profslow_group (const struct prof *p,
                            uint16_t call,
                            unsigned group,
                            unsigned first,
                            struct profslow *sum)
{
    struct profile_head like = {.type = PROFILE_FEW,
                                .kind = PROFILE_HIST_TIME,
                                .call = call,
                                .number = group};
    const struct profile_few *few = prof_has (p, &like);
    const struct profile_many *many;

    for (unsigned i = 0; few && i < PROFILE_BUCKETS; i++)
        profslow_add (sum, group * PROFILE_BUCKETS + i, first, few->count[i]);
    like.type = PROFILE_MANY;
    for (unsigned n = 0; few && n < PROFILE_AGAIN_MAX; n++) {
        if (!(many = prof_has (p, &like)))
            break;
        for (unsigned i = 0; i < PROFILE_BUCKETS; i++)
            profslow_add (sum, group * PROFILE_BUCKETS + i, first,
                          many->count[i]);
        like.kind += PROFILE_AGAIN;
    }
}

/* More than one call of a hundred since the last window took longer. */
static void profslow_judge (struct prof *p, enum call_class class, uint64_t ns)
{
    struct profslow sum = {0, 0};
    uint64_t window, slow;
    unsigned first = profile_bucket (ns) + 1;

    for (uint16_t c = CALL_open; c < CALL_MAX; c++)
        if (call_table[c].name[0] && call_table[c].class == class)
            for (unsigned g = 0; g < PROFILE_GROUPS; g++)
                profslow_group (p, c, g, first, &sum);
    window = sum.calls - p->slow.calls;
    slow = sum.above - p->slow.above;
    if (window < WINDOW_CALLS && slow < WINDOW_SLOW)
        return; /* it goes on */
    p->slow.calls = sum.calls;
    p->slow.above = sum.above;
    if (slow * 100 > window)
        detailnow_slow ();
}

uint64_t prof_look (struct prof *p)
{
    enum call_class class;
    struct clock_pair pair;
    uint64_t ns;

    if (!detailnow_bound (&class, &ns))
        return UINT64_MAX;
    if (p->slots)
        profslow_judge (p, class, ns);
    pair = clock_pair ();
    return pair.tick + clock_hz (&pair) * LOOK_MS / 1000;
}
