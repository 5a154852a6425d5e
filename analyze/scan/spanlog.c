/* SPDX-License-Identifier: MIT
 *
 * spanlog.c - the times of one thread, packed
 *
 * In:  start and end of events, from scan.c
 * Out: blocks of packed intervals, to spanunion.c
 *
 * Blocks grow from small to SPANLOG_BLOCK_MAX; full ones of that size leave
 * memory when all of them together have more than the limit.
 */
#include "config.h"

#include "analyze/scan/spanlog.h"
#include "lib/base/array.h"
#include "lib/util/spool.h"
#include "lib/util/xalloc.h"

/* Out of order: merge with whatever touches [start, end). */
static void insert (struct intervals *set, uint64_t start, uint64_t end)
{
    size_t first = 0, last = set->count;

    while (first < last) { /* the first that ends at start or after it */
        size_t middle = first + (last - first) / 2;

        if (set->item[middle].end < start)
            first = middle + 1;
        else
            last = middle;
    }
    for (last = first; last < set->count && set->item[last].start <= end;
         last++) {
        if (set->item[last].start < start)
            start = set->item[last].start;
        if (set->item[last].end > end)
            end = set->item[last].end;
    }
    memmove (&set->item[first + 1], &set->item[last],
             (set->count - last) * sizeof (*set->item));
    set->item[first] = (struct interval){start, end};
    set->count = first + 1 + set->count - last;
}

void intervals_add (struct intervals *set, uint64_t start, uint64_t end)
{
    size_t n = set->count;

    if (end <= start)
        return;
    GROW (set->item, set->room, n + 1);
    if (n && set->item[n - 1].end > end) {
        insert (set, start, end);
        return;
    }
    while (n && set->item[n - 1].end >= start) {
        n--;
        if (set->item[n].start < start)
            start = set->item[n].start;
    }
    set->item[n] = (struct interval){start, end};
    set->count = n + 1;
}

uint64_t intervals_length (const struct intervals *set)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < set->count; i++)
        sum += set->item[i].end - set->item[i].start;
    return sum;
}

void intervals_clear (struct intervals *set)
{
    free (set->item);
    ZERO (set);
}

enum { TAIL_PACK = SPANLOG_TAIL / 2, BLOCK_MIN = 1024 };

/* Move a full block out of memory. */
static void spanlog_spill (struct span_block *b)
{
    spool_put (b->data, b->used, &b->offset);
    free (b->data);
    b->data = NULL;
    spool_shrink (b->room);
}

static void spanlog_new_block (struct spanlog *log)
{
    struct span_block *b = ZEROED (b, 1), *last = log->last;

    b->room = !last                            ? BLOCK_MIN
              : last->room < SPANLOG_BLOCK_MAX ? 2 * last->room
                                               : SPANLOG_BLOCK_MAX;
    b->data = xmalloc (b->room + SPANGROUP_SLACK);
    b->from = log->packed_end;
    if (last)
        last->next = b;
    else
        log->first = b;
    log->last = b;
    if (spool_grow (b->room) && last && last->room == SPANLOG_BLOCK_MAX)
        spanlog_spill (last);
}

/* The n oldest of the tail. */
static void spanlog_pack_tail (struct spanlog *log, size_t n)
{
    struct span_block *b = log->last;
    const struct interval *v = log->tail.item;

    for (size_t i = 0, some; i < n; i += some) {
        uint32_t used;

        some = n - i < SPANGROUP_COUNT ? n - i : SPANGROUP_COUNT;
        if (!b || b->used + SPANGROUP_MAX > b->room) {
            spanlog_new_block (log);
            b = log->last;
        }
        used = (uint32_t)(spangroup_put (b->data + b->used, v + i, some,
                                         log->packed_end) -
                          b->data);
        log->bytes += used - b->used;
        b->used = used;
        log->packed_end = v[i + some - 1].end;
        for (size_t k = i; k < i + some; k++)
            log->packed_length += v[k].end - v[k].start;
    }
    log->tail.count -= n;
    if (log->tail.count)
        memmove (log->tail.item, log->tail.item + n,
                 log->tail.count * sizeof (*log->tail.item));
}

