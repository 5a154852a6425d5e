/* SPDX-License-Identifier: MIT
 *
 * estimate.c - test of cli/site/siteestimate.c: the truth is in the intervals
 *
 * 10,000 jobs, of which a rule takes one of 100 by job id; for each seed other
 * jobs and other ids. Fixed seeds, so the counts are always the same.
 */
#include "tests/unit/tap.h"

#include <math.h>
#include <stdlib.h>

#include "cli/site/estimate.h"
#include "lib/settings/site.h"

enum { JOBS = 10000, SAMPLE = 100, SEEDS = 400 };

static uint64_t seed;

/* splitmix64 */
static uint64_t draw (void)
{
    uint64_t z = seed += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static double draw_unit (void)
{
    return ((double)(draw () >> 11) + 0.5) / 9007199254740992.0;
}

/* One job of weight w, into the numbers of the SQL. */
static void number_add (double n[ESTIMATE_CELLS], double w, double x)
{
    n[0] += w;
    n[1] += w * x;
    n[2] += w * (w - 1);
    n[3] += w * (w - 1) * x;
    n[4] += w * (w - 1) * x * x;
    n[5] += w > 1;
}

struct cover {
    int sum, mean, jobs;
    double bias; /* of the sum, relative; mean over the seeds */
};

/* Ids drawn at random, as those of the jobs that a rule fits; or one after the
 * other. every: of these jobs one in so many was asked for by its user. */
static struct cover simulate (int consecutive, int every)
{
    struct cover c = {0};

    for (int k = 0; k < SEEDS; k++) {
        double n[ESTIMATE_CELLS] = {0}, one[ESTIMATE_CELLS] = {0}, truth = 0;
        struct estimate sum, mean, jobs;
        uint64_t first;

        seed = (uint64_t)k * 1000003 + 17;
        first = draw () % 1000000;
        for (int i = 0; i < JOBS; i++) {
            double x = 0.2 - log (draw_unit ());
            uint64_t id =
                consecutive ? first + (uint64_t)i : draw () % 4000000000u;
            int asked = every && i % every == 0;

            truth += x;
            if (asked || rule_samples (SAMPLE, id)) {
                number_add (n, asked ? 1 : SAMPLE, x);
                number_add (one, asked ? 1 : SAMPLE, 1);
            }
        }
        sum = estimate_of (n, 0);
        mean = estimate_of (n, 1);
        jobs = estimate_of (one, 0);
        c.sum += fabs (sum.value - truth) <= sum.half;
        c.mean += fabs (mean.value - truth / JOBS) <= mean.half;
        c.jobs += fabs (jobs.value - JOBS) <= jobs.half;
        c.bias += (sum.value / truth - 1) / SEEDS;
    }
    print_message ("# of %d: sum %d, mean %d, jobs %d; bias %.4f\n", SEEDS,
                   c.sum, c.mean, c.jobs, c.bias);
    return c;
}

/* 380 of 400 are expected, with a standard deviation of 4.4. */
static void truth_is_in_95_of_100 (void **state)
{
    struct cover c = simulate (0, 0);

    (void)state;
    assert_in_range (c.sum, 367, 393);
    assert_in_range (c.mean, 363, 393);
    assert_in_range (c.jobs, 367, 393);
    assert_true (fabs (c.bias) < 0.02);
}

/* Those that were asked for count once, and once only. */
static void asked_jobs_stand_for_themselves (void **state)
{
    struct cover c = simulate (0, 4);

    (void)state;
    assert_in_range (c.sum, 363, 393);
    assert_in_range (c.jobs, 367, 393);
    assert_true (fabs (c.bias) < 0.02);
}

/* The hash spreads neighbours evenly: intervals are too wide, if anything. */
static void consecutive_ids_are_covered (void **state)
{
    struct cover c = simulate (1, 0);

    (void)state;
    assert_true (c.sum >= 372);
    assert_true (c.jobs >= 372);
    assert_true (fabs (c.bias) < 0.02);
}

static void few_jobs (void **state)
{
    double none[ESTIMATE_CELLS] = {0, NAN, NAN, NAN, NAN, 0};
    double n[ESTIMATE_CELLS] = {0};
    struct estimate e;

    (void)state;
    assert_true (isnan (estimate_of (none, 0).value));
    assert_true (isnan (estimate_of (none, 1).half));
    number_add (n, 1, 5);
    number_add (n, 1, 7);
    e = estimate_of (n, 0);
    assert_true (e.value == 12 && e.half == 0); /* nothing was sampled */
    number_add (n, 10, 2);
    e = estimate_of (n, 0);
    assert_true (e.value == 32 && isnan (e.half)); /* one says no spread */
    number_add (n, 10, 4);
    e = estimate_of (n, 0);
    /* sqrt (90 (4 + 16)) = 42.43, t of one degree of freedom 12.706 */
    assert_true (e.value == 72 && fabs (e.half - 539.08) < 0.1);
    e = estimate_of (n, 1);
    assert_true (fabs (e.value - 72.0 / 22) < 1e-9);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (truth_is_in_95_of_100),
        cmocka_unit_test (asked_jobs_stand_for_themselves),
        cmocka_unit_test (consecutive_ids_are_covered),
        cmocka_unit_test (few_jobs),
    };

    return tap_run (tests);
}
