/* SPDX-License-Identifier: MIT
 *
 * usage.c - differences of a thread's counters
 */
#include "tests/unit/tap.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "lib/base/clock.h"
#include "lib/format/event.h"
#include "preload/record/usage.h"

enum { OWN_PAGES = 200 };

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
                     strncmp (usage_keys[i], "net.", 4) == 0 ||
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

/* New pages for which the program, or the recorder, waits some time. */
static void touch_pages (int times)
{
    struct timespec nap = {.tv_nsec = 2000000};
    size_t page = 4096;
    char *p = mmap (NULL, OWN_PAGES * page, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true (p != MAP_FAILED);
    (void)madvise (p, OWN_PAGES * page, MADV_NOHUGEPAGE);
    for (int i = 0; i < times; i++)
        p[(size_t)i * page] = 1;
    (void)nanosleep (&nap, NULL);
    (void)munmap (p, OWN_PAGES * page);
}

static uint64_t minor_of (const struct record_arg *args, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (args[i].key == usage_name (USAGE_MINOR))
            return (uint64_t)args[i].i;
    return 0;
}

/* What the recorder has in between is not the region's, and its errno stays. */
static void test_own (void **state)
{
    struct record_arg args[EVENT_ARGS_MAX];
    struct usage_process before = usage_process (), after;
    struct usage_own own;

    usage_look ();
    usage_region_begin (11);
    usage_own_begin (&own);
    touch_pages (OWN_PAGES);
    errno = EDQUOT;
    usage_own_end (&own);
    assert_int_equal (errno, EDQUOT);
    assert_true (minor_of (args, usage_region_end (11, args, 0)) < OWN_PAGES);
    after = usage_process ();
    assert_true (after.own_minor >= before.own_minor + OWN_PAGES);
    assert_true (after.own_bytes >= before.own_bytes);

    usage_region_begin (12);
    touch_pages (OWN_PAGES);
    assert_true (minor_of (args, usage_region_end (12, args, 0)) >= OWN_PAGES);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_names),   cmocka_unit_test (test_put),
        cmocka_unit_test (test_nothing), cmocka_unit_test (test_depth),
        cmocka_unit_test (test_child),   cmocka_unit_test (test_own),
    };

    clock_start ();
    usage_start (1000);
    usage_new_thread = new_thread;
    return tap_run (tests);
}
