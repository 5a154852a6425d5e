/* SPDX-License-Identifier: MIT
 *
 * spanmerge.c - unions of times that lie years apart: right, and in steps that
 *               grow with the number of times, not with the years or with the
 *               number of logs
 */

/* Design. An interval is added to its unions without a branch: whether a
 * union of many threads has all of an interval already cannot be foretold,
 * so asking costs more than two maxima for each union, also where one union
 * is known to hold another (spanunion.c). Unions of the same logs are swept
 * once, those of one log not at all (spanunion.h). */

#include "tests/unit/tap.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/scan/spanunion.h"
#include "tests/unit/rng.h"

enum { LOGS = 500, ADDS = 50, HALVES = 2 };

#define YEAR ((uint64_t)31557600 * 1000000000)

struct many {
    uint64_t rng;
    struct spanlog log[LOGS];
    struct intervals all, half[HALVES];
    uint64_t adds;
};

static void
many_add (struct many *m, size_t log, uint64_t start, uint64_t length)
{
    spanlog_add (&m->log[log], start, start + length);
    intervals_add (&m->all, start, start + length);
    intervals_add (&m->half[log % HALVES], start, start + length);
    m->adds++;
}

static void many_clear (struct many *m)
{
    for (size_t i = 0; i < LOGS; i++)
        spanlog_clear (&m->log[i]);
    for (int h = 0; h < HALVES; h++)
        intervals_clear (&m->half[h]);
    intervals_clear (&m->all);
    free (m);
}

/* Union 0 is of all logs, 1 and 2 are of every second one. */
static void many_check (struct many *m)
{
    static const uint32_t sums[HALVES][2] = {{0, 1}, {0, 2}};
    struct span_member member[LOGS];
    struct spanlinks links;
    struct merger merger;

    memset (member, 0, sizeof (member));
    for (size_t i = 0; i < LOGS; i++) {
        member[i].log = &m->log[i];
        member[i].sum = sums[i % HALVES];
        member[i].sums = 2;
    }
    spanlinks_make (&links, member, LOGS, 3,
                    &(struct span_bills){NULL, 0, NULL});
    merger_open (&merger, &links, 0, UINT64_MAX);
    merger_run (&merger);
    assert_int_equal (merger.sum[0].length, intervals_length (&m->all));
    for (int h = 0; h < HALVES; h++)
        assert_int_equal (merger.sum[1 + h].length,
                          intervals_length (&m->half[h]));
    /* each look takes a time or puts a log to sleep, which it does once for
       each time that is taken, and once in the beginning */
    assert_true (merger.rounds <= m->adds);
    assert_true (merger.looks <= 2 * m->adds + LOGS);
    merger_close (&merger);
    spanlinks_clear (&links);
}

static void over_a_hundred_years (void **state)
{
    struct many *m = calloc (1, sizeof (*m));

    (void)state;
    assert_non_null (m);
    m->rng = 5;
    for (size_t i = 0; i < LOGS; i++)
        for (int k = 0; k < ADDS; k++)
            many_add (m, i, rng_below (&m->rng, 100 * YEAR),
                      1 + rng_below (&m->rng, 1000000));
    many_check (m);
    many_clear (m);
}

/* In steps of 2^31 ns these would be some billions. */
static void long_ones (void **state)
{
    struct many *m = calloc (1, sizeof (*m));

    (void)state;
    assert_non_null (m);
    m->rng = 7;
    for (size_t i = 0; i < LOGS; i++)
        for (int k = 0; k < 20; k++) {
            uint64_t start = rng_below (&m->rng, 100 * YEAR);
            uint64_t length = (uint64_t)1 << rng_below (&m->rng, 58);

            many_add (m, i, start, length);
            many_add (m, i, start + length + 1, UINT32_MAX - 1);
            many_add (m, i, start + 2 * length + 7, UINT32_MAX);
        }
    many_check (m);
    many_clear (m);
}

/* A job of an hour in which a few times are damaged. */
static void a_few_far_away (void **state)
{
    struct many *m = calloc (1, sizeof (*m));

    (void)state;
    assert_non_null (m);
    m->rng = 9;
    for (size_t i = 0; i < LOGS; i++)
        for (int k = 0; k < ADDS; k++) {
            uint64_t length = 1 + rng_below (&m->rng, 10000000);
            uint64_t start = YEAR + (uint64_t)k * 18000000;

            if (rng_below (&m->rng, 20) == 0)
                start = rng_below (&m->rng, 100 * YEAR);
            if (rng_below (&m->rng, 100) == 0)
                length = rng_below (&m->rng, 10 * YEAR);
            many_add (m, i, start, length);
        }
    many_check (m);
    many_clear (m);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (over_a_hundred_years),
        cmocka_unit_test (long_ones),
        cmocka_unit_test (a_few_far_away),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
