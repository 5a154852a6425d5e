/* SPDX-License-Identifier: MIT
 *
 * detail.c - what is traced in full: words, draws and weights
 */
#include "tests/unit/tap.h"

#include "lib/settings/detail.h"

static struct detail d;
static struct errtext err;

static void words (void **state)
{
    assert_int_equal (detail_parse ("rank:3-5+step:1/100", &d, &err), 0);
    assert_int_equal (d.terms, DETAIL_RANK | DETAIL_STEP);
    assert_int_equal (d.rank.first + 10 * d.rank.last, 53);
    assert_int_equal (d.step.every, 100);
    assert_int_equal (detail_parse ("p99 read > 10ms", &d, &err), 0);
    assert_int_equal (d.terms, DETAIL_P99);
    assert_int_equal (d.p99_ns, 10000000);
    assert_int_equal (d.p99_class, CALL_CLASS_READ);
    assert_int_equal (detail_parse ("first:10m", &d, &err), 0);
    assert_int_equal (d.first_ns, 600ull * 1000000000);
    assert_int_equal (detail_parse ("all", &d, &err), 0);
    assert_int_equal (d.terms, 0);
    assert_int_equal (detail_parse ("", &d, &err), 0);
}

static void bad_words (void **state)
{
    static const char *const bad[] = {
        "rank",        "rank:",       "rank:x",         "rank:5-2",
        "rank:1/0",    "rank:0/5",    "rank:9/5",       "rank:1:2",
        "rank:1+",     "+rank:1",     "rank:1++step:1", "rank:1+rank:2",
        "p99:read",    "p99:open:1s", "p99:read:1s:2",  "first",
        "first:never", "some",        "all+rank:1",     "rank:-1",
        "rank:1/2/3",  "step:1-2-3",
    };

    d.terms = 99;
    for (size_t i = 0; i < sizeof (bad) / sizeof (bad[0]); i++)
        if (detail_parse (bad[i], &d, &err) == 0)
            fail_msg ("%s was taken", bad[i]);
    assert_int_equal (d.terms, 99);
}

/* How many of so many numbers hold. */
static uint64_t held (const char *term, uint64_t seed, uint64_t among)
{
    uint64_t n = 0;

    assert_int_equal (detail_parse (term, &d, &err), 0);
    for (uint64_t i = 0; i < among; i++)
        n += (uint64_t)detail_holds (&d.rank, i, seed, among);
    return n;
}

static void numbers (void **state)
{
    assert_int_equal (held ("rank:3-5", 7, 100), 3);
    assert_int_equal (held ("rank:0", 7, 100), 1);
    assert_int_equal (held ("rank:1/1", 7, 100), 100);
    for (uint64_t seed = 0; seed < 500; seed++) {
        assert_int_equal (held ("rank:1/10", seed, 100), 10);
        assert_int_equal (held ("rank:3/10", seed, 100), 30);
        assert_in_range (held ("rank:1/100", seed, 4), 1, 1);
    }
}

/* Each number is drawn as often as any other, so that what holds, times the
 * weight, is everything in the mean. */
static void draws_are_even (void **state)
{
    enum { JOBS = 20000 };
    uint64_t times[10] = {0};

    assert_int_equal (detail_parse ("rank:1/10", &d, &err), 0);
    assert_true (detail_weight (&d.rank, 100) == 10);
    assert_true (detail_weight (&d.rank, 4) == 4);
    for (uint64_t seed = 1; seed <= JOBS; seed++)
        for (uint64_t i = 0; i < 10; i++)
            times[i] += (uint64_t)detail_holds (&d.rank, i, seed, 100);
    for (int i = 0; i < 10; i++)
        assert_in_range (times[i], JOBS / 10 * 9 / 10, JOBS / 10 * 11 / 10);
    assert_int_equal (detail_parse ("rank:3-7", &d, &err), 0);
    assert_true (detail_weight (&d.rank, 100) == 1);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (words),
        cmocka_unit_test (bad_words),
        cmocka_unit_test (numbers),
        cmocka_unit_test (draws_are_even),
    };

    return tap_run (tests);
}
