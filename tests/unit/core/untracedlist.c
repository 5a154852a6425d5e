/* SPDX-License-Identifier: MIT
 *
 * untracedlist.c - test of: lines of shards/processes.HOST -> rows
 */
#include "tests/unit/tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/format/proclines.h"
#include "lib/format/untracedlist.h"

static char dir[] = "/tmp/dftrace-untracedlist.XXXXXX";
static char path[4200];

static void put (const char *name, const char *text, size_t n)
{
    int fd;

    (void)snprintf (path, sizeof (path), "%s/shards/%s", dir, name);
    fd = open (path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    assert_true (fd >= 0);
    assert_int_equal (write (fd, text, n), n);
    assert_int_equal (close (fd), 0);
}

static void put_text (const char *name, const char *text)
{
    put (name, text, strlen (text));
}

static int clean (void **state)
{
    static const char *const names[] = {"processes.n1", "processes.n2"};

    for (size_t i = 0; i < sizeof (names) / sizeof (names[0]); i++) {
        (void)snprintf (path, sizeof (path), "%s/shards/%s", dir, names[i]);
        (void)unlink (path);
    }
    return 0;
}

static void reads_lines (void **state)
{
    struct untraced u = {.count = 0};

    put_text ("processes.n2", "untraced 7 /bin/a static @1\n");
    put_text ("processes.n1", "\n"
                              "untraced 8 /b%20c%0a static @100\n"
                              "untraced 9 /b%20c%0a static ~200\n"
                              "untraced x /bin/a static\n"
                              "untraced 9 /bin/a\n"
                              "untraced 9 /bin/a static\n"
                              "untraced 99999999999 /bin/a static\n"
                              "untraced 9 /bin/a b static\n"
                              "untraced 9 /bin/a static @\n"
                              "untraced 9 /bin/a static @1 2\n"
                              "untraced 0 /bin/%00%zz% settings:%20no @1\n"
                              "7 /bin/a static @1\n"
                              "traced 7 1 1 1 1 exit all=1,1\n");
    assert_int_equal (untracedlist_read (&u, dir), 0);
    untracedlist_settle (&u);
    assert_int_equal (u.count, 4);
    assert_int_equal (u.lines, 4);
    assert_int_equal (u.files, 2);
    assert_int_equal (u.cut, 0);
    assert_string_equal (u.item[0].exe, "/b c\n");
    assert_int_equal (u.item[0].pid, 8);
    assert_int_equal (u.item[0].time, 100);
    assert_int_equal (u.item[0].child, 0);
    assert_int_equal (u.item[1].child, 1);
    assert_string_equal (u.item[2].exe, "/bin/%00%zz%");
    assert_int_equal (u.item[2].kind, PROGRAM_UNKNOWN);
    assert_string_equal (u.item[3].host, "n2");
    assert_int_equal (u.item[3].kind, PROGRAM_STATIC);
    untracedlist_fold (&u);
    assert_int_equal (u.count, 3);
    assert_int_equal (u.item[0].count, 2);
    untracedlist_clear (&u);
}

static void is_cut (const char *text, size_t n, int cut)
{
    struct untraced u = {.count = 0};

    put ("processes.n1", text, n);
    assert_int_equal (untracedlist_read (&u, dir), 0);
    assert_int_equal (u.cut, cut);
    untracedlist_clear (&u);
}

/* The library writes no more lines into a file of 17 MiB. */
static void says_when_there_were_more (void **state)
{
    static const char line[] =
        "untraced 7 /a/long/path/so/that/the/list/does/not/"
        "have/more/lines/than/are/read/from/it/a static "
        "@100\n";
    enum { LINE = sizeof (line) - 1, LINES = PROCLINE_FILE_MAX / LINE + 1 };
    static char text[LINES * LINE];

    for (int i = 0; i < LINES; i++)
        memcpy (text + i * LINE, line, LINE);
    is_cut (text, sizeof (text), 1);
    is_cut (text, sizeof (text) - LINE, 0);
    is_cut (text, LINE - 3, 1);
    is_cut (text, 0, 0);
}

static void follows_no_link (void **state)
{
    struct untraced u = {.count = 0};
    char to[4200];

    put_text ("target", "untraced 7 /bin/a static @1\n");
    (void)snprintf (to, sizeof (to), "%s/shards/processes.n1", dir);
    (void)snprintf (path, sizeof (path), "%s/shards/target", dir);
    assert_int_equal (symlink (path, to), 0);
    assert_int_equal (untracedlist_read (&u, dir), 0);
    assert_int_equal (u.count, 0);
    assert_int_equal (unlink (path), 0);
    untracedlist_clear (&u);
}

enum { SECOND = 1000000000 };

/* How many rows are left once who was seen. */
static size_t left (const char *lines, const struct untraced_seen *who)
{
    struct untraced u = {.count = 0};
    size_t n;

    put_text ("processes.n1", lines);
    assert_int_equal (untracedlist_read (&u, dir), 0);
    untracedlist_seen (&u, who);
    untracedlist_settle (&u);
    assert_int_equal (u.lines, u.count + u.traced);
    n = u.count;
    untracedlist_clear (&u);
    return n;
}

static void drops_who_was_traced (void **state)
{
    static const char own[] = "untraced 7 /ld.so static @100000000000\n",
                      child[] = "untraced 7 /ld.so static ~100000000000\n",
                      nobody[] = "untraced 0 /ld.so static ~100000000000\n",
                      go[] = "untraced 7 /go go @100000000000\n",
                      wrap[] = "untraced 7 /wrap static @100000000000\n",
                      rights[] = "untraced 7 /su setuid @100000000000\n";
    struct untraced_seen who = {"n1", "/ld.so", 7, 100ull * SECOND + 1, 0, 0};

    assert_int_equal (left (own, &who), 0);
    assert_int_equal (left (child, &who), 0);
    assert_int_equal (left (nobody, &who), 0);
    assert_int_equal (left (wrap, &who), 1); /* it has become another program */
    assert_int_equal (left (rights, &who), 0);
    who.host = "n2";
    assert_int_equal (left (own, &who), 1);
    who.host = "n1";
    who.pid = 8;
    assert_int_equal (left (own, &who), 1);
    who.pid = 7;
    who.start = 300ull * SECOND; /* the number came again */
    assert_int_equal (left (own, &who), 1);
    /* before: the process that ran it, or one of which the exec failed */
    who.start = 99ull * SECOND;
    who.end = 100ull * SECOND + 1;
    who.exec = 1;
    assert_int_equal (left (own, &who), 1);
    who.exec = 0;
    assert_int_equal (left (own, &who), 0);
    assert_int_equal (left (go, &who), 1);
    who.end = 0;
    assert_int_equal (left (own, &who), 1);
    /* the parent may write after the child has begun */
    assert_int_equal (left (child, &who), 0);
}

static void words_are (uint64_t more, int places, const char *want)
{
    struct untraced u = {.count = 0};
    char text[200];

    assert_int_equal (untracedlist_read (&u, dir), 0);
    untracedlist_settle (&u);
    assert_string_equal (
        untracedlist_words (&u, more, text, sizeof (text), places), want);
    untracedlist_clear (&u);
}

static void has_words (void **state)
{
    words_are (0, 80, "");
    words_are (2, 80, "2 processes: 2 × not known");
    put_text ("processes.n2", "untraced 4 /c setuid @1\n");
    words_are (0, 80, "1 process: 1 × c (setuid)");
    put_text ("processes.n1",
              "untraced 1 /w own%20request @1\nuntraced 2 /w own%20request @1\n"
              "untraced 3 /w own%20request @1\n"
              "untraced 4 /a/b%1b static @1\nuntraced 5 /d/b%1b static @1\n"
              "untraced 6 /c settings:%20DFTRACE_CHUNK:%20no @1\n");
    words_are (0, 100,
               "7 processes: 2 × b\\x1b (static), 1 × c (settings), 1 × c "
               "(setuid), 3 × w (own request)");
    words_are (0, 45, "7 processes: 2 × b\\x1b (static), …");
    words_are (0, 5, "7 processes: …");
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown (reads_lines, clean),
        cmocka_unit_test_teardown (says_when_there_were_more, clean),
        cmocka_unit_test_teardown (follows_no_link, clean),
        cmocka_unit_test_teardown (drops_who_was_traced, clean),
        cmocka_unit_test_teardown (has_words, clean),
    };
    int failed;

    if (!mkdtemp (dir))
        return 1;
    (void)snprintf (path, sizeof (path), "%s/shards", dir);
    (void)mkdir (path, 0700);
    failed = tap_run (tests);
    (void)snprintf (path, sizeof (path), "%s/shards", dir);
    (void)rmdir (path);
    (void)rmdir (dir);
    return failed;
}
