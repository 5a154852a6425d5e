/* SPDX-License-Identifier: MIT
 *
 * template.c - ${expr} and ${expr:%05d} in text
 */
#include "tests/unit/tap.h"

#include <setjmp.h>

#include "sweep/spec/template.h"

static const char *const names[] = {"n", "word", "none", NULL};
static struct value column[3];

static int setup (void **state)
{
    column[0] = value_of_scalar ("08", 0);
    column[1] = value_str ("x");
    column[2] = value_null ();
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

static const char *eval (const char *text, int quoted)
{
    static int bound;
    struct template *t;
    struct value v;

    bound = 0;
    if (setjmp (failed))
        return bound ? arena_format ("! %s", err.text)
                     : arena_format ("! %zu %s", fault, err.text);
    t = template_parse (text, quoted, &m);
    template_bind (t, names, &m);
    bound = 1;
    v = template_eval (t, column, &m);
    return arena_format ("%s %s", value_type_word (v.type), value_show (&v));
}

static void test_plain (void **state)
{
    assert_string_equal (eval ("true", 0), "bool true");
    assert_string_equal (eval ("true", 1), "text 'true'");
    assert_string_equal (eval ("", 0), "null null");
    assert_string_equal (eval ("1e-4", 0), "decimal 1e-4");
}

static void test_alone (void **state)
{
    assert_string_equal (eval ("${n}", 0), "int 08");
    assert_string_equal (eval ("${n}", 1), "int 08");
    assert_string_equal (eval ("${none}", 0), "null null");
    assert_string_equal (eval ("${ word == 'x' }", 0), "bool true");
}

static void test_mixed (void **state)
{
    assert_string_equal (eval ("${word}-${n}", 0), "text 'x-08'");
    assert_string_equal (eval ("$$HOME/${n + 1}", 0), "text '$HOME/9'");
    assert_string_equal (eval ("${word + '}'}y", 0), "text 'x}y'");
    assert_string_equal (eval ("a${none}", 0),
                         "! null inside of text: it can only stand alone");
}

static void test_format (void **state)
{
    assert_string_equal (eval ("${n:%05d}", 0), "text '00008'");
    assert_string_equal (eval ("${n * 1.0:%.2f}", 0), "text '8.00'");
    assert_string_equal (eval ("${n == 8 ? 1 : 2:%03d}", 0), "text '001'");
    assert_string_equal (eval ("${word:%3s}|", 0), "text '  x|'");
    assert_string_equal (eval ("${word:%d}", 0),
                         "! 'x' is text: %d wants a number");
    assert_string_equal (eval ("${1.5:%d}", 0),
                         "! 1.5 is not whole: %d wants an integer");
    /* a format is never a way to other arguments or to memory */
    assert_string_equal (eval ("${n:%n}", 0),
                         "! 4 %n: not a format: like %05d, %.2f, %s");
    assert_string_equal (eval ("${n:%s%s}", 0),
                         "! 4 %s%s: not a format: like %05d, %.2f, %s");
    assert_string_equal (eval ("${n:%*d}", 0),
                         "! 4 %*d: not a format: like %05d, %.2f, %s");
    assert_string_equal (eval ("${n:%999d}", 0),
                         "! 4 %999d: not a format: like %05d, %.2f, %s");
}

static void test_errors (void **state)
{
    assert_string_equal (eval ("a $HOME", 0),
                         "! 2 a lone $: write ${expression}, or $$ for a "
                         "dollar (no shell reads this text)");
    assert_string_equal (eval ("ab${n", 0), "! 5 \"\" where \"}\" should be");
    assert_string_equal (eval ("ab${nn}", 0),
                         "! 4 unknown name \"nn\": it is no axis, companion, "
                         "const or derived name; text is written 'nn'");
    assert_string_equal (eval ("ab${1 +}", 0),
                         "! 7 \"}\" where a value should be");
}

#define TEST(F) cmocka_unit_test_setup (F, setup)

int main (void)
{
    const struct CMUnitTest tests[] = {
        TEST (test_plain),  TEST (test_alone),  TEST (test_mixed),
        TEST (test_format), TEST (test_errors),
    };

    return tap_run (tests);
}
