/* SPDX-License-Identifier: MIT
 *
 * groupscan.c - chunks of a thread -> cells, one for each pair of values
 *
 * In:  checked payloads, from groups.c
 * Out: sums and sets of time by what grouping asks for
 * Caveat: values that depend on a name only are found once for each chunk.
 */
#include "config.h"

#include "analyze/query/groupscan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trace/evname.h"
#include "analyze/query/groupframe.h"
#include "analyze/query/grouppass.h"
#include "analyze/query/groupvalue.h"

/* One event. */
struct event_at {
    const struct event *ev;
    uint64_t start, end; /* ns of CLOCK_REALTIME */
    struct group_event what;
};

int groupscan_init (struct groupscan *s)
{
    if (!(s->cells = strmap_create ()))
        return -1;
    for (int k = 0; k < s->by->keys; k++) {
        s->last[k].number = INT64_MIN;
        if (!(s->value[k] = strmap_create ()))
            return -1;
    }
    return 0;
}

void groupscan_thread (struct groupscan *s,
                       const struct trace_process *who,
                       int64_t rank,
                       uint32_t tid,
                       const struct windows *windows)
{
    s->who = who;
    s->rank = rank;
    s->tid = tid;
    s->windows = windows;
    memset (s->of_thread, 0, sizeof (s->of_thread));
}

/* Room for what is known of a dictionary id. */
static int grow (struct groupscan *s, uint32_t id)
{
    size_t room = s->room ? s->room : 256;
    struct place *place;
    int64_t *known;

    if (id < s->room)
        return 0;
    while (room <= id)
        room *= 2;
    if (!(place = reallocarray (s->place, room, sizeof (*place))))
        return -1;
    s->place = place;
    memset (place + s->room, 0, (room - s->room) * sizeof (*place));
    for (int k = 0; k < s->by->keys; k++) {
        if (!(known = reallocarray (s->known[k], room, sizeof (*known))))
            return -1;
        s->known[k] = known;
        memset (known + s->room, 0, (room - s->room) * sizeof (*known));
    }
    s->room = room;
    return 0;
}

/* --- values --------------------------------------------------------------- */

static int64_t intern (struct groupscan *s, int k, const char *text)
{
    int isnew;

    return strmap_intern (s->value[k], text, strlen (text), &isnew);
}

static int64_t number_value (struct groupscan *s, int k, int64_t number)
{
    char text[32];

    if (s->last[k].number != number) {
        s->last[k].ordinal = intern (
            s, k, group_number (s->by->key[k], number, s->interval, text));
        s->last[k].number = number;
    }
    return s->last[k].ordinal;
}

static int64_t window_number (const struct groupscan *s,
                              const struct event_at *e,
                              enum mark_kind kind)
{
    const struct mark *m;

    if (e->what.mark[kind] >= 0)
        return e->what.mark[kind];
    m = s->windows ? windows_find (&s->windows->of[kind], e->start) : NULL;
    return m ? m->number : GROUP_NO_NUMBER;
}

/* The number of an event under a key that is one. */
static int64_t
number_of (const struct groupscan *s, int k, const struct event_at *e)
{
    switch (s->by->key[k]) {
    case GROUP_rank:
        return s->rank < 0 ? GROUP_NO_NUMBER : s->rank;
    case GROUP_step:
        return window_number (s, e, MARK_STEP);
    case GROUP_epoch:
        return window_number (s, e, MARK_EPOCH);
    case GROUP_size:
        return e->what.moves ? group_size_bin (e->what.bytes) : GROUP_NO_NUMBER;
    default:
        return GROUP_NO_NUMBER;
    }
}

/* Where the ordinal + 1 of a text value is remembered; NULL: it is not. */
static int64_t *memory (struct groupscan *s, int k, const struct event_at *e)
{
    int app = call_table[e->ev->call].category == CALL_CATEGORY_APP;

    switch (s->by->key[k]) {
    case GROUP_layer:
    case GROUP_function:
        return app ? &s->known[k][e->ev->file] : &s->of_call[k][e->ev->call];
    case GROUP_class:
        return &s->of_call[k][e->ev->call];
    case GROUP_file:
    case GROUP_directory:
    case GROUP_pattern:
    case GROUP_kind:
        return &s->known[k][e->ev->file];
    case GROUP_place:
        return NULL;
    default:
        return &s->of_thread[k];
    }
}

static int64_t text_value (struct groupscan *s, int k, const struct event_at *e)
{
    int64_t *known = memory (s, k, e), ordinal;
    char text[EVNAME_TEXT];

    if (known && *known)
        return *known - 1;
    ordinal =
        intern (s, k, group_text (s->by->key[k], s, e->ev, &e->what, text));
    if (known && ordinal >= 0)
        *known = ordinal + 1;
    return ordinal;
}

static int64_t value_of (struct groupscan *s, int k, const struct event_at *e)
{
    return group_key_table[s->by->key[k]].number
               ? number_value (s, k, number_of (s, k, e))
               : text_value (s, k, e);
}

/* --- cells ---------------------------------------------------------------- */

static struct group_cell *cell_of (struct groupscan *s, const int64_t *value)
{
    int isnew;
    int64_t at = strmap_intern (s->cells, (const char *)value,
                                GROUP_BY_MAX * sizeof (*value), &isnew);
    struct group_cell *c;

