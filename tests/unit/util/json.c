/* SPDX-License-Identifier: MIT
 *
 * json.c - values -> JSON text
 */
#include "tests/unit/tap.h"

#include <math.h>
#include <stdlib.h>

#include "lib/util/json.h"

static char out[4096];

static const char *escaped (const char *s, size_t n)
{
    tap_capture (out, f, json_escape (f, s, n));
    return out;
}

static void test_escape (void **state)
{
    assert_string_equal (escaped ("a\"b\\c", 5), "a\\\"b\\\\c");
    assert_string_equal (escaped ("\n\t\r\x01\x7f", 5),
                         "\\n\\t\\r\\u0001\\u007f");
    assert_string_equal (escaped ("a\0b", 3), "a\\u0000b");
    assert_string_equal (escaped ("\u00fc\u20ac\U0001f600", 9),
                         "\u00fc\u20ac\U0001f600");
}

static void test_not_utf8 (void **state)
{
    assert_string_equal (escaped ("a\xff", 2), "a\\\\xff");
    assert_string_equal (escaped ("\xc3", 1), "\\\\xc3");
    assert_string_equal (escaped ("\xc0\xaf", 2), "\\\\xc0\\\\xaf");
    assert_string_equal (escaped ("\xed\xa0\x80", 3), "\\\\xed\\\\xa0\\\\x80");
    assert_string_equal (escaped ("\xf4\x90\x80\x80", 4),
                         "\\\\xf4\\\\x90\\\\x80\\\\x80");
    assert_string_equal (escaped ("\xe2\x82x", 3), "\\\\xe2\\\\x82x");
    assert_string_equal (escaped ("\\xff", 4), "\\\\x5cxff");
    assert_string_equal (escaped ("\\xf", 3), "\\\\xf");
}

static void test_double (void **state)
{
    static const double values[] = {
        0, 1, -1.5, 0.1, 1e300, 5e-324, 1.0 / 3, 123456789.123456789};
    char buf[32];

    assert_string_equal (json_number (buf, sizeof (buf), NAN), "null");
    assert_string_equal (json_number (buf, sizeof (buf), -INFINITY), "null");
    assert_string_equal (json_number (buf, sizeof (buf), 0.1), "0.1");
    for (size_t i = 0; i < sizeof (values) / sizeof (*values); i++) {
        (void)json_number (buf, sizeof (buf), values[i]);
        assert_true (strtod (buf, NULL) == values[i]);
    }
}

static void write_all (FILE *f, int compact)
{
    struct json j;

    json_init (&j, f, compact);
    json_open (&j, NULL, '{');
    json_text (&j, "t", "x");
    json_text (&j, "none", NULL);
    json_open (&j, "list", '[');
    json_int (&j, NULL, INT64_MIN);
    json_uint (&j, NULL, UINT64_MAX);
    json_close (&j, ']');
    json_open (&j, "empty", '{');
    json_close (&j, '}');
    json_bool (&j, "b", 2);
    json_double (&j, "d", 0.5);
    json_null (&j, "n");
    json_bytes (&j, "raw", "a\0", 2);
    json_close (&j, '}');
}

static void test_compact (void **state)
{
    tap_capture (out, f, write_all (f, 1));
    assert_string_equal (
        out, "{\"t\":\"x\",\"none\":null,\"list\":[-9223372036854775808,"
             "18446744073709551615],\"empty\":{},\"b\":true,\"d\":0.5,"
             "\"n\":null,\"raw\":\"a\\u0000\"}\n");
}

static void test_indented (void **state)
{
    tap_capture (out, f, write_all (f, 0));
    assert_string_equal (out, "{\n"
                              "  \"t\": \"x\",\n"
                              "  \"none\": null,\n"
                              "  \"list\": [\n"
                              "    -9223372036854775808,\n"
                              "    18446744073709551615\n"
                              "  ],\n"
                              "  \"empty\": {},\n"
                              "  \"b\": true,\n"
                              "  \"d\": 0.5,\n"
                              "  \"n\": null,\n"
                              "  \"raw\": \"a\\u0000\"\n"
                              "}\n");
}

static void test_put (void **state)
{
    const char *volatile nothing = NULL;
    struct json j;

    tap_capture (out, f, {
        json_init (&j, f, 1);
        json_put (&j, "{ a:%s b:%s c:'x-1' list:[ %d %u 'y' { } ] none:- }",
                  "t: %s", nothing, -1, 4294967295U);
        json_put (&j, "{ jd:%jd ju:%ju zu:%zu f:%f nan:%f t:%db f:%db }",
                  INTMAX_MIN, UINTMAX_MAX, SIZE_MAX, 0.5, (double)NAN, 7, 0);
    });
    assert_string_equal (
        out, "{\"a\":\"t: %s\",\"b\":null,\"c\":\"x-1\","
             "\"list\":[-1,4294967295,\"y\",{}],\"none\":null}\n"
             "{\"jd\":-9223372036854775808,\"ju\":18446744073709551615,"
             "\"zu\":18446744073709551615,\"f\":0.5,\"nan\":null,"
             "\"t\":true,\"f\":false}\n");
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_escape),   cmocka_unit_test (test_not_utf8),
        cmocka_unit_test (test_double),   cmocka_unit_test (test_compact),
        cmocka_unit_test (test_indented), cmocka_unit_test (test_put),
    };

    return tap_run (tests);
}
