/* SPDX-License-Identifier: MIT
 *
 * usage.c - differences of a thread's counters
 */
#include "tests/unit/tap.h"

#include <string.h>
#include <sys/mman.h>

#include "lib/core/record/clock.h"
#include "lib/core/record/event.h"
#include "lib/core/record/usage.h"

static int new_threads;

static void new_thread (void)
{
    new_threads++;
}

static void test_names (void **state)
{
    size_t n;
    const char *text = names_text (usage_name (USAGE_READ), &n, NULL);

    assert_int_equal (usage_name (USAGE_READ), usage_name (USAGE_READ));
    assert_int_not_equal (usage_name (USAGE_READ), usage_name (USAGE_MAJOR));
    assert_int_equal (n, 7);
    assert_memory_equal (text, "mm.read", 7);
    for (int i = 0; i < USAGE_COUNT; i++)
        assert_true (strncmp (usage_keys[i], "mm.", 3) == 0 ||
                     strncmp (usage_keys[i], "stdio.", 6) == 0 ||
                     strncmp (usage_keys[i], "fs.", 3) == 0 ||
                     strncmp (usage_keys[i], "lustre.", 7) == 0);
}

static void test_put (void **state)
{
    struct record_arg args[EVENT_ARGS_MAX];
    uint32_t n = 0;

    for (int i = 0; i < EVENT_ARGS_MAX + 3; i++)
        n = usage_put (args, n, USAGE_MINOR, 7);
    assert_int_equal (n, EVENT_ARGS_MAX);
    assert_int_equal (args[EVENT_ARGS_MAX - 1].i, 7);
    assert_int_equal (args[0].key, usage_name (USAGE_MINOR));
}

/* Nothing waited for storage: nothing is said, whatever is open. */
static void test_nothing (void **state)
{
    struct record_arg args[EVENT_ARGS_MAX];
    struct record r = {.call = CALL_read, .start = clock_tick ()};
    uint64_t start = clock_tick ();

    assert_int_equal (usage_region_end (start, args, 0), 0);
    usage_look ();
    assert_int_equal (new_threads, 1);
    usage_region_begin (start);
    usage_call_begin ();
    r.end = clock_tick ();
    assert_int_equal (usage_call_end (&r, args), 0);
    assert_int_equal (usage_region_end (start, args, 3), 3);
    assert_int_equal (usage_region_end (start, args, 0), 0);
    assert_int_equal (new_threads, 1);
}

/* More regions than are remembered: the oldest have no numbers, no harm. */
static void test_depth (void **state)
{
    struct record_arg args[EVENT_ARGS_MAX];

    for (uint64_t i = 1; i <= 3 * USAGE_REGIONS; i++)
        usage_region_begin (i);
    for (uint64_t i = 3 * USAGE_REGIONS; i >= 1; i--)
        assert_int_equal (usage_region_end (i, args, 0), 0);
    usage_region_begin (5);
    usage_region_begin (6); /* never ends */
    usage_region_drop (6);
    assert_int_equal (usage_region_end (5, args, 0), 0);
}

/* A child's counters begin at nothing. */
static void test_child (void **state)
{
    struct record_arg args[EVENT_ARGS_MAX];

    usage_look ();
    usage_region_begin (9);
    usage_atfork_child ();
    assert_int_equal (usage_region_end (9, args, 0), 0);
    assert_int_equal (new_threads, 2);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_names),   cmocka_unit_test (test_put),
        cmocka_unit_test (test_nothing), cmocka_unit_test (test_depth),
        cmocka_unit_test (test_child),
    };

    clock_start ();
    usage_start (1000);
    usage_new_thread = new_thread;
    return tap_run (tests);
}
