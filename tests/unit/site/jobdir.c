/* SPDX-License-Identifier: MIT
 *
 * jobdir.c - test of lib/settings/jobdir.c
 */
#include "tests/unit/tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/settings/jobdir.h"
#include "lib/format/calls.h"

static char root[64];
static struct settings settings;
static struct errtext err;

static const struct jobinfo plain = {
    .job_id = 4711,
    .array_task_id = -1,
    .nnodes = 2,
    .uid = 1000,
    .job_name = "train",
    .user = "ada",
    .home = "/home/ada",
    .workdir = "/scratch/ada",
    .nodelist = "n[1-2]",
    .host = "n1",
};

static int make_root (void **state)
{
    (void)snprintf (root, sizeof (root), "/tmp/dftrace-jobdir.XXXXXX");
    settings_init (&settings);
    memset (&err, 0, sizeof (err));
    return mkdtemp (root) ? 0 : -1;
}

static int drop_root (void **state)
{
    const char *argv[] = {"rm", "-rf", root, NULL};
    pid_t pid = fork ();

    if (pid == 0) {
        (void)execvp (argv[0], (char *const *)argv);
        _exit (127);
    }
    return waitpid (pid, NULL, 0) == pid ? 0 : -1;
}

static const char *in_root (const char *name)
{
    static char path[4][256];
    static int next;

    next = (next + 1) % 4;
    (void)snprintf (path[next], sizeof (path[next]), "%s/%s", root, name);
    return path[next];
}

static const char *path_of (const struct jobinfo *job)
{
    static char path[SETTING_TEXT_MAX];

    assert_int_equal (jobdir_path (&settings, job, path, &err), 0);
    return path;
}

/* -- bad arguments ----------------------------------------------------- */

static void path_wants_absolute (void **state)
{
    char path[SETTING_TEXT_MAX];

    assert_int_equal (settings_set (&settings, "job_dir", "x/y", NULL), 0);
    assert_int_equal (jobdir_path (&settings, &plain, path, &err), -1);
    assert_int_equal (errno, EINVAL);
    assert_non_null (strstr (err.text, "x/y"));
}

static void path_wants_one_line (void **state)
{
    char path[SETTING_TEXT_MAX];

    assert_int_equal (settings_set (&settings, "job_dir", "/a\nb", NULL), 0);
    assert_int_equal (jobdir_path (&settings, &plain, path, &err), -1);
}

static void path_wants_known_placeholders (void **state)
{
    char path[SETTING_TEXT_MAX];
    struct jobinfo homeless = plain;

    homeless.home = NULL;
    assert_int_equal (settings_set (&settings, "log_root", "/a/%y", NULL), 0);
    assert_int_equal (jobdir_path (&settings, &plain, path, &err), -1);
    assert_int_equal (settings_set (&settings, "log_root", "%h/a", NULL), 0);
    assert_int_equal (jobdir_path (&settings, &homeless, path, &err), -1);
    assert_int_equal (settings_set (&settings, "log_root", "/a%", NULL), 0);
    assert_int_equal (jobdir_path (&settings, &plain, path, &err), -1);
}

static void path_has_a_limit (void **state)
{
    char path[SETTING_TEXT_MAX], workdir[SETTING_TEXT_MAX - 1];
    struct jobinfo deep = plain;

    memset (workdir, 'a', sizeof (workdir));
    workdir[0] = '/';
    workdir[sizeof (workdir) - 1] = '\0';
    deep.workdir = workdir;
    assert_int_equal (jobdir_path (&settings, &deep, path, &err), -1);
    assert_int_equal (errno, ENAMETOOLONG);
}

static void create_refuses_links (void **state)
{
    assert_int_equal (mkdir (in_root ("real"), 0700), 0);
    assert_int_equal (symlink (in_root ("real"), in_root ("link")), 0);
    assert_int_equal (jobdir_create (in_root ("link"), &err), -1);
    assert_int_equal (errno, ELOOP);
    assert_int_equal (access (in_root ("real/shards"), F_OK), -1);
}

static void create_refuses_a_linked_shards (void **state)
{
    assert_int_equal (mkdir (in_root ("real"), 0700), 0);
    assert_int_equal (mkdir (in_root ("job"), 0700), 0);
    assert_int_equal (symlink (in_root ("real"), in_root ("job/shards")), 0);
    assert_int_equal (jobdir_create (in_root ("job"), &err), -1);
    assert_int_equal (errno, ELOOP);
}

static void create_refuses_files (void **state)
{
    int fd = open (in_root ("file"), O_CREAT | O_WRONLY, 0600);

    assert_true (fd >= 0);
    (void)close (fd);
    assert_int_equal (jobdir_create (in_root ("file"), &err), -1);
    assert_int_equal (errno, ENOTDIR);
    assert_int_equal (jobdir_create ("relative", &err), -1);
    assert_int_equal (errno, EINVAL);
    assert_int_equal (jobdir_create ("/", &err), -1);
}

