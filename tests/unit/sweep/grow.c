/* SPDX-License-Identifier: MIT
 *
 * grow.c - sbatch's times and sizes, multiplied and rounded up
 */
#include "tests/unit/tap.h"

#include "sweep/spec/sbatch.h"

static void test_factors (void **state)
{
    struct errtext err;
    double time, mem;

    assert_int_equal (grow_parse ("time=2,mem=1.5", &time, &mem, &err), 0);
    assert_true (time == 2 && mem == 1.5);
    assert_int_equal (grow_parse ("mem=2", &time, &mem, &err), 0);
    assert_true (time == 0 && mem == 2);
    assert_int_equal (grow_parse ("nodes=2", &time, &mem, &err), -1);
    assert_int_equal (grow_parse ("time=0", &time, &mem, &err), -1);
    assert_int_equal (grow_parse ("time=2x", &time, &mem, &err), -1);
    assert_int_equal (grow_parse ("time=nan", &time, &mem, &err), -1);
}

static void test_times (void **state)
{
    static const struct {
        const char *limit;
        double factor;
        const char *want;
    } row[] = {
        {"30", 2, "01:00:00"},
        {"0:30", 3, "00:01:30"},
        {"00:30:00", 1.5, "00:45:00"},
        {"12:00:00", 2, "1-00:00:00"},
        {"1-12", 2, "3-00:00:00"},
        {"1-0:30", 2, "2-01:00:00"},
        {"1-0:0:1", 1, "1-00:00:01"},
        {"1", 1.001, "00:01:01"},
        {"UNLIMITED", 2, NULL},
        {"1:2:3:4", 2, NULL},
        {"", 2, NULL},
        {"5:", 2, NULL},
    };

    for (size_t i = 0; i < sizeof (row) / sizeof (row[0]); i++) {
        const char *got = grow_time (row[i].limit, row[i].factor);

        if (row[i].want)
            assert_string_equal (got, row[i].want);
        else
            assert_null (got);
    }
}

static void test_sizes (void **state)
{

    assert_string_equal (grow_mem ("1G", 1.5), "1536M");
    assert_string_equal (grow_mem ("100", 2), "204800K");
    assert_string_equal (grow_mem ("3K", 1.5), "5K");
    assert_null (grow_mem ("lots", 2));
    assert_null (grow_mem ("1GB", 2));
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_factors),
        cmocka_unit_test (test_times),
        cmocka_unit_test (test_sizes),
    };

    return tap_run (tests);
}
