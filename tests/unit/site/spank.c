/* SPDX-License-Identifier: MIT
 *
 * spank.c - test of the plugin: never in the way, what is traced
 */
#include "tests/unit/spankhost.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/settings/marker.h"

/* -- never in the way -------------------------------------------------- */

static void untraced_without_the_library (void **state)
{
    assert_int_equal (unlink (library), 0);
    assert_int_equal (host_run ("posix"), 0);
    assert_untraced ();
    assert_int_equal (host.said, 1);
    assert_non_null (strstr (host.text, library));
}

static void untraced_with_a_library_that_is_none (void **state)
{
    assert_int_equal (truncate (library, 0), 0);
    assert_int_equal (host_run ("posix"), 0);
    assert_untraced ();
    assert_int_equal (host.said, 1);
}

static void a_static_program_is_noted (void **state)
{
    char dir[256];

    host_static_program ();
    assert_int_equal (host_run ("posix"), 0);
    (void)snprintf (dir, sizeof (dir), "%s/shards/processes.n1",
                    host_variable ("DFTRACE_JOB_DIR"));
    assert_true (path_exists (dir));
    host.argv[0] = library; /* not to be executed */
    (void)unlink (dir);
    assert_int_equal (host_run ("posix"), 0);
    assert_false (path_exists (dir));
}

/* This process is no slurmstepd, so that nobody is asked after a TaskProlog. */
static void a_task_that_a_taskprolog_may_change_is_noted (void **state)
{
    static char shell[] = "/bin/sh";
    char path[256], line[512] = "", want[64];
    FILE *f;

    host.argv[0] = shell;
    assert_int_equal (host_run ("posix"), 0);
    (void)snprintf (path, sizeof (path), "%s/shards/processes.n1",
                    host_variable ("DFTRACE_JOB_DIR"));
    assert_non_null (f = fopen (path, "r"));
    assert_non_null (fgets (line, sizeof (line), f));
    (void)fclose (f);
    (void)snprintf (want, sizeof (want), "untraced %d /", (int)getpid ());
    assert_int_equal (strncmp (line, want, strlen (want)), 0);
    assert_non_null (strstr (line, " environment @"));
}

static void untraced_without_a_log_root (void **state)
{
    host_set ("DFTRACE_LOG_ROOT", "/proc/none");
    assert_int_equal (host_run ("posix"), 0);
    assert_untraced ();
    assert_int_equal (host.said, 1);
    assert_non_null (strstr (host.text, "/proc/none"));
}

static void nobody_forges_a_line (void **state)
{
    host_set ("DFTRACE_LOG_ROOT", "/proc/none\n\x1b[2Jslurmd: forged");
    assert_int_equal (host_run ("posix"), 0);
    assert_int_equal (host.said, 1);
    assert_null (strpbrk (host.text, "\n\x1b"));
}

static void only_the_first_task_speaks (void **state)
{
    host.local_task = 1;
    assert_int_equal (unlink (library), 0);
    assert_int_equal (host_run ("posix"), 0);
    assert_untraced ();
    assert_int_equal (host.said, 0);
}

static void untraced_with_a_layer_of_tomorrow (void **state)
{
    assert_int_equal (host_run ("posix,gpu"), 0);
    assert_untraced ();
    assert_int_equal (host.said, 1);
    assert_non_null (strstr (host.text, "gpu"));
}

static void untraced_with_a_bad_setting (void **state)
{
    host_set ("DFTRACE_CHUNK", "lots");
    assert_int_equal (host_run ("posix"), 0);
    assert_untraced ();
    assert_non_null (strstr (host.text, "DFTRACE_CHUNK"));
}

static void traced_without_a_state_dir (void **state)
{
    host_site ("state_dir=%s", "/proc/none");
    assert_int_equal (host_run ("posix"), 0);
    assert_traced (path_in (log_root, "train-4711"));
}

static void strict_ends_the_task (void **state)
{
    int status = 0;
    pid_t pid;

    assert_int_equal (unlink (library), 0);
    pid = fork ();
    if (pid == 0) {
        (void)host_run ("posix,strict");
        _exit (0);
    }
    assert_int_equal (waitpid (pid, &status, 0), pid);
    assert_true (WIFEXITED (status));
    assert_int_equal (WEXITSTATUS (status), 1);
}

