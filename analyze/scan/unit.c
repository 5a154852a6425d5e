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

uint64_t shares_id (const char *path, size_t length)
{
    return shard_checksum (path, length, 0);
}

size_t shares_at (struct shares *s, uint64_t id)
{
    size_t at = pairs_ordinal (&s->index, id);

    if (at == s->count) {
        GROW (s->item, s->room, at + 1);
        s->item[s->count++] = (struct share){.id = id};
    }
    return at;
}

void shares_append (struct shares *to, const struct shares *from)
{
    for (size_t i = 0; i < from->count; i++) {
        const struct share *f = &from->item[i];
        size_t at = shares_at (to, f->id);
        struct share *t = &to->item[at];

        t->reads += f->reads;
        t->read_bytes += f->read_bytes;
        t->writes += f->writes;
        t->write_bytes += f->write_bytes;
        t->ns += f->ns;
        t->write_ns += f->write_ns;
    }
}

void shares_clear (struct shares *s)
{
    free (s->item);
    pairs_clear (&s->index);
    ZERO (s);
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
                uint32_t main_tid,
                int continues)
{
    ZERO (u);
    u->who = who;
    u->main_tid = main_tid;
    u->first = UINT64_MAX;
    for (int i = 0; i < UNIT_NESTS; i++)
        u->nest[i].continues = continues;
    u->strides.continues = continues;
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

static void unit_clear_nests (struct unit *u)
{
    for (int i = 0; i < UNIT_NESTS; i++)
        nest_clear (&u->nest[i]);
    strides_clear (&u->strides);
}

void unit_finish (struct unit *u)
{
    nest_drain (&u->nest[UNIT_SAMPLES], add_sample, &u->n);
    nest_drain (&u->nest[UNIT_COUNTED], unit_count_sample, &u->n);
    unit_clear_nests (u);
}

struct spans *unit_new_spans (struct unit *u, struct span_key key, int main)
{
    struct spans *s = ZEROED (s, 1);

    s->key = key;
    s->main = (uint8_t)main;
    s->next = u->call[key.call];
    return u->call[key.call] = s;
}

void unit_keep_own (struct unit *u, enum role role)
{
    const struct nest *own = &u->nest[UNIT_OWN];
    struct span_key key = {
        .call = CALL_region,
        .sets = role == ROLE_COMPUTE ? 1u << SET_COMPUTE : 0,
        .bill = (uint8_t)(u->main_thread ? bill_of_role (role) : BILL_NONE)};

    if (role != ROLE_COMPUTE && role != ROLE_BODY)
        return;
    for (size_t i = own->gaps; i-- > 0;)
        unit_keep (u, key, own->gap[i].start, own->gap[i].end);
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
    unit_clear_nests (u);
}

/* A region had more inside than its split knew. */
static void take_off (void *cookie, void *owner, uint64_t inside)
{
    struct op_total *op = owner;

    op->self -= inside;
}

/* Own time of a region of the later split that lies in the first one. */
static void unitjoin_take_own (void *cookie, void *owner, uint64_t inside)
{
    unit_keep_own (cookie, (enum role) (uintptr_t)owner);
}

/* The spans of the later split go to those of the same key. */
static void join_spans (struct unit *u, struct unit *later)
{
    struct spans *all = unit_take_spans (later, NULL);

    for (struct spans *s = all; s; s = s->next)
        spanlog_join (&unit_spans (u, s->key, s->main)->log, &s->log);
    spans_clear (all);
}

void unit_join (struct unit *u, struct unit *later)
{
    counts_add (&u->n, &later->n);
    u->first = MIN (u->first, later->first);
    u->last = MAX (u->last, later->last);
    u->waits += later->waits;
    u->others += later->others;
    startup_join (&u->startup, &later->startup);
    u->main_thread |= later->main_thread;
    u->nest[UNIT_OWN].keeps_gaps = 1;
    for (int i = 0; i < UNIT_NESTS; i++)
        nest_join (&u->nest[i], &later->nest[i],
                   i == UNIT_REGIONS ? take_off
                   : i == UNIT_OWN   ? unitjoin_take_own
                                     : NULL,
                   u);
    for (int kind = 0; kind < MARK_KINDS; kind++)
        for (size_t i = 0; i < later->marks[kind].count; i++) {
            const struct mark *m = &later->marks[kind].item[i];

            marks_add (&u->marks[kind], m->number, m->start, m->end);
        }
    join_spans (u, later);
    shares_append (&u->shares, &later->shares);
    mmlog_append (&u->mm, &later->mm);
    unit_clear (later);
}
