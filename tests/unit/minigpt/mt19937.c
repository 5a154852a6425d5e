/* SPDX-License-Identifier: MIT
 *
 * mt19937.c - test of the random numbers of the example workload
 */
#include "tests/unit/tap.h"

#include "etc/examples/minigpt/mt19937.h"

/* The published first and ten-thousandth number of MT19937. */
static void test_mt19937 (void **state)
{
    struct mt19937 r;

    mt19937_seed (&r, 5489);
    assert_int_equal (mt19937_u32 (&r), 3499211612u);
    for (int i = 2; i < 10000; i++)
        (void)mt19937_u32 (&r);
    assert_int_equal (mt19937_u32 (&r), 4123659995u);
}

/* numpy.random.RandomState (0).permutation (10), and of seed 42 */
static void test_shuffle_is_numpys (void **state)
{
    static const uint32_t of_0[] = {2, 8, 4, 9, 1, 6, 7, 3, 0, 5};
    static const uint32_t of_42[] = {8, 1, 5, 0, 7, 2, 9, 4, 3, 6};
    uint32_t a[10], b[10];
    struct mt19937 r;

    for (uint32_t i = 0; i < 10; i++)
        a[i] = b[i] = i;
    mt19937_seed (&r, 0);
    mt19937_shuffle (&r, a, 10);
    assert_memory_equal (a, of_0, sizeof (a));
    mt19937_seed (&r, 42);
    mt19937_shuffle (&r, b, 10);
    assert_memory_equal (b, of_42, sizeof (b));
    mt19937_shuffle (&r, b, 0);
    mt19937_shuffle (&r, b, 1);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_mt19937),
        cmocka_unit_test (test_shuffle_is_numpys),
    };

    return tap_run (tests);
}
