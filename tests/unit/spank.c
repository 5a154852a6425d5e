/* SPDX-License-Identifier: MIT
 *
 * spank.c - test of the plugin without Slurm: this program is its host
 *
 * In:  spank/.libs/dftrace.so of the build tree, by dlopen
 * Out: TAP
 * Caveat: linked with -export-dynamic; the plugin finds spank_setenv and
 *         friends here. One step of one task at a time.
 */
#include "tests/unit/tap.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spank/spank_api.h"

enum { VARIABLES_MAX = 64, TEXT_MAX = 8192 };

/* -- what Slurm would know --------------------------------------------- */

static struct host {
    enum spank_context context;
    uint32_t step, array_job, array_task, restart;
    int local_task;
    char name[VARIABLES_MAX][64];
    char value[VARIABLES_MAX][TEXT_MAX];
    struct spank_option option;
    int said; /* lines to the user */
    char text[TEXT_MAX];
} host;

static char root[64], library[96], state_dir[96], log_root[96];

static int find (const char *name)
{
    for (int i = 0; i < VARIABLES_MAX; i++)
        if (strcmp (host.name[i], name) == 0)
            return i;
    return -1;
}

static const char *variable (const char *name)
{
    int i = find (name);

    return i < 0 ? NULL : host.value[i];
}

static void set (const char *name, const char *value)
{
    int i = find (name) < 0 ? find ("") : find (name);

    assert_true (i >= 0);
    (void)snprintf (host.name[i], sizeof (host.name[i]), "%s", name);
    (void)snprintf (host.value[i], sizeof (host.value[i]), "%s", value);
}

#pragma GCC visibility push(default)

spank_context_t spank_context (void)
{
    return host.context;
}

spank_err_t spank_option_register (spank_t sp, struct spank_option *opt)
{
    host.option = *opt;
    return ESPANK_SUCCESS;
}

spank_err_t spank_getenv (spank_t sp, const char *var, char *buf, int len)
{
    const char *value = variable (var);

    if (!value)
        return ESPANK_ENV_NOEXIST;
    (void)snprintf (buf, (size_t)len, "%s", value);
    return strlen (value) < (size_t)len ? ESPANK_SUCCESS : ESPANK_NOSPACE;
}

spank_err_t
spank_setenv (spank_t sp, const char *var, const char *val, int overwrite)
{
    if (overwrite || !variable (var))
        set (var, val);
    return ESPANK_SUCCESS;
}

spank_err_t spank_unsetenv (spank_t sp, const char *var)
{
    int i = find (var);

    if (i >= 0)
        host.name[i][0] = '\0';
    return ESPANK_SUCCESS;
}

spank_err_t spank_get_item (spank_t sp, spank_item_t item, ...)
{
    va_list ap;
    uint32_t *out;

    va_start (ap, item);
    out = va_arg (ap, uint32_t *); /* all that are asked for have 32 bits */
    va_end (ap);
    switch (item) {
    case S_JOB_ID:
        *out = 4711;
        break;
    case S_JOB_STEPID:
        *out = host.step;
        break;
    case S_JOB_NNODES:
        *out = 1;
        break;
    case S_JOB_UID:
        *out = 1000;
        break;
    case S_JOB_GID:
        *out = 100;
        break;
    case S_JOB_ARRAY_ID:
        *out = host.array_job;
        break;
    case S_JOB_ARRAY_TASK_ID:
        *out = host.array_task;
        break;
    case S_SLURM_RESTART_COUNT:
        *out = host.restart;
        break;
    case S_TASK_ID:
        *out = (uint32_t)host.local_task;
        break;
    default:
        return ESPANK_NOT_AVAIL;
    }
    return ESPANK_SUCCESS;
}

static void say (const char *fmt, va_list ap)
{
    host.said++;
    (void)vsnprintf (host.text, sizeof (host.text), fmt, ap);
}

#define SAYS(F)                   \
    void F (const char *fmt, ...) \
    {                             \
        va_list ap;               \
        va_start (ap, fmt);       \
        say (fmt, ap);            \
        va_end (ap);              \
    }
SAYS (slurm_error)
SAYS (slurm_spank_log)

void slurm_info (const char *fmt, ...)
{
}

#pragma GCC visibility pop

