/* SPDX-License-Identifier: MIT
 *
 * words.c - tests of report/words.c
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "report/words.h"
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

static void fitting (void **state)
{
    char buf[64];
    const char *greek = "\xce\xb1\xce\xb2\xce\xb3\xce\xb4\xce\xb5\xce\xb6";

    (void)state;
    assert_string_equal (text_fit (buf, sizeof (buf), "short", 100, 11),
                         "short");
    text_fit (buf, sizeof (buf), "/a/very/long/path/that/goes/on/text.bin", 120,
              11);
    assert_true (text_width (buf, 11) <= 120);
    assert_non_null (strstr (buf, "\xe2\x80\xa6"));
    assert_memory_equal (buf, "/a/", 3);
    /* Never half a letter. */
    text_fit (buf, sizeof (buf), greek, 30, 11);
    for (const char *p = buf; *p; p++)
        if (((unsigned char)*p & 0xc0) == 0xc0)
            assert_true (((unsigned char)p[1] & 0xc0) == 0x80);
    /* A small buffer is not overrun. */
    text_fit (buf, 12, "0123456789012345678901234567890", 1000, 11);
    assert_true (strlen (buf) < 12);
}

/* What is drawn with a plan does not overlap. */
static void labels_keep_apart (void **state)
{
    const double size = 11, widths[] = {8, 30, 75, 190};

    (void)state;
    for (size_t n = 1; n <= 60; n++)
        for (size_t w = 0; w < 4; w++) {
            double step = 1000. / (double)n;
            struct label_plan p = label_plan (n, step, widths[w], size);

            assert_true (p.every >= 1);
            if (n == 1)
                continue;
            if (p.upright)
                assert_true (step * (double)p.every > size * 1.2);
            else
                assert_true (step * (double)p.every > widths[w]);
            assert_true (p.depth >= (p.upright ? widths[w] : size));
        }
    assert_false (label_plan (2, 500, 190, size).upright);
    assert_true (label_plan (60, 1, 30, size).every > 10);
    assert_true (label_plan (60, 0, 30, size).every > 1);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (numbers),
        cmocka_unit_test (units),
        cmocka_unit_test (fitting),
        cmocka_unit_test (labels_keep_apart),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
