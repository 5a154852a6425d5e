/* SPDX-License-Identifier: MIT
 *
 * spankwho.c - test of the plugin: who may say what, and who wins
 */
#include "lib/settings/marker.h"
#include "tests/unit/spankhost.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* -- submit side ------------------------------------------------------- */

static void submit_refuses_unknown_layers (void **state)
{
    static const char *const bad[] = {
        "posx",         "posix,",  "POSIX",          "",      "(null)",
        NULL,           ",posix",  "max_bytes=lots", "max=1", "job_dir=",
        "state_dir=/x", "posix,=", "posix,,app"};

    host.context = S_CTX_ALLOCATOR;
    assert_int_equal (host_call ("slurm_spank_init"), 0);
    for (size_t i = 0; i < sizeof (bad) / sizeof (bad[0]); i++) {
        host.said = 0;
        assert_int_equal (host_option (bad[i], 0), -1);
        assert_int_equal (host.said, 1);
    }
    assert_int_equal (host_option ("posx", 0), -1);
    assert_non_null (strstr (host.text, "posx"));
    assert_non_null (strstr (host.text, "mmap"));
    assert_int_equal (host.option.has_arg, 1);
}

static void submit_complains_of_the_variable (void **state)
{
    host.context = S_CTX_LOCAL;
    assert_int_equal (host_call ("slurm_spank_init"), 0);
    (void)setenv ("SLURM_DFTRACE", "posx", 1);
    assert_int_equal (host_call ("slurm_spank_init_post_opt"), -1);
    assert_non_null (strstr (host.text, "SLURM_DFTRACE"));
    (void)setenv ("SLURM_DFTRACE", "posix", 1);
    assert_int_equal (host_call ("slurm_spank_init_post_opt"), 0);
    (void)setenv ("SLURM_DFTRACE", "posx", 1);
    assert_int_equal (host_option ("app", 0), 0);
    assert_int_equal (host_call ("slurm_spank_init_post_opt"), 0);
}

/* -- who wins ---------------------------------------------------------- */

static void option_beats_variable_beats_site (void **state)
{
    host_site ("layers=%s", "mmap");
    assert_int_equal (host_run (NULL), 0);
    assert_string_equal (host_variable ("DFTRACE_LAYERS"), "mmap");
    host_set ("SLURM_DFTRACE", "app");
    assert_int_equal (host_run (NULL), 0);
    assert_string_equal (host_variable ("DFTRACE_LAYERS"), "app");
    host_set ("DFTRACE_LAYERS", "mmap"); /* says nothing here */
    assert_int_equal (host_run ("app,mmap"), 0);
    assert_string_equal (host_variable ("DFTRACE_LAYERS"), "app,mmap");
}

static void last_option_wins (void **state)
{
    assert_int_equal (host_call ("slurm_spank_init"), 0);
    assert_int_equal (host_option ("mmap", 1), 0);
    assert_int_equal (host_run ("app"), 0);
    assert_string_equal (host_variable ("DFTRACE_LAYERS"), "app");
}

static void off_silences (void **state)
{
    host_site ("layers=%s", "posix");
    host_set ("DFTRACE_LAYERS", "posix");
    host_set ("LD_PRELOAD", library);
    assert_int_equal (host_run ("off"), 0);
    assert_string_equal (host_variable ("DFTRACE_LAYERS"), "off");
    assert_false (path_exists (log_root));
}

/* Before 23.02.5 `--export=NONE` loses the option of the batch step. */
static void exported_option_is_a_fallback (void **state)
{
    host_set ("SLURM_SPANK__SLURM_SPANK_OPTION_dftrace_dftrace", "app");
    assert_int_equal (host_run (NULL), 0);
    assert_string_equal (host_variable ("DFTRACE_LAYERS"), "app");
}

static void runner_may_choose_the_directory (void **state)
{
    host_set ("DFTRACE_JOB", "4711");
    host_set ("DFTRACE_JOB_DIR", path_in (root, "run/trace"));
    assert_int_equal (host_run ("posix"), 0);
    assert_traced (path_in (root, "run/trace"));
    assert_true (path_exists (path_in (root, "run/trace/job.json")));
}