/* Whether [start, end) is around the youngest interval and no other, as regions
 * are. */
static int
spanlog_is_around (const struct spanlog *log, uint64_t start, uint64_t end)
{
    const struct interval *v = log->tail.item;
    size_t n = log->tail.count;

    return n > 1 && start <= v[n - 1].start && end >= v[n - 1].end &&
           start > v[n - 2].end;
}

void spanlog_insert (struct spanlog *log, uint64_t start, uint64_t end)
{
    if (end <= start)
        return;
    if (spanlog_is_around (log, start, end)) {
        log->tail.item[log->tail.count - 1] = (struct interval){start, end};
        return;
    }
    if (log->tail.count == SPANLOG_TAIL)
        spanlog_pack_tail (log, TAIL_PACK);
    if (log->first && start < log->packed_end) {
        intervals_add (&log->late, start, end);
        start = log->packed_end;
    }
    intervals_add (&log->tail, start, end);
}

/* --- joining ------------------------------------------------------------ */

static uint64_t end_of (const struct spanlog *log)
{
    return log->tail.count ? log->tail.item[log->tail.count - 1].end
                           : log->packed_end;
}

static void free_block (struct span_block *b)
{
    if (b->data)
        spool_shrink (b->room);
    free (b->data);
    free (b);
}

/* Add the spans of the first block of later one by one, and take it off. */
static void add_first (struct spanlog *log, struct spanlog *later)
{
    struct span_block *b = later->first;
    struct span_groups g = {.end = b->from};

    if (!b->data) {
        b->data = xmalloc (b->room + SPANGROUP_SLACK);
        spool_grow (b->room);
        spool_get (b->data, b->used, b->offset);
    }
    g.p = b->data;
    g.limit = b->data + b->used;
    while (g.p < g.limit) {
        struct interval v;

        if (!g.left && spangroup_open (&g) < 0)
            spool_fail (EIO);
        v = spangroup_next (&g);
        later->packed_length -= v.end - v.start;
        spanlog_add (log, v.start, v.end);
    }
    later->bytes -= b->used;
    later->first = b->next;
    if (!later->first)
        later->last = NULL;
    free_block (b);
}

/* The blocks that begin behind all of log, and the tail behind them. */
static void take_blocks (struct spanlog *log, struct spanlog *later)
{
    spanlog_pack_tail (log, log->tail.count);
    if (log->last)
        log->last->next = later->first;
    else
        log->first = later->first;
    log->last = later->last;
    log->packed_end = later->packed_end;
    log->packed_length += later->packed_length;
    log->bytes += later->bytes;
    intervals_clear (&log->tail);
    log->tail = later->tail;
    ZERO (&later->tail);
    later->first = later->last = NULL;
}

void spanlog_join (struct spanlog *log, struct spanlog *later)
{
    for (size_t i = 0; i < later->late.count; i++)
        intervals_add (&log->late, later->late.item[i].start,
                       later->late.item[i].end);
    /* the first block counts from 0: whether it begins behind log is not
       known */
    while (later->first &&
           (!later->first->from || later->first->from < end_of (log)))
        add_first (log, later);
    if (later->first)
        take_blocks (log, later);
    else
        for (size_t i = 0; i < later->tail.count; i++)
            spanlog_add (log, later->tail.item[i].start,
                         later->tail.item[i].end);
    spanlog_clear (later);
}