static void create_refuses_strangers (void **state)
{
    if (geteuid () != 0) {
        print_message ("# not run: only root can\n");
        return; /* cmocka's skip () is "not ok" */
    }
    assert_int_equal (mkdir (in_root ("theirs"), 0777), 0);
    assert_int_equal (chown (in_root ("theirs"), 12345, 12345), 0);
    assert_int_equal (jobdir_create (in_root ("theirs"), &err), -1);
    assert_int_equal (errno, EPERM);
    assert_non_null (strstr (err.text, "another user"));
}

/* -- names ------------------------------------------------------------- */

static void path_default (void **state)
{
    assert_string_equal (path_of (&plain), "/scratch/ada/dftrace/train-4711");
}

static void path_of_array_task (void **state)
{
    struct jobinfo job = plain;

    job.array_job_id = 4700;
    job.array_task_id = 0;
    assert_string_equal (path_of (&job), "/scratch/ada/dftrace/train-4700_0");
}

static void path_of_requeued_job (void **state)
{
    struct jobinfo job = plain;

    job.restart = 2;
    assert_string_equal (path_of (&job), "/scratch/ada/dftrace/train-4711.r2");
}

static void path_expands_the_root (void **state)
{
    assert_int_equal (
        settings_set (&settings, "log_root", "/s/%u/100%%%h", NULL), 0);
    assert_string_equal (path_of (&plain), "/s/ada/100%/home/ada/train-4711");
}

static void path_cleans_the_job_name (void **state)
{
    struct jobinfo job = plain;

    job.job_name = "../../etc/a b\nc";
    assert_string_equal (path_of (&job),
                         "/scratch/ada/dftrace/_._.._etc_a_b_c-4711");
    job.job_name = "";
    assert_string_equal (path_of (&job), "/scratch/ada/dftrace/job-4711");
    job.job_name = NULL;
    assert_string_equal (path_of (&job), "/scratch/ada/dftrace/job-4711");
}

static void path_of_job_dir_wins (void **state)
{
    assert_int_equal (settings_set (&settings, "job_dir", "/x/y", NULL), 0);
    assert_int_equal (settings_set (&settings, "log_root", "/z", NULL), 0);
    assert_string_equal (path_of (&plain), "/x/y");
}

static void host_is_a_component (void **state)
{
    char buf[JOBDIR_NAME_MAX];

    assert_string_equal (jobdir_host ("n1", buf), "n1");
    assert_string_equal (jobdir_host ("../n1", buf), "_._n1");
    assert_true (strlen (jobdir_host (NULL, buf)) > 0);
    assert_true (strlen (jobdir_host ("", buf)) > 0);
}

/* -- files ------------------------------------------------------------- */

static mode_t mode_of (const char *path)
{
    struct stat st;

    return stat (path, &st) == 0 ? st.st_mode & 07777 : 0;
}

