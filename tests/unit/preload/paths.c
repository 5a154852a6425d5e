/* SPDX-License-Identifier: MIT
 *
 * paths.c - absolute, normalised paths
 */
#include "tests/unit/tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/settings/paths.h"

static const char *
appended (char *out, size_t room, const char *base, const char *path)
{
    size_t n = strlen (base);
    ssize_t rc;

    memcpy (out, base, n);
    rc = paths_append (out, n, room - 1, path);
    if (rc < 0)
        return NULL;
    out[rc] = '\0';
    return out;
}

static void test_too_long (void **state)
{
    char out[8];

    errno = 0;
    assert_null (appended (out, sizeof (out), "", "/12345678"));
    assert_int_equal (errno, ERANGE);
    assert_string_equal (appended (out, sizeof (out), "", "/123456"),
                         "/123456");
    assert_string_equal (appended (out, sizeof (out), "", "/12/../123456"),
                         "/123456");
}

static void test_append (void **state)
{
    static const struct {
        const char *base, *path, *want;
    } t[] = {
        {"", "/", ""},
        {"", "/a", "/a"},
        {"", "//a///b//", "/a/b"},
        {"/c", "a/b", "/c/a/b"},
        {"/c", "./a/./b/.", "/c/a/b"},
        {"/c/d", "../a", "/c/a"},
        {"/c/d", "../../../../a", "/a"},
        {"/c", "..", ""},
        {"/c", ".", "/c"},
        {"/c", "", "/c"},
        {"/c", "...", "/c/..."},
        {"/c", ".a/..b", "/c/.a/..b"},
        {"", "/a/b/../../..", ""},
        {"/c", "x\n\xff y", "/c/x\n\xff y"},
        {"(unreachable)/c", "a", "(unreachable)/c/a"},
    };
    char out[64];

    for (size_t i = 0; i < sizeof (t) / sizeof (t[0]); i++)
        assert_string_equal (appended (out, sizeof (out), t[i].base, t[i].path),
                             t[i].want);
}

static void test_cwd (void **state)
{
    char out[PATHS_BIG], want[PATHS_BIG];
    ssize_t n;

    errno = 0;
    assert_int_equal (paths_cwd (out, 1), -1);
    assert_int_equal (errno, ERANGE);
    n = paths_cwd (out, sizeof (out));
    assert_non_null (getcwd (want, sizeof (want)));
    assert_int_equal (n, strlen (want));
    assert_memory_equal (out, want, (size_t)n);
    assert_int_equal (chdir ("/"), 0);
    assert_int_equal (paths_cwd (out, sizeof (out)), 0);
    assert_int_equal (chdir (want), 0);
}

static void test_of_fd (void **state)
{
    char out[64];
    int fd = open ("/dev/null", O_RDONLY);
    int high = fcntl (fd, F_DUPFD, 1000);
    int pipes[2];

    errno = 0;
    assert_int_equal (paths_of_fd (-1, out, sizeof (out)), -1);
    assert_int_equal (errno, EBADF);
    assert_int_equal (paths_of_fd (2147483647, out, sizeof (out)), -1);
    assert_int_equal (paths_of_fd (fd, out, 9), -1);
    assert_int_equal (errno, ERANGE);
    assert_int_equal (paths_of_fd (fd, out, sizeof (out)), 9);
    assert_memory_equal (out, "/dev/null", 9);
    if (high >= 0)
        assert_int_equal (paths_of_fd (high, out, sizeof (out)), 9);
    assert_int_equal (pipe (pipes), 0);
    assert_true (paths_of_fd (pipes[0], out, sizeof (out)) > 6);
    assert_memory_equal (out, "pipe:[", 6);
    (void)close (pipes[0]);
    (void)close (pipes[1]);
    (void)close (high);
    (void)close (fd);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_too_long),
        cmocka_unit_test (test_append),
        cmocka_unit_test (test_cwd),
        cmocka_unit_test (test_of_fd),
    };

    return tap_run (tests);
}