void spanlog_widen (const struct spanlog *log, uint64_t *start, uint64_t *end)
{
    const struct intervals *last[] = {&log->tail, &log->late};
    uint64_t first = UINT64_MAX;
    uint32_t length;
    struct span_cursor c = {.start = &first, .length = &length, .room = 1};

    spancursor_open (&c, log->first, &log->tail, 0, UINT64_MAX);
    spancursor_close (&c);
    *start = first < *start ? first : *start;
    if (log->late.count && log->late.item[0].start < *start)
        *start = log->late.item[0].start;
    *end = log->packed_end > *end ? log->packed_end : *end;
    for (int i = 0; i < 2; i++)
        if (last[i]->count && last[i]->item[last[i]->count - 1].end > *end)
            *end = last[i]->item[last[i]->count - 1].end;
}

uint64_t spanlog_length (const struct spanlog *log)
{
    return log->packed_length + intervals_length (&log->tail) +
           intervals_length (&log->late);
}

int spanlog_empty (const struct spanlog *log)
{
    return !log->first && !log->tail.count && !log->late.count;
}

void spanlog_clear (struct spanlog *log)
{
    intervals_clear (&log->tail);
    intervals_clear (&log->late);
    for (struct span_block *b = log->first, *next; b; b = next) {
        next = b->next;
        free_block (b);
    }
    ZERO (log);
}

/* So many bytes say the length of a short one. */
enum { SHORT_BYTES = 3 };

static void spancursor_next_block (struct span_cursor *c)
{
    const struct span_block *b = c->block;
    const unsigned char *data = b->data;

    c->block = b->next;
    if (!data) {
        if (!c->buffer)
            c->buffer = xmalloc (SPANLOG_BLOCK_MAX + SPANGROUP_SLACK);
        spool_get (c->buffer, b->used, b->offset);
        data = c->buffer;
    }
    c->groups = (struct span_groups){
        .p = data, .limit = data + b->used, .end = b->from};
}

/* The slice of [start, end) that counts. False: it and all others begin
 * behind the slice of the time. */
static inline int
spancursor_put (struct span_cursor *c, uint64_t start, uint64_t end)
{
    uint64_t length;

    if (start >= c->hi)
        return 0;
    if (end > c->hi)
        end = c->hi;
    if (start < c->lo)
        start = c->lo;
    if (end <= start)
        return 1;
    length = end - start;
    if (length >= SPAN_WIDE) {
        c->wide = length;
        length = SPAN_WIDE;
    }
    c->start[c->count] = start;
    c->length[c->count++] = (uint32_t)length;
    return 1;
}

/* n of the group at hand, if all of them count and are short. */
static int take_all (struct span_cursor *c, size_t n)
{
    const struct span_groups begin = c->groups;
    uint64_t *start = c->start + c->count;

    if (begin.length > SHORT_BYTES || begin.gap + begin.length > 8)
        return 0;
    spangroup_take (&c->groups, n, start, c->length + c->count);
    if (start[0] < c->lo || c->groups.end > c->hi) {
        c->groups = begin;
        return 0;
    }
    c->count += n;
    return 1;
}

/* Packed ones of the block at hand, as many as there is room for. */
static void take_packed (struct span_cursor *c)
{
    struct span_groups *g = &c->groups;

    while (c->more && c->count < c->room && !c->wide) {
        size_t n = c->room - c->count;

        if (!g->left && g->p == g->limit)
            break;
        if (!g->left && spangroup_open (g) < 0)
            spool_fail (EIO); /* the temporary file is not what it was */
        n = MIN (g->left, n);
        if (take_all (c, n))
            continue;
        for (; n > 0 && c->more && !c->wide; n--) {
            struct interval v = spangroup_next (g);

            c->more = spancursor_put (c, v.start, v.end);
        }
    }
}

static void take_list (struct span_cursor *c)
{
    while (c->more && c->count < c->room && !c->wide) {
        const struct interval *v = c->list->item; /* NULL: none */

        if (c->list_at == c->list->count ||
            !spancursor_put (c, v[c->list_at].start, v[c->list_at].end))
            c->more = 0;
        c->list_at++;
    }
}

