/* SPDX-License-Identifier: MIT
 *
 * values.c - distinct values and how often each occurred
 *
 * In:  values of events, from numbers.c; sizes and strides of a file's accesses
 * Out: pairs of value and count, by value
 */
#include "config.h"

#include "analyze/scan/values.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"

enum {
    VALUECOUNT_FIRST = 16,
    VALUECOUNT_FAR = 2048, /* values; fewer are in the first cache */
    VALUECOUNT_WAITING = 64,
    VALUECOUNT_FEW = 512,        /* values; fewer need no counters */
    VALUECOUNT_SPARSE = 32,      /* counters for each value, at most */
    VALUECOUNT_LOW_MAX = 1 << 24 /* counters */
};

static size_t valuecount_home (const struct valuecount *c, uint64_t value)
{
    return (size_t)((value * 0x9e3779b97f4a7c15u) >> 32) & (c->slots - 1);
}

static struct valuecount_slot *valuecount_slot (const struct valuecount *c,
                                                uint64_t value)
{
    size_t at = valuecount_home (c, value);

    while (c->slot[at].times && c->slot[at].value != value)
        at = (at + 1) & (c->slots - 1);
    return &c->slot[at];
}

/* At most half of the slots are used. */
static void valuecount_grow (struct valuecount *c)
{
    struct valuecount more = {.slots =
                                  c->slots ? 2 * c->slots : VALUECOUNT_FIRST};

    NEW (more.slot, more.slots);
    for (size_t i = 0; i < c->slots; i++)
        if (c->slot[i].times)
            *valuecount_slot (&more, c->slot[i].value) = c->slot[i];
    free (c->slot);
    c->slot = more.slot;
    c->slots = more.slots;
}

/* --- counters --------------------------------------------------------------
 */

static size_t valuecount_lows_used (const struct valuecount *c)
{
    size_t used = 0;

    for (size_t i = 0; i < c->lows; i++)
        used += c->low[i] != 0;
    return used;
}

/* How many counters are worth their memory, which is that of slots for as many
 * values; no more than there are: as it is. */
static size_t valuecount_lows_worth (const struct valuecount *c)
{
    size_t below[66] = {0}, within = valuecount_lows_used (c), lows = c->lows;

    for (size_t i = 0; i < c->slots; i++) {
        uint64_t at = c->slot[i].value - VALUECOUNT_LEAST;

        if (c->slot[i].times && at >= c->lows)
            below[at ? 64 - __builtin_clzll (at) : 0]++;
    }
    for (unsigned bits = 0; (size_t)1 << bits <= VALUECOUNT_LOW_MAX; bits++) {
        within += below[bits];
        if ((size_t)1 << bits > lows &&
            within * VALUECOUNT_SPARSE >= (size_t)1 << bits)
            lows = (size_t)1 << bits;
    }
    return lows;
}

/* Has the value a counter with room for so many times? They are there then. */
static int valuecount_low (struct valuecount *c, uint64_t value, uint64_t times)
{
    uint64_t at = value - VALUECOUNT_LEAST;

    if (at >= c->lows || times > (uint64_t)(UINT16_MAX - c->low[at]))
        return 0;
    c->low[at] = (uint16_t)(c->low[at] + times);
    return 1;
}

/* Counters for the values that have slots, where that is worth it. */
static void valuecount_widen (struct valuecount *c)
{
    size_t lows = c->count < VALUECOUNT_FEW ? 0 : valuecount_lows_worth (c);
    struct valuecount_slot *old = c->slot;
    size_t slots = c->slots;
    uint16_t *low;

    if (lows <= c->lows)
        return;
    low = xreallocarray (c->low, lows, sizeof (*low));
    memset (low + c->lows, 0, (lows - c->lows) * sizeof (*low));
    c->low = low;
    c->lows = lows;
    NEW (c->slot, slots);
    c->count = 0;
    for (size_t i = 0; i < slots; i++)
        if (old[i].times && !valuecount_low (c, old[i].value, old[i].times)) {
            *valuecount_slot (c, old[i].value) = old[i];
            c->count++;
        }
    free (old);
}

/* --- adding ----------------------------------------------------------------
 */

/* Room for one more slot. */
static void valuecount_room (struct valuecount *c)
{
    if (2 * (c->count + 1) <= c->slots)
        return;
    valuecount_widen (c);
    if (2 * (c->count + 1) > c->slots)
        valuecount_grow (c);
}

/* Sums from a damaged file may overflow. */
static void valuecount_more (uint64_t *to, uint64_t times)
{
    if (__builtin_add_overflow (*to, times, to))
        *to = UINT64_MAX;
}

