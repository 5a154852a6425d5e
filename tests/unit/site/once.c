/* SPDX-License-Identifier: MIT
 *
 * once.c - a step that several processes need is done by one of them
 */
#include "tests/unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spank/once.h"

enum { PROCESSES = 8, SHORT_MS = 200, LONG_MS = 60000, RESULT = 3 };

/* Of all processes of a test. */
static struct {
    int runs;
    pid_t first;
} * all;

struct data {
    int fails, dies, hangs;
    pid_t pid;
    char text[64];
};

static int once_step (void *cookie)
{
    struct data *d = cookie;

    if (__atomic_add_fetch (&all->runs, 1, __ATOMIC_SEQ_CST) == 1) {
        __atomic_store_n (&all->first, getpid (), __ATOMIC_SEQ_CST);
        if (d->dies)
            (void)raise (SIGKILL);
        while (d->hangs)
            (void)pause ();
    }
    d->pid = getpid ();
    (void)snprintf (d->text, sizeof (d->text), "done");
    errno = d->fails;
    return d->fails ? -1 : RESULT;
}

static pid_t fork_one (struct once *o, struct data d, int rc, uint64_t ms)
{
    pid_t pid = fork ();
    int got, error;

    if (pid != 0)
        return pid;
    (void)alarm (300); /* nobody else ends one that hangs */
    got = once_run (o, once_step, &d, sizeof (d), ms);
    error = errno;
    _exit (got == rc && (rc >= 0 || error == d.fails) &&
                   strcmp (d.text, "done") == 0
               ? 7
               : 1);
}

/* How many of the children ended as they should. */
static int wait_all (const pid_t pid[PROCESSES])
{
    int status, good = 0;

    for (int i = 0; i < PROCESSES; i++) {
        assert_int_equal (waitpid (pid[i], &status, 0), pid[i]);
        good += WIFEXITED (status) && WEXITSTATUS (status) == 7;
    }
    return good;
}

static int run_all (struct data d, int rc)
{
    struct once *o = once_create (sizeof (d));
    pid_t pid[PROCESSES];
    int good;

    assert_non_null (o);
    all->runs = 0;
    for (int i = 0; i < PROCESSES; i++)
        pid[i] = fork_one (o, d, rc, LONG_MS);
    good = wait_all (pid);
    once_destroy (o);
    return good;
}

static void test_one_does_it (void **state)
{
    struct data d = {0};

    assert_int_equal (run_all (d, RESULT), PROCESSES);
    assert_int_equal (all->runs, 1);
}

static void test_it_fails_for_all (void **state)
{
    struct data d = {.fails = ENOSPC};

    assert_int_equal (run_all (d, -1), PROCESSES);
    assert_int_equal (all->runs, 1);
}

/* Not a child of the others: they see that it is gone when it is reaped. */
static void test_first_dies (void **state)
{
    struct data d = {.dies = 1};
    struct once *o = once_create (sizeof (d));
    pid_t pid[PROCESSES];
    int status;

    all->runs = 0;
    pid[0] = fork_one (o, d, RESULT, LONG_MS);
    assert_int_equal (waitpid (pid[0], &status, 0), pid[0]);
    assert_true (WIFSIGNALED (status));
    for (int i = 0; i < PROCESSES; i++)
        pid[i] = fork_one (o, d, RESULT, LONG_MS);
    assert_int_equal (wait_all (pid), PROCESSES);
    assert_int_equal (all->runs, 2);
    once_destroy (o);
}

static void test_first_hangs (void **state)
{
    struct data d = {.hangs = 1};
    struct once *o = once_create (sizeof (d));
    pid_t pid;
    int rc, error;

    all->runs = 0;
    pid = fork_one (o, d, RESULT, LONG_MS);
    while (__atomic_load_n (&all->runs, __ATOMIC_SEQ_CST) == 0)
        (void)usleep (1000);
    rc = once_run (o, once_step, &d, sizeof (d), SHORT_MS);
    error = errno;
    assert_int_equal (rc, -1);
    assert_int_equal (error, ETIMEDOUT);
    assert_int_equal (d.pid, 0);
    (void)kill (pid, SIGKILL);
    assert_int_equal (waitpid (pid, NULL, 0), pid);
    once_destroy (o);
}

static void test_alone (void **state)
{
    struct data d = {0};

    all->runs = 0;
    assert_int_equal (once_run (NULL, once_step, &d, sizeof (d), LONG_MS),
                      RESULT);
    assert_int_equal (d.pid, getpid ());
    once_destroy (NULL);
}

static void test_too_large (void **state)
{
    struct data d = {0};
    struct once *o = once_create (1);

    assert_int_equal (once_run (o, once_step, &d, sizeof (d), LONG_MS), -1);
    assert_int_equal (errno, EINVAL);
    once_destroy (o);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_one_does_it),
        cmocka_unit_test (test_it_fails_for_all),
        cmocka_unit_test (test_first_dies),
        cmocka_unit_test (test_first_hangs),
        cmocka_unit_test (test_alone),
        cmocka_unit_test (test_too_large),
    };

    all = mmap (NULL, sizeof (*all), PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return tap_run (tests);
}
