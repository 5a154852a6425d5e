/* SPDX-License-Identifier: MIT
 *
 * keep.c - test of spank/epilog/tell.c and keep.c: the site's line of a job
 */
#include "tests/unit/scratch.h"

#include <fcntl.h>
#include <math.h>
#include <time.h>

#include "spank/epilog/keep.h"
#include "spank/epilog/tell.h"

static const char metrics[] =
    "{\n  \"format\": \"dftrace-metrics\",\n  \"job\": {\n"
    "    \"job_name\": \"train\\nread_count=7\",\n    \"hosts\": 2,\n"
    "    \"ranks\": 8,\n    \"processes\": 16\n  },\n  \"metrics\": {\n"
    "    \"job_time\": {\n      \"value\": 12.5\n    },\n"
    "    \"read_count\": {\n      \"value\": 3\n    },\n"
    "    \"stall_time\": {\n      \"value\": null,\n      \"note\": \"x\"\n"
    "    }\n  },\n"
    "  \"insights\": [\n    {\n      \"rule\": \"a\"\n    },\n    {\n"
    "      \"rule\": \"b\"\n    }\n  ],\n  \"processes\": [\n    {\n"
    "      \"exe\": \"/usr/bin/python3\"\n    }\n  ]\n}\n";

static char told[TELL_MAX];

/* What tell_job says of the directory "job". */
static void tell (void)
{
    int fd[2];
    ssize_t n;

    assert_int_equal (pipe2 (fd, O_NONBLOCK), 0);
    tell_job (fd[1], "job", 3);
    n = read (fd[0], told, sizeof (told) - 1);
    told[n > 0 ? n : 0] = '\0';
    (void)close (fd[0]);
    (void)close (fd[1]);
}

static int make (void **state)
{
    if (scratch_make (state) < 0 || mkdir ("job", 0700) < 0)
        return -1;
    scratch_file ("job/metrics.json", metrics);
    return 0;
}

static void told_is_read (void **state)
{
    struct job_summary s;
    char *text = told;
    int part;

    tell ();
    assert_true (tell_next (&text, &s, &part));
    assert_int_equal (part, 3);
    assert_string_equal (s.text[SUMMARY_name], "train\\nread_count=7");
    assert_string_equal (s.text[SUMMARY_program], "python3");
    assert_true (s.number[SUMMARY_nodes] == 2);
    assert_true (s.number[SUMMARY_ranks] == 8);
    assert_true (s.number[SUMMARY_processes] == 16);
    assert_true (s.number[SUMMARY_insights] == 2);
    assert_true (s.number[summary_find ("job_time")] == 12.5);
    assert_true (s.number[summary_find ("read_count")] == 3);
    assert_true (isnan (s.number[summary_find ("stall_time")]));
    assert_false (tell_next (&text, &s, &part));
}

static void only_the_users_facts_are_taken (void **state)
{
    char text[] = "uid=0\nuser=root\njob=1\nhost=n9\nended=5\nread_count=nan\n"
                  "write_count=1e999\nno_metric=1\nread_time\n"
                  "name=\x1b[31mred\nio_time=2\n\nio_time=1\n";
    struct job_summary s;
    char *at = text;
    int part;

    assert_true (tell_next (&at, &s, &part));
    assert_true (isnan (s.number[SUMMARY_uid]));
    assert_true (isnan (s.number[SUMMARY_job]));
    assert_string_equal (s.text[SUMMARY_user], "");
    assert_string_equal (s.text[SUMMARY_host], "");
    assert_true (isnan (s.number[summary_find ("read_count")]));
    assert_true (isnan (s.number[summary_find ("write_count")]));
    assert_string_equal (s.text[SUMMARY_name], "\\x1b[31mred");
    assert_true (s.number[summary_find ("io_time")] == 2);
    assert_false (tell_next (&at, &s, &part)); /* no end: it was cut */
}

static const uint64_t weight[] = {1, 1, 1, 100};

