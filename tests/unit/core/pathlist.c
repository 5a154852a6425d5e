/* SPDX-License-Identifier: MIT
 *
 * pathlist.c - elements of LD_PRELOAD and PYTHONPATH
 */
#include "tests/unit/tap.h"

#include "lib/settings/preloads.h"

static void test_bad (void **state)
{
    char out[8] = "before";

    errno = 0;
    assert_int_equal (pathlist_add ("x", "", ":", out, sizeof (out)), -1);
    assert_int_equal (errno, EINVAL);
    assert_int_equal (pathlist_add ("x", "/a b", ": ", out, sizeof (out)), -1);
    assert_int_equal (errno, EINVAL);
    assert_int_equal (pathlist_add ("/bcd", "/ab", ":", out, sizeof (out)), -1);
    assert_int_equal (errno, ENAMETOOLONG);
    assert_string_equal (out, "");
    assert_int_equal (pathlist_add ("/bc", "/ab", ":", out, sizeof (out)), 0);
    assert_string_equal (out, "/ab:/bc");
}

static void test_add (void **state)
{
    char out[64];

    assert_int_equal (pathlist_add (NULL, "/a", ":", out, sizeof (out)), 0);
    assert_string_equal (out, "/a");
    assert_int_equal (pathlist_add ("", "/a", ":", out, sizeof (out)), 0);
    assert_string_equal (out, "/a");
    assert_int_equal (pathlist_add (":/b::", "/a", ":", out, sizeof (out)), 0);
    assert_string_equal (out, "/a::/b::"); /* empty ones mean something */
    assert_int_equal (pathlist_add ("/b:/a", "/a", ":", out, sizeof (out)), 0);
    assert_string_equal (out, "/b:/a");
    assert_int_equal (pathlist_add ("/ab", "/a", ":", out, sizeof (out)), 0);
    assert_string_equal (out, "/a:/ab");
    assert_int_equal (pathlist_add ("/b c", "/a b", ":", out, sizeof (out)), 0);
    assert_string_equal (out, "/a b:/b c");
}

static void test_has (void **state)
{
    assert_false (pathlist_has (NULL, "/a", ": "));
    assert_false (pathlist_has ("", "/a", ": "));
    assert_true (pathlist_has ("/b /a", "/a", ": "));
    assert_false (pathlist_has ("/b /a", "/a", ":"));
    assert_false (pathlist_has ("/aa:/a/", "/a", ": "));
    assert_true (pathlist_has ("::/a", "/a", ": "));
}

static void test_drop (void **state)
{
    char out[32];

    assert_int_equal (pathlist_drop ("/l/x.so", "x.so", ": ", out, 32), 1);
    assert_string_equal (out, "");
    assert_int_equal (
        pathlist_drop ("/a.so /l/x.so:/b.so", "x.so", ": ", out, 32), 1);
    assert_string_equal (out, "/a.so:/b.so");
    assert_int_equal (
        pathlist_drop ("x.so:/ax.so:/x.so", "x.so", ": ", out, 32), 2);
    assert_string_equal (out, "/ax.so");
    assert_int_equal (pathlist_drop ("/a.so", "x.so", ": ", out, 5), -1);
    assert_int_equal (errno, ENAMETOOLONG);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_bad),
        cmocka_unit_test (test_add),
        cmocka_unit_test (test_has),
        cmocka_unit_test (test_drop),
    };

    return tap_run (tests);
}
