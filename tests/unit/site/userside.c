/* SPDX-License-Identifier: MIT
 *
 * userside.c - test of spank/epilog/user_side.c: whose directory, whose stage
 *
 * Verbs that it runs are this same program: note_verb notes them in "verbs",
 * and in "pids" in which process they ran.
 */
#include "tests/unit/scratch.h"

#include <signal.h>

#include "spank/epilog/node.h"
#include "spank/epilog/user_side.h"
#include "spank/epilog/verb.h"

static struct marker m;
static struct site site;
static char dir[512], stage[512];

static int make (void **state)
{
    if (scratch_make (state) < 0 || mkdir ("job", 0700) < 0 ||
        mkdir ("job/shards", 0700) < 0)
        return -1;
    (void)snprintf (dir, sizeof (dir), "%s/job", scratch);
    (void)snprintf (stage, sizeof (stage), "%s/stage", scratch);
    memset (&m, 0, sizeof (m));
    m.count = 1;
    m.dir[0] = dir;
    m.stage[0] = (char *)"";
    memset (&site, 0, sizeof (site));
    (void)snprintf (site.finish, sizeof (site.finish), "epilog");
    return 0;
}

/* What it prints goes to a file in the job directory; ours must not. */
static int finish (void)
{
    int out = dup (STDOUT_FILENO), err = dup (STDERR_FILENO), rc;

    (void)fflush (NULL);
    rc = user_side_finish (&m, "n1", &site);
    (void)fflush (NULL);
    (void)dup2 (out, STDOUT_FILENO);
    (void)dup2 (err, STDERR_FILENO);
    (void)close (out);
    (void)close (err);
    return rc;
}

static void the_last_node_merges_and_analyzes (void **state)
{
    scratch_file ("job/shards/n1-1-1.dft", "");
    scratch_file ("job/shards/started.n1", "");
    assert_int_equal (finish (), 0);
    assert_string_equal (scratch_text ("verbs"), "merge analyze ");
    assert_non_null (strstr (scratch_text ("job/node.n1.json"), "\"shards\""));
    assert_false (scratch_has ("job/.claim"));
    assert_false (scratch_has ("job/epilog.n1.log")); /* nothing to say */
}

static int says_its_cost (const char *path)
{
    char text[4096];
    int fd = open (path, O_RDONLY);
    ssize_t n = fd < 0 ? -1 : read (fd, text, sizeof (text) - 1);

    if (fd >= 0)
        (void)close (fd);
    text[n < 0 ? 0 : n] = '\0';
    return strstr (text, "\"epilog_cpu_ms\"") != NULL;
}

static int ran_here (void)
{
    char want[64];

    (void)snprintf (want, sizeof (want), "%ld %ld ", (long)getpid (),
                    (long)getpid ());
    return strcmp (scratch_text ("pids"), want) == 0;
}

/* Of one node, in one directory: without a process of its own for each verb,
 * and its node.HOST.json is written once, when all is known. */
static void a_small_job_is_finished_here (void **state)
{
    struct stat node, metrics;

    scratch_file ("job/shards/n1-1-1.dft", "");
    scratch_file ("job/shards/started.n1", "");
    assert_int_equal (finish (), 0);
    assert_true (ran_here ());
    assert_true (says_its_cost ("job/node.n1.json"));
    assert_int_equal (node_is_analyzed (dir), 1);
    assert_int_equal (stat ("job/node.n1.json", &node), 0);
    assert_int_equal (stat ("job/metrics.json", &metrics), 0);
    assert_int_equal (node.st_mtim.tv_nsec, metrics.st_mtim.tv_nsec);
    /* what comes later is analyzed again */
    assert_int_equal (finish (), 0);
    assert_string_equal (scratch_text ("verbs"),
                         "merge analyze merge analyze ");
}

