/* SPDX-License-Identifier: MIT
 *
 * keep.c - test of epilog/tell.c and keep.c: the site's line of a job
 */
#include "tests/unit/scratch.h"

#include <fcntl.h>
#include <math.h>

#include "epilog/keep.h"
#include "epilog/tell.h"

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

static void a_line_is_appended (void **state)
{
    const struct keep_job job = {"n1", 4711, 12345, 86400};
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
    assert_non_null (strstr (text, "\"job_time\":12.5"));
    assert_null (strstr (text, "stall_time"));
    text = strchr (text, '\n');
    assert_non_null (text);
    assert_int_equal (st.st_size,
                      2 * (text + 1 - scratch_text ("site/n1-19700102.jsonl")));
}

static void the_directory_is_ours (void **state)
{
    const struct keep_job job = {"n1", 1, 0, 0};
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

int main (void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown (told_is_read, make, scratch_drop),
        cmocka_unit_test_setup_teardown (only_the_users_facts_are_taken, make,
                                         scratch_drop),
        cmocka_unit_test_setup_teardown (a_line_is_appended, make,
                                         scratch_drop),
        cmocka_unit_test_setup_teardown (the_directory_is_ours, make,
                                         scratch_drop),
        cmocka_unit_test_setup_teardown (no_metrics, make, scratch_drop),
    };

    return tap_run (tests);
}
