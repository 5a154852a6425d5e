/* SPDX-License-Identifier: MIT
 *
 * unitjoin.c - two pieces of one thread -> one
 *
 * In:  units of a thread whose chunks were read in pieces, from load.c
 * Out: what one unit would have become from all of them
 */
#include "config.h"

#include "analyze/scan/tally.h"

/* A region had more inside than its piece knew. */
static int take_off (void *cookie, void *owner, uint64_t inside)
{
    struct op_total *op = owner;

    (void)cookie;
    op->self -= inside;
    return 0;
}

static int no_matter (void *cookie, void *owner, uint64_t inside)
{
    (void)cookie;
    (void)owner;
    (void)inside;
    return 0;
}

/* Own time of a region of the later piece that lies in the first one. */
static int unitjoin_take_own (void *cookie, void *owner, uint64_t inside)
{
    (void)inside;
    return unit_keep_own (cookie, (enum role) (uintptr_t)owner);
}

/* One kind of spans goes to the same kind of u, or is new there. */
static int take_spans (struct unit *u, struct spans *s)
{
    struct spans *same = u->call[s->key.call];
    int rc;

    while (same && !span_key_same (same->key, s->key))
        same = same->next;
    if (!same) {
        s->next = u->call[s->key.call];
        u->call[s->key.call] = s;
        return 0;
    }
    s->next = NULL;
    rc = spanlog_join (&same->log, &s->log);
    spans_clear (s);
    return rc;
}

static int join_spans (struct unit *u, struct unit *later)
{
    struct spans *all = unit_take_spans (later, NULL), *next;

    for (; all; all = next) {
        next = all->next;
        if (take_spans (u, all) < 0) {
            spans_clear (next);
            return -1;
        }
    }
    return 0;
}

/* Marks that go on in the second piece are one. */
static int join_marks (struct unit *u, const struct unit *later)
{
    for (int kind = 0; kind < MARK_KINDS; kind++)
        for (size_t i = 0; i < later->marks[kind].count; i++) {
            const struct mark *m = &later->marks[kind].item[i];

            if (marks_add (&u->marks[kind], m->number, m->start, m->end) < 0)
                return -1;
        }
    return 0;
}

int unit_join (struct unit *u, struct unit *later)
{
    counts_add (&u->n, &later->n);
    if (later->first < u->first)
        u->first = later->first;
    if (later->last > u->last)
        u->last = later->last;
    startup_join (&u->startup, &later->startup);
    u->main_thread |= later->main_thread;
    u->own.keeps_gaps = 1;
    if (nest_join (&u->regions, &later->regions, take_off, NULL) < 0 ||
        nest_join (&u->samples, &later->samples, no_matter, NULL) < 0 ||
        nest_join (&u->own, &later->own, unitjoin_take_own, u) < 0 ||
        join_marks (u, later) < 0 || join_spans (u, later) < 0 ||
        shares_append (&u->shares, &later->shares) < 0 ||
        mmlog_append (&u->mm, &later->mm) < 0)
        return -1;
    unit_clear (later);
    return 0;
}
