/* SPDX-License-Identifier: MIT
 *
 * textable.c - cells -> text, CSV, Markdown, JSON
 */
#include "tests/unit/tap.h"

#include <math.h>

#include "lib/util/textable.h"

static char out[4096];

static struct textable *sample (void)
{
    struct textable *t = textable_create ();

    textable_column (t, "name", "name", NULL, 0);
    textable_column (t, "read_bw", "read\nbw", "MiB/s", 1);
    textable_column (t, "count", "count", NULL, 1);
    textable_row (t);
    textable_text (t, "a,\"b\"|c");
    textable_double (t, 1.0 / 3, 2);
    textable_uint (t, UINT64_MAX);
    textable_row (t);
    textable_text (t, "\u00fc");
    textable_na (t);
    textable_uint (t, 7);
    return t;
}

static const char *printed (enum table_format format)
{
    struct textable *t = sample ();

    tap_capture (out, f, textable_print (t, f, format));
    textable_destroy (t);
    return out;
}

static void test_formats (void **state)
{
    assert_int_equal (table_format_parse ("text"), TABLE_TEXT);
    assert_int_equal (table_format_parse ("csv"), TABLE_CSV);
    assert_int_equal (table_format_parse ("markdown"), TABLE_MARKDOWN);
    assert_int_equal (table_format_parse ("json"), TABLE_JSON);
    assert_int_equal (table_format_parse ("html"), -1);
    textable_destroy (NULL);
}

static void test_text (void **state)
{
    assert_string_equal (printed (TABLE_TEXT),
                         "          read                      \n"
                         "name        bw                 count\n"
                         "         MiB/s                      \n"
                         "------------------------------------\n"
                         "a,\"b\"|c   0.33  18446744073709551615\n"
                         "\u00fc          n/a                     7\n");
}

/* Rows of several tables under the name of each; cells move. */
static void test_append (void **state)
{
    struct textable *all = textable_create ();

    textable_append (all, sample (), "job", "x");
    textable_append (all, sample (), "job", "y");
    tap_capture (out, f, textable_print (all, f, TABLE_CSV));
    textable_destroy (all);
    assert_string_equal (
        out, "job,name,read_bw,count\n"
             "x,\"a,\"\"b\"\"|c\",0.3333333333333333,18446744073709551615\n"
             "x,\u00fc,,7\n"
             "y,\"a,\"\"b\"\"|c\",0.3333333333333333,18446744073709551615\n"
             "y,\u00fc,,7\n");
}

static void test_csv (void **state)
{
    assert_string_equal (printed (TABLE_CSV),
                         "name,read_bw,count\n"
                         "\"a,\"\"b\"\"|c\",0.3333333333333333,"
                         "18446744073709551615\n"
                         "\u00fc,,7\n");
}

static void test_markdown (void **state)
{
    assert_string_equal (printed (TABLE_MARKDOWN),
                         "| name | read bw (MiB/s) | count |\n"
                         "| --- | ---: | ---: |\n"
                         "| a,\"b\"\\|c | 0.33 | 18446744073709551615 |\n"
                         "| \u00fc | n/a | 7 |\n");
}

static void test_json (void **state)
{
    assert_string_equal (printed (TABLE_JSON),
                         "[\n"
                         "  {\n"
                         "    \"name\": \"a,\\\"b\\\"|c\",\n"
                         "    \"read_bw\": 0.3333333333333333,\n"
                         "    \"count\": 18446744073709551615\n"
                         "  },\n"
                         "  {\n"
                         "    \"name\": \"\u00fc\",\n"
                         "    \"read_bw\": null,\n"
                         "    \"count\": 7\n"
                         "  }\n"
                         "]\n");
}

static void test_odd_cells (void **state)
{
    struct textable *t = textable_create ();

    textable_column (t, "a", NULL, NULL, 0);
    textable_column (t, "b", NULL, NULL, 0);
    textable_row (t);
    textable_text (t, "x\033[2J\n");
    textable_double (t, NAN, 1);
    textable_row (t); /* a short row is filled up */
    tap_capture (out, f, textable_print (t, f, TABLE_TEXT));
    assert_string_equal (out, "a             b\n"
                              "-----------------\n"
                              "x\\x1b[2J\\x0a  n/a\n"
                              "n/a           n/a\n");
    textable_destroy (t);
}

static void test_numbers (void **state)
{
    struct textable *t = textable_create ();

    textable_column (t, "a", NULL, NULL, 1);
    textable_row (t);
    textable_double (t, -0.25, 2);
    textable_row (t);
    textable_double (t, 3.5, 1);
    textable_about (t);
    textable_row (t);
    textable_probability (t, 0.25, 2);
    textable_row (t);
    textable_probability (t, 0.0009, 2);
    textable_row (t);
    textable_probability (t, 0, 2);
    tap_capture (out, f, textable_print (t, f, TABLE_TEXT));
    assert_string_equal (out, "    a\n"
                              "-----\n"
                              "-0.25\n"
                              " \u22483.5\n"
                              " 0.25\n"
                              "<0.01\n"
                              " 0.00\n");
    textable_destroy (t);
}

static void test_too_many_cells (void **state)
{
    struct textable *t = textable_create ();

    textable_column (t, "a", NULL, NULL, 0);
    textable_uint (t, 1); /* before any row */
    textable_row (t);
    textable_uint (t, 2);
    textable_text (t, "three");
    tap_capture (out, f, textable_print (t, f, TABLE_CSV));
    assert_string_equal (out, "a\n2\n");
    textable_destroy (t);
}

static void test_formatted (void **state)
{
    struct textable *t = textable_create ();

    textable_columns (t, "s d# ju# zu# ns# us# f# na known# no# last");
    textable_line (t, "%s %d %ju %zu %jus %juus %.2f - %d?%ju %d?%jus %s",
                   "a b", 7, UINTMAX_MAX, (size_t)8, (uintmax_t)1500000000,
                   (uintmax_t)2500, 0.25, 1, (uintmax_t)9, 0, (uintmax_t)5,
                   "z");
    textable_line (t, "%s", "%s");
    textable_cells (t, "%u %us", 3U, 2000000000U);
    tap_capture (out, f, textable_print (t, f, TABLE_CSV));
    assert_string_equal (out,
                         "s,d,ju,zu,ns,us,f,na,known,no,last\n"
                         "a b,7,18446744073709551615,8,1.5,2.5,0.25,,9,,z\n"
                         "%s,3,2,,,,,,,,\n");
    textable_destroy (t);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_formats),
        cmocka_unit_test (test_text),
        cmocka_unit_test (test_append),
        cmocka_unit_test (test_csv),
        cmocka_unit_test (test_markdown),
        cmocka_unit_test (test_json),
        cmocka_unit_test (test_odd_cells),
        cmocka_unit_test (test_numbers),
        cmocka_unit_test (test_too_many_cells),
        cmocka_unit_test (test_formatted),
    };

    return tap_run (tests);
}
