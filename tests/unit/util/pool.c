/* SPDX-License-Identifier: MIT
 *
 * pool.c - every index once, on the threads that were asked for
 */
#include "tests/unit/tap.h"

#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/util/pool.h"
#include "lib/util/xalloc.h"

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

static pthread_mutex_t before_it = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t in_it = PTHREAD_MUTEX_INITIALIZER;

/* Half of the indices need more memory than there is. */
static void work_without_memory (void *cookie, size_t index, int worker)
{
    work (cookie, index, worker);
    xalloc_lock (&in_it);
    if (index & 1)
        xalloc_die ();
    xalloc_unlock (&in_it);
}

static void run_without_memory (void *cookie)
{
    assert_true (xalloc_is_guarded ());
    pool_run (COUNT, 4, work_without_memory, cookie);
    fail ();
}

static void work_without_space (void *cookie, size_t index, int worker)
{
    xalloc_end (ENOSPC, "no space");
}

static void run_without_space (void *cookie)
{
    pool_run (COUNT, 4, work_without_space, cookie);
    fail ();
}

static void test_no_memory (void **state)
{
    for (int i = 0; i < COUNT; i++)
        done[i] = 0;
    xalloc_lock (&before_it);
    assert_int_equal (xalloc_guard (run_without_memory, done), -1);
    assert_int_equal (errno, ENOMEM);
    assert_int_equal (xalloc_guard (run_without_space, done), -1);
    assert_int_equal (errno, ENOSPC);
    assert_int_equal (pthread_mutex_trylock (&in_it), 0);
    pthread_mutex_unlock (&in_it);
    assert_int_equal (pthread_mutex_trylock (&before_it), EBUSY);
    xalloc_unlock (&before_it);
    assert_false (xalloc_is_guarded ());
    /* no thread of it goes on, so that the counts are final */
    for (int i = 0; i < COUNT; i++)
        assert_true (done[i] <= 1);
    check (COUNT, 4);
}

/* Without a guard the program ends with the status that was set. */
static void test_end (void **state)
{
    int status = 0;
    pid_t pid = fork ();

    if (pid == 0) {
        xalloc_status = 7;
        xalloc_die ();
    }
    assert_int_equal (waitpid (pid, &status, 0), pid);
    assert_true (WIFEXITED (status));
    assert_int_equal (WEXITSTATUS (status), 7);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_nothing), cmocka_unit_test (test_threads),
        cmocka_unit_test (test_use),     cmocka_unit_test (test_no_memory),
        cmocka_unit_test (test_end),
    };

    return tap_run (tests);
}
