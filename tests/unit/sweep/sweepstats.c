/* SPDX-License-Identifier: MIT
 *
 * sweepstats.c - tests of sweep/results: the price of tracing, the drift over
 *                a sweep, with numbers by hand
 */
#include "config.h"

#include <math.h>

#include "lib/util/xalloc.h"
#include "sweep/results/questions.h"
#include "sweep/results/runreport.h"
#include "tests/unit/tap.h"

enum { POINTS = 6, REPEATS = 5, PAIRS = 4 };

/* Noise that halves some runs and doubles others is no price. */
static void price_of_noise (void **state)
{
    static const double traced[PAIRS] = {10, 20, 10, 20},
                        control[PAIRS] = {20, 10, 20, 10};
    struct run_report run[2 * PAIRS] = {{.attempt = 0}};
    struct sweep_report report = {.run = run, .count = 2 * PAIRS};
    struct statistics s;

    (void)state;
    for (int i = 0; i < 2 * PAIRS; i++) {
        run[i].run = (struct run){.point = i / 2, .control = i % 2};
        run[i].outcome = OUTCOME_DONE;
        run[i].status.start = 100;
        run[i].status.end = 100 + (i % 2 ? control[i / 2] : traced[i / 2]);
    }
    s = overhead_of (&report);
    assert_int_equal (s.n, PAIRS);
    assert_true (fabs (s.mean) < 1e-12); /* not (0.5 + 2) / 2 - 1 = +25 % */
}

/* --- drift ------------------------------------------------------------------
 */

struct made {
    struct spec spec;
    struct grid grid;
    struct point point[POINTS];
    struct run order[POINTS * REPEATS];
    struct layout layout;
    struct sweepdir dir;
    struct run_report report[POINTS * REPEATS];
    struct run_result result[POINTS * REPEATS];
    struct measure measure[POINTS * REPEATS];
    struct result_metric metric;
    struct resultset set;
    char has_point[POINTS];
};

static double value_of (int point, int repeat, double per_place)
{
    static const double noise[] = {0, 0.01, -0.01, 0.005, -0.005};
    int place = (point + repeat) % POINTS;

    return exp (noise[(point * 2 + repeat) % 5] + per_place * place);
}

static void make (struct made *m, double per_place)
{
    memset (m, 0, sizeof (*m));
    m->spec.repeats = REPEATS;
    m->grid.point = m->point;
    m->grid.count = POINTS;
    m->dir.spec = &m->spec;
    m->dir.grid = &m->grid;
    m->dir.layout = &m->layout;
    m->layout.run = m->order;
    m->metric.name = "wall_time";
    m->set.sweep = &m->dir;
    m->set.metric = &m->metric;
    m->set.metrics = 1;
    m->set.run = m->result;
    m->set.has_point = m->has_point;
    memset (m->has_point, 1, sizeof (m->has_point));
    for (int k = 0; k < REPEATS; k++)
        for (int i = 0; i < POINTS; i++) {
            int point = (i + POINTS - k) % POINTS;
            size_t n = m->layout.runs++;

            m->order[n] = (struct run){.point = point, .repeat = k};
            m->report[n].run = m->order[n];
            m->report[n].outcome = OUTCOME_DONE;
            m->result[n].report = &m->report[n];
            m->result[n].measure = &m->measure[n];
            m->result[n].analyzed = 1;
            m->measure[n].present = 1;
            m->measure[n].value = value_of (point, k, per_place);
        }
    m->set.report.run = m->report;
    m->set.report.count = m->layout.runs;
    m->set.report.repeats = REPEATS;
    m->set.report.row =
        arena_array (POINTS * REPEATS * 2 + 1, sizeof (uint32_t));
    status_count (&m->set.report);
}

static void one_disturbed_run_is_no_drift (void **state)
{
    static struct made m;
    struct order_effect e;

    (void)state;
    make (&m, 0);
    e = check_order (&m.set, 0);
    assert_true (e.p > 0.05);
    assert_int_equal (e.left_out, 0);
    for (size_t i = 0; i < m.layout.runs; i++) /* last in their repeats */
        if (i % POINTS == POINTS - 1 && i / POINTS < 3)
            m.measure[i].value *= 30;
    e = check_order (&m.set, 0);
    assert_int_equal (e.left_out, 3);
    assert_int_equal (e.n, POINTS * REPEATS - 3);
    assert_true (e.p > 0.05);
}

static void a_drift_is_one (void **state)
{
    static struct made m;
    struct order_effect e;

    (void)state;
    make (&m, 0.05);
    e = check_order (&m.set, 0);
    assert_true (e.p < 0.001);
    assert_true (fabs (e.per_run - 0.05) < 0.01);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (price_of_noise),
        cmocka_unit_test (one_disturbed_run_is_no_drift),
        cmocka_unit_test (a_drift_is_one),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
