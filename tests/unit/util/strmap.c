/* SPDX-License-Identifier: MIT
 *
 * strmap.c - bytes -> ordinal
 */
#include "tests/unit/tap.h"

#include <stdlib.h>

#include "lib/util/strmap.h"

static void test_destroy_null (void **state)
{
    errno = EBADF;
    strmap_destroy (NULL);
    assert_int_equal (errno, EBADF);
}

static void test_empty (void **state)
{
    struct strmap *m = strmap_create ();

    assert_non_null (m);
    assert_int_equal (strmap_find (m, "a", 1), -1);
    assert_int_equal (strmap_count (m), 0);
    strmap_destroy (m);
}

static void test_bytes (void **state)
{
    struct strmap *m = strmap_create ();
    int isnew;
    size_t n;

    assert_int_equal (strmap_intern (m, "a\0b", 3, &isnew), 0);
    assert_int_equal (isnew, 1);
    assert_int_equal (strmap_intern (m, "a\0c", 3, &isnew), 1);
    assert_int_equal (strmap_intern (m, "", 0, &isnew), 2);
    assert_int_equal (strmap_intern (m, "a\0b", 3, &isnew), 0);
    assert_int_equal (isnew, 0);
    assert_int_equal (strmap_find (m, "a", 1), -1);
    assert_memory_equal (strmap_key (m, 1, &n), "a\0c", 4);
    assert_int_equal (n, 3);
    strmap_destroy (m);
}

static void test_values (void **state)
{
    struct strmap *m = strmap_create ();
    int x;

    assert_int_equal (strmap_intern (m, "k", 1, NULL), 0);
    assert_null (strmap_value (m, 0));
    strmap_set (m, 0, &x);
    assert_ptr_equal (strmap_value (m, 0), &x);
    strmap_destroy (m);
}

/* Ordinals, keys and their addresses survive every growth. */
static void test_many (void **state)
{
    enum { MANY = 100000 };
    struct strmap *m = strmap_create ();
    const char *first;
    char key[200];
    int n;

    assert_int_equal (strmap_intern (m, "first", 5, NULL), 0);
    first = strmap_key (m, 0, NULL);
    for (int i = 1; i < MANY; i++) {
        n = snprintf (key, sizeof (key), "%0*d", i % 100 + 8, i);
        assert_int_equal (strmap_intern (m, key, (size_t)n, NULL), i);
    }
    assert_int_equal (strmap_count (m), MANY);
    assert_ptr_equal (strmap_key (m, 0, NULL), first);
    assert_string_equal (first, "first");
    for (int i = 1; i < MANY; i++) {
        n = snprintf (key, sizeof (key), "%0*d", i % 100 + 8, i);
        assert_int_equal (strmap_find (m, key, (size_t)n), i);
    }
    strmap_destroy (m);
}

static void test_clear (void **state)
{
    enum { MANY = 10000 }; /* in several blocks of keys */
    struct strmap *m = strmap_create ();
    char key[32];

    strmap_clear (m);
    for (int again = 0; again < 3; again++) {
        for (int i = 0; i < MANY; i++) {
            int n = snprintf (key, sizeof (key), "%d of %020d", i, again);

            assert_int_equal (strmap_intern (m, key, (size_t)n, NULL), i);
            assert_null (strmap_value (m, (size_t)i));
            strmap_set (m, (size_t)i, m);
        }
        strmap_clear (m);
        assert_int_equal (strmap_count (m), 0);
        assert_int_equal (strmap_find (m, key, strlen (key)), -1);
    }
    strmap_destroy (m);
}

static void test_long_key (void **state)
{
    enum { LONG = 1 << 20 };
    struct strmap *m = strmap_create ();
    char *key = malloc (LONG);
    size_t n;

    memset (key, 'x', LONG);
    assert_int_equal (strmap_intern (m, key, LONG, NULL), 0);
    assert_int_equal (strmap_intern (m, "short", 5, NULL), 1);
    assert_memory_equal (strmap_key (m, 0, &n), key, LONG);
    assert_int_equal (n, LONG);
    free (key);
    strmap_destroy (m);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_destroy_null), cmocka_unit_test (test_empty),
        cmocka_unit_test (test_bytes),        cmocka_unit_test (test_values),
        cmocka_unit_test (test_many),         cmocka_unit_test (test_clear),
        cmocka_unit_test (test_long_key),
    };

    return tap_run (tests);
}
