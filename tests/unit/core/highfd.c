/* SPDX-License-Identifier: MIT
 *
 * highfd.c - numbers out of the way
 */
#include "tests/unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/highfd.h"

static void test_bad (void **state)
{
    errno = 0;
    assert_int_equal (highfd_open (AT_FDCWD, "/no/such", O_RDONLY, 0), -1);
    assert_int_equal (errno, ENOENT);
    assert_int_equal (highfd_open (-1, "relative", O_RDONLY, 0), -1);
    assert_int_equal (errno, EBADF);
    assert_int_equal (highfd_open (AT_FDCWD, NULL, O_RDONLY, 0), -1);
    assert_int_equal (errno, EFAULT);
}

/* Which number, where so many descriptors are allowed; and no other stays. */
static int with_limit (rlim_t limit)
{
    pid_t pid = fork ();
    int status;

    if (pid == 0) {
        struct rlimit rl = {limit, limit};
        int before = dup (0), fd, after;

        (void)close (before);
        (void)setrlimit (RLIMIT_NOFILE, &rl);
        fd = highfd_open (AT_FDCWD, "/dev/null", O_RDONLY, 0);
        after = dup (0);
        if (fd != before && after != before)
            _exit (1);
        if (fcntl (fd, F_GETFD) != FD_CLOEXEC)
            _exit (2);
        _exit (fd >= 960 ? 96 : fd >= 200 ? 20 : fd >= 40 ? 4 : 0);
    }
    assert_int_equal (waitpid (pid, &status, 0), pid);
    return WEXITSTATUS (status);
}

static void test_number (void **state)
{
    assert_int_equal (with_limit (1024), 96);
    assert_int_equal (with_limit (960), 20);
    assert_int_equal (with_limit (64), 4);
    assert_int_equal (with_limit (20), 0);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_bad),
        cmocka_unit_test (test_number),
    };

    return tap_run (tests);
}
