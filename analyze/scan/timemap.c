/* SPDX-License-Identifier: MIT
 *
 * timemap.c - what was moved when: sums of stretches of time
 *
 * In:  bins of profiles, from loadrows.c, or of partial results; events of
 *      processes beside profiles, from scan.c
 * Out: sums by bin; rows of one width
 */
#include "config.h"

#include "analyze/scan/tally.h"
#include "analyze/scan/timemap.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"

enum { TIMEMAP_SHIFT_MAX = 62 }; /* of a bin, at its begin */

static int timemap_get (const struct strmap *map,
                        size_t i,
                        struct timemap_bin *bin,
                        const uint64_t **n)
{
    size_t length;
    const char *key = strmap_key (map, i, &length);

    *n = strmap_value (map, i);
    if (length != sizeof (*bin) || !*n)
        return 0;
    memcpy (bin, key, sizeof (*bin));
    return bin->width > 0;
}

/* --- events ---------------------------------------------------------------
 */

void timemap_begin (struct timemap_process **t,
                    const struct trace_process *who,
                    uint64_t width)
{
    if (!*t)
        NEW (*t, 1);
    (*t)->who = who;
    (*t)->shift = 0;
    while ((*t)->shift < TIMEMAP_SHIFT_MAX && width >> (*t)->shift > 1)
        (*t)->shift++;
}

/* Bins twice as wide. */
static void timemap_fold (struct timemap_process *t)
{
    uint64_t number = t->number >> 1;

    for (size_t i = 0; i < t->bins; i++) {
        uint64_t n[PROFILE_BIN_COUNTERS];
        size_t to = ((t->number + i) >> 1) - number;

        memcpy (n, t->n[i], sizeof (n));
        ZERO (&t->n[i]);
        for (int c = 0; c < PROFILE_BIN_COUNTERS; c++)
            t->n[to][c] += n[c];
    }
    t->bins = (size_t)(((t->number + t->bins - 1) >> 1) - number) + 1;
    t->number = number;
    t->shift++;
}

/* Have bins for these times. */
static void
timemap_reach (struct timemap_process *t, uint64_t start, uint64_t end)
{
    uint64_t from, to;

    if (!t->bins) {
        t->number = start >> t->shift;
        t->bins = 1;
    }
    for (;; timemap_fold (t)) {
        from = start >> t->shift;
        to = end >> t->shift;
        from = MIN (from, t->number);
        to = to > t->number + t->bins - 1 ? to : t->number + t->bins - 1;
        if (to - from < PROFILE_BINS_MAX)
            break;
    }
    if (from < t->number) {
        size_t more = t->number - from;

        memmove (t->n[more], t->n[0], t->bins * sizeof (t->n[0]));
        memset (t->n[0], 0, more * sizeof (t->n[0]));
    }
    t->number = from;
    t->bins = (size_t)(to - from) + 1;
}

void timemap_count (struct timemap_process *t, const struct timemap_call *c)
{
    struct profkind k = profkind (c->class, c->storage, c->storage2);
    uint64_t start, end, *n;

    if (!t || (!c->storage && !c->storage2))
        return;
    /* The clock of the node, whose bins these are: what trace_real_ns says. */
    start = c->start - trace_real_ns (t->who, 0);
    end = start + (c->end > c->start ? c->end - c->start : 0);
    if (end < start)
        return; /* no such time */
    timemap_reach (t, start, end);
    n = t->n[(start >> t->shift) - t->number];
    n[k.calls]++;
    n[PROFILE_BIN_read_bytes] += k.reads ? c->bytes : 0;
    n[PROFILE_BIN_write_bytes] += k.writes ? c->bytes : 0;
    while (start < end) {
        uint64_t at = start >> t->shift;
        uint64_t until = at == end >> t->shift ? end : (at + 1) << t->shift;

        t->n[at - t->number][k.time] += until - start;
        start = until;
    }
}

void timemap_end (struct timemap_process *t, struct tally *to)
{
    static const uint64_t none[PROFILE_BIN_COUNTERS];

    if (!t)
        return;
    for (size_t i = 0; i < t->bins; i++) {
        const struct timemap_bin bin = {
            trace_real_ns (t->who, (t->number + i) << t->shift),
            (uint64_t)1 << t->shift};

        if (memcmp (t->n[i], none, sizeof (none)) != 0)
            tally_add (to, TALLY_TIME, (const char *)&bin, sizeof (bin),
                       t->n[i]);
    }
    memset (t->n, 0, t->bins * sizeof (t->n[0]));
    t->bins = 0;
}

/* --- rows -----------------------------------------------------------------
 */

/* The middle: clocks of two processes of a node differ by less than a bin. */
static uint64_t timemap_middle (const struct timemap_bin *bin)
{
    return bin->start + bin->width / 2;
}

/* The widest bin, the first of them; and where all begin and end. */
static struct timemap_bin
timemap_widest (const struct strmap *map, uint64_t *first, uint64_t *last)
{
    struct timemap_bin widest = {0, 0}, bin;
    const uint64_t *n;

    *first = UINT64_MAX;
    *last = 0;
    for (size_t i = 0; map && i < strmap_count (map); i++) {
        uint64_t middle;

        if (!timemap_get (map, i, &bin, &n))
            continue;
        middle = timemap_middle (&bin);
        *first = middle < *first ? middle : *first;
        *last = middle > *last ? middle : *last;
        if (bin.width > widest.width ||
            (bin.width == widest.width && bin.start < widest.start))
            widest = bin;
    }
    return widest;
}

/* Calls of a profile that moved bytes but are not counted yet. */
static int timemap_uncounted (const uint64_t *n)
{
    return (n[PROFILE_BIN_read_bytes] || n[PROFILE_BIN_write_bytes]) &&
           !n[PROFILE_BIN_reads] && !n[PROFILE_BIN_writes] &&
           !n[PROFILE_BIN_others];
}

void timemap_rows (struct timemap *t, const struct strmap *map)
{
    uint64_t first, last;
    struct timemap_bin bin = timemap_widest (map, &first, &last);
    const uint64_t *n;

    ZERO (t);
    if (!bin.width)
        return;
    t->width = bin.width;
    while ((last - first) / t->width + 2 > PROFILE_BINS_MAX)
        t->width *= 2;
    t->start = bin.start;
    if (first < bin.start) /* so that the widest is in one row */
        t->start -= (bin.start - first + t->width - 1) / t->width * t->width;
    t->rows = (size_t)((last - t->start) / t->width) + 1;
    for (size_t i = 0; i < strmap_count (map); i++)
        if (timemap_get (map, i, &bin, &n)) {
            t->bytes_only |= timemap_uncounted (n);
            for (int c = 0; c < PROFILE_BIN_COUNTERS; c++)
                t->n[(timemap_middle (&bin) - t->start) / t->width][c] += n[c];
        }
}