static void unknown_site_key_is_for_slurmd (void **state)
{
    host_site ("log_rot=%s", "/x");
    assert_int_equal (host_run ("posix"), 0);
    assert_traced (path_in (log_root, "train-4711"));
    host.context = S_CTX_SLURMD;
    assert_int_equal (host_call ("slurm_spank_init"), 0);
    assert_int_equal (host.said, 1);
    assert_non_null (strstr (host.text, "log_root"));
}

/* -- what is traced ---------------------------------------------------- */

static void nobody_asked (void **state)
{
    assert_int_equal (host_run (NULL), 0);
    assert_untraced ();
    assert_int_equal (host.said, 0);
    assert_false (path_exists (log_root));
    assert_false (path_exists (state_dir));
}

static void a_step_is_traced (void **state)
{
    assert_int_equal (host_run ("posix,app"), 0);
    assert_traced (path_in (log_root, "train-4711"));
    assert_string_equal (host_variable ("DFTRACE_LAYERS"), "posix,app");
    assert_true (path_exists (path_in (log_root, "train-4711/job.json")));
    assert_true (
        path_exists (path_in (log_root, "train-4711/shards/started.n1")));
    assert_true (path_exists (path_in (state_dir, "4711.n1")));
    assert_null (host_variable ("DFTRACE_STATE_DIR"));
}

static void existing_preloads_stay (void **state)
{
    char want[256];

    host_set ("LD_PRELOAD", "/a.so:/b.so");
    assert_int_equal (host_run ("posix"), 0);
    (void)snprintf (want, sizeof (want), "%s:/a.so:/b.so", library);
    assert_string_equal (host_variable ("LD_PRELOAD"), want);
    assert_int_equal (host_run (NULL), 0); /* a step started by a traced one */
    assert_string_equal (host_variable ("LD_PRELOAD"), want);
}

static void containers_see_what_they_need (void **state)
{
    char want[512];

    assert_int_equal (host_run ("posix"), 0);
    assert_null (host_variable ("APPTAINER_BIND"));
    host_site ("container_bind=%s", "1");
    host_set ("APPTAINER_BIND", "/data");
    assert_int_equal (host_run ("posix"), 0);
    (void)snprintf (want, sizeof (want), "/data,%s:%s:ro,%s", root, root,
                    host_variable ("DFTRACE_JOB_DIR"));
    assert_string_equal (host_variable ("APPTAINER_BIND"), want);
    assert_string_equal (host_variable ("SINGULARITY_BIND"), want + 6);
    assert_int_equal (host_run ("posix"), 0); /* once */
    assert_string_equal (host_variable ("APPTAINER_BIND"), want);
}

static void app_has_a_python_path (void **state)
{
    char python[96], want[128];
    int fd;

    (void)snprintf (python, sizeof (python), "%s/py", root);
    host_site ("python=%s", python);
    host_set ("PYTHONPATH", "/mine");
    assert_int_equal (host_run ("app"), 0); /* there is no such directory */
    assert_string_equal (host_variable ("PYTHONPATH"), "/mine");
    assert_int_equal (mkdir (python, 0755), 0);
    fd = open (path_in (python, "sitecustomize.py"), O_CREAT | O_WRONLY, 0644);
    assert_true (fd >= 0 && close (fd) == 0);
    assert_int_equal (host_run ("posix"), 0);
    assert_string_equal (host_variable ("PYTHONPATH"), "/mine");
    assert_int_equal (host_run ("posix,app"), 0);
    (void)snprintf (want, sizeof (want), "%s:/mine", python);
    assert_string_equal (host_variable ("PYTHONPATH"), want);
    assert_int_equal (host_run ("posix,app"), 0);
    assert_string_equal (host_variable ("PYTHONPATH"), want);
}

static void array_tasks_have_their_own (void **state)
{
    host.array_job = 4700;
    host.array_task = 3;
    host.restart = 1;
    assert_int_equal (host_run ("posix"), 0);
    assert_traced (path_in (log_root, "train-4700_3.r1"));
}

