/* SPDX-License-Identifier: MIT
 *
 * csv.c - tests of analyze/report/csv.c
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "analyze/report/csv.h"
#include "tests/unit/tap.h"

static struct csv *parse (const char *text)
{
    return csv_parse (strdup (text), strlen (text));
}

static void nothing (void **state)
{
    struct errtext err = {""};
    struct csv *c = parse ("");

    (void)state;
    assert_int_equal (csv_rows (c), 0);
    assert_int_equal (csv_columns (c), 0);
    assert_string_equal (csv_get (c, 0, "x"), "");
    csv_destroy (c);
    csv_destroy (NULL);
    assert_int_equal (csv_rows (NULL), 0);
    assert_int_equal (csv_find (NULL, "x"), CSV_NO_COLUMN);
    assert_null (csv_load ("/nonexistent", "x.csv", &err));
    assert_int_equal (errno, ENOENT);
    assert_true (strlen (err.text) > 0);
}

static void cells (void **state)
{
    struct csv *c =
        parse ("a,b,c\n1,\"x, \"\"y\"\"\",\r\n2,\"two\nlines\",3.5");

    (void)state;
    assert_int_equal (csv_columns (c), 3);
    assert_int_equal (csv_rows (c), 2);
    assert_string_equal (csv_get (c, 0, "b"), "x, \"y\"");
    assert_string_equal (csv_get (c, 0, "c"), "");
    assert_true (isnan (csv_number (c, 0, "c"))); /* not 0 */
    assert_string_equal (csv_get (c, 1, "b"), "two\nlines");
    assert_true (csv_number (c, 1, "c") == 3.5);
    assert_string_equal (csv_get (c, 2, "a"), "");
    assert_string_equal (csv_get (c, 0, "nope"), "");
    csv_destroy (c);
}

static void odd_rows (void **state)
{
    struct csv *c = parse ("a,b\n1\n1,2,3\n\"open");

    (void)state;
    assert_int_equal (csv_rows (c), 3);
    assert_string_equal (csv_get (c, 0, "b"), "");
    assert_string_equal (csv_get (c, 1, "b"), "2");
    assert_string_equal (csv_get (c, 2, "a"), "open");
    csv_destroy (c);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (nothing),
        cmocka_unit_test (cells),
        cmocka_unit_test (odd_rows),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
