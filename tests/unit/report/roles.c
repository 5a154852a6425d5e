/* SPDX-License-Identifier: MIT
 *
 * roles.c - tests of analyze/report/study/roles.c
 */
#include "config.h"

#include "analyze/report/study/roles.h"
#include "tests/unit/tap.h"

static const char *words[] = {"mmap", "direct", "uring"};
static const char *numbers[] = {"1", "2", "4"};

static struct axis axis (const char *name, size_t levels, int numeric)
{
    struct axis a = {.name = name,
                     .level = numeric ? numbers : words,
                     .levels = levels,
                     .numeric = numeric};

    return a;
}

static void none_and_one (void **state)
{
    struct axis a[] = {axis ("n", 3, 1), axis ("one", 1, 0)};
    struct axis_roles r;

    (void)state;
    roles_choose (&r, a, 0);
    assert_true (r.x == NO_AXIS && r.y == NO_AXIS && r.panels == 1);
    roles_choose (&r, a, 2); /* one level is no axis */
    assert_true (r.x == 0 && r.y == NO_AXIS && r.panels == 1);
    roles_choose (&r, a + 1, 1); /* unless there is no other */
    assert_true (r.x == 0 && r.y == NO_AXIS && r.panels == 1);
}

static void two (void **state)
{
    struct axis a[] = {axis ("seq", 3, 1), axis ("gbs", 2, 1)};
    struct axis b[] = {axis ("seq", 3, 1), axis ("access", 2, 0)};
    struct axis_roles r;

    (void)state;
    roles_choose (&r, a, 2);
    assert_true (r.x == 0 && r.y == 1 && r.panels == 1);
    roles_choose (&r, b, 2);
    assert_true (r.x == 0 && r.y == 1 && r.panels == 1);
}

static void the_study (void **state)
{
    struct axis a[] = {axis ("seq", 3, 1), axis ("gbs", 3, 1),
                       axis ("access", 2, 0)};
    struct axis_roles r;
    size_t level[AXES_MAX] = {9, 9, 9};
    char buf[64];

    (void)state;
    roles_choose (&r, a, 3);
    assert_true (r.x == 1 && r.y == 0);
    assert_true (r.panel_axes == 1 && r.panel[0] == 2 && r.panels == 2);
    roles_panel (&r, a, 1, level);
    assert_true (level[0] == 9 && level[1] == 9 && level[2] == 1);
    assert_string_equal (roles_panel_name (&r, a, 1, buf, sizeof (buf)),
                         "direct");
}

static void five (void **state)
{
    struct axis a[] = {axis ("seq", 3, 1), axis ("fs", 3, 0),
                       axis ("gbs", 3, 1), axis ("access", 2, 0),
                       axis ("workers", 2, 1)};
    struct axis_roles r;
    char buf[64], small[6];

    (void)state;
    roles_choose (&r, a, 5);
    assert_true (r.x == 2 && r.y == 0);
    assert_true (r.panels == 2 * 3 * 2 && r.panel_axes == 3);
    assert_true (r.panel[0] == 3 && r.panel[1] == 1 && r.panel[2] == 4);
    for (size_t p = 0; p < r.panels; p++) {
        size_t level[AXES_MAX] = {0};

        roles_panel (&r, a, p, level);
        assert_int_equal (level[3] * 6 + level[1] * 2 + level[4], p);
    }
    assert_string_equal (roles_panel_name (&r, a, 11, buf, sizeof (buf)),
                         "direct, uring, workers 2");
    roles_panel_name (&r, a, 11, small, sizeof (small));
    assert_string_equal (small, "direc");
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (none_and_one),
        cmocka_unit_test (two),
        cmocka_unit_test (the_study),
        cmocka_unit_test (five),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