/* -- the plugin -------------------------------------------------------- */

typedef int (*callback_f) (spank_t, int, char **);

static void *plugin;
static char *site[8];
static int nsite;

static int call (const char *name)
{
    callback_f f;

    *(void **)&f = dlsym (plugin, name);
    assert_non_null (f);
    return f (NULL, nsite, site);
}

static void site_key (const char *fmt, const char *value)
{
    static char text[8][256];

    (void)snprintf (text[nsite], sizeof (text[0]), fmt, value);
    site[nsite] = text[nsite];
    nsite++;
}

static int load (void **state)
{
    char path[4096];
    const char *top = getenv ("top_builddir");
    int fd;

    memset (&host, 0, sizeof (host));
    host.context = S_CTX_REMOTE;
    host.array_task = NO_VAL;
    (void)snprintf (root, sizeof (root), "/tmp/dftrace-spank.XXXXXX");
    if (!mkdtemp (root))
        return -1;
    (void)snprintf (library, sizeof (library), "%s/pre.so", root);
    (void)snprintf (state_dir, sizeof (state_dir), "%s/state", root);
    (void)snprintf (log_root, sizeof (log_root), "%s/logs", root);
    fd = open (library, O_CREAT | O_WRONLY, 0600);
    if (write (fd, "\177ELF", 4) != 4 || close (fd) < 0)
        return -1;
    nsite = 0;
    site_key ("preload=%s", library);
    site_key ("state_dir=%s", state_dir);
    site_key ("log_root=%s", log_root);
    set ("SLURM_JOB_NAME", "train");
    set ("SLURM_SUBMIT_DIR", root);
    (void)setenv ("SLURMD_NODENAME", "n1", 1);
    (void)unsetenv ("SLURM_DFTRACE");
    (void)snprintf (path, sizeof (path), "%s/spank/.libs/dftrace.so",
                    top ? top : ".");
    plugin = dlopen (path, RTLD_NOW | RTLD_LOCAL);
    if (!plugin)
        (void)fprintf (stderr, "# %s\n", dlerror ());
    return plugin ? 0 : -1;
}

static int unload (void **state)
{
    const char *argv[] = {"rm", "-rf", root, NULL};
    pid_t pid;

    (void)dlclose (plugin);
    pid = fork ();
    if (pid == 0) {
        (void)execvp (argv[0], (char *const *)argv);
        _exit (127);
    }
    return waitpid (pid, NULL, 0) == pid ? 0 : -1;
}

static int option (const char *text, int remote)
{
    return host.option.cb (0, text, remote);
}

/* All callbacks of a task, as slurmstepd would; layers may be NULL. */
static int run_task (const char *layers)
{
    assert_int_equal (call ("slurm_spank_init"), 0);
    if (layers)
        assert_int_equal (option (layers, 1), 0);
    assert_int_equal (call ("slurm_spank_init_post_opt"), 0);
    assert_int_equal (call ("slurm_spank_task_init_privileged"), 0);
    return call ("slurm_spank_task_init");
}

static const char *in (const char *dir, const char *name)
{
    static char path[4][512];
    static int next;

    next = (next + 1) % 4;
    (void)snprintf (path[next], sizeof (path[0]), "%s/%s", dir, name);
    return path[next];
}

static int exists (const char *path)
{
    struct stat st;

    return lstat (path, &st) == 0;
}

static void assert_untraced (void)
{
    assert_null (variable ("LD_PRELOAD"));
    assert_null (variable ("DFTRACE_LAYERS"));
}

static void assert_traced (const char *dir)
{
    assert_string_equal (variable ("LD_PRELOAD"), library);
    assert_string_equal (variable ("DFTRACE_JOB_DIR"), dir);
    assert_int_equal (host.said, 0);
}

/* -- submit side ------------------------------------------------------- */

static void submit_refuses_unknown_layers (void **state)
{
    static const char *const bad[] = {"posx", "posix,", "POSIX",
                                      "",     "(null)", NULL};

    host.context = S_CTX_ALLOCATOR;
    assert_int_equal (call ("slurm_spank_init"), 0);
    for (size_t i = 0; i < sizeof (bad) / sizeof (bad[0]); i++) {
        host.said = 0;
        assert_int_equal (option (bad[i], 0), -1);
        assert_int_equal (host.said, 1);
    }
    assert_int_equal (option ("posx", 0), -1);
    assert_non_null (strstr (host.text, "posx"));
    assert_non_null (strstr (host.text, "mmap"));
    assert_int_equal (host.option.has_arg, 1);
}