static void a_line_is_appended (void **state)
{
    const struct keep_job job = {.host = "n1",
                                 .job_id = 4711,
                                 .uid = 12345,
                                 .now = 86400,
                                 .weight = weight,
                                 .weights = 4};
    struct errtext err;
    struct stat st;
    const char *text;

    tell ();
    assert_int_equal (keep_jobs ("site", &job, told, &err), 0);
    tell ();
    assert_int_equal (keep_jobs ("site", &job, told, &err), 0);
    assert_int_equal (stat ("site/n1-19700102.jsonl", &st), 0);
    assert_int_equal (st.st_mode & 07777, 0600);
    text = scratch_text ("site/n1-19700102.jsonl");
    assert_non_null (strstr (text, "\"job\":4711"));
    assert_non_null (strstr (text, "\"uid\":12345"));
    assert_non_null (strstr (text, "\"part\":3"));
    assert_non_null (strstr (text, "\"weight\":100"));
    assert_non_null (strstr (text, "\"job_time\":12.5"));
    assert_null (strstr (text, "stall_time"));
    text = strchr (text, '\n');
    assert_non_null (text);
    assert_int_equal (st.st_size,
                      2 * (text + 1 - scratch_text ("site/n1-19700102.jsonl")));
}

/* sacctmgr says what it got, under its name when that is whole. */
static const char sacctmgr[] = "#!/bin/sh\n"
                               "printf '%s|' \"$@\" >said.new\n"
                               "mv said.new said\n";

static const char *commented (const char *told_text)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    char *path = getcwd (NULL, 0), list[4096];
    struct errtext err;

    (void)unlink ("said");
    scratch_file ("sacctmgr", sacctmgr);
    assert_int_equal (chmod ("sacctmgr", 0700), 0);
    (void)snprintf (list, sizeof (list), "%s:/usr/bin:/bin", path);
    free (path);
    assert_int_equal (setenv ("PATH", list, 1), 0);
    assert_int_equal (comment_job ("AdminComment", 4711, 77, told_text, &err),
                      0);
    for (int i = 0; i < 6000 && access ("said", F_OK) < 0; i++)
        (void)nanosleep (&pause, NULL);
    return scratch_text ("said");
}

static void a_comment_is_plain_and_short (void **state)
{
    char hostile[1024] = "part=0\nline=I/O 1\u202f\u00b5s'); DROP \"x\"\\ "
                         "$(id) `id` <b>&\x1b[31m";
    const char *text;

    memset (hostile + strlen (hostile), 'x', 500);
    text = commented (hostile);
    assert_non_null (strstr (text, "-iQ|modify|job|where|jobid=4711|users=77|"
                                   "set|AdminComment=dftrace: I/O 1 us ); DROP "
                                   " x    (id)  id   b    31mxxx"));
    assert_true (strlen (text) < COMMENT_MAX + 100);
    assert_null (strpbrk (text, "'\"\\$`<>&\x1b"));
}

static void a_comment_is_of_one_job (void **state)
{
    assert_non_null (strstr (commented ("part=0\ntask=3\nline=x\n\n"),
                             "|jobid=4711_3|users=77|"));
    assert_non_null (strstr (commented ("part=0\ntask=\nline=x\n\n"),
                             "|jobid=4711|users=77|"));
    assert_non_null (strstr (commented ("part=0\ntask=3,1-9\nline=x\n\n"),
                             "|jobid=4711|users=77|"));
    assert_int_equal (setenv ("SLURM_HET_JOB_ID", "4710", 1), 0);
    assert_non_null (
        strstr (commented ("part=0\nline=x\n\n"), "|jobid=4710+0|"));
    assert_int_equal (unsetenv ("SLURM_HET_JOB_ID"), 0);
}

static void the_directory_is_ours (void **state)
{
    const struct keep_job job = {.host = "n1", .job_id = 1};
    struct errtext err;

    assert_int_equal (mkdir ("open", 0777), 0);
    assert_int_equal (chmod ("open", 0777), 0);
    tell ();
    assert_int_equal (keep_jobs ("open", &job, told, &err), -1);
    assert_non_null (strstr (err.text, "others can write"));
    assert_int_equal (symlink ("job", "link"), 0);
    tell ();
    assert_int_equal (keep_jobs ("link", &job, told, &err), -1);
    assert_false (scratch_has ("job/n1-19700101.jsonl"));
    told[0] = '\0'; /* nothing told: nothing made */
    assert_int_equal (keep_jobs ("none", &job, told, &err), 0);
    assert_false (scratch_has ("none"));
}

