/* SPDX-License-Identifier: MIT
 *
 * otfsort.c - events by their starts, in memory or in a file, as qsort does it
 */
#include "tests/unit/tap.h"

#include <stdlib.h>

#include "analyze/export/otfread.h"
#include "tests/unit/rng.h"

enum { EVENTS = 3000, ROUNDS = 8 };

static struct otfevent want[EVENTS];

static int by_start (const void *a, const void *b)
{
    const struct otfevent *x = a, *y = b;

    return otfevent_before (x, y) ? -1 : otfevent_before (y, x);
}

static void fill (struct otfsort *s, size_t n, uint64_t *seed)
{
    struct batch_arg arg[EVENT_ARGS_MAX];

    for (size_t i = 0; i < n; i++) {
        struct otfevent e = {.start = rng_below (seed, 500), .index = i};

        e.end = e.start + rng_below (seed, 50);
        e.name = (uint32_t)i;
        e.args = (uint16_t)rng_below (seed, EVENT_ARGS_MAX + 1);
        for (unsigned a = 0; a < e.args; a++)
            arg[a] = (struct batch_arg){.key = (uint32_t)i, .i = a};
        e.arg = arg;
        assert_int_equal (otfsort_add (s, &e), 0);
        want[i] = e;
    }
    qsort (want, n, sizeof (*want), by_start);
}

static void check (struct otfsort *s, size_t n)
{
    struct otfevent e;

    assert_int_equal (otfsort_sort (s), 0);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal (otfsort_next (s, &e), 1);
        assert_int_equal (e.index, want[i].index);
        assert_int_equal (e.start, want[i].start);
        assert_int_equal (e.end, want[i].end);
        assert_int_equal (e.args, want[i].args);
        for (unsigned a = 0; a < e.args; a++) {
            assert_int_equal (e.arg[a].key, e.name);
            assert_int_equal (e.arg[a].i, a);
        }
    }
    assert_int_equal (otfsort_next (s, &e), 0);
    assert_int_equal (otfsort_next (s, &e), 0);
}

/* The same sorter again and again; `room` decides how many runs there are. */
static void as_qsort (size_t room)
{
    struct otfsort *s = otfsort_create (room);
    uint64_t seed = room;

    assert_non_null (s);
    for (int i = 0; i < ROUNDS; i++) {
        size_t n = i == 0 ? 0 : EVENTS >> (i % 4);

        fill (s, n, &seed);
        check (s, n);
        otfsort_reset (s);
    }
    otfsort_destroy (s);
}

static void in_memory (void **state)
{
    (void)state;
    as_qsort (4 << 20);
}

static void in_runs (void **state)
{
    (void)state;
    as_qsort (20000);
    as_qsort (1024);
}

static void too_long (void **state)
{
    struct otfsort *s = otfsort_create (16);
    struct otfevent e = {.start = 1};

    (void)state;
    assert_int_equal (otfsort_add (s, &e), -1);
    assert_int_equal (otfsort_sort (s), 0);
    assert_int_equal (otfsort_next (s, &e), 0);
    otfsort_destroy (s);
    otfsort_destroy (NULL);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (in_memory),
        cmocka_unit_test (in_runs),
        cmocka_unit_test (too_long),
    };

    return tap_run (tests);
}
