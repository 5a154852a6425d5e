/* SPDX-License-Identifier: MIT
 *
 * untraced.c - lines anybody may have written -> a list in job.json
 */
#include "tests/unit/tap.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/trace/untraced.h"
#include "lib/util/fsutil.h"

static char dir[] = "/tmp/dftrace-untraced.XXXXXX";
static char path[4200];

static void put (const char *name, const char *text)
{
    (void)snprintf (path, sizeof (path), "%s/%s", dir, name);
    assert_int_equal (write_file (path, 0600, text, NULL), 0);
}

static void json_is (const char *want)
{
    char *text;

    (void)snprintf (path, sizeof (path), "%s/job.json", dir);
    text = read_file (path, 1 << 20, NULL, NULL);
    assert_non_null (text);
    assert_string_equal (text, want);
    free (text);
}

static void remove_one (const char *name)
{
    (void)snprintf (path, sizeof (path), "%s/%s", dir, name);
    (void)unlink (path);
}

static int clean (void **state)
{
    remove_one ("shards/processes.n1");
    remove_one ("shards/processes.n2");
    remove_one ("job.json");
    return 0;
}

static void test_nothing (void **state)
{
    struct untraced u = {.count = 0};

    assert_int_equal (untraced_load (&u, NULL), 0);
    assert_int_equal (untraced_load (&u, "/no/such/directory"), 0);
    assert_int_equal (u.count, 0);
    untracedlist_clear (&u);
    assert_int_equal (untraced_list (NULL, NULL), 0);
    put ("shards/processes.n1", "untraced 7 /bin/a static @1\n");
    assert_int_equal (untraced_list (dir, NULL), 0); /* no job.json */
}

static void test_words (void **state)
{
    struct untraced u = {.count = 0};

    put ("shards/processes.n1",
         "untraced 5 /b settings:%20DFTRACE_CHUNK:%20no @1\n"
         "untraced 6 /c stopped:%20seccomp @1\n");
    assert_int_equal (untraced_load (&u, dir), 0);
    assert_int_equal (u.count, 2);
    assert_string_equal (untraced_settings (&u.item[0]), "DFTRACE_CHUNK: no");
    assert_null (untraced_stopped (&u.item[0]));
    assert_string_equal (untraced_stopped (&u.item[1]), "seccomp");
    assert_null (untraced_settings (&u.item[1]));
    untracedlist_clear (&u);
}

/* The shards have gone: what job.json keeps is all that is known. */
static void test_kept (void **state)
{
    struct untraced u = {.count = 0};
    struct errtext err = {""};

    put ("job.json", "{\n  \"point\": \"\"\n}\n");
    put ("shards/processes.n1",
         "untraced 7 /bin/a static @5\nuntraced 8 /bin/a static @6\n"
         "untraced 9 /bin/b own%20request @7\nuntraced 9 /cut setu");
    assert_int_equal (untraced_list (dir, &err), 0);
    remove_one ("shards/processes.n1");
    assert_int_equal (untraced_load (&u, dir), 0);
    assert_int_equal (u.count, 2);
    assert_int_equal (u.cut, 1);
    assert_int_equal (untracedlist_sum (&u), 3);
    assert_int_equal (untracedlist_wishes (&u), 1);
    assert_string_equal (u.item[0].exe, "/bin/a");
    assert_int_equal (u.item[0].count, 2);
    assert_int_equal (u.item[0].pid, 7);
    untracedlist_clear (&u);
}

static const char job[] = "{\n  \"format\": \"dftrace-job\",\n  \"point\": "
                          "\"\",\n  \"version\": 1\n}\n";
static const char listed[] = "{\n  \"format\": \"dftrace-job\",\n  \"point\": "
                             "\"\",\n  \"version\": 1,\n"
                             "  \"untraced\": [\n"
                             "    {\n"
                             "      \"host\": \"n1\",\n"
                             "      \"pid\": 7,\n"
                             "      \"exe\": \"/bin/\\\"\\\\xff\",\n"
                             "      \"reason\": \"static\",\n"
                             "      \"explanation\": \"static: its calls go "
                             "past libc; seeing them takes layer kernel (see "
                             "doc/kernel.md)\",\n"
                             "      \"count\": 1\n"
                             "    },\n"
                             "    {\n"
                             "      \"host\": \"n2\",\n"
                             "      \"pid\": null,\n"
                             "      \"exe\": \"/x\",\n"
                             "      \"reason\": \"setuid\",\n"
                             "      \"explanation\": \"setuid or setgid: the "
                             "loader preloads nothing into it\",\n"
                             "      \"count\": 1\n"
                             "    }\n"
                             "  ]\n"
                             "}\n";

static void test_list (void **state)
{
    struct errtext err = {""};
    struct stat before, after;

    put ("job.json", job);
    assert_int_equal (untraced_list (dir, &err), 0);
    json_is (job);
    put ("shards/processes.n1", "untraced 7 /bin/\"%ff static @1\n");
    put ("shards/processes.n2", "untraced 0 /x setuid @1\n");
    assert_int_equal (untraced_list (dir, &err), 0);
    json_is (listed);
    /* again: not even touched; with more: in place of the older list */
    assert_int_equal (stat (path, &before), 0);
    assert_int_equal (untraced_list (dir, &err), 0);
    assert_int_equal (stat (path, &after), 0);
    assert_int_equal (before.st_ino, after.st_ino);
    put ("shards/processes.n2", "0 /y setuid @1\n");
    assert_int_equal (untraced_list (dir, &err), 0);
    put ("shards/processes.n2", "untraced 0 /x setuid @1\n");
    assert_int_equal (untraced_list (dir, &err), 0);
    json_is (listed);
}

static void test_foreign_json (void **state)
{
    struct errtext err = {""};

    put ("shards/processes.n1", "untraced 7 /bin/a static @1\n");
    put ("job.json", "{\"format\": \"dftrace-job\"}");
    assert_int_equal (untraced_list (dir, &err), -1);
    assert_non_null (strstr (err.text, "job.json: not as dftrace writes it"));
    json_is ("{\"format\": \"dftrace-job\"}");
    put ("job.json", "");
    assert_int_equal (untraced_list (dir, &err), -1);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown (test_nothing, clean),
        cmocka_unit_test_teardown (test_words, clean),
        cmocka_unit_test_teardown (test_kept, clean),
        cmocka_unit_test_teardown (test_list, clean),
        cmocka_unit_test_teardown (test_foreign_json, clean),
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
