/* SPDX-License-Identifier: MIT
 *
 * words.c - tests of lib/chart/words.c
 */
#include "config.h"

#include <string.h>

#include "lib/chart/scale.h"
#include "tests/unit/tap.h"

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
        cmocka_unit_test (fitting),
        cmocka_unit_test (labels_keep_apart),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
