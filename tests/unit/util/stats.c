/* SPDX-License-Identifier: MIT
 *
 * stats.c - sums against numbers by hand, t against the printed table
 */
#include "tests/unit/tap.h"

#include <math.h>

#include "lib/util/stats.h"

static void near (double got, double want, double tolerance)
{
    if (!(fabs (got - want) <= tolerance))
        fail_msg ("%.9g is not %.9g", got, want);
}

static void test_nothing (void **state)
{
    struct statistics s = {.n = 0};

    statistics_end (&s);
    assert_true (isnan (statistics_half (&s)));
    statistics_add (&s, 5);
    statistics_end (&s);
    assert_true (s.mean == 5 && s.sd == 0);
    assert_true (isnan (statistics_half (&s)));
    assert_true (isnan (student_t (0.95, 0)));
    assert_true (isnan (student_t (1, 3)));
}

static void test_sums (void **state)
{
    static const double x[] = {2, 4, 4, 4, 5, 5, 7, 9};
    struct statistics s = {.n = 0};

    for (int i = 0; i < 8; i++)
        statistics_add (&s, x[i]);
    statistics_end (&s);
    near (s.mean, 5, 1e-12);
    near (s.sd, sqrt (32.0 / 7), 1e-12);
    near (s.min, 2, 0);
    near (s.max, 9, 0);
    near (statistics_half (&s), 2.364624 * sqrt (32.0 / 7) / sqrt (8), 1e-5);
}

/* Any table of Student's t, two sides, 95 % and 99 %. */
static void test_student (void **state)
{
    static const struct {
        size_t freedom;
        double t95, t99;
    } row[] = {
        {1, 12.7062047, 63.6567412},  {2, 4.30265273, 9.92484320},
        {5, 2.57058184, 4.03214298},  {8, 2.30600414, 3.35538733},
        {30, 2.04227246, 2.74999565}, {1000, 1.96233908, 2.58075470},
    };

    for (size_t i = 0; i < sizeof (row) / sizeof (row[0]); i++) {
        near (student_t (0.95, row[i].freedom), row[i].t95, 1e-6);
        near (student_t (0.99, row[i].freedom), row[i].t99, 1e-6);
        near (student_p (row[i].t95, row[i].freedom), 0.05, 1e-8);
        near (student_p (-row[i].t99, row[i].freedom), 0.01, 1e-8);
    }
    near (student_p (0, 5), 1, 1e-12);
    assert_true (isnan (student_p (2, 0)));
}

static void test_digits (void **state)
{
    assert_int_equal (statistics_digits (0), 4);
    assert_int_equal (statistics_digits (1.5), 4);
    assert_int_equal (statistics_digits (812), 2);
    assert_int_equal (statistics_digits (1e9), 0);
    assert_int_equal (statistics_digits (0.02), 6);
    assert_int_equal (statistics_digits (1e-300), 9);
}

/* Welch: 1 2 3 against 11 12 16: means 2 and 13, variances 1 and 7 over 3 each,
 * t 6.7361, freedom 2.56 taken as 2, t of it 4.302653. */
static void test_compare (void **state)
{
    struct statistics a = {3, 2, 1, 1, 3}, b = {3, 13, sqrt (7), 11, 16};
    struct statistics one = {1, 2, 0, 2, 2}, same = {3, 2, 0, 2, 2};
    struct mean_difference c = statistics_compare (&a, &b);

    near (c.difference, 11, 1e-12);
    near (c.high - c.low, 2 * 4.302653 * sqrt (8.0 / 3), 1e-4);
    near (c.p, student_p (6.736098, 2), 1e-6);
    c = statistics_compare (&one, &b);
    near (c.difference, 11, 1e-12);
    assert_true (isnan (c.low) && isnan (c.p));
    c = statistics_compare (&same, &same);
    assert_true (c.p == 1 && c.low == 0 && c.high == 0);
}

static void test_holm (void **state)
{
    double p[] = {0.04, NAN, 0.01, 0.03};

    statistics_holm (p, 4);
    near (p[2], 0.03, 1e-12);
    near (p[3], 0.06, 1e-12);
    near (p[0], 0.06, 1e-12); /* never below a smaller one's */
    assert_true (isnan (p[1]));
    statistics_holm (p, 0);
}

/* The next number from 0 to 1 of a made-up stream. */
static double stats_random (uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static double stats_normal (uint64_t *seed)
{
    double u = 1 - stats_random (seed), v = stats_random (seed);

    return sqrt (-2 * log (u)) * cos (6.283185307179586 * v);
}

/* As dftrace what-if does it: of each round 1 - fast / slow, both times the
 * load of that round and noise of their own; now and then a run is disturbed.
 * 5 rounds, and more until the interval is narrow, 20 at most. */
static struct statistics
stats_savings (uint64_t *seed, double truth, double within)
{
    enum { LEAST = 5, MOST = 20 };
    struct statistics s = {.n = 0}, seen = s;

    while (seen.n < MOST &&
           (seen.n < LEAST || statistics_half (&seen) > within)) {
        double load = exp (0.2 * stats_normal (seed)), time[2];

        for (int side = 0; side < 2; side++)
            time[side] = load * exp (0.03 * stats_normal (seed)) *
                         (stats_random (seed) < 0.02 ? 1.3 : 1);
        statistics_add (&s, 1 - (1 - truth) * time[1] / time[0]);
        seen = s;
        statistics_end (&seen);
    }
    return seen;
}

/* The interval has the saving that was put in, with 5 rounds, and with as many
 * as --within asks for. */
static void test_savings (void **state)
{
    enum { TIMES = 400 };
    static const double truth[] = {0, 0.06, 0.47}, within[] = {1, 0.02, 0.03};

    (void)state;
    for (int k = 0; k < 9; k++) {
        uint64_t seed = 20260101u + (unsigned)k;
        int held = 0;

        for (int i = 0; i < TIMES; i++) {
            struct statistics s =
                stats_savings (&seed, truth[k / 3], within[k % 3]);

            held += fabs (s.mean - truth[k / 3]) <= statistics_half (&s);
        }
        if (held * 100 < TIMES * 90)
            fail_msg ("saving %g, within %g: in %d of %d", truth[k / 3],
                      within[k % 3], held, (int)TIMES);
    }
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_nothing), cmocka_unit_test (test_sums),
        cmocka_unit_test (test_student), cmocka_unit_test (test_digits),
        cmocka_unit_test (test_compare), cmocka_unit_test (test_holm),
        cmocka_unit_test (test_savings),
    };

    return tap_run (tests);
}
