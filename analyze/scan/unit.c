/* SPDX-License-Identifier: MIT
 *
 * unit.c - results of a thread: make, join with those of a later split, free
 *
 * In:  filled by scan*.c and loadrows.c
 * Out: to load.c, which adds threads up to processes
 */
#include "config.h"

#include "analyze/scan/tally.h"
#include "analyze/scan/unit.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"
#include "lib/format/shard.h"

enum { SLOTS_LEAST = 16 };

uint64_t shares_id (const char *path, size_t length)
{
    return shard_checksum (path, length, 0);
}

static size_t shares_slot (const struct shares *s, uint64_t id)
{
    size_t at = id & (s->slots - 1);

    while (s->slot[at] && s->item[s->slot[at] - 1].id != id)
        at = (at + 1) & (s->slots - 1);
    return at;
}

static void shares_grow (struct shares *s)
{
    size_t slots = s->slots ? s->slots * 2 : SLOTS_LEAST;
    uint32_t *slot = ZEROED (slot, slots);
    struct share *item = xreallocarray (s->item, slots / 2, sizeof (*item));

    s->item = item;
    free (s->slot);
    s->slot = slot;
    s->slots = slots;
    s->room = slots / 2;
    for (size_t i = 0; i < s->count; i++)
        s->slot[shares_slot (s, s->item[i].id)] = (uint32_t)i + 1;
}

int64_t shares_at (struct shares *s, uint64_t id)
{
    size_t at;

    if (s->count == s->room)
        shares_grow (s);
    at = shares_slot (s, id);
    if (!s->slot[at]) {
        s->item[s->count] = (struct share){.id = id};
        s->slot[at] = (uint32_t)++s->count;
    }
    return s->slot[at] - 1;
}

int shares_append (struct shares *to, const struct shares *from)
{
    for (size_t i = 0; i < from->count; i++) {
        const struct share *f = &from->item[i];
        int64_t at = shares_at (to, f->id);
        struct share *t = at < 0 ? NULL : &to->item[at];

        if (!t)
            return -1;
        t->reads += f->reads;
        t->read_bytes += f->read_bytes;
        t->writes += f->writes;
        t->write_bytes += f->write_bytes;
        t->ns += f->ns;
        t->write_ns += f->write_ns;
    }
    return 0;
}

void shares_clear (struct shares *s)
{
    int saved = errno;

    free (s->item);
    free (s->slot);
    ZERO (s);
    errno = saved;
}

void transfer_add (struct transfer *t, const struct transfer *more)
{
    t->count += more->count;
    t->bytes += more->bytes;
    t->ns += more->ns;
}

#define COUNTS_ADD_NUMBER(TO, MORE)   (*(TO) += *(MORE))
#define COUNTS_ADD_WIDE(TO, MORE)     (*(TO) += *(MORE))
#define COUNTS_ADD_TRANSFER(TO, MORE) transfer_add (TO, MORE)

void counts_add (struct counts *n, const struct counts *more)
{
#define COUNT(TYPE, NAME, HELP) COUNTS_ADD_##TYPE (&n->NAME, &more->NAME);
#include "lib/model/counts.def"
#undef COUNT
    for (int i = 0; i < ROLE_COUNT; i++)
        n->regions[i] += more->regions[i];
    for (int i = 0; i < COST_COUNT; i++)
        transfer_add (&n->cost[i], &more->cost[i]);
}

void unit_init (struct unit *u,
                const struct trace_process *who,
                uint32_t main_tid)
{
    ZERO (u);
    u->who = who;
    u->main_tid = main_tid;
    u->first = UINT64_MAX;
}

static void add_sample (void *cookie, const struct nest_region *r)
{
    struct counts *n = cookie;
    uint64_t ns = r->end - r->start, bytes = r->tag & ~NEST_WINS;

    n->sample.bytes += bytes;
    if (!bytes)
        return;
    n->sample.ns += ns;
    if (ns) {
        n->sample_timed++;
        n->sample_rate +=
            (uint128_t)bytes * SAMPLE_RATE_UNIT * 1000000000u / ns;
    }
}

static void unit_count_sample (void *cookie, const struct nest_region *r)
{
    struct counts *n = cookie;

    n->sample.count += r->tag;
}

int unit_finish (struct unit *u)
{
    nest_drain (&u->samples, add_sample, &u->n);
    nest_drain (&u->counted, unit_count_sample, &u->n);

    nest_clear (&u->samples);
    nest_clear (&u->counted);
    nest_clear (&u->regions);
    nest_clear (&u->own);
    strides_clear (&u->strides);
    return 0;
}