static void directory_of_another_job_is_not_ours (void **state)
{
    host_set ("DFTRACE_JOB", "42");
    host_set ("DFTRACE_JOB_DIR", path_in (root, "theirs"));
    assert_int_equal (host_run ("posix"), 0);
    assert_traced (path_in (log_root, "train-4711"));
    assert_false (path_exists (path_in (root, "theirs")));
}

/* A step that is started from outside finds the job's directory in root's
 * marker, unless it is given one; that a value has "dir=" in it gives none. */
static void steps_from_outside_join (void **state)
{
    static struct marker_line line;
    char text[128];

    line = (struct marker_line){.uid = 1000, .limit_ms = 1, .weight = 1};
    line.dir = path_in (root, "first");
    line.stage = "";
    assert_int_equal (marker_add (state_dir, host.job, "n1", &line, NULL), 0);
    assert_int_equal (host_run ("posix,points=/workdir=x,include=/root=y"), 0);
    assert_traced (path_in (root, "first"));
    (void)snprintf (text, sizeof (text), "posix,job_dir=%s/mine", root);
    assert_int_equal (host_run (text), 0);
    assert_traced (path_in (root, "mine"));
}

static void trace_of_another_job_ends_here (void **state)
{
    host_set ("DFTRACE_JOB", "42");
    host_set ("DFTRACE_JOB_DIR", path_in (root, "theirs"));
    host_set ("DFTRACE_LAYERS", "posix");
    host_set ("LD_PRELOAD", library);
    assert_int_equal (host_run (NULL), 0);
    assert_string_equal (host_variable ("DFTRACE_LAYERS"), "off");
    assert_null (host_variable ("DFTRACE_JOB_DIR"));
}

static void users_do_not_choose_the_state_dir (void **state)
{
    host_set ("DFTRACE_STATE_DIR", path_in (root, "mine"));
    assert_int_equal (host_run ("posix"), 0);
    assert_false (path_exists (path_in (root, "mine")));
    assert_true (path_exists (path_in (state_dir, "4711.n1")));
}

/* -- KEY=VALUE --------------------------------------------------------- */

static void option_takes_settings (void **state)
{
    char want[128];

    host_set ("DFTRACE_MAX_BYTES", "1M");
    host_set ("DFTRACE_MIN_SIZE", "7");
    (void)snprintf (want, sizeof (want),
                    "posix,job_dir=%s/%%x-%%j,max_bytes=2G", root);
    assert_int_equal (host_run (want), 0);
    assert_traced (path_in (root, "train-4711"));
    assert_string_equal (host_variable ("DFTRACE_MAX_BYTES"), "2147483648");
    assert_string_equal (host_variable ("DFTRACE_MIN_SIZE"), "7");
    assert_string_equal (host_variable ("DFTRACE_LAYERS"), "posix");
}

static void a_second_life_keeps_off_dir (void **state)
{
    char text[128];

    host.restart = 1;
    (void)snprintf (text, sizeof (text), "posix,job_dir=%s/here", root);
    assert_int_equal (host_run (text), 0);
    assert_traced (path_in (root, "here.r1"));
}

static void settings_alone_mean_the_usual_layers (void **state)
{
    assert_int_equal (host_run ("max_bytes=2G"), 0);
    assert_string_equal (host_variable ("DFTRACE_LAYERS"), "posix,app");
    host_set ("SLURM_DFTRACE", "mmap");
    assert_int_equal (host_run ("max_bytes=2G"), 0);
    assert_string_equal (host_variable ("DFTRACE_LAYERS"), "mmap");
}

static void strict_alone_means_the_usual_layers (void **state)
{
    host_site ("layers=%s", "mmap");
    assert_int_equal (host_run ("strict"), 0);
    assert_string_equal (host_variable ("DFTRACE_LAYERS"), "mmap,strict");
}

static void unknown_letters_run_untraced (void **state)
{
    assert_int_equal (host_run ("posix,job_dir=/x/%y"), 0);
    assert_untraced ();
    assert_int_equal (host.said, 1);
    assert_non_null (strstr (host.text, "%y"));
}

