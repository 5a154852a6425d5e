/* SPDX-License-Identifier: MIT
 *
 * self.c - the path of a program, however it was started
 */
#include "tests/unit/scratch.h"

#include <limits.h>
#include <sys/wait.h>

#include "preload/process.h"

extern char **environ;

static char self[PATH_MAX];

/* In what was started: 0 when both say the same. */
static int compare (char **argv)
{
    char ours[PATH_MAX], kernels[PATH_MAX];
    ssize_t n = self_path (ours, sizeof (ours), (const char *const *)argv);
    ssize_t m = readlink ("/proc/self/exe", kernels, sizeof (kernels));

    return n > 0 && n == m && memcmp (ours, kernels, (size_t)n) == 0 ? 0 : 3;
}

static const char *in_scratch (const char *name)
{
    static char path[2 * PATH_MAX];

    (void)snprintf (path, sizeof (path), "%s/%s", scratch, name);
    return path;
}

/* Exit status of a start by this path; fd >= 0: by descriptor. */
static int started (const char *path, int fd)
{
    char *argv[] = {(char *)(uintptr_t) "any", (char *)(uintptr_t) "--compare",
                    NULL};
    pid_t pid = fork ();
    int status;

    if (pid == 0) {
        if (fd >= 0)
            (void)fexecve (fd, argv, environ);
        else
            (void)execv (path, argv);
        _exit (5);
    }
    assert_int_equal (waitpid (pid, &status, 0), pid);
    return WIFEXITED (status) ? WEXITSTATUS (status) : -1;
}

static void test_paths (void **state)
{
    char deep[3 * PATH_MAX];

    assert_int_equal (started (self, -1), 0);
    assert_int_equal (symlink (self, in_scratch ("link")), 0);
    assert_int_equal (started (in_scratch ("link"), -1), 0);
    assert_int_equal (started ("link", -1), 0);
    assert_int_equal (started (".//./link", -1), 0);
    assert_int_equal (mkdir (in_scratch ("sub"), 0700), 0);
    assert_int_equal (symlink ("../link", in_scratch ("sub/up")), 0);
    assert_int_equal (started ("sub/up", -1), 0);
    assert_int_equal (symlink ("sub", in_scratch ("other")), 0);
    assert_int_equal (started ("other/../other/up", -1), 0);
    (void)snprintf (deep, sizeof (deep), "/..//%s", self);
    assert_int_equal (started (deep, -1), 0);
}

static void test_otherwise (void **state)
{
    char script[2 * PATH_MAX];
    int fd = open (self, O_RDONLY), made;

    assert_int_equal (started (NULL, fd), 0);
    assert_int_equal (started ("/proc/self/exe", -1), 0);
    (void)close (fd);
    made = open (in_scratch ("script"), O_WRONLY | O_CREAT, 0700);
    (void)snprintf (script, sizeof (script), "#!%s --compare\n", self);
    assert_int_equal (write (made, script, strlen (script)), strlen (script));
    (void)close (made);
    assert_int_equal (started ("./script", -1), 0);
    assert_int_equal (started (in_scratch ("script"), -1), 0);
}

static void test_errno (void **state)
{
    char small[4], path[PATH_MAX];

    errno = 7;
    assert_int_equal (self_path (path, sizeof (path), NULL), strlen (self));
    assert_memory_equal (path, self, strlen (self));
    assert_int_equal (self_path (small, sizeof (small), NULL), sizeof (small));
    assert_int_equal (errno, 7);
}

int main (int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        scratch_test (test_paths),
        scratch_test (test_otherwise),
        scratch_test (test_errno),
    };

    if (argc > 1 && strcmp (argv[1], "--compare") == 0)
        return compare (argv);
    if (readlink ("/proc/self/exe", self, sizeof (self) - 1) < 0)
        return 1;
    return tap_run (tests);
}
