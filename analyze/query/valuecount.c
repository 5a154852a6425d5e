/* SPDX-License-Identifier: MIT
 *
 * valuecount.c - different values -> how often each of them was met
 *
 * In:  values of events, from numbers.c
 * Out: slots, in no order
 */
#include "config.h"

#include "analyze/query/valuecount.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    VALUECOUNT_FIRST = 16,
    VALUECOUNT_FAR = 2048, /* values; fewer are in the first cache */
    VALUECOUNT_WAITING = 64
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
static int valuecount_grow (struct valuecount *c)
{
    struct valuecount more = {.slots =
                                  c->slots ? 2 * c->slots : VALUECOUNT_FIRST};

    if (!(more.slot = calloc (more.slots, sizeof (*more.slot))))
        return -1;
    for (size_t i = 0; i < c->slots; i++)
        if (c->slot[i].times)
            *valuecount_slot (&more, c->slot[i].value) = c->slot[i];
    free (c->slot);
    c->slot = more.slot;
    c->slots = more.slots;
    return 0;
}

int valuecount_add (struct valuecount *c, uint64_t value, uint64_t times)
{
    struct valuecount_slot *s;

    if (2 * (c->count + 1) > c->slots && valuecount_grow (c) < 0)
        return -1;
    s = valuecount_slot (c, value);
    c->count += !s->times;
    s->value = value;
    /* what a damaged file says may be too much */
    if (__builtin_add_overflow (s->times, times, &s->times))
        s->times = UINT64_MAX;
    return 0;
}

int valuecount_settle (struct valuecount *c)
{
    unsigned n = c->waitings;

    c->waitings = 0;
    for (unsigned i = 0; i < n; i++)
        if (valuecount_add (c, c->waiting[i], 1) < 0)
            return -1;
    return 0;
}

int valuecount_meet (struct valuecount *c, uint64_t value)
{
    if (c->count < VALUECOUNT_FAR)
        return valuecount_add (c, value, 1);
    if (!c->waiting &&
        !(c->waiting = calloc (VALUECOUNT_WAITING, sizeof (*c->waiting))))
        return -1;
    __builtin_prefetch (&c->slot[valuecount_home (c, value)], 1);
    c->waiting[c->waitings++] = value;
    return c->waitings < VALUECOUNT_WAITING ? 0 : valuecount_settle (c);
}

void valuecount_clear (struct valuecount *c)
{
    int saved = errno;

    free (c->slot);
    free (c->waiting);
    memset (c, 0, sizeof (*c));
    errno = saved;
}
