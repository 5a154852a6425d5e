/* SPDX-License-Identifier: MIT
 *
 * notrace.c - test of: a job directory without a trace -> why
 */
#include "tests/unit/tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/core/settings/layers.h"
#include "lib/core/settings/notrace.h"

static char dir[64], path[128];

static const char *in (const char *name)
{
    (void)snprintf (path, sizeof (path), "%s/%s", dir, name);
    return path;
}

static enum notrace with (const char *name)
{
    int fd = open (in (name), O_CREAT | O_WRONLY, 0600);
    enum notrace why = notrace_look_at (dir);

    assert_true (fd >= 0 && close (fd) == 0);
    assert_int_equal (unlink (in (name)), 0);
    return why;
}

static void looks (void **state)
{
    (void)snprintf (dir, sizeof (dir), "/tmp/dftrace-notrace.XXXXXX");
    assert_non_null (mkdtemp (dir));
    assert_int_equal (notrace_look_at (in ("nothing")), NOTRACE_NO_DIRECTORY);
    assert_int_equal (notrace_look_at (dir), NOTRACE_NOTHING);
    assert_int_equal (mkdir (in ("shards"), 0700), 0);
    assert_int_equal (with ("shards/started.n1"), NOTRACE_NOTHING);
    assert_int_equal (with ("shards/untraced.n1"), NOTRACE_PROGRAMS);
    assert_int_equal (with ("shards/n1-1-2.dft"), NOTRACE_NO);
    assert_int_equal (with ("shards/a.pfw.gz"), NOTRACE_NO);
    assert_int_equal (with ("shards/staged.n1.0"), NOTRACE_NO);
    assert_int_equal (with ("trace.dft"), NOTRACE_NO);
    assert_int_equal (symlink ("shards", in ("link")), 0);
    assert_int_equal (notrace_look_at (in ("link")), NOTRACE_NO); /* no word */
    assert_int_equal (unlink (in ("link")), 0);
    assert_int_equal (rmdir (in ("shards")), 0);
    assert_int_equal (rmdir (dir), 0);
}

static void reasons (void **state)
{
    assert_non_null (strstr (
        notrace_reason (NOTRACE_NO_DIRECTORY, LAYER_POSIX | LAYER_NOBATCH),
        "nobatch"));
    assert_non_null (
        strstr (notrace_reason (NOTRACE_PROGRAMS, LAYER_POSIX), "static"));
    assert_non_null (
        strstr (notrace_reason (NOTRACE_NOTHING, LAYER_APP), "posix"));
    assert_non_null (
        strstr (notrace_reason (NOTRACE_NOTHING, LAYER_POSIX), "exclude"));
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (looks),
        cmocka_unit_test (reasons),
    };

    return tap_run (tests);
}
