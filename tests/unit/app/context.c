/* SPDX-License-Identifier: MIT
 *
 * context.c - what held at a tick: now, before, neither; whole or not at all
 */
#include "tests/unit/tap.h"

#include <pthread.h>
#include <stdatomic.h>

#include "preload/app/context.h"
#include "dftrace/dftrace.h"
#include "lib/format/event.h"

enum { STEP = 11, EPOCH, THIRD, FOURTH, FIFTH, ROUNDS = 20000 };

static struct record_arg args[EVENT_ARGS_MAX];

/* Value of key in the n arguments, or -1. */
static int64_t value (uint32_t n, uint32_t key)
{
    for (uint32_t i = 0; i < n; i++) {
        if (args[i].key == key)
            return args[i].i;
    }
    return -1;
}

static void test_nothing (void **state)
{
    assert_int_equal (context_args (5, args, 0), 0);
    context_set (0, 7, 5); /* no room for the name: no key */
    context_unset (0, 5);
    assert_int_equal (context_args (5, args, 0), 0);
}

static void test_ticks (void **state)
{
    context_set (STEP, 1, 10);
    assert_int_equal (context_args (9, args, 0), 0);
    assert_int_equal (value (context_args (10, args, 0), STEP), 1);
    context_set (STEP, 2, 20);
    assert_int_equal (context_args (9, args, 0), 0);
    assert_int_equal (value (context_args (19, args, 0), STEP), 1);
    assert_int_equal (value (context_args (20, args, 0), STEP), 2);
    context_set (STEP, 3, 30);
    assert_int_equal (context_args (19, args, 0), 0); /* two changes ago */
    context_unset (STEP, 40);
    assert_int_equal (value (context_args (39, args, 0), STEP), 3);
    assert_int_equal (context_args (40, args, 0), 0);
}

static void test_own_wins (void **state)
{
    args[0] = (struct record_arg){.key = STEP, .type = EVENT_ARG_INT, .i = 99};
    context_set (STEP, 5, 50);
    assert_int_equal (context_args (60, args, 1), 1);
    assert_int_equal (args[0].i, 99);
}

static void test_room (void **state)
{
    uint32_t n;

    for (uint32_t key = STEP; key <= FIFTH; key++)
        context_set (key, key, 100);
    n = context_args (100, args, 0);
    assert_int_equal (n, DFTRACE_CONTEXT_MAX);
    assert_int_equal (value (n, FOURTH), FOURTH);
    assert_int_equal (value (n, FIFTH), -1);
    for (uint32_t i = 0; i < EVENT_ARGS_MAX; i++)
        args[i] = (struct record_arg){.key = 1000 + i};
    assert_int_equal (context_args (100, args, EVENT_ARGS_MAX - 1),
                      EVENT_ARGS_MAX);
    assert_int_equal (context_args (100, args, EVENT_ARGS_MAX), EVENT_ARGS_MAX);
}

static _Atomic int done;

/* The value is the tick: a reader that mixes two of them shows. */
static void *writer (void *unused)
{
    (void)unused;
    for (uint64_t tick = 1000; tick < 1000 + ROUNDS; tick++)
        context_set (EPOCH, (int64_t)tick, tick);
    atomic_store (&done, 1);
    return NULL;
}

static void test_threads (void **state)
{
    struct record_arg own[EVENT_ARGS_MAX];
    uint64_t torn = 0;
    pthread_t t;

    assert_int_equal (pthread_create (&t, NULL, writer, NULL), 0);
    while (!atomic_load (&done)) {
        for (uint64_t tick = 1000; tick < 1000 + ROUNDS; tick += 97) {
            uint32_t n = context_args (tick, own, 0);

            for (uint32_t i = 0; i < n; i++)
                torn += own[i].key == EPOCH && own[i].i != EPOCH &&
                        own[i].i > (int64_t)tick;
        }
    }
    assert_int_equal (pthread_join (t, NULL), 0);
    assert_int_equal (torn, 0);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_nothing),  cmocka_unit_test (test_ticks),
        cmocka_unit_test (test_own_wins), cmocka_unit_test (test_room),
        cmocka_unit_test (test_threads),
    };

    return tap_run (tests);
}