static void stage_is_made_and_told (void **state)
{
    char text[128], marker[4096] = "";
    int fd;

    (void)snprintf (text, sizeof (text), "posix,stage=%s/local", root);
    assert_int_equal (host_run (text), 0);
    assert_string_equal (host_variable ("DFTRACE_STAGE"),
                         path_in (root, "local/train-4711.4711.n1.0"));
    assert_string_equal (host_variable ("DFTRACE_JOB_DIR"),
                         path_in (log_root, "train-4711"));
    assert_true (
        path_exists (path_in (root, "local/train-4711.4711.n1.0/shards")));
    fd = open (path_in (state_dir, "4711.n1"), O_RDONLY);
    assert_true (read (fd, marker, sizeof (marker) - 1) > 0);
    (void)close (fd);
    assert_non_null (strstr (marker, "\t"));
    assert_non_null (strstr (marker, "local/train-4711.4711.n1"));
    /* a step that the traced shell starts */
    host.step = 7;
    assert_int_equal (host_run ("posix"), 0);
    assert_string_equal (host_variable ("DFTRACE_STAGE"),
                         path_in (root, "local/train-4711.4711.n1.7"));
    (void)setenv ("SLURMD_NODENAME", "n2", 1);
    assert_int_equal (host_run ("posix"), 0);
    assert_string_equal (host_variable ("DFTRACE_STAGE"),
                         path_in (root, "local/train-4711.4711.n2.7"));
}

/* -- the site ---------------------------------------------------------- */

static void conf (const char *text)
{
    static char path[128];
    int fd;

    (void)snprintf (path, sizeof (path), "%s", path_in (root, "site.conf"));
    fd = open (path, O_CREAT | O_TRUNC | O_WRONLY, 0644);
    assert_int_equal (write (fd, text, strlen (text)), strlen (text));
    (void)close (fd);
    host_site ("conf=%s", path);
}

static void rules_choose_by_job (void **state)
{
    conf ("layers = app\n"
          "rule = partition=debug layers=off\n"
          "rule = account=ml,bio* nodes=1-4 layers=posix,mmap # few\n");
    host_set ("SLURM_JOB_PARTITION", "debug");
    assert_int_equal (host_run (NULL), 0);
    assert_untraced ();
    assert_int_equal (host_run ("mmap"), 0);
    assert_string_equal (host_variable ("DFTRACE_LAYERS"), "mmap");
    host_set ("SLURM_JOB_PARTITION", "gpu");
    host_set ("SLURM_JOB_ACCOUNT", "biology");
    assert_int_equal (host_run (NULL), 0);
    assert_string_equal (host_variable ("DFTRACE_LAYERS"), "posix,mmap");
    host_set ("SLURM_JOB_ACCOUNT", "geo");
    assert_int_equal (host_run (NULL), 0);
    assert_string_equal (host_variable ("DFTRACE_LAYERS"), "app");
}

static void words_of_the_line_beat_the_file (void **state)
{
    conf ("layers = app\nlog_root = /proc/none\n");
    assert_int_equal (host_run (NULL), 0);
    assert_traced (path_in (log_root, "train-4711"));
}

static void samples_are_the_same_everywhere (void **state)
{
    int traced = 0;

    host_site ("layers=%s", "posix");
    host_site ("sample=%s", "4");
    for (host.job = 1; host.job <= 400; host.job++) {
        int before, after;

        (void)host_run (NULL);
        before = host_variable ("LD_PRELOAD") != NULL;
        memset (host.name, 0, sizeof (host.name));
        (void)host_run (NULL);
        after = host_variable ("LD_PRELOAD") != NULL;
        assert_int_equal (before, after);
        traced += after;
        memset (host.name, 0, sizeof (host.name));
    }
    assert_true (traced >= 80 && traced <= 120);
    /* who asks is traced */
    for (host.job = 1; host.job <= 20; host.job++) {
        assert_int_equal (host_run ("posix"), 0);
        assert_non_null (host_variable ("LD_PRELOAD"));
        memset (host.name, 0, sizeof (host.name));
    }
}

