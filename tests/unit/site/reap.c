/* SPDX-License-Identifier: MIT
 *
 * reap.c - test of spank/epilog/reap.c: what became of a child
 */
#include "tests/unit/tap.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spank/epilog/verb.h"

enum { LONG_MS = 60000, SHORT_MS = 50 };

/* Of a child that ends by this signal, or with this status. */
static int reap_of (int by_signal, int exits, int *timed_out)
{
    pid_t pid = fork ();

    if (pid == 0) {
        (void)setpgid (0, 0);
        if (by_signal)
            (void)raise (by_signal);
        _exit (exits);
    }
    (void)setpgid (pid, pid);
    return reap_wait (pid, NULL, LONG_MS, timed_out);
}

static void how_it_ended (void **state)
{
    int timed_out = 1;

    assert_int_equal (reap_of (0, 0, &timed_out), 0);
    assert_int_equal (timed_out, 0);
    assert_int_equal (reap_of (0, 1, &timed_out), -1);
    assert_int_equal (timed_out, 0);
    assert_int_equal (reap_of (SIGKILL, 0, &timed_out), REAP_CRASHED);
    assert_int_equal (timed_out, 0);
    assert_int_equal (reap_of (SIGTERM, 0, &timed_out), REAP_CRASHED);
    assert_int_equal (timed_out, 0);
    assert_int_equal (reap_of (0, REAP_NO_MEMORY, &timed_out), REAP_CRASHED);
    assert_int_equal (timed_out, 0);
}

/* One that we end is no crash. */
static void its_time_is_over (void **state)
{
    int timed_out = 0;
    pid_t pid = fork ();

    if (pid == 0) {
        (void)setpgid (0, 0);
        for (;;)
            (void)pause ();
    }
    (void)setpgid (pid, pid);
    assert_int_equal (reap_wait (pid, NULL, SHORT_MS, &timed_out), -1);
    assert_int_equal (timed_out, 1);
    assert_int_equal (waitpid (pid, NULL, WNOHANG), -1);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (how_it_ended),
        cmocka_unit_test (its_time_is_over),
    };

    return tap_run (tests);
}
