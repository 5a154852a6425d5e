/* SPDX-License-Identifier: MIT
 *
 * numwords.c - tests of lib/util/numwords.c
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "lib/util/optparse.h"
#include "tests/unit/tap.h"

static void numbers (void **state)
{
    const struct {
        double v;
        const char *want;
    } cases[] = {
        {NAN, "n/a"},
        {INFINITY, "n/a"},
        {0, "0"},
        {7, "7"},
        {999, "999"},
        {0.0123456, "0.0123"},
        {0.5, "0.500"},
        {12.345, "12.3"},
        {123.45, "123"},
        {1e-7, "0.000000100"},
        {144, "144"},
        {999.7, "1"
                "\xe2\x80\xaf"
                "000"},
        {41045, "41"
                "\xe2\x80\xaf"
                "045"},
        {-41045, "-41"
                 "\xe2\x80\xaf"
                 "045"},
        {1234567, "1.23"
                  "\xe2\x80\xaf"
                  "M"},
        {8.25e9, "8.25"
                 "\xe2\x80\xaf"
                 "G"},
    };
    char buf[WORDS_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof (cases) / sizeof (cases[0]); i++)
        assert_string_equal (number_words (buf, cases[i].v), cases[i].want);
    assert_true (strlen (number_words (buf, -1.7e308)) < WORDS_MAX);
}

static void units (void **state)
{
    char buf[WORDS_MAX];

    (void)state;
    assert_string_equal (unit_for (NULL, 5).name, "");
    assert_string_equal (unit_for ("s", 0.5).name, "ms");
    assert_string_equal (unit_for ("s", 5e-5).name, "\xc2\xb5s");
    assert_string_equal (unit_for ("s", 0).name, "s");
    assert_string_equal (unit_for ("s", 90).name, "s");
    assert_string_equal (unit_for ("B", 1 << 20).name, "MiB");
    assert_string_equal (unit_for ("B", 1e300).name, "TiB");
    assert_string_equal (unit_for ("MiB/s", 1e9).name, "MiB/s");
    assert_string_equal (value_words (buf, 0.0015, "s"), "1.50"
                                                         "\xe2\x80\xaf"
                                                         "ms");
    assert_string_equal (value_words (buf, NAN, "s"), "n/a");
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (numbers),
        cmocka_unit_test (units),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
