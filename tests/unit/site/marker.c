/* SPDX-License-Identifier: MIT
 *
 * marker.c - test of lib/settings/marker.c
 */
#include "tests/unit/tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/settings/marker.h"

static char root[64], dir[80];
static struct errtext err;
static struct marker m;

static int make_root (void **state)
{
    (void)snprintf (root, sizeof (root), "/tmp/dftrace-marker.XXXXXX");
    if (!mkdtemp (root))
        return -1;
    (void)snprintf (dir, sizeof (dir), "%s/state", root);
    return 0;
}

static int drop_root (void **state)
{
    const char *argv[] = {"rm", "-rf", root, NULL};
    pid_t pid = fork ();

    if (pid == 0) {
        (void)execvp (argv[0], (char *const *)argv);
        _exit (127);
    }
    return waitpid (pid, NULL, 0) == pid ? 0 : -1;
}

static int add (const char *path)
{
    const struct marker_line line = {1000, 100, NULL, 20000, 1, path, ""};

    return marker_add (dir, 7, "n1", &line, &err);
}

/* Put text where the marker of job 7 on n1 is. */
static void forge (const char *text)
{
    char path[128];
    int fd;

    (void)mkdir (dir, 0755);
    (void)snprintf (path, sizeof (path), "%s/7.n1", dir);
    fd = open (path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_int_equal (write (fd, text, strlen (text)), strlen (text));
    (void)close (fd);
}

static void refuses_bad_directories (void **state)
{
    const struct marker_line line = {1000, 100, NULL, 1, 1, "/a", ""};

    assert_int_equal (add ("relative"), -1);
    assert_int_equal (add ("/a\n0 0 1 /b"), -1);
    assert_int_equal (marker_add (dir, 7, "../n1", &line, &err), -1);
    assert_int_equal (marker_read (dir, 7, "n1", &m, &err), -1);
    assert_int_equal (errno, ENOENT);
}

static void refuses_a_state_dir_of_others (void **state)
{
    assert_int_equal (mkdir (dir, 0700), 0);
    assert_int_equal (chmod (dir, 0777), 0);
    assert_int_equal (add ("/a"), -1);
    assert_int_equal (errno, EPERM);
}

static void refuses_links (void **state)
{
    char other[96], path[128];

    (void)snprintf (other, sizeof (other), "%s/other", root);
    assert_int_equal (mkdir (other, 0755), 0);
    assert_int_equal (symlink (other, dir), 0);
    assert_int_equal (add ("/a"), -1);
    assert_int_equal (unlink (dir), 0);
    assert_int_equal (mkdir (dir, 0755), 0);
    (void)snprintf (path, sizeof (path), "%s/7.n1", dir);
    assert_int_equal (symlink ("/etc/passwd", path), 0);
    assert_int_equal (marker_read (dir, 7, "n1", &m, &err), -1);
    assert_int_equal (errno, ELOOP);
}

static void refuses_forged_lines (void **state)
{
    static const char *const bad[] = {
        "1000 100 /a\n",
        "1000 100 1 relative\n",
        "x 100 1 /a\n",
        "-1 100 1 /a\n",
        "1000 100 1 /a\n0 0 1 /b\n",
        "\n",
        "1000 100 1 /a\t\t1\tx\n",
        "1000 100 1 /a\t\t1\t1,4294967295\n",
    };

    for (size_t i = 0; i < sizeof (bad) / sizeof (bad[0]); i++) {
        forge (bad[i]);
        assert_int_equal (marker_read (dir, 7, "n1", &m, &err), -1);
        assert_int_equal (errno, EBADMSG);
    }
}

static void keeps_lines_once (void **state)
{
    assert_int_equal (add ("/a b"), 0);
    assert_int_equal (add ("/a"), 0);
    assert_int_equal (add ("/a b"), 0);
    assert_int_equal (marker_read (dir, 7, "n1", &m, &err), 0);
    assert_int_equal (m.count, 2);
    assert_int_equal (m.uid, 1000);
    assert_int_equal (m.gid, 100);
    assert_int_equal (m.limit_ms, 20000);
    assert_string_equal (m.dir[0], "/a b");
    assert_string_equal (m.dir[1], "/a");
    marker_free (&m);
}

static void is_per_job_and_node (void **state)
{
    assert_int_equal (add ("/a"), 0);
    assert_int_equal (marker_read (dir, 8, "n1", &m, &err), -1);
    assert_int_equal (marker_read (dir, 7, "n2", &m, &err), -1);
    assert_int_equal (marker_remove (dir, 7, "n2"), 0);
    assert_int_equal (marker_read (dir, 7, "n1", &m, &err), 0);
    marker_free (&m);
    assert_int_equal (marker_remove (dir, 7, "n1"), 0);
    assert_int_equal (marker_read (dir, 7, "n1", &m, &err), -1);
    assert_int_equal (errno, ENOENT);
}

/* By any number, by who inherited it, and in nobody's way. */
static void is_held (void **state)
{
    int one, two, status;
    pid_t pid;

    assert_int_equal (marker_hold (dir, 7, "n1"), -1);
    assert_false (marker_is_held (dir, 7, "n1"));
    assert_int_equal (add ("/a"), 0);
    assert_false (marker_is_held (dir, 7, "n1"));
    one = marker_hold (dir, 7, "n1");
    two = marker_hold (dir, 7, "n1");
    assert_true (one >= 0 && two >= 0);
    assert_int_equal (add ("/b"), 0);
    assert_int_equal (close (one), 0);
    assert_true (marker_is_held (dir, 7, "n1"));
    assert_false (marker_is_held (dir, 8, "n1"));
    pid = fork ();
    if (pid == 0)
        _exit (close (two));
    assert_int_equal (waitpid (pid, &status, 0), pid);
    assert_true (marker_is_held (dir, 7, "n1"));
    assert_int_equal (close (two), 0);
    assert_false (marker_is_held (dir, 7, "n1"));
}

/* More directories than there is room for: the first ones stay. */
static void has_a_limit (void **state)
{
    char path[16];

    for (int i = 0; i < MARKER_DIRS_MAX; i++) {
        (void)snprintf (path, sizeof (path), "/%d", i);
        assert_int_equal (add (path), 0);
    }
    assert_int_equal (add ("/more"), -1);
    assert_int_equal (marker_read (dir, 7, "n1", &m, &err), 0);
    assert_int_equal (m.count, MARKER_DIRS_MAX);
    marker_free (&m);
}

/* Long paths, so that lines straddle the reader's buffer. */
static void finds_long_lines (void **state)
{
    char path[3000];

    memset (path, 'x', sizeof (path));
    path[0] = '/';
    path[sizeof (path) - 1] = '\0';
    for (int pass = 0; pass < 2; pass++) {
        for (char c = 'a'; c < 'h'; c++) {
            path[1] = c;
            assert_int_equal (add (path), 0);
        }
    }
    assert_int_equal (marker_read (dir, 7, "n1", &m, &err), 0);
    assert_int_equal (m.count, 7);
    marker_free (&m);
}

static int add_weight (const char *path, const char *stage, uint64_t weight)
{
    const struct marker_line line = {1000, 100, NULL, 1, weight, path, stage};

    return marker_add (dir, 7, "n1", &line, &err);
}

/* The weight is no part of what makes two lines the same. */
static void has_a_weight (void **state)
{
    assert_int_equal (add_weight ("/a", "", 100), 0);
    assert_int_equal (add_weight ("/a", "", 1), 0);
    assert_int_equal (add_weight ("/a", "/tmp", 7), 0);
    assert_int_equal (add_weight ("/a", "/tmp", 8), 0);
    assert_int_equal (add_weight ("/b", "/tmp", 1), 0);
    assert_int_equal (marker_read (dir, 7, "n1", &m, &err), 0);
    assert_int_equal (m.count, 3);
    assert_string_equal (m.stage[0], "");
    assert_int_equal (m.weight[0], 100);
    assert_string_equal (m.stage[1], "/tmp");
    assert_int_equal (m.weight[1], 7);
    assert_string_equal (m.dir[2], "/b");
    assert_int_equal (m.weight[2], 1);
    marker_free (&m);
}

/* Of the job, in each of its lines; the first line's count. */
static void has_groups (void **state)
{
    const struct marker_groups some = {.count = 3, .gid = {7, 100, 4294967294}};
    struct marker_groups many = {.count = MARKER_GROUPS_MAX};
    const struct marker_line first = {1000, 100, &some, 1, 1, "/a", ""};
    const struct marker_line other = {1000, 100, &many, 1, 8, "/b", "/tmp"};

    for (size_t i = 0; i < many.count; i++)
        many.gid[i] = 4000000000 + (gid_t)i;
    assert_int_equal (marker_add (dir, 7, "n1", &first, &err), 0);
    assert_int_equal (marker_add (dir, 7, "n1", &first, &err), 0);
    assert_int_equal (add_weight ("/a", "", 1), 0); /* the same directory */
    assert_int_equal (marker_add (dir, 7, "n1", &other, &err), 0);
    assert_int_equal (marker_read (dir, 7, "n1", &m, &err), 0);
    assert_int_equal (m.count, 2);
    assert_int_equal (m.groups.count, 3);
    assert_int_equal (m.groups.gid[2], 4294967294);
    assert_string_equal (m.stage[0], "");
    assert_int_equal (m.weight[0], 1);
    assert_string_equal (m.stage[1], "/tmp");
    assert_int_equal (m.weight[1], 8);
    marker_free (&m);
    assert_int_equal (marker_add (dir, 8, "n1", &other, &err), 0);
    assert_int_equal (marker_read (dir, 8, "n1", &m, &err), 0);
    assert_int_equal (m.groups.count, MARKER_GROUPS_MAX);
    assert_int_equal (m.groups.gid[MARKER_GROUPS_MAX - 1],
                      many.gid[MARKER_GROUPS_MAX - 1]);
    marker_free (&m);
    assert_int_equal (add_weight ("/none", "", 1), 0);
    assert_int_equal (marker_read (dir, 7, "n1", &m, &err), 0);
    marker_free (&m);
}

#define TEST(F) cmocka_unit_test_setup_teardown (F, make_root, drop_root)

int main (void)
{
    const struct CMUnitTest tests[] = {
        TEST (refuses_bad_directories),
        TEST (refuses_a_state_dir_of_others),
        TEST (refuses_links),
        TEST (refuses_forged_lines),
        TEST (keeps_lines_once),
        TEST (is_per_job_and_node),
        TEST (is_held),
        TEST (has_a_limit),
        TEST (has_a_weight),
        TEST (has_groups),
        TEST (finds_long_lines),
    };

    return tap_run (tests);
}
