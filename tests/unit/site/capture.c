/* SPDX-License-Identifier: MIT
 *
 * capture.c - test of cli/capture.c: output is bounded, and so is time
 */
#include "tests/unit/scratch.h"

#include <signal.h>
#include <time.h>

#include "lib/util/launch.h"

enum { LONG = 60, POLLS = 3000, POLL_NS = 10000000 };

static char buf[64];

static int shell (const char *script, unsigned seconds)
{
    const char *argv[] = {"/bin/sh", "-c", script, NULL};

    return capture (argv, seconds, buf, sizeof (buf));
}

static void output_and_status (void **state)
{
    assert_int_equal (shell ("echo out; echo err >&2; exit 3", LONG), 3);
    assert_string_equal (buf, "out\nerr\n");
    assert_int_equal (shell ("cat", LONG), 0); /* nothing to read */
    assert_string_equal (buf, "");
}

static void no_such_program (void **state)
{
    const char *argv[] = {"no-such-program-anywhere", NULL};

    (void)memset (buf, 'x', sizeof (buf));
    assert_int_equal (capture (argv, LONG, buf, sizeof (buf)), 127);
    assert_string_equal (buf, "");
}

static void no_shell_in_between (void **state)
{
    const char *argv[] = {"echo", "$(echo no); `x`", "*", NULL};

    assert_int_equal (capture (argv, LONG, buf, sizeof (buf)), 0);
    assert_string_equal (buf, "$(echo no); `x` *\n");
}

static void more_than_there_is_room_for (void **state)
{
    /* more than a pipe holds: who stopped reading would wait for ever */
    assert_int_equal (
        shell ("i=0; while [ $i -lt 5000 ]; do "
               "echo 0123456789012345678901234567890123456789; i=$((i + 1)); "
               "done; exit 4",
               LONG),
        4);
    assert_int_equal (strlen (buf), sizeof (buf) - 1);
    assert_memory_equal (buf, "0123456789", 10);
}

static void died_of_a_signal (void **state)
{
    assert_int_equal (shell ("kill -9 $$", LONG), -1);
}

/* Its children, too. */
static void the_time_is_over (void **state)
{
    const struct timespec pause = {0, POLL_NS};
    long pid;
    int gone = 0;

    assert_int_equal (shell ("sleep 1000 & echo $! >pid; echo begun; wait", 1),
                      -1);
    pid = strtol (scratch_text ("pid"), NULL, 10);
    if (pid <= 0)
        return; /* it was not even begun in that second */
    for (int i = 0; !gone && i < POLLS; i++) {
        char path[64], state_of[256];

        /* an orphan that nobody has reaped is gone, too */
        (void)snprintf (path, sizeof (path), "/proc/%ld/stat", pid);
        (void)snprintf (state_of, sizeof (state_of), "%s", scratch_text (path));
        gone = !*state_of || strstr (state_of, ") Z") != NULL;
        if (!gone)
            (void)nanosleep (&pause, NULL);
    }
    assert_true (gone);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        scratch_test (output_and_status),
        scratch_test (no_such_program),
        scratch_test (no_shell_in_between),
        scratch_test (more_than_there_is_room_for),
        scratch_test (died_of_a_signal),
        scratch_test (the_time_is_over),
    };

    return tap_run (tests);
}
