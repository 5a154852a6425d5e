/* SPDX-License-Identifier: MIT
 *
 * shardlive.c - children that can have no file count in an ancestor's
 */
#include "tests/unit/tap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/rec.h"

enum { RESTORED = 256 /* descriptors */ };

static struct rec_tally t;

static void limit_descriptors (rlim_t n)
{
    struct rlimit rl;

    if (getrlimit (RLIMIT_NOFILE, &rl) < 0)
        _exit (1);
    rl.rlim_cur = n;
    if (setrlimit (RLIMIT_NOFILE, &rl) < 0)
        _exit (1);
}

static void wait_for (pid_t child)
{
    int status;

    if (child < 0 || waitpid (child, &status, 0) != child || status != 0)
        _exit (1);
}

/* 20 events, 30 of a child of its own, and then, where there is a file, more.
 */
static void child_without_file (void)
{
    pid_t child;

    limit_descriptors (0);
    rec_reads (1, 20);
    if ((child = fork ()) == 0) {
        rec_reads (2, 30);
        recorder_exec (1); /* must not be its grandparent's end */
        _exit (0);
    }
    wait_for (child);
    limit_descriptors (RESTORED);
    rec_reads (3, 1040);
    _exit (0); /* without recorder_finish */
}

static void with_children (void *cookie)
{
    pid_t child;

    limit_descriptors (RESTORED);
    if (*(int *)cookie)
        rec_refuse (SYS_fallocate, EOPNOTSUPP);
    rec_reads (0, 10);
    if ((child = fork ()) == 0)
        child_without_file ();
    wait_for (child);
}

static void test_children (void **state)
{
    int in_memory = 0;

    rec_good (&t, with_children, &in_memory, 1);
    assert_int_equal (t.files, REC_FILES (2));
    assert_int_equal (t.processes, 2);
    assert_int_equal (t.unfinished, 1); /* the child */
    assert_int_equal (t.events + t.counted + t.lost + t.missing,
                      10 + 20 + 30 + 1040);
    assert_true (t.lost >= 20 + 30 && t.per[3] > 0);
    assert_int_equal (rec_teardown (state) + rec_setup (state), 0);
    in_memory = 1; /* the events of the child go with it */
    rec_good (&t, with_children, &in_memory, 1);
    assert_int_equal (t.per[0], 10);
    assert_true (t.lost >= 20 + 30);
}

static void child_of_another_user (void *cookie)
{
    char path[REC_PATH];
    pid_t child;

    rec_reads (0, 10);
    *strrchr (rec_shard (path), '/') = '\0';
    if (chmod (path, 0700) < 0)
        _exit (1);
    if ((child = fork ()) == 0) {
        if (setuid (65534) < 0)
            _exit (1);
        rec_reads (1, 300);
        _exit (0);
    }
    wait_for (child);
}

static void test_child_not_followed (void **state)
{
    if (geteuid () != 0) {
        print_message ("# not run: only root can become another user\n");
        return; /* cmocka's skip () is "not ok" */
    }
    rec_good (&t, child_of_another_user, NULL, 1);
    assert_int_equal (t.files, 1);
    assert_int_equal (t.events, 10);
    assert_int_equal (t.lost, 300);
    assert_int_equal (t.untraced, 1);
    assert_int_equal (t.unfinished, 0);
}

#define CASE(F) cmocka_unit_test_setup_teardown (F, rec_setup, rec_teardown)

int main (void)
{
    const struct CMUnitTest tests[] = {
        CASE (test_children),
        CASE (test_child_not_followed),
    };

    return tap_run (tests);
}
