/* SPDX-License-Identifier: MIT
 *
 * pointfault.c - what trace points say, in one order
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "analyze/scan/pointfault.h"

enum { BAD = 1, UNRESOLVED, OTHER, FIRST, SECOND, THIRD, NAMES };

static const char *const names[NAMES] = {
    [BAD] = "bad_points",
    [UNRESOLVED] = "unresolved_points",
    [OTHER] = "bad_points_not",
    [FIRST] = "/x.points:3: no = CATEGORY.NAME",
    [SECOND] = "/a: b.points:12: m:f: there is no such name",
    [THIRD] = "/none.points: No such file or directory",
};

static struct dict *dict;

static uint32_t number (int name)
{
    if (!dict)
        dict = dict_create (NULL);
    return name > 0 && name < NAMES
               ? dict_number (
                     dict, name < FIRST ? SHARD_NAME_KEY : SHARD_NAME_TEXT,
                     FILE_CLASS_UNKNOWN, names[name], strlen (names[name]))
               : 0;
}

static void say (struct pointfaults *p, int key, uint8_t type, int text)
{
    struct batch_arg arg = {.key = number (key), .type = type};
    uint32_t first[] = {0, 1};
    struct batch b = {.count = 1, .arg = first, .args = &arg};

    arg.text = number (text);
    pointfaults_take (p, dict, &b, 0);
}

static void other_facts_are_left_alone (void **state)
{
    struct pointfaults p = {0};

    (void)state;
    say (&p, OTHER, EVENT_ARG_TEXT, FIRST);
    say (&p, BAD, EVENT_ARG_INT, FIRST);
    say (&p, BAD, EVENT_ARG_TEXT, 0);
    say (&p, NAMES, EVENT_ARG_TEXT, FIRST);
    assert_int_equal (pointfaults_all (&p), 0);
    pointfaults_clear (&p);
    pointfaults_clear (&p);
}

static void each_is_there_once (void **state)
{
    struct pointfaults p = {0}, q = {0};
    struct pointfault_text said;

    (void)state;
    for (int i = 0; i < 3; i++)
        say (&p, BAD, EVENT_ARG_TEXT, FIRST);
    say (&q, BAD, EVENT_ARG_TEXT, FIRST);
    say (&q, BAD, EVENT_ARG_TEXT, THIRD);
    say (&q, UNRESOLVED, EVENT_ARG_TEXT, FIRST);
    pointfaults_merge (&p, &q);
    assert_int_equal (pointfaults_count (&p, POINTFAULT_BAD), 2);
    assert_int_equal (pointfaults_count (&p, POINTFAULT_UNRESOLVED), 1);
    assert_int_equal (pointfaults_all (&p), 3);
    said = pointfaults_text (&p, POINTFAULT_BAD, 0);
    assert_int_equal (said.times, 4);
    pointfaults_clear (&q);
    pointfaults_clear (&p);
}

static void expect (uint32_t text, const char *where, const char *what)
{
    struct pointfaults p = {0};
    struct pointfault_text said;

    say (&p, BAD, EVENT_ARG_TEXT, text);
    said = pointfaults_text (&p, POINTFAULT_BAD, 0);
    assert_int_equal (said.where_length, strlen (where));
    assert_memory_equal (said.where, where, strlen (where));
    assert_string_equal (said.what, what);
    pointfaults_clear (&p);
}

static void place_and_reason_are_told_apart (void **state)
{
    (void)state;
    expect (FIRST, "/x.points:3", "no = CATEGORY.NAME");
    expect (SECOND, "/a: b.points:12", "m:f: there is no such name");
    expect (THIRD, "/none.points", "No such file or directory");
    expect (BAD, "bad_points", "");
}

static void test_none (void **state)
{
    struct pointfaults p = {0};

    (void)state;
    pointfaults_sort (&p);
    assert_int_equal (pointfaults_all (&p), 0);
    pointfaults_clear (&p);
}

static void test_order (void **state)
{
    struct pointfaults p = {0};
    enum pointfault what = (enum pointfault)0;

    (void)state;
    pointfaults_say (&p, what, "b:2: x", 6, 3);
    pointfaults_say (&p, what, "a:1: y", 6, 1);
    pointfaults_say (&p, what, "b:2: x", 6, 4);
    pointfaults_sort (&p);
    assert_int_equal (pointfaults_count (&p, what), 2);
    assert_int_equal (pointfaults_text (&p, what, 0).times, 1);
    assert_int_equal (pointfaults_text (&p, what, 1).times, 7);
    pointfaults_clear (&p);
}

/* A damaged trace may have any bytes; a NUL once led out of the map. */
static void test_any_bytes (void **state)
{
    struct pointfaults p = {0};
    enum pointfault what = (enum pointfault)0;

    (void)state;
    pointfaults_say (&p, what, "a\0b", 3, 1);
    pointfaults_say (&p, what, "", 0, 2);
    pointfaults_say (&p, what, "a", 1, 3);
    pointfaults_sort (&p);
    assert_int_equal (pointfaults_count (&p, what), 3);
    assert_int_equal (pointfaults_text (&p, what, 0).times, 2);
    assert_int_equal (pointfaults_text (&p, what, 1).times, 3);
    assert_int_equal (pointfaults_text (&p, what, 2).times, 1);
    pointfaults_clear (&p);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (other_facts_are_left_alone),
        cmocka_unit_test (each_is_there_once),
        cmocka_unit_test (place_and_reason_are_told_apart),
        cmocka_unit_test (test_none),
        cmocka_unit_test (test_order),
        cmocka_unit_test (test_any_bytes),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