struct spans *unit_new_spans (struct unit *u, struct span_key key)
{
    struct spans *s = ZEROED (s, 1);

    s->key = key;
    s->main = u->main_thread != 0;
    s->next = u->call[key.call];
    return u->call[key.call] = s;
}

void unit_keep_wait (
    struct unit *u, struct span_key key, int main, uint64_t start, uint64_t end)
{
    struct spans *s = u->call[key.call];

    while (s && !(span_key_same (s->key, key) && s->main == main))
        s = s->next;
    if (!s)
        s = unit_new_spans (u, key);
    s->main = (uint8_t)main;
    spanlog_add (&s->log, start, end);
}

void unit_keep_own (struct unit *u, enum role role)
{
    struct span_key key = {
        .call = CALL_region,
        .sets = role == ROLE_COMPUTE ? 1u << SET_COMPUTE : 0,
        .bill = (uint8_t)(u->main_thread ? bill_of_role (role) : BILL_NONE)};

    if (role != ROLE_COMPUTE && role != ROLE_BODY)
        return;
    for (size_t i = u->own.gaps; i-- > 0;)
        unit_keep (u, key, u->own.gap[i].start, u->own.gap[i].end);
}

struct spans *unit_take_spans (struct unit *u, struct spans *others)
{
    for (int i = 0; i < CALL_MAX; i++)
        while (u->call[i]) {
            struct spans *s = u->call[i];

            u->call[i] = s->next;
            s->next = others;
            others = s;
        }
    return others;
}

void spans_clear (struct spans *s)
{
    for (struct spans *next; s; s = next) {
        next = s->next;
        spanlog_clear (&s->log);
        free (s);
    }
}

void unit_clear (struct unit *u)
{
    mmlog_clear (&u->mm);
    scanabove_clear (&u->above);
    shares_clear (&u->shares);
    spans_clear (unit_take_spans (u, NULL));
    for (int i = 0; i < MARK_KINDS; i++)
        marks_clear (&u->marks[i]);
    nest_clear (&u->samples);
    nest_clear (&u->counted);
    nest_clear (&u->regions);
    nest_clear (&u->own);
    strides_clear (&u->strides);
}

/* A region had more inside than its split knew. */
static void take_off (void *cookie, void *owner, uint64_t inside)
{
    struct op_total *op = owner;

    op->self -= inside;
}

static void no_matter (void *cookie, void *owner, uint64_t inside)
{
}

/* Own time of a region of the later split that lies in the first one. */
static void unitjoin_take_own (void *cookie, void *owner, uint64_t inside)
{
    unit_keep_own (cookie, (enum role) (uintptr_t)owner);
}

/* One kind of spans goes to the same kind of u, or is new there. */
static void take_spans (struct unit *u, struct spans *s)
{
    struct spans *same = u->call[s->key.call];

    while (same &&
           !(span_key_same (same->key, s->key) && same->main == s->main))
        same = same->next;
    if (!same) {
        s->next = u->call[s->key.call];
        u->call[s->key.call] = s;
        return;
    }
    s->next = NULL;
    spanlog_join (&same->log, &s->log);
    spans_clear (s);
}

static void join_spans (struct unit *u, struct unit *later)
{
    struct spans *all = unit_take_spans (later, NULL), *next;

    for (; all; all = next) {
        next = all->next;
        take_spans (u, all);
    }
}

/* Marks that go on in the second split are one. */
static void join_marks (struct unit *u, const struct unit *later)
{
    for (int kind = 0; kind < MARK_KINDS; kind++)
        for (size_t i = 0; i < later->marks[kind].count; i++) {
            const struct mark *m = &later->marks[kind].item[i];

            marks_add (&u->marks[kind], m->number, m->start, m->end);
        }
}

int unit_join (struct unit *u, struct unit *later)
{
    counts_add (&u->n, &later->n);
    if (later->first < u->first)
        u->first = later->first;
    if (later->last > u->last)
        u->last = later->last;
    u->waits += later->waits;
    u->others += later->others;
    startup_join (&u->startup, &later->startup);
    u->main_thread |= later->main_thread;
    u->own.keeps_gaps = 1;
    nest_join (&u->regions, &later->regions, take_off, NULL);
    nest_join (&u->samples, &later->samples, no_matter, NULL);
    nest_join (&u->counted, &later->counted, no_matter, NULL);
    nest_join (&u->own, &later->own, unitjoin_take_own, u);
    join_marks (u, later);
    join_spans (u, later);
    if (shares_append (&u->shares, &later->shares) < 0 ||
        mmlog_append (&u->mm, &later->mm) < 0)
        return -1;
    unit_clear (later);
    return 0;
}