void valuecount_add (struct valuecount *c, uint64_t value, uint64_t times)
{
    struct valuecount_slot *s;

    if (valuecount_low (c, value, times))
        return;
    valuecount_room (c);
    if (valuecount_low (c, value, times)) /* there may be a counter now */
        return;
    s = valuecount_slot (c, value);
    c->count += !s->times;
    s->value = value;
    valuecount_more (&s->times, times);
}

void valuecount_settle (struct valuecount *c)
{
    unsigned n = c->waitings;

    c->waitings = 0;
    for (unsigned i = 0; i < n; i++)
        valuecount_add (c, c->waiting[i], 1);
}

void valuecount_meet_far (struct valuecount *c, uint64_t value)
{
    uint64_t at = value - VALUECOUNT_LEAST, times = 1;

    if (at < c->lows) { /* full */
        times += c->low[at];
        c->low[at] = 0;
        valuecount_add (c, value, times);
        return;
    }
    if (c->count < VALUECOUNT_FAR) {
        valuecount_add (c, value, 1);
        return;
    }
    if (!c->waiting)
        NEW (c->waiting, VALUECOUNT_WAITING);
    __builtin_prefetch (&c->slot[valuecount_home (c, value)], 1);
    c->waiting[c->waitings++] = value;
    if (c->waitings >= VALUECOUNT_WAITING)
        valuecount_settle (c);
}

void valuecount_merge (struct valuecount *to, const struct valuecount *from)
{
    for (size_t i = 0; i < from->slots; i++) {
        const struct valuecount_slot *s = &from->slot[i];

        if (s->times)
            valuecount_add (to, s->value, s->times);
    }
    for (size_t i = 0; i < from->lows; i++)
        if (from->low[i])
            valuecount_add (to, VALUECOUNT_LEAST + i, from->low[i]);
}

/* --- reading ---------------------------------------------------------------
 */

static int valuecount_order (const void *a, const void *b)
{
    const struct valuecount_slot *x = a, *y = b;

    return ORDER (x->value, y->value);
}

/* The next one; a value that is there comes once more. */
static void valuecount_put (struct valuecount_slot *all,
                            size_t *n,
                            struct valuecount_slot one)
{
    if (*n && all[*n - 1].value == one.value)
        valuecount_more (&all[*n - 1].times, one.times);
    else
        all[(*n)++] = one;
}

/* The slots are sorted at the end of the array, before which there is room for
 * the counters, and go to its begin with these. */
struct valuecount_slot *valuecount_sorted (const struct valuecount *c,
                                           size_t *n)
{
    size_t lows = valuecount_lows_used (c);
    struct valuecount_slot *all = ZEROED (all, lows + c->count + 1);
    struct valuecount_slot *slot = all + lows, *end = slot;

    *n = 0;
    for (size_t i = 0; i < c->slots; i++)
        if (c->slot[i].times)
            *end++ = c->slot[i];
    SORT (slot, end - slot, valuecount_order);
    for (size_t i = 0; i < c->lows; i++) {
        const struct valuecount_slot low = {VALUECOUNT_LEAST + i, c->low[i]};

        if (!low.times)
            continue;
        while (slot < end && slot->value <= low.value)
            valuecount_put (all, n, *slot++);
        valuecount_put (all, n, low);
    }
    while (slot < end)
        valuecount_put (all, n, *slot++);
    return all;
}

void valuecount_clear (struct valuecount *c)
{
    free (c->slot);
    free (c->low);
    free (c->waiting);
    ZERO (c);
}

/* --- of the accesses of a file ---------------------------------------------
 */

static struct accessvalues_of *accessvalues_of (struct accessvalues **f,
                                                enum access_way way)
{
    if (!*f)
        NEW (*f, 1);
    if (!(*f)->way[way])
        NEW ((*f)->way[way], 1);
    return (*f)->way[way];
}

/* Bits of the odd factor of a value, 1 at least; 0 counts as round. */
static unsigned accessvalues_bits (uint64_t value)
{
    return value ? 64u - (unsigned)(__builtin_clzll (value) +
                                    __builtin_ctzll (value))
                 : 1;
}

static void
accessvalues_take (struct accessvalues_of *s, uint64_t value, uint64_t times)
{
    if (s->bits && accessvalues_bits (value) >= s->bits) {
        valuecount_more (&s->unknown, times);
        return;
    }
    for (int i = 0; i < ACCESSVALUES_FEW; i++)
        if (!s->few[i].times || s->few[i].value == value) {
            s->few[i].value = value;
            valuecount_more (&s->few[i].times, times);
            return;
        }
    if (!s->more)
        NEW (s->more, 1);
    valuecount_add (s->more, value, times);
}

static void accessvalues_free_more (struct accessvalues_of *s)
{
    if (s->more)
        valuecount_clear (s->more);
    free (s->more);
}

