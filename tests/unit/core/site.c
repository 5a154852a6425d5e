/* SPDX-License-Identifier: MIT
 *
 * site.c - test of lib/settings/site.c
 */
#include "tests/unit/tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/format/calls.h"
#include "lib/settings/site.h"

static struct site site;
static char path[] = "/tmp/dftrace-site.XXXXXX", word[64];

static int make_file (void **state)
{
    int fd = mkstemp (path);

    (void)snprintf (word, sizeof (word), "conf=%s", path);
    return fd < 0 ? -1 : close (fd);
}

static int drop_file (void **state)
{
    return unlink (path);
}

/* Load with the file, and one more word if it is not NULL. */
static void load (const char *text, char *more)
{
    char *words[] = {word, more};
    int fd = open (path, O_WRONLY | O_TRUNC);

    assert_int_equal (write (fd, text, strlen (text)), strlen (text));
    (void)close (fd);
    site_load (&site, more ? 2 : 1, words);
}

static void defaults_are_never_empty (void **state)
{
    load ("", NULL);
    assert_int_equal (site.errors, 0);
    assert_true (site.read);
    assert_true (strlen (site.settings.preload) > 0);
    assert_true (strlen (site.settings.python) > 0);
    assert_string_equal (site.settings.state_dir, "/run/dftrace");
    assert_true (strlen (site.command) > 0);
    assert_int_equal (site.sample, 1);
    assert_int_equal (site.pack, 16);
    assert_string_equal (site.finish, "large");
}

static void a_missing_file_is_said (void **state)
{
    char none[] = "conf=/nonexistent/x";
    char *words[] = {none};

    site_load (&site, 1, words);
    assert_int_equal (site.errors, 1);
    assert_false (site.read);
    assert_non_null (strstr (site.error[0].text, "/nonexistent/x"));
}

static void root_believes_root_only (void **state)
{
    if (geteuid () != 0) {
        print_message ("# not run: only root can\n");
        return; /* cmocka's skip () is "not ok" */
    }
    assert_int_equal (chmod (path, 0666), 0);
    load ("sample = 3\n", NULL);
    assert_int_equal (chmod (path, 0600), 0);
    assert_int_equal (site.errors, 1);
    assert_int_equal (site.sample, 1);
    assert_false (site.read);
}

static void finish_is_one_of_four_words (void **state)
{
    load ("finish = later\n", NULL);
    assert_int_equal (site.errors, 0);
    assert_string_equal (site.finish, "later");
    load ("finish = lager\n", NULL);
    assert_int_equal (site.errors, 1);
    assert_string_equal (site.finish, "large");
    assert_non_null (
        strstr (site.error[0].text,
                ":1: finish: not a value of type epilog, large, tables or "
                "later: lager"));
}

static void blanks_and_comments (void **state)
{
    load ("# a comment\r\n\n \t log_root\t =  /a#b c  # why\n"
          "log_root2\nsample=3",
          NULL);
    assert_string_equal (site.settings.log_root, "/a#b c");
    assert_int_equal (site.sample, 3);
    assert_int_equal (site.errors, 1);
    assert_non_null (strstr (site.error[0].text, ":4: log_root2"));
}

static void the_line_wins (void **state)
{
    char more[] = "sample=9";

    load ("sample = 3\nepilog_memory = 2G\n", more);
    assert_int_equal (site.sample, 9);
    assert_int_equal (site.epilog_memory, 2ull << 30);
}

static void the_nearest_key_begins_most_alike (void **state)
{
    static const char *const rows[][2] = {
        {"sampel", "sample"},
        {"finsh", "finish"},
        {"pak", "pack"},
        {"log_rot", "log_root"},
        {"prelaod", "preload"},
        {"max_byte", "max_bytes"},
        {"epilog_m", "epilog_memory"},
        {"epilog_t", "epilog_timeout"},
        {"xyz", "log_root"},
        {"", "log_root"},
    };

    for (size_t i = 0; i < sizeof (rows) / sizeof (rows[0]); i++)
        assert_string_equal (site_key_nearest (rows[i][0], strlen (rows[i][0])),
                             rows[i][1]);
    assert_string_equal (site_key_nearest ("sampel = 3", 2), "sample");
}

