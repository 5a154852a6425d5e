/* SPDX-License-Identifier: MIT
 *
 * expr.c - expressions: what they give, and what they say when they cannot
 */
#include "tests/unit/tap.h"

#include <setjmp.h>
#include <stdlib.h>

#include "sweep/spec/expr.h"

static const char *const names[] = {"seq", "gbs", "access", "none",
                                    "gap", "f",   NULL};
static struct value column[6];

static int setup (void **state)
{
    column[0] = value_int (2048);
    column[1] = value_int (64);
    column[2] = value_str ("mmap");
    column[3] = value_null ();
    column[4] = (struct value){.type = VALUE_NONE};
    column[5] = value_decimal (2.5);
    return 0;
}

/* The first mistake of a text. */
static struct errtext err;
static size_t fault;
static jmp_buf failed;

static void test_mistake (void *cookie, size_t offset, const char *problem)
{
    fault = offset;
    (void)errf (&err, "%s", problem);
    longjmp (failed, 1);
}

static const struct mistakes m = {test_mistake, NULL, 0};

/* The value's text, or "! message". */
static const char *eval (const char *text)
{
    struct value v;
    struct expr *e;

    fault = 0;
    if (setjmp (failed))
        return arena_format ("! %s", err.text);
    e = expr_parse (text, NULL, &m);
    expr_bind (e, names, &m);
    v = expr_eval (e, column, &m);
    return value_show (&v);
}

struct example {
    const char *text, *want;
};

static void check (const struct example *x)
{
    for (; x->text; x++) {
        const char *got = eval (x->text);

        if (strcmp (got, x->want))
            print_message ("# %s gives %s\n", x->text, got);
        assert_string_equal (got, x->want);
    }
}

static void test_values (void **state)
{
    check ((const struct example[]){{"1 + 2 * 3", "7"},
                                    {"(1 + 2) * 3", "9"},
                                    {"2 - 3 - 4", "-5"},
                                    {"-2 * -3", "6"},
                                    {"- - 2", "2"},
                                    {"8 / 2 / 2", "2"},
                                    {"7 // 2", "3"},
                                    {"-7 // 2", "-4"},
                                    {"-7 % 3", "2"},
                                    {"7 % -3", "-2"},
                                    {"5.0 / 2", "2.5"},
                                    {"4k", "4000"},
                                    {"4Ki", "4096"},
                                    {"1.5Gi", "1610612736"},
                                    {"2T + 1", "2000000000001"},
                                    {"'a' + \"b\"", "'ab'"},
                                    {"true ? 1 : 2", "1"},
                                    {"false ? 1 : true ? 2 : 3", "2"},
                                    {"1 < 2 and not 2 < 1", "true"},
                                    {"true or false and false", "true"},
                                    {"not true or true", "true"},
                                    {"1 in [1, 2]", "true"},
                                    {"3 in [1, 2]", "false"},
                                    {"'map' in access", "true"},
                                    {"none == null", "true"},
                                    {"seq == null", "false"},
                                    {"seq * gbs", "131072"},
                                    {"f * 2", "5"},
                                    {"[1, 'a', null]", "[1, 'a', null]"},
                                    {"[]", "[]"},
                                    {"1e3", "1000"},
                                    {NULL, NULL}});
}

static void test_functions (void **state)
{
    check ((const struct example[]){
        {"min(3, 1, 2)", "1"}, {"max([3, 5])", "5"},
        {"abs(-3)", "3"},      {"floor(2.9)", "2"},
        {"ceil(2.1)", "3"},    {"round(2.5)", "3"},
        {"log2(1024)", "10"},  {"pow(2, 10)", "1024"},
        {"pow(2, -1)", "0.5"}, {"pow(-1, 1000001)", "-1"},
        {"pow(0, 100)", "0"},  {"int('08')", "8"},
        {"int(2.9)", "2"},     {"str(seq) + 'x'", "'2048x'"},
        {"len('abc')", "3"},   {"len([1, 2])", "2"},
        {"has(seq)", "true"},  {"has(none)", "false"},
        {"has(gap)", "false"}, {NULL, NULL}});
}

/* What is not looked at cannot fail. */
static void test_lazy (void **state)
{
    check ((const struct example[]){{"true or 1 / 0 == 1", "true"},
                                    {"false and 1 / 0 == 1", "false"},
                                    {"has(gap) ? gap : 5", "5"},
                                    {NULL, NULL}});
}