    if (at < 0)
        return NULL;
    if (!isnew)
        return strmap_value (s->cells, (size_t)at);
    if ((c = calloc (1, sizeof (*c))))
        strmap_set (s->cells, (size_t)at, c);
    return c;
}

static void count (struct group *g, const struct event_at *e)
{
    uint64_t ns = e->end - e->start;

    if (!g->count || ns < g->min)
        g->min = ns;
    if (ns > g->max)
        g->max = ns;
    g->count++;
    g->bytes += e->what.bytes;
    g->errors += (uint64_t)e->what.failed;
}

/* Time [start, end) of an event; it counts where it begins. */
static int put (struct groupscan *s,
                const int64_t *value,
                const struct event_at *e,
                uint64_t start,
                uint64_t end)
{
    struct group_cell *c = cell_of (s, value);

    if (!c)
        return -1;
    if (start == e->start)
        count (&c->sum, e);
    c->sum.ns += end - start;
    return spanlog_add (&c->now, start, end);
}

/* Over all intervals that the event passes. */
static int put_intervals (struct groupscan *s,
                          int64_t *value,
                          int k,
                          const struct event_at *e)
{
    uint64_t start = e->start > s->start ? e->start : s->start;
    uint64_t bin = (start - s->start) / s->interval;
    uint64_t at = e->start;

    for (;; bin++) {
        uint64_t limit = s->start + (bin + 1) * s->interval;
        uint64_t end = e->end < limit ? e->end : limit;

        if ((value[k] = number_value (s, k, (int64_t)bin)) < 0 ||
            put (s, value, e, at, end) < 0)
            return -1;
        at = end;
        if (at >= e->end)
            return 0;
    }
}

static int count_event (struct groupscan *s, const struct event_at *e)
{
    int64_t value[GROUP_BY_MAX] = {0};
    int interval = -1;

    for (int k = 0; k < s->by->keys; k++) {
        if (s->by->key[k] == GROUP_interval)
            interval = k;
        else if ((value[k] = value_of (s, k, e)) < 0)
            return -1;
    }
    return interval >= 0 ? put_intervals (s, value, interval, e)
                         : put (s, value, e, e->start, e->end);
}

/* --- chunks ----------------------------------------------------------------
 */

static int take_event (struct groupscan *s, const struct event *ev)
{
    struct event_at e = {.ev = ev};
    int wanted;

    if (ev->call >= CALL_MAX || !call_table[ev->call].name ||
        ev->call == CALL_metadata)
        return 0;
    e.start = trace_real_ns (s->who, ev->start);
    e.end = trace_real_ns (s->who, ev->end);
    if ((wanted = evfilter_wants (&s->filter, &s->decoder, ev, e.start)) <= 0)
        return wanted;
    if (grow (s, ev->file) < 0)
        return -1;
    group_event_read (&e.what, &s->decoder, ev, &s->place[ev->file]);
    return count_event (s, &e);
}

int groupscan_chunk (struct groupscan *s,
                     const struct trace_chunk *c,
                     const unsigned char *payload,
                     size_t bytes)
{
    struct event ev;
    int rc;

    if (decoder_begin (&s->decoder, &c->head, payload, bytes) < 0)
        return -1;
    for (int k = 0; s->room && k < s->by->keys; k++)
        memset (s->known[k], 0, s->room * sizeof (*s->known[k]));
    if (s->room)
        memset (s->place, 0, s->room * sizeof (*s->place));
    evfilter_chunk (&s->filter, s->who, c->head.tid);
    while ((rc = decoder_next (&s->decoder, &ev)) > 0)
        if (take_event (s, &ev) < 0) {
            errno = ENOMEM;
            return -1;
        }
    return rc < 0 && errno == ENOMEM ? -1 : 0;
}

int group_cell_keep (struct group_cell *c)
{
    size_t room = c->room ? 2 * c->room : 2;
    struct spanlog *log;

    if (spanlog_empty (&c->now))
        return 0;
    if (c->logs == c->room) {
        if (!(log = reallocarray (c->log, room, sizeof (*log))))
            return -1;
        c->log = log;
        c->room = room;
    }
    c->log[c->logs++] = c->now;
    memset (&c->now, 0, sizeof (c->now));
    return 0;
}

int groupscan_done (struct groupscan *s)
{
    for (size_t i = 0; i < strmap_count (s->cells); i++) {
        struct group_cell *c = strmap_value (s->cells, i);

        if (c && group_cell_keep (c) < 0)
            return -1;
    }
    return 0;
}

void group_cell_free (struct group_cell *c)
{
    if (!c)
        return;
    spanlog_clear (&c->now);
    for (size_t i = 0; i < c->logs; i++)
        spanlog_clear (&c->log[i]);
    free (c->log);
    free (c);
}

void groupscan_clear (struct groupscan *s)
{
    for (size_t i = 0; s->cells && i < strmap_count (s->cells); i++)
        group_cell_free (strmap_value (s->cells, i));
    strmap_destroy (s->cells);
    for (int k = 0; k < GROUP_BY_MAX; k++) {
        strmap_destroy (s->value[k]);
        free (s->known[k]);
    }
    free (s->place);
    decoder_end (&s->decoder);
    evfilter_clear (&s->filter);
    memset (s, 0, sizeof (*s));
}