/* In batch jobs of Slurm 22.05 the item is 0, and the variable is there only
 * in task_init. */
static void a_second_life_has_its_own (void **state)
{
    host.step = SLURM_BATCH_SCRIPT;
    assert_int_equal (host_call ("slurm_spank_init"), 0);
    assert_int_equal (host_option ("posix", 1), 0);
    assert_int_equal (host_call ("slurm_spank_init_post_opt"), 0);
    assert_int_equal (host_call ("slurm_spank_user_init"), 0);
    assert_int_equal (host_call ("slurm_spank_task_init_privileged"), 0);
    host_set ("SLURM_RESTART_COUNT", "2");
    assert_int_equal (host_call ("slurm_spank_task_init"), 0);
    assert_string_equal (host_variable ("DFTRACE_JOB_DIR"),
                         path_in (log_root, "train-4711.r2"));
}

/* Two jobs in one directory would be read as one. */
static void jobs_in_one_directory_are_kept_apart (void **state)
{
    char option[200];

    (void)snprintf (option, sizeof (option), "posix,job_dir=%s/one", log_root);
    assert_int_equal (host_run (option), 0);
    assert_traced (path_in (log_root, "one"));
    assert_int_equal (host.said, 0);
    assert_int_equal (host_run (option), 0); /* another step of it */
    assert_string_equal (host_variable ("DFTRACE_JOB_DIR"),
                         path_in (log_root, "one"));
    host_set ("DFTRACE_JOB_DIR", "");
    host.job = 4712;
    assert_int_equal (host_run (option), 0);
    assert_int_equal (host.said, 1);
    host.said = 0;
    assert_traced (path_in (log_root, "one-4712"));
    assert_non_null (strstr (host.text, "one-4712"));
    host_set ("DFTRACE_JOB_DIR", "");
    host.job = 4713;
    host.array_job = 4700;
    host.array_task = 3;
    assert_int_equal (host_run (option), 0);
    assert_int_equal (host.said, 1);
    host.said = 0;
    assert_traced (path_in (log_root, "one-4700_3"));
}

static void batch_scripts_are_traced (void **state)
{
    host.step = SLURM_BATCH_SCRIPT;
    assert_int_equal (host_run ("posix,app"), 0);
    assert_traced (path_in (log_root, "train-4711"));
    assert_string_equal (host_variable ("DFTRACE_LAYERS"), "posix,app");
    assert_true (path_exists (path_in (state_dir, "4711.n1")));
}

static void the_old_word_batch_goes_on_working (void **state)
{
    host.step = SLURM_INTERACTIVE_STEP;
    assert_int_equal (host_run ("posix,batch"), 0);
    assert_traced (path_in (log_root, "train-4711"));
    assert_string_equal (host_variable ("DFTRACE_LAYERS"), "posix");
}

static void nobatch_only_tells_shells (void **state)
{
    host.step = SLURM_BATCH_SCRIPT;
    host_site ("min_size=%s", "7");
    assert_int_equal (host_run ("posix,nobatch"), 0);
    assert_untraced ();
    assert_string_equal (host_variable ("DFTRACE_JOB_DIR"),
                         path_in (log_root, "train-4711"));
    assert_string_equal (host_variable ("DFTRACE_MIN_SIZE"), "7");
    assert_false (path_exists (log_root));
    assert_false (path_exists (state_dir));
    host.step = 0;
    assert_int_equal (host_run ("posix,nobatch"), 0);
    assert_traced (path_in (log_root, "train-4711"));
}

/* Of a batch script only: steps of srun write into pipes. */
static void a_batch_script_knows_its_output (void **state)
{
    int out = dup (1), errors = dup (2);
    char want[96];
    int fd;

    host.step = SLURM_BATCH_SCRIPT;
    (void)snprintf (want, sizeof (want), "%s/slurm.out", root);
    (void)fflush (NULL);
    fd = open (want, O_CREAT | O_WRONLY, 0600);
    assert_true (fd >= 0 && dup2 (fd, 1) == 1 && dup2 (fd, 2) == 2);
    (void)host_run ("posix");
    (void)fflush (NULL);
    assert_true (dup2 (out, 1) == 1 && dup2 (errors, 2) == 2);
    assert_string_equal (host_variable ("DFTRACE_OUTPUT"), want);
    (void)close (fd);
    (void)close (out);
    (void)close (errors);
}

