/* SPDX-License-Identifier: MIT
 *
 * errtext.c - -1 always, errno kept, long texts cut
 */
#include "tests/unit/tap.h"

#include "lib/base/text.h"

static void test_null (void **state)
{
    errno = ENOSPC;
    assert_int_equal (errf (NULL, "%s", "gone"), -1);
    assert_int_equal (errno, ENOSPC);
}

static void test_text (void **state)
{
    struct errtext err;

    errno = EPERM;
    assert_int_equal (errf (&err, "%s: %d", "file", 7), -1);
    assert_string_equal (err.text, "file: 7");
    assert_int_equal (errno, EPERM);
}

static void test_cut (void **state)
{
    struct {
        struct errtext err;
        char guard;
    } box = {.guard = 'g'};
    char longer[2 * sizeof (box.err.text)];

    memset (longer, 'x', sizeof (longer) - 1);
    longer[sizeof (longer) - 1] = '\0';
    assert_int_equal (errf (&box.err, "%s", longer), -1);
    assert_int_equal (strlen (box.err.text), sizeof (box.err.text) - 1);
    assert_int_equal (box.guard, 'g');
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_null),
        cmocka_unit_test (test_text),
        cmocka_unit_test (test_cut),
    };

    return tap_run (tests);
}