static void a_key_is_guessed_from_both_tables (void **state)
{
    static const char *const rows[][2] = {{"sampel = 3", "sample"},
                                          {"finsh = later", "finish"},
                                          {"pak = 3", "pack"},
                                          {"log_rot = /x", "log_root"},
                                          {"preloda = /x", "preload"}};

    for (size_t i = 0; i < sizeof (rows) / sizeof (rows[0]); i++) {
        load (rows[i][0], NULL);
        assert_int_equal (site.errors, 1);
        if (!strstr (site.error[0].text, rows[i][1]))
            fail_msg ("%s", site.error[0].text);
    }
    load ("= 3\n", NULL);
    assert_int_equal (site.errors, 1);
    for (int i = 0; i < 2; i++) { /* a known key: its value is the matter */
        errno = ENOENT;
        load (i ? "pack = x\n" : "chunk = x\n", NULL);
        assert_int_equal (site.errors, 1);
        assert_null (strstr (site.error[0].text, "unknown key"));
    }
}

/* A line so many times; text has room for as many with a NUL each. */
static void repeat (char *text, const char *line, int times)
{
    size_t n = strlen (line);

    for (int i = 0; i < times; i++)
        memcpy (text + (size_t)i * n, line, n + 1);
}

static void errors_are_counted_beyond_their_room (void **state)
{
    static const char line[] = "pack = x\n";
    char text[(SITE_ERRORS_MAX + 3) * sizeof (line)];

    repeat (text, line, SITE_ERRORS_MAX + 3);
    load (text, NULL);
    assert_int_equal (site.errors, SITE_ERRORS_MAX + 3);
    assert_int_equal (site.pack, 16);
}

static void too_many_rules (void **state)
{
    static const char line[] = "rule = layers=app\n";
    static char text[(SITE_RULES_MAX + 1) * sizeof (line)];

    repeat (text, line, SITE_RULES_MAX + 1);
    load (text, NULL);
    assert_int_equal (site.rules, SITE_RULES_MAX);
    assert_int_equal (site.errors, 1);
}

static void the_first_rule_that_fits_decides (void **state)
{
    struct jobinfo job = {.job_id = 5, .partition = "gpu", .nnodes = 2};

    load ("layers = mmap\nrule = partition=cpu layers=posix\n"
          "rule = partition=gpu nodes=2- layers=app\n"
          "rule = partition=gpu layers=off\n",
          NULL);
    assert_int_equal (site_layers (&site, &job), LAYER_APP);
    job.nnodes = 1;
    assert_int_equal (site_layers (&site, &job), LAYER_OFF);
    job.partition = "other";
    assert_int_equal (site_layers (&site, &job), LAYER_MMAP);
}

/* One job of N stands for N, whatever rule chooses it; one that is always
 * traced, for itself. */
static void a_sampled_job_stands_for_others (void **state)
{
    struct jobinfo job = {.job_id = 5, .partition = "gpu", .nnodes = 2};
    int traced = 0;

    load ("layers = mmap\nsample = 7\n"
          "rule = partition=gpu nodes=2- sample=100 layers=app\n"
          "rule = partition=gpu layers=app\n",
          NULL);
    assert_int_equal (site_weight (&site, &job), 100);
    for (job.job_id = 1; job.job_id <= 10000; job.job_id++)
        traced += site_layers (&site, &job) == LAYER_APP;
    assert_in_range (traced, 90, 110);
    job.nnodes = 1;
    assert_int_equal (site_weight (&site, &job), 1);
    job.partition = "cpu";
    assert_int_equal (site_weight (&site, &job), 7);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (defaults_are_never_empty),
        cmocka_unit_test (a_missing_file_is_said),
        cmocka_unit_test (root_believes_root_only),
        cmocka_unit_test (finish_is_one_of_four_words),
        cmocka_unit_test (blanks_and_comments),
        cmocka_unit_test (the_line_wins),
        cmocka_unit_test (the_nearest_key_begins_most_alike),
        cmocka_unit_test (a_key_is_guessed_from_both_tables),
        cmocka_unit_test (errors_are_counted_beyond_their_room),
        cmocka_unit_test (too_many_rules),
        cmocka_unit_test (the_first_rule_that_fits_decides),
        cmocka_unit_test (a_sampled_job_stands_for_others),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, make_file, drop_file);
}