static void no_metrics (void **state)
{
    scratch_file ("job/metrics.json", "{ broken");
    tell ();
    assert_string_equal (told, "");
    (void)unlink ("job/metrics.json");
    assert_int_equal (symlink ("/etc/passwd", "job/metrics.json"), 0);
    tell ();
    assert_string_equal (told, "");
}

/* Equal names stay equal, nothing of them is left, and the user's number goes
 * with his name. */
static void names_are_hidden (void **state)
{
    static struct hide hide, other;
    const struct keep_job job = {
        .host = "n1", .job_id = 1, .uid = 12345, .hide = &hide};
    char one[HIDE_TEXT], two[HIDE_TEXT];
    struct errtext err;
    const char *text;

    assert_int_equal (hide_columns (&hide, "user,name, program", &err), 0);
    scratch_file ("key", "0123456789abcdef0123456789abcdef");
    assert_int_equal (chmod ("key", 0644), 0);
    assert_int_equal (hide_read_key (&hide, "key", &err), -1);
    assert_non_null (strstr (err.text, "chmod 600"));
    assert_int_equal (chmod ("key", 0600), 0);
    assert_int_equal (hide_read_key (&hide, "none", &err), -1);
    assert_int_equal (hide_read_key (&hide, ".", &err), -1);
    scratch_file ("short", "0123");
    assert_int_equal (chmod ("short", 0600), 0);
    assert_int_equal (hide_read_key (&hide, "short", &err), -1);
    assert_int_equal (symlink ("key", "link"), 0);
    assert_int_equal (hide_read_key (&hide, "link", &err), -1);

    tell (); /* no key: the names are left out */
    assert_int_equal (keep_jobs ("hidden", &job, told, &err), 0);
    text = scratch_text ("hidden/n1-19700101.jsonl");
    assert_null (strstr (text, "python3"));
    assert_null (strstr (text, "train"));
    assert_null (strstr (text, "\"name\""));

    assert_int_equal (hide_read_key (&hide, "key", &err), 0);
    tell ();
    assert_int_equal (keep_jobs ("hidden", &job, told, &err), 0);
    hide_text (&hide, "program", "python3", one);
    assert_int_equal (strlen (one), HIDE_TEXT - 1);
    text = scratch_text ("hidden/n1-19700101.jsonl");
    assert_non_null (strstr (text, one));
    assert_null (strstr (text, "python3"));
    assert_null (strstr (text, "12345"));
    assert_non_null (strstr (text, "\"job_time\":12.5"));
    hide_text (&hide, "name", "python3", two);
    assert_string_not_equal (one, two);
    scratch_file ("key2", "1123456789abcdef0123456789abcdef");
    assert_int_equal (chmod ("key2", 0600), 0);
    assert_int_equal (hide_columns (&other, "program", &err), 0);
    assert_int_equal (hide_read_key (&other, "key2", &err), 0);
    hide_text (&other, "program", "python3", two);
    assert_string_not_equal (one, two);
    assert_int_equal (hide_columns (&other, "usr", &err), -1);
    assert_true (other.column[SUMMARY_user] && other.column[SUMMARY_name]);
}

int main (void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown (told_is_read, make, scratch_drop),
        cmocka_unit_test_setup_teardown (only_the_users_facts_are_taken, make,
                                         scratch_drop),
        cmocka_unit_test_setup_teardown (a_line_is_appended, make,
                                         scratch_drop),
        cmocka_unit_test_setup_teardown (names_are_hidden, make, scratch_drop),
        cmocka_unit_test_setup_teardown (the_directory_is_ours, make,
                                         scratch_drop),
        cmocka_unit_test_setup_teardown (a_comment_is_plain_and_short, make,
                                         scratch_drop),
        cmocka_unit_test_setup_teardown (a_comment_is_of_one_job, make,
                                         scratch_drop),
        cmocka_unit_test_setup_teardown (no_metrics, make, scratch_drop),
    };

    return tap_run (tests);
}