static void of_two_directories_none_is (void **state)
{
    char other[600];

    assert_int_equal (mkdir ("other", 0700), 0);
    assert_int_equal (mkdir ("other/shards", 0700), 0);
    scratch_file ("other/shards/n1-1-1.dft", "");
    scratch_file ("other/shards/started.n1", "");
    scratch_file ("job/shards/n1-1-1.dft", "");
    scratch_file ("job/shards/started.n1", "");
    (void)snprintf (other, sizeof (other), "%s/other", scratch);
    m.count = 2;
    m.dir[1] = other;
    m.stage[1] = m.stage[0];
    assert_int_equal (finish (), 0);
    assert_string_equal (scratch_text ("verbs"),
                         "merge analyze merge analyze ");
    (void)snprintf (other, sizeof (other), "%ld ", (long)getpid ());
    assert_null (strstr (scratch_text ("pids"), other));
}

/* A metrics.json of before says nothing of shards that it does not have. */
static void one_that_fails_is_not_analyzed (void **state)
{
    scratch_file ("job/shards/n1-1-1.dft", "");
    scratch_file ("job/shards/started.n1", "");
    scratch_file ("job/metrics.json", "{}");
    scratch_time ("job/metrics.json", 1000, 8);
    scratch_file ("fail", "");
    assert_int_equal (finish (), 0);
    assert_true (scratch_has ("job/node.n1.json"));
    assert_int_equal (node_is_analyzed (dir), 0);
}

/* The last of these tests: there is no way back. */
static void after_a_crash_none_is (void **state)
{
    scratch_file ("job/shards/n1-1-1.dft", "");
    scratch_file ("job/shards/started.n1", "");
    user_side_be_careful ();
    assert_int_equal (finish (), 0);
    assert_string_equal (scratch_text ("verbs"), "merge analyze ");
    assert_false (ran_here ());
    assert_int_equal (node_is_analyzed (dir), 1);
}

static void one_that_is_not_the_last_does_not (void **state)
{
    scratch_file ("job/shards/n1-1-1.dft", "");
    scratch_file ("job/shards/started.n2", "");
    assert_int_equal (finish (), 0);
    assert_true (scratch_has ("job/node.n1.json"));
    assert_false (scratch_has ("verbs"));
}

static void later_is_later (void **state)
{
    scratch_file ("job/shards/n1-1-1.dft", "");
    (void)snprintf (site.finish, sizeof (site.finish), "later");
    assert_int_equal (finish (), 0);
    assert_true (scratch_has ("job/node.n1.json"));
    assert_false (scratch_has ("verbs"));
}

static void who_has_the_claim_goes_on (void **state)
{
    scratch_file ("job/shards/n1-1-1.dft", "");
    scratch_file ("job/.claim", "n2");
    assert_int_equal (finish (), 0);
    assert_false (scratch_has ("verbs"));
    assert_string_equal (scratch_text ("job/.claim"), "n2");
}

static void a_verb_that_fails_is_said (void **state)
{
    scratch_file ("job/shards/n1-1-1.dft", "");
    scratch_file ("fail", "");
    assert_int_equal (finish (), 0);
    assert_non_null (
        strstr (scratch_text ("job/epilog.n1.log"), "merge ended with status"));
    assert_false (scratch_has ("job/.claim")); /* others may try */
}

static void a_link_is_not_the_job_directory (void **state)
{
    char link[512];

    scratch_file ("job/shards/n1-1-1.dft", "");
    assert_int_equal (symlink ("job", "link"), 0);
    (void)snprintf (link, sizeof (link), "%s/link", scratch);
    m.dir[0] = link;
    assert_int_equal (finish (), 0);
    assert_false (scratch_has ("job/node.n1.json"));
    m.dir[0] = (char *)"/nonexistent/job";
    assert_int_equal (finish (), 0);
    assert_false (scratch_has ("verbs"));
}

static void a_directory_of_somebody_else (void **state)
{
    scratch_file ("job/shards/n1-1-1.dft", "");
    if (geteuid () != 0 || chown ("job", 54321, 54321) < 0) {
        print_message ("# not run: cannot give a directory away\n");
        return;
    }
    assert_int_equal (finish (), 0);
    assert_false (scratch_has ("job/node.n1.json"));
    assert_int_equal (chown ("job", 0, 0), 0);
}

