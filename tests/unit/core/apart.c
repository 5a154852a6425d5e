/* SPDX-License-Identifier: MIT
 *
 * apart.c - steps that work, fail, hang and die
 */
#include "tests/unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/settings/taskenv.h"

enum { SHORT_MS = 200, LONG_MS = 60000 };

struct data {
    int fails, hangs, dies;
    int fd, keep;
    pid_t pid;
    char text[64];
};

static int step (void *cookie)
{
    struct data *d = cookie;

    d->pid = getpid ();
    (void)snprintf (d->text, sizeof (d->text), "fd %d out %d next %d",
                    fcntl (d->fd, F_GETFD) >= 0, isatty (1), dup (1));
    if (d->keep)
        (void)!write (APART_KEPT, "x", 1);
    if (d->dies)
        (void)raise (SIGKILL);
    if (d->hangs)
        (void)alarm (300); /* nobody else ends it */
    while (d->hangs)
        (void)pause ();
    errno = d->fails;
    return d->fails ? -1 : 3;
}

static int shares; /* the worker has our memory */

static int run (struct data *d, uint64_t ms)
{
    return apart_run (step, d, sizeof (*d), ms, shares, d->keep ? d->keep : -1);
}

static void test_works (void **state)
{
    int fd = open ("/dev/null", O_RDONLY), next;
    struct data d = {.fd = fcntl (fd, F_DUPFD, 50)};

    assert_int_equal (run (&d, LONG_MS), 3);
    assert_int_not_equal (d.pid, getpid ());
    assert_string_equal (d.text, "fd 0 out 0 next 4");
    (void)close (d.fd);
    next = open ("/dev/null", O_RDONLY);
    assert_int_equal (next, fd + 1); /* none is left */
    assert_int_equal (waitpid (-1, NULL, WNOHANG), -1);
    assert_int_equal (errno, ECHILD); /* and no child */
    (void)close (next);
    (void)close (fd);
}

/* One descriptor is in the worker, whatever number it has here. */
static void test_keeps (void **state)
{
    int fd[2];
    char byte = 0;

    assert_int_equal (pipe (fd), 0);
    for (int number = 3; number <= 200; number = number * 5 + 1) {
        struct data d = {.fd = -1};

        d.keep = fcntl (fd[1], F_DUPFD, number);
        assert_int_equal (run (&d, LONG_MS), 3);
        assert_string_equal (d.text, "fd 0 out 0 next 5");
        assert_int_equal (read (fd[0], &byte, 1), 1);
        (void)close (d.keep);
    }
    (void)close (fd[0]);
    (void)close (fd[1]);
}

static void test_fails (void **state)
{
    struct data d = {.fails = ENOSPC};

    assert_int_equal (run (&d, LONG_MS), -1);
    assert_int_equal (errno, ENOSPC);
    assert_int_not_equal (d.pid, 0);
}

static void test_dies (void **state)
{
    struct data d = {.dies = 1};

    assert_int_equal (run (&d, LONG_MS), -1);
    assert_int_equal (errno, ECHILD);
}

/* It is left behind, and nobody who reads our output waits for it. */
static void test_hangs (void **state)
{
    int fd[2], status;
    pid_t pid;
    char byte;

    assert_int_equal (pipe (fd), 0);
    pid = fork ();
    if (pid == 0) {
        struct data d = {.hangs = 1};
        int rc;

        (void)dup2 (fd[1], 1);
        (void)close (fd[0]);
        rc = run (&d, SHORT_MS);
        _exit (rc < 0 && errno == ETIMEDOUT && d.pid == 0 &&
                       waitpid (-1, NULL, WNOHANG) < 0
                   ? 7
                   : 1);
    }
    (void)close (fd[1]);
    assert_int_equal (read (fd[0], &byte, 1), 0);
    assert_int_equal (waitpid (pid, &status, 0), pid);
    assert_int_equal (WEXITSTATUS (status), 7);
    (void)close (fd[0]);
}

static int in_common;

static int step_in_common (void *cookie)
{
    return ++in_common;
}

/* Its code may be unmapped when the caller has its result. */
static void test_is_gone (void)
{
    char link[64], text[4];

    for (int i = 0; i < 1000; i++) {
        struct data d = {.fd = -1};

        assert_int_equal (run (&d, LONG_MS), 3);
        (void)snprintf (link, sizeof (link), "/proc/%d/exe", (int)d.pid);
        assert_true (readlink (link, text, sizeof (text)) < 0);
    }
}

static void test_shares (void **state)
{
    char none = 0;

    assert_int_equal (apart_run (step_in_common, &none, 1, LONG_MS, 0, -1), 1);
    assert_int_equal (in_common, 0);
    assert_int_equal (apart_run (step_in_common, &none, 1, LONG_MS, 1, -1), 1);
#ifndef DFT_SANITIZER
    assert_int_equal (in_common, 1);
#endif
    shares = 1;
    test_works (state);
    test_keeps (state);
    test_fails (state);
    test_dies (state);
    test_hangs (state);
#ifndef DFT_SANITIZER
    test_is_gone ();
#endif
    shares = 0;
}

#ifndef DFT_SANITIZER
static unsigned allocations;

void *__libc_malloc (size_t n);
void *malloc (size_t n)
{
    allocations++;
    return __libc_malloc (n);
}
#else
static const unsigned allocations;
#endif

/* The step of a batch script makes the directory without an allocation, and
 * without functions that know of time zones, which have a lock. */
static void test_makes_a_directory (void **state)
{
    static struct taskenv_made made;
    static struct plan plan = {.shell = 1};
    const struct jobinfo job = {
        .job_id = 4711, .array_task_id = 3, .host = "n"};
    char root[] = "/tmp/dftrace-apart.XXXXXX", text[4096] = "";
    char path[SETTING_TEXT_MAX + 16];
    char want[2][32];
    time_t now = time (NULL);
    unsigned before;
    FILE *in;

    assert_non_null (mkdtemp (root));
    settings_init (&plan.settings);
    (void)snprintf (plan.dir, sizeof (plan.dir), "%s/job", root);
    before = allocations;
    assert_int_equal (taskdir_make (&plan, &job, &made), 0);
    assert_int_equal (allocations, before);
    (void)snprintf (path, sizeof (path), "%s/job.json", plan.dir);
    in = fopen (path, "r");
    assert_non_null (in);
    assert_true (fread (text, 1, sizeof (text) - 1, in) > 0);
    (void)fclose (in);
    for (int i = 0; i < 2; i++, now = time (NULL))
        strftime (want[i], sizeof (want[i]), "%Y-%m-%dT%H:%M", gmtime (&now));
    assert_true (strstr (text, want[0]) || strstr (text, want[1]));
    (void)snprintf (path, sizeof (path), "rm -rf %s", root);
    assert_int_equal (system (path), 0);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_works),
        cmocka_unit_test (test_keeps),
        cmocka_unit_test (test_fails),
        cmocka_unit_test (test_dies),
        cmocka_unit_test (test_hangs),
        cmocka_unit_test (test_shares),
        cmocka_unit_test (test_makes_a_directory),
    };

    return tap_run (tests);
}
