/* SPDX-License-Identifier: MIT
 *
 * maps.c - recorded mappings
 */
#include "tests/unit/tap.h"

#include "preload/mmap/mmregistry.h"

static const void *page (uint64_t n)
{
    return (const void *)(uintptr_t)(n << 12);
}

static void test_empty (void **state)
{
    assert_int_equal (maps_find (page (5)), 0);
    assert_int_equal (maps_take (page (5)), 0);
    assert_int_equal (maps_take (NULL), 0);
}

static void test_not_remembered (void **state)
{
    maps_add (page (5), 0);
    maps_add (page (5), 1u << 28);
    assert_int_equal (maps_find (page (5)), 0);
}

static void test_add_take (void **state)
{
    maps_add (page (5), 11);
    maps_add (page (0x7ffffffffu), 12);
    assert_int_equal (maps_find (page (5)), 11);
    assert_int_equal (maps_find (page (5)), 11);
    assert_int_equal (maps_find (page (6)), 0);
    assert_int_equal (maps_take (page (0x7ffffffffu)), 12);
    assert_int_equal (maps_take (page (0x7ffffffffu)), 0);
    maps_add (page (5), 13); /* MAP_FIXED */
    assert_int_equal (maps_take (page (5)), 13);
    assert_int_equal (maps_take (page (5)), 0);
}

/* More than there is room for: what is remembered is right. */
static void test_full (void **state)
{
    uint32_t kept = 0;

    for (uint32_t i = 1; i <= 20000; i++)
        maps_add (page (i * 7), i);
    for (uint32_t i = 1; i <= 20000; i++) {
        uint32_t name = maps_take (page (i * 7));

        assert_true (name == 0 || name == i);
        kept += name != 0;
    }
    assert_in_range (kept, 3000, 4096);
    assert_int_equal (maps_find (page (7)), 0);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_empty),
        cmocka_unit_test (test_not_remembered),
        cmocka_unit_test (test_add_take),
        cmocka_unit_test (test_full),
    };

    return tap_run (tests);
}