/* Leave out those whose odd factors have so many bits. */
static void accessvalues_leave (struct accessvalues_of *s, unsigned bits)
{
    struct accessvalues_of old = *s;
    size_t n;
    struct valuecount_slot *all = accessvalues_sorted (&old, &n);

    *s = (struct accessvalues_of){.unknown = old.unknown, .bits = bits};
    for (size_t i = 0; i < n; i++)
        accessvalues_take (s, all[i].value, all[i].times);
    free (all);
    accessvalues_free_more (&old);
}

/* There are too many. */
static void accessvalues_shrink (struct accessvalues_of *s)
{
    size_t with[66] = {0}, n, fewer = 0; /* by bits of the odd factor */
    struct valuecount_slot *all = accessvalues_sorted (s, &n);
    unsigned bits = 1;

    for (size_t i = 0; i < n; i++)
        with[accessvalues_bits (all[i].value)]++;
    free (all);
    while (fewer + with[bits] <= ACCESSVALUES_MOST) /* 65 have 1 at most */
        fewer += with[bits++];
    accessvalues_leave (s, bits);
}

void accessvalues_bound (struct accessvalues **f,
                         enum access_way way,
                         unsigned bits)
{
    struct accessvalues_of *s = bits ? accessvalues_of (f, way) : NULL;

    if (s && !(s->bits && s->bits <= bits))
        accessvalues_leave (s, bits);
}

void accessvalues_add (struct accessvalues **f,
                       enum access_way way,
                       uint64_t bytes,
                       uint64_t times)
{
    struct accessvalues_of *s = accessvalues_of (f, way);

    if (times)
        accessvalues_take (s, bytes, times);
    if (s->more && s->more->count > ACCESSVALUES_MOST - ACCESSVALUES_FEW)
        accessvalues_shrink (s);
}

void accessvalues_add_unknown (struct accessvalues **f,
                               enum access_way way,
                               uint64_t times)
{
    valuecount_more (&accessvalues_of (f, way)->unknown, times);
}

void accessvalues_learn (struct accessvalues **f,
                         enum access_way way,
                         uint64_t bytes,
                         uint64_t times)
{
    struct accessvalues_of *s = accessvalues_of (f, way);

    s->unknown -= MIN (times, s->unknown);
    accessvalues_add (f, way, bytes, times);
}

void accessvalues_add_row (struct accessvalues **f,
                           enum access_way way,
                           const struct profrow *row)
{
    uint64_t good = profrow_good (row);

    if (row->same && good)
        accessvalues_add (f, way, row->n[PROFILE_size_most], good);
    else if (!row->same && row->unknown)
        accessvalues_add_unknown (f, way, row->unknown);
}

static int accessvalues_by_times (const void *a, const void *b)
{
    const struct valuecount_slot *x = a, *y = b;

    return ORDER (y->times, x->times) ?: ORDER (x->value, y->value);
}

struct valuecount_slot *accessvalues_sorted (const struct accessvalues_of *s,
                                             size_t *n)
{
    static const struct valuecount none;
    struct valuecount_slot *all =
        valuecount_sorted (s->more ? s->more : &none, n);

    all = xreallocarray (all, *n + ACCESSVALUES_FEW, sizeof (*all));
    for (int i = 0; i < ACCESSVALUES_FEW; i++)
        if (s->few[i].times)
            all[(*n)++] = s->few[i];
    SORT (all, *n, accessvalues_by_times);
    return all;
}

static void accessvalues_merge_way (struct accessvalues **to,
                                    enum access_way way,
                                    const struct accessvalues_of *from)
{
    size_t n;
    struct valuecount_slot *all = accessvalues_sorted (from, &n);

    accessvalues_bound (to, way, from->bits);
    for (size_t i = 0; i < n; i++)
        accessvalues_add (to, way, all[i].value, all[i].times);
    free (all);
    accessvalues_add_unknown (to, way, from->unknown);
}

void accessvalues_merge (struct accessvalues **to, struct accessvalues **from)
{
    struct accessvalues *f = *from;

    if (f && !*to) {
        *to = f;
        *from = NULL;
        return;
    }
    for (int w = 0; f && w < ACCESS_WAYS; w++)
        if (f->way[w] && (*to)->way[w])
            accessvalues_merge_way (to, w, f->way[w]);
        else if (f->way[w]) {
            (*to)->way[w] = f->way[w];
            f->way[w] = NULL;
        }
}

void accessvalues_free (struct accessvalues *f)
{
    for (int w = 0; f && w < ACCESS_WAYS; w++) {
        if (f->way[w])
            accessvalues_free_more (f->way[w]);
        free (f->way[w]);
    }
    free (f);
}