static void links_in_its_way (void **state)
{
    scratch_file ("job/shards/n1-1-1.dft", "");
    scratch_file ("victim", "kept");
    assert_int_equal (symlink ("../victim", "job/epilog.n1.log"), 0);
    assert_int_equal (symlink ("../victim", "job/node.n1.json"), 0);
    assert_int_equal (finish (), 0);
    assert_string_equal (scratch_text ("victim"), "kept");
}

/* -- stages ------------------------------------------------------------ */

static int collect (const char *path)
{
    int fd = open (path, O_RDONLY | O_DIRECTORY);
    int out = dup (STDOUT_FILENO), err = dup (STDERR_FILENO), rc;

    assert_true (fd >= 0);
    (void)fflush (NULL);
    rc = user_side_collect (&m, "n1", path, fd);
    (void)fflush (NULL);
    (void)dup2 (out, STDOUT_FILENO);
    (void)dup2 (err, STDERR_FILENO);
    (void)close (out);
    (void)close (err);
    (void)close (fd);
    return chdir (scratch) < 0 ? -2 : rc;
}

static void make_stage (const char *name)
{
    char path[1024];

    assert_int_equal (mkdir (name, 0700), 0);
    (void)snprintf (path, sizeof (path), "%s/shards", name);
    assert_int_equal (mkdir (path, 0700), 0);
    (void)snprintf (path, sizeof (path), "%s/shards/n1-99999999-1.dft", name);
    scratch_file (path, "");
}

static void a_step_is_collected_by_its_name (void **state)
{
    char path[1024];

    m.stage[0] = stage;
    make_stage ("stage.0");
    make_stage ("stagex.0");
    make_stage ("stage.1");
    (void)snprintf (path, sizeof (path), "%s/stagex.0", scratch);
    assert_int_equal (collect (path), -1); /* not this job's */
    (void)snprintf (path, sizeof (path), "%s/stage.1/shards", scratch);
    assert_int_equal (collect (path), -1);
    assert_false (scratch_has ("verbs"));
    (void)snprintf (path, sizeof (path), "%s/stage.0", scratch);
    assert_int_equal (collect (path), 0);
    assert_string_equal (scratch_text ("verbs"), "merge ");
    assert_false (scratch_has ("stage.0"));
    assert_true (scratch_has ("stage.1"));
}

static int note (const char *verb)
{
    char path[600];
    FILE *f;

    (void)snprintf (path, sizeof (path), "%s/verbs", getenv ("DFT_TEST_DIR"));
    f = fopen (path, "a");
    if (!f)
        return 1;
    (void)fprintf (f, "%s ", verb);
    (void)fclose (f);
    (void)snprintf (path, sizeof (path), "%s/pids", getenv ("DFT_TEST_DIR"));
    f = fopen (path, "a");
    if (!f)
        return 1;
    (void)fprintf (f, "%ld ", (long)getpid ());
    (void)fclose (f);
    (void)snprintf (path, sizeof (path), "%s/fail", getenv ("DFT_TEST_DIR"));
    return access (path, F_OK) == 0;
}

static int make_and_tell (void **state)
{
    return make (state) < 0 ? -1 : setenv ("DFT_TEST_DIR", scratch, 1);
}

#define side_test(TEST) \
    cmocka_unit_test_setup_teardown (TEST, make_and_tell, scratch_drop)

static int note_verb (int argc, char **argv)
{
    int status = argc > 1 ? note (argv[0]) : 1;

    if (status == 0 && strcmp (argv[0], "analyze") == 0)
        scratch_file ("job/metrics.json", "{}");
    return status;
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        side_test (the_last_node_merges_and_analyzes),
        side_test (a_small_job_is_finished_here),
        side_test (of_two_directories_none_is),
        side_test (one_that_fails_is_not_analyzed),
        side_test (one_that_is_not_the_last_does_not),
        side_test (later_is_later),
        side_test (who_has_the_claim_goes_on),
        side_test (a_verb_that_fails_is_said),
        side_test (a_link_is_not_the_job_directory),
        side_test (a_directory_of_somebody_else),
        side_test (links_in_its_way),
        side_test (a_step_is_collected_by_its_name),
        side_test (after_a_crash_none_is),
    };

    verb_runner (note_verb);
    return tap_run (tests);
}