static void submit_complains_of_the_variable (void **state)
{
    host.context = S_CTX_LOCAL;
    assert_int_equal (call ("slurm_spank_init"), 0);
    (void)setenv ("SLURM_DFTRACE", "posx", 1);
    assert_int_equal (call ("slurm_spank_init_post_opt"), -1);
    assert_non_null (strstr (host.text, "SLURM_DFTRACE"));
    (void)setenv ("SLURM_DFTRACE", "posix", 1);
    assert_int_equal (call ("slurm_spank_init_post_opt"), 0);
    (void)setenv ("SLURM_DFTRACE", "posx", 1);
    assert_int_equal (option ("app", 0), 0);
    assert_int_equal (call ("slurm_spank_init_post_opt"), 0);
}

/* -- never in the way -------------------------------------------------- */

static void untraced_without_the_library (void **state)
{
    assert_int_equal (unlink (library), 0);
    assert_int_equal (run_task ("posix"), 0);
    assert_untraced ();
    assert_int_equal (host.said, 1);
    assert_non_null (strstr (host.text, library));
}

static void untraced_with_a_library_that_is_none (void **state)
{
    assert_int_equal (truncate (library, 0), 0);
    assert_int_equal (run_task ("posix"), 0);
    assert_untraced ();
    assert_int_equal (host.said, 1);
}

static void untraced_without_a_log_root (void **state)
{
    set ("DFTRACE_LOG_ROOT", "/proc/none");
    assert_int_equal (run_task ("posix"), 0);
    assert_untraced ();
    assert_int_equal (host.said, 1);
    assert_non_null (strstr (host.text, "/proc/none"));
}

static void only_the_first_task_speaks (void **state)
{
    host.local_task = 1;
    assert_int_equal (unlink (library), 0);
    assert_int_equal (run_task ("posix"), 0);
    assert_untraced ();
    assert_int_equal (host.said, 0);
}

static void untraced_with_a_layer_of_tomorrow (void **state)
{
    assert_int_equal (run_task ("posix,gpu"), 0);
    assert_untraced ();
    assert_int_equal (host.said, 1);
    assert_non_null (strstr (host.text, "gpu"));
}

static void untraced_with_a_bad_setting (void **state)
{
    set ("DFTRACE_CHUNK", "lots");
    assert_int_equal (run_task ("posix"), 0);
    assert_untraced ();
    assert_non_null (strstr (host.text, "DFTRACE_CHUNK"));
}

static void traced_without_a_state_dir (void **state)
{
    site_key ("state_dir=%s", "/proc/none");
    assert_int_equal (run_task ("posix"), 0);
    assert_traced (in (log_root, "train-4711"));
}

static void strict_ends_the_task (void **state)
{
    int status = 0;
    pid_t pid;

    assert_int_equal (unlink (library), 0);
    pid = fork ();
    if (pid == 0) {
        (void)run_task ("posix,strict");
        _exit (0);
    }
    assert_int_equal (waitpid (pid, &status, 0), pid);
    assert_true (WIFEXITED (status));
    assert_int_equal (WEXITSTATUS (status), 1);
}

static void unknown_site_key_is_for_slurmd (void **state)
{
    site_key ("log_rot=%s", "/x");
    assert_int_equal (run_task ("posix"), 0);
    assert_traced (in (log_root, "train-4711"));
    host.context = S_CTX_SLURMD;
    assert_int_equal (call ("slurm_spank_init"), 0);
    assert_int_equal (host.said, 1);
    assert_non_null (strstr (host.text, "log_root"));
}

/* -- what is traced ---------------------------------------------------- */

static void nobody_asked (void **state)
{
    assert_int_equal (run_task (NULL), 0);
    assert_untraced ();
    assert_int_equal (host.said, 0);
    assert_false (exists (log_root));
    assert_false (exists (state_dir));
}