void spancursor_fill (struct span_cursor *c)
{
    size_t left = c->count - c->at;

    if (left && c->wide)
        return;
    if (left && c->at) {
        memmove (c->start, c->start + c->at, left * sizeof (*c->start));
        memmove (c->length, c->length + c->at, left * sizeof (*c->length));
    }
    c->at = 0;
    c->count = left;
    c->wide = 0;
    while (c->more && c->count < c->room && !c->wide) {
        if (c->groups.left || c->groups.p < c->groups.limit) {
            take_packed (c);
        } else if (c->block) {
            spancursor_next_block (c);
        } else
            take_list (c);
    }
}

void spancursor_open (struct span_cursor *c,
                      const struct span_block *block,
                      const struct intervals *list,
                      uint64_t lo,
                      uint64_t hi)
{
    static const struct intervals none;

    while (block && block->next && block->next->from <= lo)
        block = block->next;
    c->block = block;
    c->list = list ? list : &none;
    c->lo = lo;
    c->hi = hi;
    c->more = 1;
    spancursor_fill (c);
}

void spancursor_close (struct span_cursor *c)
{
    free (c->buffer);
}

enum { SPANS_BATCH = 1024 };

/* ns since 1970: more (2116) is not trusted. */
#define SPANS_END_MAX ((uint64_t)1 << 62)

static void spanlog_each_of (const struct span_block *block,
                             const struct intervals *list,
                             spanlog_each_fn *each,
                             void *cookie)
{
    uint64_t start[SPANS_BATCH];
    uint32_t length[SPANS_BATCH];
    struct span_cursor c = {
        .start = start, .length = length, .room = SPANS_BATCH};
    spancursor_open (&c, block, list, 0, UINT64_MAX);

    while (c.count) {
        for (size_t i = 0; i < c.count; i++)
            each (cookie, start[i], start[i] + span_cursor_length (&c, i));
        c.at = c.count; /* all are taken */
        spancursor_fill (&c);
    }
    spancursor_close (&c);
}

void spanlog_each (const struct spanlog *log,
                   spanlog_each_fn *each,
                   void *cookie)
{
    spanlog_each_of (log->first, &log->tail, each, cookie);
    spanlog_each_of (NULL, &log->late, each, cookie);
}

struct spanpack {
    struct packer *p;
    uint64_t end; /* of the one before */
};

static void spanpack_put (void *cookie, uint64_t start, uint64_t end)
{
    struct spanpack *s = cookie;

    pack_uint (s->p, start - s->end);
    pack_uint (s->p, end - start);
    s->end = end;
}

/* Gap since the end of the one before, and length; 0 0 ends the list. */
static void spanpack_pack_list (struct packer *p,
                                const struct span_block *block,
                                const struct intervals *list)
{
    struct spanpack s = {.p = p};
    spanlog_each_of (block, list, spanpack_put, &s);

    pack_uint (p, 0);
    pack_uint (p, 0);
}

void spanlog_pack (struct packer *p, const struct spanlog *log)
{
    spanpack_pack_list (p, log->first, &log->tail);
    spanpack_pack_list (p, NULL, &log->late);
}

static int get_list (struct unpacker *u, struct spanlog *log)
{
    uint64_t end = 0, gap, length;

    for (;;) {
        gap = unpack_uint (u);
        length = unpack_uint (u);
        if (u->bad || (!gap && !length))
            return u->bad ? -1 : 0;
        if (gap > SPANS_END_MAX || length > SPANS_END_MAX ||
            end + gap + length > SPANS_END_MAX) {
            u->bad = 1;
            return -1;
        }
        spanlog_add (log, end + gap, end + gap + length);
        end += gap + length;
    }
}

int spanlog_unpack (struct unpacker *u, struct spanlog *log)
{
    return get_list (u, log) < 0 ? -1 : get_list (u, log);
}
