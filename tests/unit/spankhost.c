/* SPDX-License-Identifier: MIT
 *
 * spankhost.c - what slurmstepd is to the plugin, for tests without Slurm
 *
 * In:  spank/.libs/dftrace.so of the build tree, by dlopen
 * Out: its callbacks, called; what it did to a task's environment
 * Caveat: linked with -export-dynamic; the plugin finds spank_setenv and
 *         friends here. One step of one task at a time.
 */
#include "tests/unit/spankhost.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* -- what Slurm would know --------------------------------------------- */

struct spankhost host;

char root[64], library[96], state_dir[96], log_root[96];

static int find (const char *name)
{
    for (int i = 0; i < VARIABLES_MAX; i++)
        if (strcmp (host.name[i], name) == 0)
            return i;
    return -1;
}

const char *host_variable (const char *name)
{
    int i = find (name);

    return i < 0 ? NULL : host.value[i];
}

void host_set (const char *name, const char *value)
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
    const char *value = host_variable (var);

    if (!value)
        return ESPANK_ENV_NOEXIST;
    (void)snprintf (buf, (size_t)len, "%s", value);
    return strlen (value) < (size_t)len ? ESPANK_SUCCESS : ESPANK_NOSPACE;
}

spank_err_t
spank_setenv (spank_t sp, const char *var, const char *val, int overwrite)
{
    if (overwrite || !host_variable (var))
        host_set (var, val);
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
    char ***argv;

    va_start (ap, item);
    out = va_arg (ap, uint32_t *); /* all that are asked for have 32 bits */
    argv = item == S_JOB_ARGV ? va_arg (ap, char ***) : NULL;
    va_end (ap);
    switch (item) {
    case S_JOB_ARGV:
        if (!host.argv[0])
            return ESPANK_NOT_AVAIL;
        *out = 1;
        *argv = host.argv;
        break;
    case S_JOB_ID:
        *out = host.job;
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
    case S_JOB_LOCAL_TASK_COUNT:
        *out = host.tasks_here;
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

int host_call (const char *name)
{
    callback_f f;

    *(void **)&f = dlsym (plugin, name);
    assert_non_null (f);
    return f (NULL, nsite, site);
}

void host_site (const char *fmt, const char *value)
{
    static char text[8][256];

    (void)snprintf (text[nsite], sizeof (text[0]), fmt, value);
    site[nsite] = text[nsite];
    nsite++;
}

int host_load (void **state)
{
    char path[4096];
    const char *top = getenv ("top_builddir");
    int fd;

    memset (&host, 0, sizeof (host));
    host.context = S_CTX_REMOTE;
    host.job = 4711;
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
    host_site ("preload=%s", library);
    host_site ("state_dir=%s", state_dir);
    host_site ("log_root=%s", log_root);
    host_set ("SLURM_JOB_NAME", "train");
    host_set ("SLURM_SUBMIT_DIR", root);
    (void)setenv ("SLURMD_NODENAME", "n1", 1);
    (void)unsetenv ("SLURM_DFTRACE");
    (void)snprintf (path, sizeof (path), "%s/spank/.libs/dftrace.so",
                    top ? top : ".");
    plugin = dlopen (path, RTLD_NOW | RTLD_LOCAL);
    if (!plugin)
        (void)fprintf (stderr, "# %s\n", dlerror ());
    return plugin ? 0 : -1;
}

int host_unload (void **state)
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

int host_option (const char *text, int remote)
{
    return host.option.cb (0, text, remote);
}

/* ELF of this machine without a loader. */
void host_static_program (void)
{
    static char path[96];
    Elf64_Ehdr eh;
    int fd = open ("/proc/self/exe", O_RDONLY);

    assert_int_equal (read (fd, &eh, sizeof (eh)), sizeof (eh));
    (void)close (fd);
    eh.e_phnum = 0;
    (void)snprintf (path, sizeof (path), "%s/static", root);
    fd = open (path, O_CREAT | O_WRONLY, 0700);
    assert_int_equal (write (fd, &eh, sizeof (eh)), sizeof (eh));
    (void)close (fd);
    host.argv[0] = path;
}

/* All callbacks of a task, as slurmstepd would; layers may be NULL. */
int host_run (const char *layers)
{
    assert_int_equal (host_call ("slurm_spank_init"), 0);
    if (layers)
        assert_int_equal (host_option (layers, 1), 0);
    assert_int_equal (host_call ("slurm_spank_init_post_opt"), 0);
    assert_int_equal (host_call ("slurm_spank_user_init"), 0);
    assert_int_equal (host_call ("slurm_spank_task_init_privileged"), 0);
    return host_call ("slurm_spank_task_init");
}

const char *path_in (const char *dir, const char *name)
{
    static char path[4][512];
    static int next;

    next = (next + 1) % 4;
    (void)snprintf (path[next], sizeof (path[0]), "%s/%s", dir, name);
    return path[next];
}

int path_exists (const char *path)
{
    struct stat st;

    return lstat (path, &st) == 0;
}

void assert_untraced (void)
{
    assert_null (host_variable ("LD_PRELOAD"));
    assert_null (host_variable ("DFTRACE_LAYERS"));
}

void assert_traced (const char *dir)
{
    assert_string_equal (host_variable ("LD_PRELOAD"), library);
    assert_string_equal (host_variable ("DFTRACE_JOB_DIR"), dir);
    assert_int_equal (host.said, 0);
}