static void a_step_is_traced (void **state)
{
    assert_int_equal (run_task ("posix,app"), 0);
    assert_traced (in (log_root, "train-4711"));
    assert_string_equal (variable ("DFTRACE_LAYERS"), "posix,app");
    assert_true (exists (in (log_root, "train-4711/job.json")));
    assert_true (exists (in (log_root, "train-4711/shards/started.n1")));
    assert_true (exists (in (state_dir, "4711.n1")));
    assert_null (variable ("DFTRACE_STATE_DIR"));
}

static void existing_preloads_stay (void **state)
{
    char want[256];

    set ("LD_PRELOAD", "/a.so:/b.so");
    assert_int_equal (run_task ("posix"), 0);
    (void)snprintf (want, sizeof (want), "%s:/a.so:/b.so", library);
    assert_string_equal (variable ("LD_PRELOAD"), want);
    assert_int_equal (run_task (NULL), 0); /* a step started by a traced one */
    assert_string_equal (variable ("LD_PRELOAD"), want);
}

static void app_has_a_python_path (void **state)
{
    char python[96], want[128];
    int fd;

    (void)snprintf (python, sizeof (python), "%s/py", root);
    site_key ("python=%s", python);
    set ("PYTHONPATH", "/mine");
    assert_int_equal (run_task ("app"), 0); /* there is no such directory */
    assert_string_equal (variable ("PYTHONPATH"), "/mine");
    assert_int_equal (mkdir (python, 0755), 0);
    fd = open (in (python, "sitecustomize.py"), O_CREAT | O_WRONLY, 0644);
    assert_true (fd >= 0 && close (fd) == 0);
    assert_int_equal (run_task ("posix"), 0);
    assert_string_equal (variable ("PYTHONPATH"), "/mine");
    assert_int_equal (run_task ("posix,app"), 0);
    (void)snprintf (want, sizeof (want), "%s:/mine", python);
    assert_string_equal (variable ("PYTHONPATH"), want);
    assert_int_equal (run_task ("posix,app"), 0);
    assert_string_equal (variable ("PYTHONPATH"), want);
}

static void array_tasks_have_their_own (void **state)
{
    host.array_job = 4700;
    host.array_task = 3;
    host.restart = 1;
    assert_int_equal (run_task ("posix"), 0);
    assert_traced (in (log_root, "train-4700_3.r1"));
}

/* In batch jobs of Slurm 22.05 the item is 0, and the variable is there only
 * in task_init. */
static void a_second_life_has_its_own (void **state)
{
    host.step = SLURM_BATCH_SCRIPT;
    assert_int_equal (call ("slurm_spank_init"), 0);
    assert_int_equal (option ("posix", 1), 0);
    assert_int_equal (call ("slurm_spank_task_init_privileged"), 0);
    set ("SLURM_RESTART_COUNT", "2");
    assert_int_equal (call ("slurm_spank_task_init"), 0);
    assert_string_equal (variable ("DFTRACE_JOB_DIR"),
                         in (log_root, "train-4711.r2"));
}

static void shells_are_told_only (void **state)
{
    host.step = SLURM_BATCH_SCRIPT;
    assert_int_equal (run_task ("posix"), 0);
    assert_untraced ();
    assert_string_equal (variable ("DFTRACE_JOB_DIR"),
                         in (log_root, "train-4711"));
    assert_false (exists (log_root));
    assert_false (exists (state_dir));
}

static void shells_are_traced_on_request (void **state)
{
    host.step = SLURM_INTERACTIVE_STEP;
    assert_int_equal (run_task ("posix,batch"), 0);
    assert_traced (in (log_root, "train-4711"));
}

static void extern_steps_are_left_alone (void **state)
{
    host.step = SLURM_EXTERN_CONT;
    assert_int_equal (run_task ("posix,batch"), 0);
    assert_untraced ();
    assert_null (variable ("DFTRACE_JOB_DIR"));
    assert_false (exists (state_dir));
}

/* -- who wins ---------------------------------------------------------- */

static void option_beats_variable_beats_site (void **state)
{
    site_key ("default=%s", "mmap");
    assert_int_equal (run_task (NULL), 0);
    assert_string_equal (variable ("DFTRACE_LAYERS"), "mmap");
    set ("SLURM_DFTRACE", "app");
    assert_int_equal (run_task (NULL), 0);
    assert_string_equal (variable ("DFTRACE_LAYERS"), "app");
    set ("DFTRACE_LAYERS", "mmap"); /* says nothing here */
    assert_int_equal (run_task ("app,mmap"), 0);
    assert_string_equal (variable ("DFTRACE_LAYERS"), "app,mmap");
}

