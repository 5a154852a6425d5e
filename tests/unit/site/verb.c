/* SPDX-License-Identifier: MIT
 *
 * verb.c - test of spank/epilog/verb.c: another verb, without exec
 */
#include "tests/unit/tap.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "spank/epilog/verb.h"

static pid_t parent;

static int look (int argc, char **argv)
{
    if (getpid () == parent)
        return 9;
    if (strcmp (argv[0], "kill") == 0)
        (void)raise (SIGKILL);
    if (strcmp (argv[0], "dumpable") == 0)
        return prctl (PR_GET_DUMPABLE, 0, 0, 0, 0);
    return argc == 3 && !argv[3] && strcmp (argv[2], "b") == 0 ? 5 : 8;
}

static void nobody_runs_it (void **state)
{
    const char *argv[] = {"dftrace", "x", NULL};

    assert_int_equal (verb_run (argv), 127);
}

static void status_of_a_child (void **state)
{
    const char *argv[] = {"dftrace", "verb", "a", "b", NULL};
    const char *death[] = {"dftrace", "kill", NULL};

    parent = getpid ();
    verb_runner (look);
    assert_int_equal (verb_run (argv), 5);
    assert_int_equal (verb_run (death), -1);
}

/* What exec would undo. */
static void it_stays_undumpable (void **state)
{
    const char *argv[] = {"dftrace", "dumpable", NULL};

    assert_int_equal (prctl (PR_SET_DUMPABLE, 0, 0, 0, 0), 0);
    assert_int_equal (verb_run (argv), 0);
    assert_int_equal (prctl (PR_SET_DUMPABLE, 1, 0, 0, 0), 0);
    assert_int_equal (verb_run (argv), 1);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (nobody_runs_it),
        cmocka_unit_test (status_of_a_child),
        cmocka_unit_test (it_stays_undumpable),
    };

    return tap_run (tests);
}
