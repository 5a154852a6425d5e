/* SPDX-License-Identifier: MIT
 *
 * bins.c - tests of analyze/report/job/bins.c
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/report/job/jobscan.h"
#include "tests/unit/tap.h"

enum { BIN = 1000, START = 5000 }; /* ns */

struct fixture {
    struct bins b;
    struct lanetime l;
};

static int setup (void **state)
{
    struct fixture *f = calloc (1, sizeof (*f));

    if (!f)
        return -1;
    bins_init (&f->b, START, START + (uint64_t)BIN * BINS);
    *state = f;
    return 0;
}

static int teardown (void **state)
{
    free (*state);
    return 0;
}

static uint64_t busy (struct fixture *f)
{
    uint64_t sum = 0;

    lane_settle (&f->l, &f->b);
    for (size_t i = 0; i < BINS; i++)
        sum += f->l.ns[i];
    return sum;
}

static void add (struct fixture *f, uint64_t start, uint64_t end)
{
    lane_add (&f->l, &f->b, START + start, START + end);
}

static void test_at (void **state)
{
    struct fixture *f = *state;

    assert_int_equal (bins_at (&f->b, 0), 0);
    assert_int_equal (bins_at (&f->b, UINT64_MAX), BINS - 1);
    for (uint64_t t = 0; t < (uint64_t)BIN * BINS; t += 7)
        assert_int_equal (bins_at (&f->b, START + t), t / BIN);
    bins_init (&f->b, 3, 3); /* no time at all */
    assert_int_equal (bins_at (&f->b, 3), 0);
}

static void test_outside (void **state)
{
    struct fixture *f = *state;

    lane_add (&f->l, &f->b, 0, 10); /* before the job */
    lane_add (&f->l, &f->b, f->b.edge[BINS] + 5, f->b.edge[BINS] + 9);
    add (f, 10, 10); /* nothing */
    assert_int_equal (busy (f), 0);
    lane_add (&f->l, &f->b, 0, UINT64_MAX); /* all of it */
    assert_int_equal (busy (f), BIN * BINS);
}

static void test_pieces (void **state)
{
    struct fixture *f = *state;

    add (f, 500, 2250);
    assert_int_equal (busy (f), 1750);
    assert_int_equal (f->l.ns[0], 500);
    assert_int_equal (f->l.ns[1], 1000);
    assert_int_equal (f->l.ns[2], 250);
    assert_int_equal (f->l.ns[3], 0);
    lane_clear (&f->l);
    assert_int_equal (busy (f), 0);
}

/* A region comes after what is inside it; time counts once. */
static void test_nested (void **state)
{
    struct fixture *f = *state;

    add (f, 100, 200);
    add (f, 300, 350);
    add (f, 90, 400);
    add (f, 380, 500); /* begins before the last one's end: only the rest */
    add (f, 600, 700);
    add (f, 80, 900);
    assert_int_equal (busy (f), 820);
}

/* The same with more intervals than are kept, then one around all of them. */
static void test_very_many (void **state)
{
    struct fixture *f = *state;
    uint64_t n = 5 * LANE_STRETCHES;

    for (uint64_t i = 0; i < n; i++)
        add (f, 20 * i, 20 * i + 10);
    add (f, 0, 20 * n + 5000);
    assert_int_equal (busy (f), 20 * n + 5000);
    lane_clear (&f->l);
    for (uint64_t i = 0; i < n; i++)
        add (f, 20 * i, 20 * i + 10);
    assert_int_equal (busy (f), n * 10);
}

static uint64_t sum_of (const uint64_t amount[BINS])
{
    uint64_t sum = 0;

    for (size_t i = 0; i < BINS; i++)
        sum += amount[i];
    return sum;
}

static void test_spread (void **state)
{
    struct fixture *f = *state;
    uint64_t bytes[BINS] = {0};

    bins_spread (&f->b, bytes, START + 500, START + 2500, 1000);
    assert_int_equal (bytes[0], 250);
    assert_int_equal (bytes[1], 500);
    assert_int_equal (bytes[2], 250);
    bins_spread (&f->b, bytes, START, START, 7); /* in no time */
    bins_spread (&f->b, bytes, f->b.edge[BINS], f->b.edge[BINS] + 9, 11);
    bins_spread (&f->b, bytes, 0, 1, 13);
    assert_int_equal (sum_of (bytes), 1000 + 7 + 11 + 13);
    memset (bytes, 0, sizeof (bytes));
    bins_spread (&f->b, bytes, 0, UINT64_MAX, UINT64_MAX); /* no overflow */
    assert_true (sum_of (bytes) == UINT64_MAX);
}

int main (void)
{
#define TEST(F) cmocka_unit_test_setup_teardown (F, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST (test_at),     TEST (test_outside),   TEST (test_pieces),
        TEST (test_nested), TEST (test_very_many), TEST (test_spread),
    };

    return tap_run (tests);
}
