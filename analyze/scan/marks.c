/* SPDX-License-Identifier: MIT
 *
 * marks.c - regions that name their step or epoch -> when each one was
 *
 * In:  numbers and times of regions, from scan.c
 * Out: windows of time, to phases.c and context.c
 */
#include "config.h"

#include "analyze/scan/marks.h"
#include "analyze/scan/packer.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"

static void widen (struct mark *to, const struct mark *by)
{
    if (by->start < to->start)
        to->start = by->start;
    if (by->end > to->end)
        to->end = by->end;
}

void marks_add (struct marks *m, int64_t number, uint64_t start, uint64_t end)
{
    struct mark mark = {number, start, end};
    struct mark *last = m->count ? &m->item[m->count - 1] : NULL;

    if (last && number >= 0 && last->number == number) {
        widen (last, &mark);
        return;
    }
    GROW (m->item, m->room, m->count + 1);
    m->item[m->count++] = mark;
}

void marks_append (struct marks *m, const struct marks *more)
{
    GROW (m->item, m->room, m->count + more->count);
    if (more->count)
        memcpy (m->item + m->count, more->item,
                more->count * sizeof (*more->item));
    m->count += more->count;
}

static int marks_by_start (const void *a, const void *b)
{
    const struct mark *x = a, *y = b;

    return ORDER (x->start, y->start)
           ?: ORDER (x->end, y->end)
           ?: ORDER (x->number, y->number);
}

void marks_to_windows (struct marks *m)
{
    size_t used = 0;

    if (m->count)
        SORT (m->item, m->count, marks_by_start);
    for (size_t i = 0; i < m->count; i++) {
        struct mark *last = used ? &m->item[used - 1] : NULL;

        if (last && m->item[i].number >= 0 && last->number == m->item[i].number)
            widen (last, &m->item[i]);
        else
            m->item[used++] = m->item[i];
    }
    m->count = used;
    for (size_t i = 0; i < used; i++) {
        if (m->item[i].number < 0)
            m->item[i].number = i;
        if (i + 1 < used)
            m->item[i].end = m->item[i + 1].start;
    }
}

const struct mark *windows_find (const struct marks *windows, uint64_t t)
{
    size_t low = 0, high = windows->count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (windows->item[middle].start <= t)
            low = middle + 1;
        else
            high = middle;
    }
    return low && t < windows->item[low - 1].end ? &windows->item[low - 1]
                                                 : NULL;
}

void marks_clear (struct marks *m)
{
    free (m->item);
    ZERO (m);
}

void marks_pack (struct packer *p, const struct marks *m)
{
    pack_uint (p, m->count);
    for (size_t i = 0; i < m->count; i++) {
        pack_int (p, m->item[i].number);
        pack_uint (p, m->item[i].start);
        pack_uint (p, m->item[i].end - m->item[i].start);
    }
}

int marks_unpack (struct unpacker *u, struct marks *m)
{
    uint64_t count = unpack_uint (u);

    for (uint64_t i = 0; i < count && !u->bad; i++) {
        struct mark one = {.number = unpack_int (u)};
        struct marks single = {.item = &one, .count = 1};

        one.start = unpack_uint (u);
        one.end = one.start + unpack_uint (u);
        if (!u->bad)
            marks_append (m, &single);
    }
    return u->bad ? -1 : 0;
}

/* --- 64-bit numbers -> ordinals, in order of first insertion --- */

enum { PAIRS_FIRST = 64 };

static struct pairs_slot *pairs_slot_of (const struct pairs *p, uint64_t key)
{
    size_t at = pairs_home (p, key);

    while (p->slot[at].ordinal && p->slot[at].key != key)
        at = (at + 1) & (p->slots - 1);
    return &p->slot[at];
}

/* At most half of the slots are used. */
static void pairs_grow (struct pairs *p)
{
    struct pairs more = {.slots = p->slots ? 2 * p->slots : PAIRS_FIRST,
                         .count = p->count};

    if (2 * ((size_t)p->count + 1) <= p->slots)
        return;
    if (p->count == UINT32_MAX - 1)
        xalloc_die ();
    NEW (more.slot, more.slots);
    for (size_t i = 0; i < p->slots; i++)
        if (p->slot[i].ordinal)
            *pairs_slot_of (&more, p->slot[i].key) = p->slot[i];
    free (p->slot);
    *p = more;
}

int64_t pairs_find (struct pairs *p, uint64_t key)
{
    struct pairs_slot *s;

    pairs_grow (p);
    s = pairs_slot_of (p, key);
    if (!s->ordinal) {
        s->key = key;
        s->ordinal = ++p->count;
    }
    return s->ordinal - 1;
}

void pairs_clear (struct pairs *p)
{
    free (p->slot);
    ZERO (p);
}