static void last_option_wins (void **state)
{
    assert_int_equal (call ("slurm_spank_init"), 0);
    assert_int_equal (option ("mmap", 1), 0);
    assert_int_equal (run_task ("app"), 0);
    assert_string_equal (variable ("DFTRACE_LAYERS"), "app");
}

static void off_silences (void **state)
{
    site_key ("default=%s", "posix");
    set ("DFTRACE_LAYERS", "posix");
    set ("LD_PRELOAD", library);
    assert_int_equal (run_task ("off"), 0);
    assert_string_equal (variable ("DFTRACE_LAYERS"), "off");
    assert_false (exists (log_root));
}

/* Before 23.02.5 `--export=NONE` loses the option of the batch step. */
static void exported_option_is_a_fallback (void **state)
{
    set ("SLURM_SPANK__SLURM_SPANK_OPTION_dftrace_dftrace", "app");
    assert_int_equal (run_task (NULL), 0);
    assert_string_equal (variable ("DFTRACE_LAYERS"), "app");
}

static void runner_may_choose_the_directory (void **state)
{
    set ("DFTRACE_JOB", "4711");
    set ("DFTRACE_JOB_DIR", in (root, "run/trace"));
    assert_int_equal (run_task ("posix"), 0);
    assert_traced (in (root, "run/trace"));
    assert_true (exists (in (root, "run/trace/job.json")));
}

static void directory_of_another_job_is_not_ours (void **state)
{
    set ("DFTRACE_JOB", "42");
    set ("DFTRACE_JOB_DIR", in (root, "theirs"));
    assert_int_equal (run_task ("posix"), 0);
    assert_traced (in (log_root, "train-4711"));
    assert_false (exists (in (root, "theirs")));
}

static void trace_of_another_job_ends_here (void **state)
{
    set ("DFTRACE_JOB", "42");
    set ("DFTRACE_JOB_DIR", in (root, "theirs"));
    set ("DFTRACE_LAYERS", "posix");
    set ("LD_PRELOAD", library);
    assert_int_equal (run_task (NULL), 0);
    assert_string_equal (variable ("DFTRACE_LAYERS"), "off");
    assert_null (variable ("DFTRACE_JOB_DIR"));
}

static void users_do_not_choose_the_state_dir (void **state)
{
    set ("DFTRACE_STATE_DIR", in (root, "mine"));
    assert_int_equal (run_task ("posix"), 0);
    assert_false (exists (in (root, "mine")));
    assert_true (exists (in (state_dir, "4711.n1")));
}

#define TEST(F) cmocka_unit_test_setup_teardown (F, load, unload)

int main (void)
{
    const struct CMUnitTest tests[] = {
        TEST (submit_refuses_unknown_layers),
        TEST (submit_complains_of_the_variable),
        TEST (untraced_without_the_library),
        TEST (untraced_with_a_library_that_is_none),
        TEST (untraced_without_a_log_root),
        TEST (only_the_first_task_speaks),
        TEST (untraced_with_a_layer_of_tomorrow),
        TEST (untraced_with_a_bad_setting),
        TEST (traced_without_a_state_dir),
        TEST (strict_ends_the_task),
        TEST (unknown_site_key_is_for_slurmd),
        TEST (nobody_asked),
        TEST (a_step_is_traced),
        TEST (existing_preloads_stay),
        TEST (app_has_a_python_path),
        TEST (array_tasks_have_their_own),
        TEST (a_second_life_has_its_own),
        TEST (shells_are_told_only),
        TEST (shells_are_traced_on_request),
        TEST (extern_steps_are_left_alone),
        TEST (option_beats_variable_beats_site),
        TEST (last_option_wins),
        TEST (off_silences),
        TEST (exported_option_is_a_fallback),
        TEST (runner_may_choose_the_directory),
        TEST (directory_of_another_job_is_not_ours),
        TEST (trace_of_another_job_ends_here),
        TEST (users_do_not_choose_the_state_dir),
    };

    return tap_run (tests);
}
