/* SPDX-License-Identifier: MIT
 *
 * proclines.c - test of: lines of processes, written and read
 */
#include "tests/unit/tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/format/proclines.h"
#include "lib/format/shard.h"
#include "lib/settings/jobdir.h"

static char dir[] = "/tmp/dftrace-proclines.XXXXXX";
static char path[4200];

static const char *in (const char *name)
{
    (void)snprintf (path, sizeof (path), "%s/%s", dir, name);
    return path;
}

static void put (const char *name, const char *text)
{
    int fd = open (in (name), O_CREAT | O_TRUNC | O_WRONLY, 0600);

    assert_true (fd >= 0);
    assert_int_equal (write (fd, text, strlen (text)), strlen (text));
    assert_int_equal (close (fd), 0);
}

static int clean (void **state)
{
    (void)unlink (in ("shards/processes.n1"));
    (void)unlink (in ("shards/processes.n2"));
    return 0;
}

/* The records that were read, their texts in one. */
static struct procrecord last[8];
static char texts[400];

static int take (const struct procrecord *r, void *cookie)
{
    size_t *n = cookie, used = strlen (texts);

    last[(*n)++ % 8] = *r;
    (void)snprintf (texts + used, sizeof (texts) - used, "%s|%s|%s|%s;",
                    r->host, r->exe, r->reason, r->who);
    return 0;
}

static size_t read_kinds (unsigned kinds, struct proclines *found)
{
    size_t n = 0;

    texts[0] = '\0';
    *found = (struct proclines){.kinds = kinds, .f = take, .cookie = &n};
    assert_int_equal (proclines_read (found, dir), 0);
    assert_int_equal (found->lines, n);
    return n;
}

static void reads_what_is_written (void **state)
{
    enum { SIGNAL = 9, STATUS = 3 << 8 };
    char text[PROCLINE_MAX];
    struct procline l = {text, sizeof (text), 0};
    struct proclines found;
    int fd = open (dir, O_RDONLY | O_DIRECTORY);

    procline_untraced (&l, 7, "/a b", 4, "settings: ", "50 %\n");
    assert_int_equal (jobdir_append (fd, "n2", &l, NULL), 0);
    procline_ended (&l, 8, SIGNAL, PROCLINE_PARENT);
    assert_int_equal (jobdir_append (fd, "n1", &l, NULL), 0);
    procline_ended (&l, 9, STATUS, PROCLINE_RUN);
    assert_int_equal (jobdir_append (fd, "n1", &l, NULL), 0);
    procline_begin (&l, "traced", 10);
    procline_number (&l, 1);
    procline_number (&l, 2);
    procline_number (&l, 3);
    procline_number (&l, 4);
    procline_word (&l, "exec");
    procline_pair (&l, "all", 100, 200);
    procline_pair (&l, "pipe", 5, 6);
    procline_pair (&l, "later", 5, 6);
    procline_end (&l);
    assert_int_equal (jobdir_append (fd, "n2", &l, NULL), 0);
    assert_int_equal (close (fd), 0);

    assert_int_equal (read_kinds (~0u, &found), 4);
    assert_int_equal (found.files, 2);
    assert_int_equal (found.cut, 0);
    assert_string_equal (
        texts, "n1|||parent;n1|||run;n2|/a b|settings: 50 %\n|;n2|||;");
    assert_int_equal (last[0].ended, SHARD_ENDED_SIGNAL | 9);
    assert_int_equal (last[1].ended, SHARD_ENDED_EXIT | SHARD_ENDED_ROOT | 3);
    assert_int_equal (last[2].child, 1);
    assert_true (last[2].end > 0);
    assert_int_equal (last[3].pid, 10);
    assert_int_equal (last[3].exec, 1);
    assert_int_equal (last[3].start, 3);
    assert_int_equal (last[3].end, 4);
    assert_int_equal (last[3].all.n[COUNTED_READ], 100);
    assert_int_equal (last[3].all.n[COUNTED_WRITTEN], 200 + l.used);
    assert_int_equal (last[3].left[LEFTOUT_pipe].n[COUNTED_READ], 5);
    assert_int_equal (last[3].own.known, 0);

    assert_int_equal (read_kinds (PROCRECORD_ENDED, &found), 2);
    assert_int_equal (read_kinds (0, &found), 0);
    assert_true (found.bytes > 100);
}

static void passes_over_what_makes_no_sense (void **state)
{
    struct proclines found;

    put ("shards/processes.n1", "\n \n  \ntraced\ntraced 1\n"
                                "traced 1 2 3 4\n"
                                "traced 1 2 3 4 5 exit all=1\n"
                                "traced 1 2 3 4 5 exit all=1,\n"
                                "traced 4294967296 2 3 4 5 exit\n"
                                "traced 1 2 3 4 5 exit exe\n"
                                "traced 1 2 3 4 5 exit quiet=x\n"
                                "untraced 1 /a static 5\n"
                                "untraced 1 /a static @5 6\n"
                                "untraced 1  static @5\n"
                                "ended 0 5 exit 1 run\n"
                                "ended 1 5 exit 256 run\n"
                                "ended 1 5 left 1 run\n"
                                "ended 1 5 exit 1 run run\n"
                                "other 1 2 3\n"
                                "ended 1 5 exit 1 nobody\n"
                                "ended 1 5 exit 1 run");
    assert_int_equal (read_kinds (~0u, &found), 1);
    assert_string_equal (texts, "n1|||nobody;");
    assert_int_equal (last[0].ended, SHARD_ENDED_EXIT | 1);
    assert_int_equal (found.cut, 1);
}

static void keeps_lines_with_their_hosts (void **state)
{
    struct proclines p = {.kinds = ~0u, .f = take};
    size_t n, records = 0;
    char *text;

    put ("shards/processes.n2", "ended 1 5 exit 1 run\n");
    put ("shards/processes.n1", "untraced 1 /a%20b static @5\ncut");
    text = proclines_keep (dir, &n);
    assert_non_null (text);
    assert_string_equal (text, "n1 untraced 1 /a%20b static @5\n"
                               "n2 ended 1 5 exit 1 run\n");
    assert_int_equal (n, strlen (text));
    texts[0] = '\0';
    p.cookie = &records;
    assert_int_equal (proclines_read_kept (&p, text, n), 0);
    assert_string_equal (texts, "n1|/a b|static|;n2|||run;");
    free (text);
    (void)clean (state);
    assert_null (proclines_keep (dir, &n));
    assert_int_equal (n, 0);
}

static int stop (const struct procrecord *r, void *cookie)
{
    ++*(int *)cookie;
    return (int)r->pid;
}

static void ends_when_it_is_told (void **state)
{
    int calls = 0;
    struct proclines p = {.kinds = ~0u, .f = stop, .cookie = &calls};

    put ("shards/processes.n1", "ended 6 5 exit 1 run\nended 7 5 exit 1 run\n");
    put ("shards/processes.n2", "ended 8 5 exit 1 run\n");
    assert_int_equal (proclines_read (&p, dir), 6);
    assert_int_equal (calls, 1);
    assert_int_equal (p.cut, 0);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown (reads_what_is_written, clean),
        cmocka_unit_test_teardown (passes_over_what_makes_no_sense, clean),
        cmocka_unit_test_teardown (keeps_lines_with_their_hosts, clean),
        cmocka_unit_test_teardown (ends_when_it_is_told, clean),
    };
    int failed;

    if (!mkdtemp (dir))
        return 1;
    (void)mkdir (in ("shards"), 0700);
    failed = tap_run (tests);
    (void)rmdir (in ("shards"));
    (void)rmdir (dir);
    return failed;
}
