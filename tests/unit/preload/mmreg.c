/* SPDX-License-Identifier: MIT
 *
 * mmreg.c - the registry of mappings
 */
#include "tests/unit/tap.h"

#include "preload/mmap/mmregistry.h"

enum { PAGE = 4096 };

static struct mm_map make (uint64_t page, uint64_t pages, uint32_t name)
{
    return (struct mm_map){.start = page * PAGE,
                           .end = (page + pages) * PAGE,
                           .offset = 100 * PAGE,
                           .name = name,
                           .cached = 5};
}

static void forget_all (void)
{
    (void)mmreg_cut (0, UINT64_MAX);
}

static void test_empty (void **state)
{
    struct mm_map m = {.name = 7};

    assert_int_equal (mmreg_find (PAGE, &m), 0);
    assert_int_equal (m.name, 0);
    assert_int_equal (mmreg_cut (0, UINT64_MAX), 0);
    assert_int_equal (mm_maps, 0);
}

static void test_find (void **state)
{
    struct mm_map a = make (10, 4, 1), b = make (14, 1, 2), m;

    assert_int_equal (mmreg_add (&a), 0);
    assert_int_equal (mmreg_add (&b), 0);
    assert_int_not_equal (a.id, b.id);
    assert_int_equal (mm_maps, 2);
    assert_int_equal (mmreg_find (10 * PAGE - 1, &m), 0);
    assert_int_equal (mmreg_find (10 * PAGE, &m), 1);
    assert_int_equal (m.name, 1);
    assert_int_equal (mmreg_find (14 * PAGE - 1, &m), 1);
    assert_int_equal (m.name, 1);
    assert_int_equal (mmreg_find (14 * PAGE, &m), 1);
    assert_int_equal (m.name, 2);
    assert_int_equal (mmreg_find (15 * PAGE, &m), 0);
    forget_all ();
    assert_int_equal (mm_maps, 0);
}

/* The middle of a mapping goes: two are left, with their offsets. */
static void test_cut_middle (void **state)
{
    struct mm_map a = make (10, 10, 3), m;

    assert_int_equal (mmreg_add (&a), 0);
    assert_int_equal (mmreg_cut (12 * PAGE, 15 * PAGE), 3);
    assert_int_equal (mm_maps, 2);
    assert_int_equal (mmreg_find (11 * PAGE, &m), 1);
    assert_int_equal (m.end, 12 * PAGE);
    assert_int_equal (m.offset, 100 * PAGE);
    assert_int_equal (mmreg_find (12 * PAGE, &m), 0);
    assert_int_equal (mmreg_find (14 * PAGE, &m), 0);
    assert_int_equal (mmreg_find (15 * PAGE, &m), 1);
    assert_int_equal (m.start, 15 * PAGE);
    assert_int_equal (m.end, 20 * PAGE);
    assert_int_equal (m.offset, 105 * PAGE);
    assert_int_equal (m.id, a.id);
    assert_int_equal (m.cached, -1);
    forget_all ();
}

static void test_cut_ends (void **state)
{
    struct mm_map a = make (10, 10, 3), b = make (30, 10, 4), m;

    assert_int_equal (mmreg_add (&a), 0);
    assert_int_equal (mmreg_add (&b), 0);
    assert_int_equal (mmreg_cut (18 * PAGE, 32 * PAGE), 3);
    assert_int_equal (mmreg_find (17 * PAGE, &m), 1);
    assert_int_equal (mmreg_find (18 * PAGE, &m), 0);
    assert_int_equal (mmreg_find (31 * PAGE, &m), 0);
    assert_int_equal (mmreg_find (32 * PAGE, &m), 1);
    assert_int_equal (m.offset, 102 * PAGE);
    assert_int_equal (mm_maps, 2);
    forget_all ();
}

/* Too many: those that found room are right, the others are counted. */
static void test_full (void **state)
{
    uint64_t lost = mmreg_lost ();
    struct mm_map m;

    for (uint32_t i = 1; i <= MMREG_MAX + 10; i++) {
        m = make (2 * i, 1, i);
        assert_int_equal (mmreg_add (&m), i <= MMREG_MAX ? 0 : -1);
    }
    assert_int_equal (mmreg_lost () - lost, 10);
    assert_int_equal (mmreg_find ((uint64_t)2 * MMREG_MAX * PAGE, &m), 1);
    assert_int_equal (m.name, MMREG_MAX);
    forget_all ();
    assert_int_equal (mm_maps, 0);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_empty),      cmocka_unit_test (test_find),
        cmocka_unit_test (test_cut_middle), cmocka_unit_test (test_cut_ends),
        cmocka_unit_test (test_full),
    };

    return tap_run (tests);
}
