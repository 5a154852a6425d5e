/* SPDX-License-Identifier: MIT
 *
 * otflanes.c - events of a thread by their starts -> locations in which they
 * are properly inside each other
 *
 * In:  events, from otfread.c
 * Out: begins and ends in the order of their times, to otfput.c
 *
 * OTF2 wants regions inside each other. What overlaps another one (regions that
 * end in another order than they began, faults of a thread beside its calls)
 * goes to the first further location of its thread where it fits: no time is
 * changed, and none is left out.
 */
#include "config.h"

#ifdef HAVE_OTF2

#include "analyze/export/otflanes.h"

#include <stdlib.h>

/* Room for one more. */
static int otflanes_room (struct otfopen **items, size_t *room, size_t count)
{
    size_t more = *room ? 2 * *room : 16;
    struct otfopen *p;

    if (count < *room)
        return 0;
    if (!(p = reallocarray (*items, more, sizeof (*p))))
        return -1;
    *items = p;
    *room = more;
    return 0;
}

/* --- requests ------------------------------------------------------------- */

static void otflanes_swap (struct otfopen *a, struct otfopen *b)
{
    struct otfopen t = *a;

    *a = *b;
    *b = t;
}

static void otflanes_push_later (struct otflanes *l, const struct otfopen *o)
{
    size_t i = l->laters++;

    l->later[i] = *o;
    for (; i && l->later[i].end < l->later[(i - 1) / 2].end; i = (i - 1) / 2)
        otflanes_swap (&l->later[i], &l->later[(i - 1) / 2]);
}

static struct otfopen otflanes_pop_later (struct otflanes *l)
{
    struct otfopen first = l->later[0];

    l->later[0] = l->later[--l->laters];
    for (size_t i = 0;;) {
        size_t least = i;

        for (size_t c = 2 * i + 1; c < 2 * i + 3 && c < l->laters; c++)
            if (l->later[c].end < l->later[least].end)
                least = c;
        if (least == i)
            return first;
        otflanes_swap (&l->later[i], &l->later[least]);
        i = least;
    }
}

/* --- lanes ---------------------------------------------------------------- */

/* End what has ended by this time, in its order. */
static void
otflanes_until (struct otflanes *l, struct otflane *lane, uint64_t t)
{
    int first = lane == &l->lane[0]; /* it has the requests, too */

    for (;;) {
        struct otfopen *top = lane->depth ? &lane->open[lane->depth - 1] : NULL;

        if (first && l->laters && l->later[0].end <= t &&
            (!top || l->later[0].end <= top->end)) {
            struct otfopen o = otflanes_pop_later (l);

            otfput_end (l->put, lane->writer, &o, 0);
        } else if (top && top->end <= t) {
            otfput_end (l->put, lane->writer, top, 1);
            lane->depth--;
        } else
            return;
    }
}

static int otflanes_add (struct otflanes *l)
{
    struct otflane *lane = &l->lane[l->lanes];
    struct otfput *put = l->put;
    int64_t location =
        otfdefs_location (put->defs, l->process, l->tid, (uint32_t)l->lanes);

    lane->depth = 0;
    lane->writer = location < 0 ? NULL
                                : OTF2_Archive_GetEvtWriter (
                                      put->archive, (OTF2_LocationRef)location);
    if (!lane->writer) {
        put->short_of_memory |= location < 0;
        otfput_wrote (put, OTF2_ERROR_FILE_CAN_NOT_OPEN);
        return -1;
    }
    lane->location = (size_t)location;
    l->lanes++;
    return 0;
}

void otflanes_begin (struct otflanes *l, size_t process, uint32_t tid)
{
    l->process = process;
    l->tid = tid;
    l->lanes = l->laters = 0;
    (void)otflanes_add (l);
}

static void otflanes_take_later (struct otflanes *l, const struct otfevent *e)
{
    struct otfopen open;

    otflanes_until (l, &l->lane[0], e->start);
    if (l->laters == OTFLANES_LATER) {
        l->left_out++;
        return;
    }
    if (otflanes_room (&l->later, &l->laters_room, l->laters) < 0) {
        l->put->short_of_memory = 1;
        return;
    }
    otfput_begin (l->put, l->lane[0].writer, l->process, e, 0, &open);
    otflanes_push_later (l, &open);
}

/* The first lane in which the event is inside what is open; NULL: none. */
static struct otflane *otflanes_find (struct otflanes *l,
                                      const struct otfevent *e)
{
    for (size_t i = 0; i < OTFLANES_MAX; i++) {
        struct otflane *lane = &l->lane[i];

        if (i == l->lanes && otflanes_add (l) < 0)
            return NULL;
        otflanes_until (l, lane, e->start);
        if ((!lane->depth || lane->open[lane->depth - 1].end >= e->end) &&
            lane->depth < OTFLANES_DEPTH)
            return lane;
    }
    return NULL;
}

void otflanes_take (struct otflanes *l, const struct otfevent *e)
{
    struct otflane *lane;

    if (l->lanes == 0)
        return;
    if (otfio_act (e->call) == OTFACT_LATER) {
        otflanes_take_later (l, e);
        return;
    }
    if (!(lane = otflanes_find (l, e))) {
        l->left_out++;
        return;
    }
    if (otflanes_room (&lane->open, &lane->room, lane->depth) < 0) {
        l->put->short_of_memory = 1;
        return;
    }
    otfput_begin (l->put, lane->writer, l->process, e, 1,
                  &lane->open[lane->depth]);
    lane->depth++;
}

void otflanes_end (struct otflanes *l)
{
    struct otfput *put = l->put;

    for (size_t i = 0; i < l->lanes; i++) {
        struct otflane *lane = &l->lane[i];
        struct otflocation *location = &put->defs->location[lane->location];

        otflanes_until (l, lane, UINT64_MAX);
        otfput_wrote (put, OTF2_EvtWriter_GetNumberOfEvents (
                               lane->writer, &location->events));
        otfput_wrote (put,
                      OTF2_Archive_CloseEvtWriter (put->archive, lane->writer));
    }
    l->lanes = 0;
}

void otflanes_clear (struct otflanes *l)
{
    for (size_t i = 0; i < OTFLANES_MAX; i++)
        free (l->lane[i].open);
    free (l->later);
}

#endif
