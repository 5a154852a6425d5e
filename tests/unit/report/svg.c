/* SPDX-License-Identifier: MIT
 *
 * svg.c - tests of lib/chart/svg.c and lib/chart/html.c
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "lib/chart/html.h"
#include "lib/chart/svg.h"
#include "tests/unit/tap.h"

static const char *number (double v)
{
    static char buf[64];

    memset (buf, 0, sizeof (buf));
    tap_capture (buf, out, svg_number (out, v));
    return buf;
}

static void numbers (void **state)
{
    (void)state;
    assert_string_equal (number (NAN), "0");
    assert_string_equal (number (INFINITY), "0");
    assert_string_equal (number (-0.0001), "0");
    assert_string_equal (number (12), "12");
    assert_string_equal (number (100), "100");
    assert_string_equal (number (1.5), "1.5");
    assert_string_equal (number (-2.346), "-2.35");
    assert_string_equal (number (1e300), "0");
}

static const char *escaped (const char *text)
{
    static char buf[256];

    memset (buf, 0, sizeof (buf));
    tap_capture (buf, out, html_text (out, text));
    return buf;
}

static void texts (void **state)
{
    (void)state;
    assert_string_equal (escaped (NULL), "");
    assert_string_equal (escaped ("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
    assert_string_equal (escaped ("\xc3\xa4"), "\xc3\xa4");
    /* Broken UTF-8: cut, overlong, surrogate, too high, alone. */
    assert_string_equal (escaped ("x\xc3"), "x\xef\xbf\xbd");
    assert_string_equal (escaped ("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd");
    assert_non_null (strstr (escaped ("\xed\xa0\x80"), "\xef\xbf\xbd"));
    assert_non_null (strstr (escaped ("\xf5\x80\x80\x80"), "\xef\xbf\xbd"));
    assert_string_equal (escaped ("\x01\x7f"), "\xef\xbf\xbd\xef\xbf\xbd");
}

static void marks (void **state)
{
    char buf[1024] = "";
    struct svg_data d = {"read_time", "p<1", "0.5", "a & b"};

    (void)state;
    tap_capture (buf, out, {
        svg_rect (out, (struct svg_box){1, 2, -3, 4}, "c0", &d);
        svg_path (out, "ln l0");
        svg_to (out, 'M', 0, 1.25);
        svg_to (out, 'L', 2, NAN);
        svg_path_end (out, NULL);
    });
    assert_string_equal (
        buf, "<rect x=\"1\" y=\"2\" width=\"0\" height=\"4\" class=\"c0\" "
             "data-m=\"read_time\" data-p=\"p&lt;1\" data-v=\"0.5\"><title>a "
             "&amp; b</title></rect>\n"
             "<path class=\"ln l0\" d=\"M0 1.25L2 0\"/>");
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (numbers),
        cmocka_unit_test (texts),
        cmocka_unit_test (marks),
    };

    return tap_run (tests);
}
