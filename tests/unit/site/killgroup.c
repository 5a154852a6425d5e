/* SPDX-License-Identifier: MIT
 *
 * killgroup.c - test of spank/epilog/killgroup.c: whoever leaves session,
 * process group and parent is still in the cgroup
 */
#include "tests/unit/tap.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "spank/epilog/verb.h"

enum { WAIT_MS = 20000 };

/* The epilogs of other tests look into the group that they are in, as we do:
 * so we are in one of our own. */
static char *outer, *own; /* NULL: none can be made */

static int enter_own (void)
{
    char *group = killgroup_make ();

    if (!group)
        return 0;
    outer = strdup (group);
    own = malloc (strlen (group) + 32);
    if (!outer || !own)
        return -1;
    *strrchr (outer, '/') = '\0';
    (void)sprintf (own, "%s/dftrace-test.%ld", outer, (long)getpid ());
    killgroup_destroy (group);
    return mkdir (own, 0755) < 0 ? -1 : killgroup_enter (own);
}

static int leave_own (void)
{
    if (own && (killgroup_enter (outer) < 0 || rmdir (own) < 0))
        return -1;
    free (own);
    free (outer);
    return 0;
}

static void pause_ms (void)
{
    const struct timespec ms = {0, 1000000};

    (void)nanosleep (&ms, NULL);
}

static pid_t enter (const char *group)
{
    (void)group;
    return fork ();
}

/* In the group: a process of a session of its own, whose parent is gone and
 * which adopts what it starts. Its pid. */
static pid_t escape (const char *group, pid_t (*how) (const char *))
{
    int end[2];
    pid_t pid, escaped = 0;

    assert_int_equal (pipe2 (end, O_CLOEXEC), 0);
    pid = how (group);
    if (pid == 0) {
        if (how == enter && killgroup_enter (group) < 0)
            _exit (1);
        if (fork () > 0)
            _exit (0);
        (void)setsid ();
        if (fork () > 0)
            _exit (0);
        (void)prctl (PR_SET_CHILD_SUBREAPER, 1);
        escaped = getpid ();
        (void)!write (end[1], &escaped, sizeof (escaped));
        for (;;)
            (void)pause ();
    }
    (void)close (end[1]);
    assert_int_equal (waitpid (pid, NULL, 0), pid);
    assert_int_equal (read (end[0], &escaped, sizeof (escaped)),
                      sizeof (escaped));
    (void)close (end[0]);
    return escaped;
}

static int is_gone (pid_t pid)
{
    for (int i = 0; i < WAIT_MS; i++) {
        (void)waitpid (pid, NULL, WNOHANG); /* where we have adopted it */
        if (kill (pid, 0) < 0 && errno == ESRCH)
            return 1;
        pause_ms ();
    }
    return 0;
}

static void who_escaped_is_ended (void **state)
{
    char *group = killgroup_make ();
    struct stat st;
    pid_t pid;

    (void)state;
    if (!group) {
        print_message ("# no cgroup v2 that we may write here\n");
        skip ();
    }
    assert_int_equal (prctl (PR_SET_CHILD_SUBREAPER, 1), 0);
    assert_int_equal (stat (group, &st), 0);
    pid = escape (group, killgroup_fork);
    assert_int_equal (kill (pid, 0), 0);
    killgroup_kill (group);
    assert_true (is_gone (pid));
    char *name = strdup (group);
    killgroup_destroy (group);
    assert_int_equal (stat (name, &st), -1);
    free (name);
}

/* An epilog that was killed has left its group, with somebody in it. */
static void an_earlier_group_is_ended (void **state)
{
    char *group = killgroup_make (), *name;
    struct stat st;
    pid_t escaped, gone = fork ();

    (void)state;
    if (gone == 0)
        _exit (0);
    assert_int_equal (waitpid (gone, NULL, 0), gone);
    if (!group)
        skip ();
    name = malloc (strlen (group) + 32);
    assert_non_null (name);
    (void)sprintf (name, "%.*s" KILLGROUP_PREFIX "%ld",
                   (int)(strrchr (group, '/') + 1 - group), group, (long)gone);
    assert_int_equal (mkdir (name, 0755), 0);
    escaped = escape (name, enter);
    killgroup_destroy (group);
    group = killgroup_make ();
    assert_non_null (group);
    assert_true (is_gone (escaped));
    killgroup_destroy (group);
    (void)rmdir (name); /* it may have been too early for the first try */
    assert_int_equal (stat (name, &st), -1);
    free (name);
}

static int status_of (pid_t pid)
{
    int status = -1;

    assert_int_equal (waitpid (pid, &status, 0), pid);
    return WIFEXITED (status) ? WEXITSTATUS (status) : -1;
}

/* A child that is born in the group: it is nowhere else for a moment, and
 * nobody had to be moved. */
static void a_child_is_born_in_it (void **state)
{
    char *group = killgroup_make (), *name, text[4096] = "";
    pid_t pid;
    int fd;

    (void)state;
    if (!group)
        skip ();
    name = strrchr (group, '/');
    pid = killgroup_fork (group);
    if (pid == 0) {
        fd = open ("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
        if (fd < 0 || read (fd, text, sizeof (text) - 1) <= 0)
            _exit (2);
        _exit (strstr (text, name) ? 7 : 1);
    }
    assert_int_equal (status_of (pid), 7);
    killgroup_kill (group); /* nor does what was ended before end the next */
    pid = killgroup_fork (group);
    if (pid == 0)
        _exit (7);
    assert_int_equal (status_of (pid), 7);
    killgroup_destroy (group);
}

/* Where it cannot be, there is a child all the same. */
static void a_child_without_it (void **state)
{
    static const char *const groups[] = {NULL, "/nowhere"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        pid_t pid = killgroup_fork (groups[i]);

        if (pid == 0)
            _exit (7);
        assert_int_equal (status_of (pid), 7);
    }
}

static void nothing_to_end (void **state)
{
    (void)state;
    killgroup_kill (NULL);
    killgroup_destroy (NULL);
    assert_int_equal (killgroup_enter ("/nowhere"), -1);
    killgroup_kill ("/nowhere");
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (who_escaped_is_ended),
        cmocka_unit_test (an_earlier_group_is_ended),
        cmocka_unit_test (a_child_is_born_in_it),
        cmocka_unit_test (a_child_without_it),
        cmocka_unit_test (nothing_to_end),
    };

    int failed = enter_own () < 0;

    failed += tap_run (tests);
    return leave_own () < 0 ? 1 : failed;
}
