/* SPDX-License-Identifier: MIT
 *
 * launch.c - test of lib/util/launch.c: as if nobody stood in between
 */
#include "tests/unit/scratch.h"

#include <signal.h>
#include <sys/wait.h>

#include "lib/util/launch.h"

static void nothing (void *cookie)
{
}

static int run (const char *script, launch_setup_f setup, void *cookie)
{
    char *argv[] = {(char *)"/bin/sh", (char *)"-c", (char *)script, NULL};
    int status = -1;

    assert_true (launch (argv, setup, cookie, &status) > 0);
    return status;
}

static void its_status (void **state)
{
    int status = run ("exit 7", nothing, NULL);

    assert_true (WIFEXITED (status));
    assert_int_equal (launch_exit_status (status), 7);
    status = run ("kill -TERM $$", nothing, NULL);
    assert_true (WIFSIGNALED (status));
    assert_int_equal (WTERMSIG (status), SIGTERM);
}

static void dies_as_it_did (void **state)
{
    int status = run ("kill -KILL $$", nothing, NULL), own = 0;
    pid_t pid = fork ();

    if (pid == 0)
        _exit (launch_exit_status (status));
    assert_int_equal (waitpid (pid, &own, 0), pid);
    assert_true (WIFSIGNALED (own));
    assert_int_equal (WTERMSIG (own), SIGKILL);
}

static void why_it_cannot_start (void **state)
{
    char *none[] = {(char *)"no-such-program-anywhere", NULL};
    char *dir[] = {scratch, NULL};
    int status;

    errno = 0;
    assert_int_equal (launch (none, nothing, NULL, &status), -1);
    assert_int_equal (errno, ENOENT);
    assert_int_equal (launch (dir, nothing, NULL, &status), -1);
    assert_int_equal (errno, EACCES);
}

static void set_variable (void *cookie)
{
    (void)setenv ("DFT_TEST_LAUNCH", cookie, 1);
}

static void set_up_in_the_child_only (void **state)
{
    int status = run ("[ \"$DFT_TEST_LAUNCH\" = here ]", set_variable,
                      (void *)(uintptr_t) "here");

    assert_int_equal (status, 0);
    assert_null (getenv ("DFT_TEST_LAUNCH"));
}

static void mask_and_dispositions_stay (void **state)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before, now;
    sigset_t mask, after;

    (void)sigaction (SIGCHLD, &ignore, &before);
    (void)sigprocmask (SIG_SETMASK, NULL, &mask);
    /* ignored SIGCHLD is inherited, and does not take the status from us */
    assert_int_equal (WEXITSTATUS (run ("exit 9", nothing, NULL)), 9);
    (void)sigaction (SIGCHLD, &before, &now);
    assert_true (now.sa_handler == SIG_IGN);
    (void)sigprocmask (SIG_SETMASK, NULL, &after);
    for (int sig = 1; sig < 32; sig++)
        assert_int_equal (sigismember (&mask, sig), sigismember (&after, sig));
}

/* To us, while it waits: it is told. */
static void signals_are_handed_on (void **state)
{
    int status;
    pid_t pid = fork ();

    if (pid == 0) {
        char *argv[] = {(char *)"/bin/sh", (char *)"-c",
                        (char *)"trap 'exit 42' USR1; kill -USR1 $PPID; "
                                "while :; do sleep 0.1; done",
                        NULL};

        _exit (launch (argv, nothing, NULL, &status) < 0
                   ? 1
                   : launch_exit_status (status));
    }
    assert_int_equal (waitpid (pid, &status, 0), pid);
    assert_true (WIFEXITED (status));
    assert_int_equal (WEXITSTATUS (status), 42);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        scratch_test (its_status),
        scratch_test (dies_as_it_did),
        scratch_test (why_it_cannot_start),
        scratch_test (set_up_in_the_child_only),
        scratch_test (mask_and_dispositions_stay),
        scratch_test (signals_are_handed_on),
    };

    return tap_run (tests);
}
