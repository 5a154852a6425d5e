/* SPDX-License-Identifier: MIT
 *
 * context.c - dftrace_step, dftrace_epoch -> arguments of later events
 *
 * In:  keys and values from any thread
 * Out: for the tick at which an event began, what held then
 * Caveat: remembers the present value and the one before. A region that began
 *         before both carries none: it was not in any one step.
 *
 * One slot per key under a sequence number: odd while somebody writes, so
 * that a reader takes a slot whole or not at all. Nobody waits.
 */
#include "config.h"

#include <stdatomic.h>

#include "preload/app/context.h"
#include "dftrace/dftrace.h"
#include "lib/format/event.h"

enum { READ_TRIES = 4 };

struct value {
    _Atomic uint64_t since; /* tick; 0: never */
    _Atomic int64_t value;
    _Atomic int is_set;
};

struct slot {
    _Atomic uint32_t key; /* 0: free */
    _Atomic uint32_t sequence;
    struct value now, before;
};

static struct slot slots[DFTRACE_CONTEXT_MAX];
static _Atomic uint32_t used; /* slots with a key, so that none costs nothing */

static struct slot *context_slot_of (uint32_t key)
{
    for (int i = 0; i < DFTRACE_CONTEXT_MAX; i++) {
        uint32_t there = 0;

        if (atomic_compare_exchange_strong (&slots[i].key, &there, key)) {
            atomic_fetch_add (&used, 1);
            return &slots[i];
        }
        if (there == key)
            return &slots[i];
    }
    return NULL;
}

static void change (uint32_t key, int is_set, int64_t value, uint64_t tick)
{
    struct slot *s = key ? context_slot_of (key) : NULL;
    uint32_t sequence = s ? atomic_load (&s->sequence) : 1;

    if ((sequence & 1) ||
        !atomic_compare_exchange_strong (&s->sequence, &sequence, sequence + 1))
        return;
    s->before.since = s->now.since;
    s->before.value = s->now.value;
    s->before.is_set = s->now.is_set;
    s->now.since = tick;
    s->now.value = value;
    s->now.is_set = is_set;
    atomic_store (&s->sequence, sequence + 2);
}

void context_set (uint32_t key, int64_t value, uint64_t tick)
{
    change (key, 1, value, tick);
}

void context_unset (uint32_t key, uint64_t tick)
{
    change (key, 0, 0, tick);
}

/* Value of a slot at a tick: 1 and *value, or 0. */
static int value_at (struct slot *s, uint64_t tick, int64_t *value)
{
    for (int i = 0; i < READ_TRIES; i++) {
        uint32_t sequence = atomic_load (&s->sequence);
        const struct value *v = &s->now;
        int is_set;

        if (v->since > tick)
            v = &s->before;
        is_set = v->since && v->since <= tick && v->is_set;
        *value = v->value;
        if (!(sequence & 1) && atomic_load (&s->sequence) == sequence)
            return is_set;
    }
    return 0;
}

static int has_key (const struct record_arg *args, uint32_t n, uint32_t key)
{
    for (uint32_t i = 0; i < n; i++) {
        if (args[i].key == key)
            return 1;
    }
    return 0;
}

uint32_t context_args (uint64_t start, struct record_arg *args, uint32_t n)
{
    uint32_t own = n;
    int64_t value;

    if (atomic_load_explicit (&used, memory_order_relaxed) == 0)
        return n;
    for (int i = 0; i < DFTRACE_CONTEXT_MAX && n < EVENT_ARGS_MAX; i++) {
        uint32_t key = atomic_load (&slots[i].key);

        if (!key || has_key (args, own, key) ||
            !value_at (&slots[i], start, &value))
            continue;
        args[n++] =
            (struct record_arg){.key = key, .type = EVENT_ARG_INT, .i = value};
    }
    return n;
}
