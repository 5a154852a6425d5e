/* SPDX-License-Identifier: MIT
 *
 * value.c - what reads as what, and is exported as what
 */
#include "tests/unit/tap.h"

#include <setjmp.h>

#include "sweep/spec/value.h"

static void test_types (void **state)
{
    static const struct {
        const char *text;
        enum value_type type;
    } cases[] = {
        {"", VALUE_NULL},
        {"null", VALUE_NULL},
        {"~", VALUE_NULL},
        {"true", VALUE_BOOL},
        {"false", VALUE_BOOL},
        {"True", VALUE_TEXT},
        {"yes", VALUE_TEXT},
        {"no", VALUE_TEXT},
        {"on", VALUE_TEXT},
        {"0", VALUE_INT},
        {"-12", VALUE_INT},
        {"08", VALUE_INT},
        {"0x10", VALUE_TEXT},
        {"1_000", VALUE_TEXT},
        {"00:30:00", VALUE_TEXT},
        {"1.5", VALUE_DECIMAL},
        {".5", VALUE_DECIMAL},
        {"1e-4", VALUE_DECIMAL},
        {"1e", VALUE_TEXT},
        {"e3", VALUE_TEXT},
        {"-", VALUE_TEXT},
        {".", VALUE_TEXT},
        {"nan", VALUE_TEXT},
        {"inf", VALUE_TEXT},
        {"1e999", VALUE_TEXT},
        {"9223372036854775807", VALUE_INT},
        {"9223372036854775808", VALUE_TEXT},
    };

    for (size_t i = 0; i < sizeof (cases) / sizeof (cases[0]); i++) {
        struct value v = value_of_scalar (cases[i].text, 0);

        assert_int_equal (v.type, cases[i].type);
        if (v.type != VALUE_NULL) /* byte for byte */
            assert_string_equal (value_text (&v), cases[i].text);
        v = value_of_scalar (cases[i].text, 1);
        assert_int_equal (v.type, VALUE_TEXT);
        assert_string_equal (value_text (&v), cases[i].text);
    }
}

static void test_computed (void **state)
{
    struct value v = value_decimal (0.1);

    assert_string_equal (value_text (&v), "0.1");
    v = value_decimal (1.0 / 3);
    assert_string_equal (value_text (&v), "0.3333333333333333");
    v = value_int (INT64_MIN);
    assert_string_equal (value_text (&v), "-9223372036854775808");
    v = value_null ();
    assert_string_equal (value_text (&v), "");
    assert_string_equal (value_show (&v), "null");
    v = value_str ("x y");
    assert_string_equal (value_show (&v), "'x y'");
}

/* The first mistake of a text. */
static struct errtext err;
static jmp_buf failed;

static void test_mistake (void *cookie, size_t offset, const char *problem)
{
    (void)errf (&err, "%s", problem);
    longjmp (failed, 1);
}

static const struct mistakes m = {test_mistake, NULL, 0};

static void test_compare (void **state)
{
    struct value one = value_int (1), more = value_decimal (1.5),
                 text = value_str ("1"), null = value_null ();

    assert_int_equal (value_compare (&one, &more, &m), -1);
    assert_int_not_equal (value_compare (&null, &one, &m), 0);
    assert_int_equal (value_compare (&null, &null, &m), 0);
    if (!setjmp (failed)) {
        value_compare (&one, &text, &m);
        fail ();
    }
    assert_string_equal (err.text, "1 is an integer and '1' is text: they "
                                   "cannot be compared");
}

/* 8 and 08 export differently: two cells of a grid. */
static void test_same (void **state)
{
    struct value x = value_of_scalar ("8", 0);
    struct value y = value_of_scalar ("08", 0);
    struct value z = value_of_scalar ("8", 1);
    struct value w = value_int (8);

    assert_false (value_same (&x, &y));
    assert_false (value_same (&x, &z));
    assert_true (value_same (&x, &w));
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_types),
        cmocka_unit_test (test_computed),
        cmocka_unit_test (test_compare),
        cmocka_unit_test (test_same),
    };

    return tap_run (tests);
}
