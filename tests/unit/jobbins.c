/* SPDX-License-Identifier: MIT
 *
 * jobbins.c - tests of report/job/jobbins.c and report/job/scanhist.c
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "report/job/jobbins.h"
#include "tests/unit/tap.h"

enum { BIN = 1000 }; /* ns */

struct fixture {
    struct jobscan s;
    struct scan_process p;
    struct stretches l;
};

static int setup (void **state)
{
    struct fixture *f = calloc (1, sizeof (*f));

    if (!f)
        return -1;
    f->s.t0 = 5000;
    f->s.t1 = f->s.t0 + (uint64_t)BIN * SCAN_BINS;
    *state = f;
    return 0;
}

static int teardown (void **state)
{
    free (*state);
    return 0;
}

static double busy (const struct fixture *f)
{
    double sum = 0;

    for (size_t i = 0; i < SCAN_BINS; i++)
        sum += f->p.busy[LANE_IO][i];
    return sum * BIN;
}

static void add (struct fixture *f, uint64_t from, uint64_t to)
{
    bins_lane (&f->s, &f->p, &f->l, LANE_IO, f->s.t0 + from, f->s.t0 + to);
}

static void flush (struct fixture *f)
{
    bins_flush (&f->s, &f->p, &f->l, LANE_IO);
}

static void outside (void **state)
{
    struct fixture *f = *state;

    bins_lane (&f->s, &f->p, &f->l, LANE_IO, 0, 10); /* before the job */
    bins_lane (&f->s, &f->p, &f->l, LANE_IO, f->s.t1 + 5, f->s.t1 + 9);
    add (f, 10, 10); /* nothing */
    flush (f);
    assert_float_equal (busy (f), 0, 1e-9);
    bins_lane (&f->s, &f->p, &f->l, LANE_IO, 0, UINT64_MAX); /* all of it */
    flush (f);
    assert_float_equal (busy (f), (double)BIN * SCAN_BINS, 1);
}

static void shares (void **state)
{
    struct fixture *f = *state;

    add (f, 500, 2250);
    flush (f);
    assert_float_equal (f->p.busy[LANE_IO][0], 0.5, 1e-4);
    assert_float_equal (f->p.busy[LANE_IO][1], 1, 1e-4);
    assert_float_equal (f->p.busy[LANE_IO][2], 0.25, 1e-4);
    assert_float_equal (f->p.busy[LANE_IO][3], 0, 1e-4);
}

/* A region comes after what is inside it; time counts once. */
static void nested (void **state)
{
    struct fixture *f = *state;

    add (f, 100, 200);
    add (f, 300, 350);
    add (f, 90, 400);
    add (f, 380, 500); /* begins before the last one's end: only the rest */
    add (f, 600, 700);
    add (f, 80, 900);
    flush (f);
    assert_float_equal (busy (f), 820, 0.1);
}

static void very_many (void **state)
{
    struct fixture *f = *state;

    for (uint64_t i = 0; i < 5 * STRETCHES_MAX; i++)
        add (f, 20 * i, 20 * i + 10);
    flush (f);
    assert_float_equal (busy (f), 5. * STRETCHES_MAX * 10, 1);
}

static void bytes_stay_the_same (void **state)
{
    struct fixture *f = *state;
    double sum = 0;

    bins_bytes (&f->s, &f->p, 1, f->s.t0 + 500, f->s.t0 + 2500, 1000);
    assert_float_equal (f->p.bytes[1][0], 250, 1e-3);
    assert_float_equal (f->p.bytes[1][1], 500, 1e-3);
    bins_bytes (&f->s, &f->p, 1, f->s.t0, f->s.t0, 7); /* in no time */
    bins_bytes (&f->s, &f->p, 1, f->s.t1, f->s.t1 + 9, 11);
    bins_bytes (&f->s, &f->p, 1, 0, 1, 13);
    for (size_t i = 0; i < SCAN_BINS; i++)
        sum += f->p.bytes[1][i];
    assert_float_equal (sum, 1000 + 7 + 11 + 13, 1e-3);
}

static void quantiles (void **state)
{
    struct scan_hist h = {0};

    (void)state;
    assert_true (isnan (scan_hist_quantile (&h, 0.5)));
    for (uint64_t i = 1; i <= 100000; i++)
        scan_hist_add (&h, i);
    for (double q = 0.01; q < 1; q += 0.01) {
        double got = scan_hist_quantile (&h, q);

        assert_true (fabs (got / (q * 100000) - 1) < 0.02);
    }
    scan_hist_add (&h, 0);
    scan_hist_add (&h, UINT64_MAX);
    assert_int_equal (h.n, 100002);
    assert_int_equal (h.octave[SCAN_OCTAVES - 1], 1);
    assert_int_equal (h.octave[0], 2);
}

int main (void)
{
#define TEST(F) cmocka_unit_test_setup_teardown (F, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST (outside),
        TEST (shares),
        TEST (nested),
        TEST (very_many),
        TEST (bytes_stay_the_same),
        TEST (quantiles),
    };

    return tap_run (tests);
}
