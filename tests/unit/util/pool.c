/* SPDX-License-Identifier: MIT
 *
 * pool.c - every index once, on the threads that were asked for
 */
#include "tests/unit/tap.h"

#include <stdatomic.h>

#include "lib/util/pool.h"

enum { COUNT = 10000 };

static _Atomic int done[COUNT];
static _Atomic int worst;

static void work (void *cookie, size_t index, int worker)
{
    assert_ptr_equal (cookie, done);
    atomic_fetch_add (&done[index], 1);
    if (worker > atomic_load (&worst))
        atomic_store (&worst, worker);
}

static void check (size_t count, int threads)
{
    for (int i = 0; i < COUNT; i++)
        done[i] = 0;
    worst = 0;
    assert_int_equal (pool_run (count, threads, work, done), 0);
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal (done[i], i < count ? 1 : 0);
}

static void test_nothing (void **state)
{
    check (0, 0);
    check (0, 4);
}

static void test_threads (void **state)
{
    assert_true (pool_threads () >= 1);
    check (COUNT, 1);
    assert_int_equal (worst, 0);
    check (COUNT, 4);
    assert_true (worst < 4);
    check (COUNT, 0);
    assert_true (worst < pool_threads ());
    check (3, 1000);
    assert_true (worst < 3);
}

static void test_use (void **state)
{
    int before = pool_threads ();

    pool_use (3);
    assert_int_equal (pool_threads (), 3);
    check (COUNT, 0);
    assert_true (worst < 3);
    pool_use (1);
    check (COUNT, 0);
    assert_int_equal (worst, 0);
    pool_use (0);
    assert_int_equal (pool_threads (), before);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_nothing),
        cmocka_unit_test (test_threads),
        cmocka_unit_test (test_use),
    };

    return tap_run (tests);
}
