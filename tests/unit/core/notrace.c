/* SPDX-License-Identifier: MIT
 *
 * notrace.c - test of: a job directory without a trace -> why
 */
#include "tests/unit/tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/programkind.h"
#include "lib/format/calls.h"
#include "lib/settings/notrace.h"

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
    assert_int_equal (with ("shards/processes.n1"), NOTRACE_NOTHING);
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

static void put (const char *name, off_t bytes)
{
    int fd = open (in (name), O_CREAT | O_WRONLY, 0600);

    assert_true (fd >= 0 && ftruncate (fd, bytes) == 0 && close (fd) == 0);
}

static void glance (void **state)
{
    static const struct {
        const char *name, *text;
        uint64_t traces, nodes;
        int clear, unfinished;
    } made[] = {
        {"shards/processes.n1", "traced 7 1 1 1 2 exit\n", 2, 1, 1, 0},
        {"shards/processes.n2", "untraced 7 /a static @1\n", 2, 1, 0, 0},
        {"shards/started.n2", "", 2, 2, 1, 0},
        {"shards/n1-1-4.dft", "", 3, 1, 1, 1},
        {"shards/staged.n1.0", "", 3, 1, 1, 1},
        {"trace.dft", "", 0, 0, 0, 0},
    };
    struct notrace_glance g;
    int fd;

    (void)snprintf (dir, sizeof (dir), "/tmp/dftrace-notrace.XXXXXX");
    assert_non_null (mkdtemp (dir));
    fd = open (dir, O_RDONLY | O_DIRECTORY);
    assert_false (notrace_glance (fd, &g));
    assert_int_equal (mkdir (in ("shards"), 0700), 0);
    put ("shards/started.n1", 0);
    assert_false (notrace_glance (fd, &g)); /* no shard */
    put ("shards/n1-1-2.dft", 600);
    put ("shards/n1-1-3.dft", 300);
    for (size_t i = 0; i < sizeof (made) / sizeof (made[0]); i++) {
        FILE *out = fopen (in (made[i].name), "w");

        assert_true (out && fputs (made[i].text, out) >= 0);
        assert_int_equal (fclose (out), 0);
        assert_int_equal (notrace_glance (fd, &g), made[i].clear);
        assert_int_equal (g.traces, made[i].traces);
        assert_int_equal (g.nodes, made[i].nodes);
        assert_int_equal (g.unfinished, made[i].unfinished);
        assert_true (g.unfinished || g.bytes == (g.traces ? 900 : 0));
        assert_int_equal (unlink (in (made[i].name)), 0);
    }
    put ("shards/processes.n1", 100000); /* not read to its end */
    assert_false (notrace_glance (fd, &g));
    assert_int_equal (unlink (in ("shards/processes.n1")), 0);
    assert_int_equal (unlink (in ("shards/n1-1-3.dft")), 0);
    assert_int_equal (unlink (in ("shards/n1-1-2.dft")), 0);
    assert_int_equal (unlink (in ("shards/started.n1")), 0);
    assert_int_equal (rmdir (in ("shards")), 0);
    assert_int_equal (rmdir (dir), 0);
    assert_false (notrace_glance (fd, &g)); /* removed */
    assert_int_equal (close (fd), 0);
}

static enum notrace with_line (const char *name, const char *line)
{
    int fd = open (in (name), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    enum notrace why;

    assert_true (fd >= 0 && write (fd, line, strlen (line)) > 0);
    assert_int_equal (close (fd), 0);
    why = notrace_look_at (dir);
    assert_int_equal (unlink (in (name)), 0);
    return why;
}

/* Each reason has its evidence. */
static void lines (void **state)
{
    static const char list[] = "shards/processes.n1";
    int fd;

    (void)snprintf (dir, sizeof (dir), "/tmp/dftrace-notrace.XXXXXX");
    assert_non_null (mkdtemp (dir));
    assert_int_equal (mkdir (in ("shards"), 0700), 0);
    assert_int_equal (with_line (list, "untraced 7 /a static @1\n"),
                      NOTRACE_KINDS + PROGRAM_STATIC);
    assert_int_equal (
        with_line (list,
                   "untraced 7 /a excluded @1\nuntraced 8 /a setuid @1\n"),
        NOTRACE_KINDS + PROGRAM_SECURE);
    assert_int_equal (with_line (list, "untraced 7 /a own%20request @1\n"),
                      NOTRACE_KINDS + PROGRAM_OWN_REQUEST);
    assert_int_equal (with_line (list, "untraced 7 /a settings:%20no @1\n"),
                      NOTRACE_PROGRAMS);
    assert_int_equal (with_line (list, "nothing of ours\n"), NOTRACE_NOTHING);
    assert_int_equal (with_line (list, "traced 7 1 1 1 2 exit quiet=0\n"),
                      NOTRACE_QUIET);
    assert_int_equal (with_line (list, "traced 7 1 1 1 2 exit quiet=0\n"
                                       "traced 8 1 1 1 2 exit quiet=3\n"
                                       "traced 7 1 1 1 2 exit quiet=0\n"),
                      NOTRACE_FILTERED);
    assert_int_equal (with_line (list, "traced 8 1 1 1 2 exit quiet=3\n"
                                       "untraced 7 /a static @1\n"),
                      NOTRACE_KINDS + PROGRAM_STATIC);
    assert_int_equal (with_line (list, "traced 7 1 1 1 2 exit all=1,1\n"),
                      NOTRACE_NOTHING);
    fd = open (dir, O_RDONLY | O_DIRECTORY);
    assert_true (fd >= 0);
    assert_int_equal (notrace_look_again (fd, dir), NOTRACE_NOTHING);
    assert_int_equal (rmdir (in ("shards")), 0);
    assert_int_equal (rmdir (dir), 0);
    assert_int_equal (notrace_look_again (fd, dir), NOTRACE_REMOVED);
    assert_int_equal (mkdir (dir, 0700), 0);
    assert_int_equal (notrace_look_again (fd, dir), NOTRACE_NOTHING);
    assert_int_equal (rmdir (dir), 0);
    assert_int_equal (close (fd), 0);
}

static void reasons (void **state)
{
    assert_non_null (strstr (
        notrace_reason (NOTRACE_NO_DIRECTORY, LAYER_POSIX | LAYER_NOBATCH),
        "nobatch"));
    assert_non_null (
        strstr (notrace_reason (NOTRACE_PROGRAMS, LAYER_POSIX), "processes.*"));
    assert_non_null (
        strstr (notrace_reason (NOTRACE_QUIET, LAYER_APP), "posix"));
    assert_non_null (
        strstr (notrace_reason (NOTRACE_QUIET, LAYER_POSIX), "no call"));
    assert_non_null (
        strstr (notrace_reason (NOTRACE_FILTERED, LAYER_POSIX), "exclude"));
    assert_non_null (
        strstr (notrace_reason (NOTRACE_REMOVED, LAYER_POSIX), "removed"));
    /* nothing speaks for any of these */
    assert_null (
        strstr (notrace_reason (NOTRACE_NOTHING, LAYER_POSIX), "exclude"));
    assert_non_null (
        strstr (notrace_reason (NOTRACE_NOTHING, LAYER_APP), "not known"));
    assert_non_null (
        strstr (notrace_reason (NOTRACE_NOTHING, LAYER_POSIX | LAYER_NOBATCH),
                "not known"));
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (looks),
        cmocka_unit_test (glance),
        cmocka_unit_test (lines),
        cmocka_unit_test (reasons),
    };

    return tap_run (tests);
}