static void components_of_a_het_job_share (void **state)
{
    host.job = 4712;
    host_set ("SLURM_HET_JOB_ID", "4711");
    assert_int_equal (host_run ("posix"), 0);
    assert_traced (path_in (log_root, "train-4711"));
    assert_true (path_exists (path_in (state_dir, "4712.n1")));
}

static void a_broken_file_is_for_slurmd (void **state)
{
    conf ("log_rot = /x\nrule = partitoin=gpu\nsample = often\nwhat\n"
          "conf = /y\n\n# fine\n  \n");
    assert_int_equal (host_run ("posix"), 0);
    assert_traced (path_in (log_root, "train-4711"));
    host.context = S_CTX_SLURMD;
    assert_int_equal (host_call ("slurm_spank_init"), 0);
    assert_int_equal (host.said, 5);
    assert_non_null (strstr (host.text, "site.conf:5"));
}

/* A task of its own process; the next ones are, too. 0: it is traced. */
static int run_task (int local_task)
{
    pid_t pid = fork ();
    int status;

    if (pid == 0) {
        const char *list;

        host.local_task = local_task;
        if (host_call ("slurm_spank_task_init_privileged") != 0 ||
            host_call ("slurm_spank_task_init") != 0)
            _exit (2);
        list = host_variable ("LD_PRELOAD");
        _exit (!list || strcmp (list, library) != 0);
    }
    assert_int_equal (waitpid (pid, &status, 0), pid);
    return WIFEXITED (status) ? WEXITSTATUS (status) : -1;
}

static void begin_step (uint32_t tasks)
{
    host.tasks_here = tasks;
    assert_int_equal (host_call ("slurm_spank_init"), 0);
    assert_int_equal (host_option ("posix", 1), 0);
    assert_int_equal (host_call ("slurm_spank_init_post_opt"), 0);
    assert_int_equal (host_call ("slurm_spank_user_init"), 0);
}

/* Whichever it is. */
static void the_first_task_looks_for_all (void **state)
{
    begin_step (3);
    assert_int_equal (run_task (1), 0);
    assert_int_equal (unlink (library), 0);
    assert_int_equal (run_task (0), 0);
    assert_int_equal (run_task (2), 0);
    begin_step (3);
    assert_int_equal (run_task (0), 1);
    assert_int_equal (run_task (1), 1);
}

/* The counts of programs that cannot be traced are of tasks. */
static void each_task_is_noted (void **state)
{
    char text[4096];
    int fd, lines = 0;
    ssize_t n;

    host_static_program ();
    begin_step (3);
    assert_int_equal (run_task (0), 0);
    assert_int_equal (run_task (1), 0);
    fd = open (path_in (log_root, "train-4711/shards/processes.n1"), O_RDONLY);
    n = read (fd, text, sizeof (text));
    (void)close (fd);
    for (ssize_t i = 0; i < n; i++)
        lines += text[i] == '\n';
    assert_int_equal (lines, 3);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        TEST (submit_refuses_unknown_layers),
        TEST (submit_complains_of_the_variable),
        TEST (option_beats_variable_beats_site),
        TEST (last_option_wins),
        TEST (off_silences),
        TEST (exported_option_is_a_fallback),
        TEST (runner_may_choose_the_directory),
        TEST (directory_of_another_job_is_not_ours),
        TEST (steps_from_outside_join),
        TEST (trace_of_another_job_ends_here),
        TEST (users_do_not_choose_the_state_dir),
        TEST (option_takes_settings),
        TEST (a_second_life_keeps_off_dir),
        TEST (settings_alone_mean_the_usual_layers),
        TEST (strict_alone_means_the_usual_layers),
        TEST (unknown_letters_run_untraced),
        TEST (stage_is_made_and_told),
        TEST (rules_choose_by_job),
        TEST (words_of_the_line_beat_the_file),
        TEST (samples_are_the_same_everywhere),
        TEST (components_of_a_het_job_share),
        TEST (a_broken_file_is_for_slurmd),
        TEST (the_first_task_looks_for_all),
        TEST (each_task_is_noted),
    };

    return tap_run (tests);
}