static void test_errors (void **state)
{
    check ((const struct example[]){
        {"5 / 2", "! 5 / 2 is not whole; use // or 5.0 / 2"},
        {"1 / 0", "! 1 / 0: division by zero"},
        {"1 % 0", "! 1 % 0: division by zero"},
        {"1.0 / 0", "! 1 divided by zero"},
        {"9223372036854775807 + 1",
         "! 9223372036854775807 + 1 does not fit 64 bits"},
        {"(-9223372036854775807 - 1) / -1",
         "! -9223372036854775808 / -1 does not fit 64 bits"},
        {"-(-9223372036854775807 - 1)",
         "! 0 - -9223372036854775808 does not fit 64 bits"},
        {"(-9223372036854775807 - 1) % -1", "0"},
        {"9223372036854775808", "! 9223372036854775808: too large a number"},
        {"10000000T", "! 10000000T: too large a number"},
        {"pow(10, 19)", "! pow: does not fit 64 bits"},
        {"access == 1", "! 'mmap' is text and 1 is an integer: they cannot "
                        "be compared"},
        {"access + 1", "! 'mmap' is text where a number should be"},
        {"seq and true", "! 2048 is an integer where true or false should "
                         "be"},
        {"gap", "! gap has no value at this point: give one in const"},
        {"sek", "! unknown name \"sek\" (did you mean \"seq\"?)"},
        {"mmap == access",
         "! unknown name \"mmap\": it is no axis, companion, const or "
         "derived name; text is written 'mmap'"},
        {"1 < 2 < 3", "! comparisons do not chain: write a < b and b < c"},
        {"a = 1", "! \"=\" is no operator here: use ==, !=, and, or, not"},
        {"1 && 2", "! \"&\" is no operator here: use ==, !=, and, or, not"},
        {"", "! the expression ends where a value should be"},
        {"1 +", "! the expression ends where a value should be"},
        {"(1", "! the expression ends where \")\" should be"},
        {"1 2", "! \"2\" where an operator or the end should be"},
        {"'a", "! text without its closing '"},
        {"4kB", "! 4kB: not a number: suffixes are k M G T and Ki Mi Gi Ti"},
        {"foo(1)", "! foo: no such function: there are min max abs floor "
                   "ceil round log2 pow int str len has"},
        {"abs(1, 2)", "! abs: takes 1 argument, not 2"},
        {"has(1)", "! has() takes a name"},
        {"log2(0)", "! log2: of 0"},
        {"null < 1", "! null has no order; use == or !="},
        {"min()", "! min: takes 1 argument or more, not 0"},
        {NULL, NULL}});
}

static void test_fault (void **state)
{
    assert_string_equal (eval ("1 + * 2"), "! \"*\" where a value should be");
    assert_int_equal (fault, 4);
    assert_non_null (strstr (eval ("seq + sek"), "! unknown name"));
    assert_int_equal (fault, 6);
}

/* Depth and length have limits; below them nothing overflows the stack. */
static void test_limits (void **state)
{
    char *text = malloc (40001);

    memset (text, '(', 100);
    memcpy (text + 100, "1", 2);
    assert_non_null (strstr (eval (text), "! nested more than"));
    for (int i = 0; i < 20000; i++)
        memcpy (text + 2 * i, "1+", 3);
    assert_non_null (strstr (eval (text), "! longer than"));
    memcpy (text + 16000, "1", 2);
    assert_string_equal (eval (text), "8001");
    free (text);
}

static void test_uses (void **state)
{
    struct expr *e = expr_parse ("min(seq, [1, gbs]) > 0 ? 1 : 2", NULL, &m);

    expr_bind (e, names, &m);
    assert_true (expr_uses (e, 0));
    assert_true (expr_uses (e, 1));
    assert_false (expr_uses (e, 2));
}

#define TEST(F) cmocka_unit_test_setup (F, setup)

int main (void)
{
    const struct CMUnitTest tests[] = {
        TEST (test_values), TEST (test_functions), TEST (test_lazy),
        TEST (test_errors), TEST (test_fault),     TEST (test_limits),
        TEST (test_uses),
    };

    return tap_run (tests);
}
