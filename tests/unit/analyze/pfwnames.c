/* SPDX-License-Identifier: MIT
 *
 * pfwnames.c - names of a DFTracer trace that are explained late
 */
#include "tests/unit/tap.h"

#include "analyze/import/pfw/pfwnames.h"
#include "lib/util/strmap.h"

/* A hash that is explained after its use is what other files say first. */
static void test_explain (void **state)
{
    struct pfw_names *n = pfw_names_create ();
    const struct pfw_text hash = {"77", 2, 0}, other = {"88", 2, 0};
    const struct pfw_text path = {"/a", 2, 0};
    struct strmap *map = strmap_create ();
    uint32_t number = pfw_names_hash (n, &hash);
    int isnew;

    (void)state;
    assert_string_equal (pfw_names_get (n, number)->text, "#77");
    assert_int_equal (pfw_names_undefined (n), 1);
    pfw_names_define (n, &hash, &path);
    assert_string_equal (pfw_names_get (n, number)->text, "/a");
    (void)pfw_names_hash (n, &other);
    assert_int_equal (pfw_names_missing (n, NULL), 2);
    assert_int_equal (pfw_names_missing (n, map), 0);
    strmap_set (map, (size_t)strmap_intern (map, "77", 2, &isnew),
                (void *)(uintptr_t) "/dev/b");
    assert_int_equal (pfw_names_missing (n, map), 1);
    pfw_names_explain (n, map);
    assert_string_equal (pfw_names_get (n, number)->text, "/dev/b");
    assert_int_equal (pfw_names_get (n, number)->class, FILE_CLASS_DEVICE);
    assert_int_equal (pfw_names_undefined (n), 1);
    pfw_names_seal (n);
    strmap_destroy (map);
    pfw_names_destroy (n);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_explain),
    };

    return tap_run (tests);
}