static void create_makes_all_of_it (void **state)
{
    mode_t old = umask (0);
    int fd = jobdir_create (in_root ("a/b/job//"), &err);

    (void)umask (old);
    assert_true (fd >= 0);
    assert_int_equal (mode_of (in_root ("a/b/job")), 0700);
    assert_int_equal (mode_of (in_root ("a/b/job/shards")), 0700);
    assert_int_equal (fcntl (fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    assert_int_equal (jobdir_mark_started (fd, "n1", &err), 0);
    assert_int_equal (jobdir_mark_started (fd, "n1", &err), 0);
    assert_int_equal (mode_of (in_root ("a/b/job/shards/started.n1")), 0600);
    (void)close (fd);
    fd = jobdir_create (in_root ("a/b/job"), &err);
    assert_true (fd >= 0);
    (void)close (fd);
}

static void stages_are_marked_until_collected (void **state)
{
    int fd = jobdir_create (in_root ("staged"), &err);

    assert_true (fd >= 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal (jobdir_mark_staged (fd, "n1", "/tmp/x.y.0", &err), 0);
    assert_int_equal (jobdir_mark_staged (fd, "n1", "/tmp/x.y.17", &err), 0);
    assert_int_equal (jobdir_mark_staged (fd, "n1.a", "/tmp/x.y.0", &err), 0);
    (void)close (fd);
    assert_int_equal (mode_of (in_root ("staged/shards/staged.n1.17")), 0600);
    assert_int_equal (jobdir_count_staged (in_root ("staged")), 3);
    jobdir_mark_collected (in_root ("staged"), "n1", "/tmp/x.y.0");
    jobdir_mark_collected (in_root ("staged"), "n1", "/tmp/x.y.0");
    assert_int_equal (jobdir_count_staged (in_root ("staged")), 2);
    assert_int_equal (jobdir_count_staged (in_root ("no such")), 0);
    assert_true (jobdir_is_staged ("staged.n1.0", "n1"));
    assert_true (jobdir_is_staged ("staged.n1.a.0", "n1.a"));
    assert_false (jobdir_is_staged ("staged.n1.a.0", "n1"));
    assert_false (jobdir_is_staged ("staged.0", "n1"));
    assert_false (jobdir_is_staged ("started.n1", NULL));
}

static const char *slurp (const char *path)
{
    static char text[8192];
    int fd = open (path, O_RDONLY);
    ssize_t n = fd < 0 ? -1 : read (fd, text, sizeof (text) - 1);

    if (fd >= 0)
        (void)close (fd);
    text[n < 0 ? 0 : n] = '\0';
    return text;
}

static void json_is_written_once (void **state)
{
    struct jobinfo other = plain;
    int fd = jobdir_create (in_root ("job"), &err);

    other.job_name = "second";
    assert_int_equal (settings_set (&settings, "layers", "app", NULL), 0);
    assert_int_equal (jobdir_write_json (fd, &settings, &plain, &err), 0);
    assert_int_equal (jobdir_write_json (fd, &settings, &other, &err), 0);
    (void)close (fd);
    assert_non_null (
        strstr (slurp (in_root ("job/job.json")), "\"job_name\": \"train\""));
    assert_non_null (strstr (slurp (in_root ("job/job.json")),
                             "\"DFTRACE_LAYERS\": \"app\""));
    assert_non_null (
        strstr (slurp (in_root ("job/job.json")), "\"array_task_id\": null"));
    assert_int_equal (mode_of (in_root ("job/job.json")), 0600);
}

static void json_escapes (void **state)
{
    struct jobinfo odd = plain;
    int fd = jobdir_create (in_root ("job"), &err);

    odd.job_name = "a\"b\\c\n\xff\xc3\xa9";
    assert_int_equal (jobdir_write_json (fd, &settings, &odd, &err), 0);
    (void)close (fd);
    assert_non_null (strstr (slurp (in_root ("job/job.json")),
                             "\"a\\\"b\\\\c\\u000a\\u00ff\xc3\xa9\""));
}

static void json_leaves_no_temporary (void **state)
{
    int fd = jobdir_create (in_root ("job"), &err);
    char name[128];

    assert_int_equal (jobdir_write_json (fd, &settings, &plain, &err), 0);
    (void)close (fd);
    (void)snprintf (name, sizeof (name), "job/.job.json.n1.%d", (int)getpid ());
    assert_int_equal (access (in_root (name), F_OK), -1);
}

#define TEST(F) cmocka_unit_test_setup_teardown (F, make_root, drop_root)

static void every_letter_of_a_path (void **state)
{
    struct jobinfo job = plain;
    char path[SETTING_TEXT_MAX];

    job.job_name = "a/b c";
    assert_int_equal (
        jobdir_expand ("dir", "/%u%h%w/%x-%j.%A_%a%%", &job, path, &err), 0);
    assert_string_equal (path, "/ada/home/ada/scratch/ada/a_b_c-4711.4711_0%");
    job.array_job_id = 4700;
    job.array_task_id = 3;
    assert_int_equal (jobdir_expand ("dir", "/%A_%a", &job, path, &err), 0);
    assert_string_equal (path, "/4700_3");
    assert_int_equal (jobdir_expand ("dir", "/%", &job, path, &err), -1);
    assert_int_equal (jobdir_expand ("dir", "/%N", &job, path, &err), -1);
    assert_non_null (strstr (err.text, "dir: "));
    assert_int_equal (jobdir_expand ("dir", "%j", &job, path, &err), -1);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        TEST (path_wants_absolute),
        TEST (path_wants_one_line),
        TEST (path_wants_known_placeholders),
        TEST (path_has_a_limit),
        TEST (create_refuses_links),
        TEST (create_refuses_a_linked_shards),
        TEST (create_refuses_files),
        TEST (create_refuses_strangers),
        TEST (every_letter_of_a_path),
        TEST (path_default),
        TEST (path_of_array_task),
        TEST (path_of_requeued_job),
        TEST (path_expands_the_root),
        TEST (path_cleans_the_job_name),
        TEST (path_of_job_dir_wins),
        TEST (host_is_a_component),
        TEST (create_makes_all_of_it),
        TEST (stages_are_marked_until_collected),
        TEST (json_is_written_once),
        TEST (json_escapes),
        TEST (json_leaves_no_temporary),
    };

    return tap_run (tests);
}