static void extern_steps_are_left_alone (void **state)
{
    host.step = SLURM_EXTERN_CONT;
    assert_int_equal (host_run ("posix"), 0);
    assert_untraced ();
    assert_null (host_variable ("DFTRACE_JOB_DIR"));
    assert_false (path_exists (state_dir));
}

/* Its end takes the job's /tmp away, where others may still collect. */
static void extern_steps_end_last (void **state)
{
    const struct marker_line line = {1000, 100, NULL, 1, 1, "/a", "/tmp"};
    const char *done = path_in (root, "done");
    int ready[2], status;
    char byte;
    pid_t pid;

    host.step = SLURM_EXTERN_CONT;
    assert_int_equal (host_call ("slurm_spank_init"), 0);
    assert_int_equal (host_call ("slurm_spank_exit"), 0);
    assert_int_equal (marker_add (state_dir, host.job, "n1", &line, NULL), 0);
    assert_int_equal (pipe (ready), 0);
    pid = fork ();
    if (pid == 0) {
        if (marker_hold (state_dir, host.job, "n1") < 0 ||
            write (ready[1], "x", 1) != 1)
            _exit (1);
        (void)usleep (100 * 1000);
        _exit (mkdir (done, 0700) < 0);
    }
    assert_int_equal (read (ready[0], &byte, 1), 1);
    assert_int_equal (host_call ("slurm_spank_exit"), 0);
    assert_true (path_exists (done));
    assert_int_equal (waitpid (pid, &status, 0), pid);
    assert_int_equal (status, 0);
    (void)close (ready[0]);
    (void)close (ready[1]);
}

/* What its own tasks have staged is none of a step's business by then. */
static void other_steps_do_not_wait (void **state)
{
    const struct marker_line line = {1000, 100, NULL, 1, 1, "/a", "/tmp"};
    int fd;

    assert_int_equal (host_call ("slurm_spank_init"), 0);
    assert_int_equal (marker_add (state_dir, host.job, "n1", &line, NULL), 0);
    fd = marker_hold (state_dir, host.job, "n1");
    assert_true (fd >= 0);
    assert_int_equal (host_call ("slurm_spank_exit"), 0);
    host.step = SLURM_EXTERN_CONT;
    host.context = S_CTX_LOCAL;
    assert_int_equal (host_call ("slurm_spank_exit"), 0);
    (void)close (fd);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        TEST (untraced_without_the_library),
        TEST (untraced_with_a_library_that_is_none),
        TEST (a_static_program_is_noted),
        TEST (a_task_that_a_taskprolog_may_change_is_noted),
        TEST (untraced_without_a_log_root),
        TEST (nobody_forges_a_line),
        TEST (only_the_first_task_speaks),
        TEST (untraced_with_a_layer_of_tomorrow),
        TEST (untraced_with_a_bad_setting),
        TEST (traced_without_a_state_dir),
        TEST (strict_ends_the_task),
        TEST (unknown_site_key_is_for_slurmd),
        TEST (nobody_asked),
        TEST (a_step_is_traced),
        TEST (existing_preloads_stay),
        TEST (containers_see_what_they_need),
        TEST (app_has_a_python_path),
        TEST (array_tasks_have_their_own),
        TEST (a_second_life_has_its_own),
        TEST (jobs_in_one_directory_are_kept_apart),
        TEST (batch_scripts_are_traced),
        TEST (the_old_word_batch_goes_on_working),
        TEST (nobatch_only_tells_shells),
        TEST (a_batch_script_knows_its_output),
        TEST (extern_steps_are_left_alone),
        TEST (extern_steps_end_last),
        TEST (other_steps_do_not_wait),
    };

    return tap_run (tests);
}
