/* SPDX-License-Identifier: MIT
 *
 * runner.c - one run: directory, environment, bash, status
 *
 * In:  a run of an open sweep directory
 * Out: a<N>/{env,script,stdout,stderr,status,trace/}
 * Caveat: an attempt is never reused: Slurm truncates what a requeued task
 *      wrote, we do not.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/core/jobdir.h"
#include "lib/util/fsutil.h"
#include "sweep/pagecache.h"
#include "sweep/program.h"
#include "sweep/runner.h"
#include "sweep/runstatus.h"

enum { ATTEMPT_MAX = 10000 };

struct runner {
    const struct sweepdir *sweep;
    struct arena *arena;
    const struct point *point;
    struct run run;
    const char *array;  /* "" without Slurm */
    const char *layers; /* NULL: not traced, by file or as control */
    int attempt;
    const char *path; /* of the attempt */
    struct runstatus status;
    struct errtext *err;
};

static const char *in (const struct runner *x, const char *name)
{
    return arena_format (x->arena, "%s/%s", x->path, name);
}

static double now (void)
{
    struct timespec t;

    (void)clock_gettime (CLOCK_REALTIME, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* -- what is on disk before the run ------------------------------------ */

static int make_attempt (struct runner *x)
{
    const char *run = sweepdir_run_path (x->sweep, x->run);

    if (make_dirs (run, 0755, x->err) < 0)
        return -1;
    x->attempt = sweepdir_last_attempt (x->sweep, x->run) + 1;
    for (; x->attempt < ATTEMPT_MAX; x->attempt++) {
        x->path = sweepdir_attempt_path (x->sweep, x->run, x->attempt);
        if (mkdir (x->path, 0755) == 0)
            return 0;
        if (errno != EEXIST)
            break;
    }
    return errf (x->err, "%s: cannot be made: %s", x->path, strerror (errno));
}

/* In Slurm the plugin makes the job directory; here we do. */
static int make_trace (struct runner *x)
{
    struct settings s;
    struct jobinfo job = {.array_task_id = -1,
                          .nnodes = 1,
                          .uid = getuid (),
                          .job_name = x->sweep->spec->name,
                          .workdir = x->sweep->cwd};
    int fd, rc;

    if (*x->array || !x->layers)
        return 0;
    settings_init (&s);
    if (settings_set (&s, "layers", x->layers, x->err) < 0 ||
        settings_set (&s, "job_dir", in (x, "trace"), x->err) < 0)
        return -1;
    fd = jobdir_create (in (x, "trace"), x->err);
    if (fd < 0)
        return -1;
    job.point = run_id (x->arena, x->sweep->grid, x->run);
    rc = jobdir_write_json (fd, &s, &job, x->err);
    (void)close (fd);
    return rc;
}

struct variables {
    struct arena *arena;
    const char **name, **value; /* value NULL: unset */
    size_t count;
};

static void set (struct variables *v, const char *name, const char *value)
{
    v->name = arena_grow (v->arena, v->name, v->count, sizeof (*v->name));
    v->value = arena_grow (v->arena, v->value, v->count, sizeof (*v->value));
    v->name[v->count] = name;
    v->value[v->count++] = value;
}

/* Whatever the plugin, or the shell around us, set up for the traced runs. */
static void no_tracing (const struct runner *x, struct variables *v)
{
    const char *list = getenv ("LD_PRELOAD"), *kept = "";

    while (list && *list) {
        size_t n = strcspn (list, ": ");
        const char *item = arena_copy (x->arena, list, n);

        list += n + (list[n] != '\0');
        if (*item && !strstr (item, "libdftrace_preload.so"))
            kept =
                arena_format (x->arena, "%s%s%s", kept, *kept ? ":" : "", item);
    }
    set (v, "LD_PRELOAD", *kept ? kept : NULL);
    set (v, "DFTRACE_LAYERS", "off");
    set (v, "SLURM_DFTRACE", "off");
    set (v, "SLURM_SPANK__SLURM_SPANK_OPTION_dftrace_dftrace", "off");
}

static void own_variables (const struct runner *x, struct variables *v)
{
    const struct spec *s = x->sweep->spec;
    const char *id = run_id (x->arena, x->sweep->grid, x->run);

    set (v, "SWEEP_NAME", s->name);
    set (v, "SWEEP_DIR", x->sweep->path);
    set (v, "SWEEP_POINT", x->point->id);
    set (v, "SWEEP_LABEL", x->point->label);
    set (v, "SWEEP_RUN", id);
    set (v, "SWEEP_RUN_DIR", x->path);
    set (v, "SWEEP_REPEAT", arena_format (x->arena, "%d", x->run.repeat));
    set (v, "SWEEP_ATTEMPT", arena_format (x->arena, "%d", x->attempt));
    set (v, "SWEEP_SEED",
         arena_format (
             x->arena, "%llu",
             (unsigned long long)seed_of_run (s, x->point, x->run.repeat)));
    set (v, "SWEEP_REPEAT_SEED",
         arena_format (x->arena, "%llu",
                       (unsigned long long)seed_of_repeat (s, x->run.repeat)));
    set (v, "DFTRACE_POINT", id);
    set (v, "DFTRACE_JOB_DIR", x->layers ? in (x, "trace") : NULL);
    set (v, "SWEEP_CONTROL", x->run.control ? "1" : "0");
    if (x->run.control)
        no_tracing (x, v);
    if (getenv ("SLURM_CPUS_PER_TASK") && !getenv ("SRUN_CPUS_PER_TASK"))
        set (v, "SRUN_CPUS_PER_TASK", getenv ("SLURM_CPUS_PER_TASK"));
}

/* The variables of the point, to be read by people and by bash. */
static int write_env (const struct runner *x, const struct variables *v)
{
    struct atomic_file *f = atomic_open (in (x, "env"), 0644, x->err);

    if (!f)
        return -1;
    for (size_t i = 0; i < v->count; i++) {
        if (v->value[i])
            fprintf (atomic_stream (f), "export %s=%s\n", v->name[i],
                     shell_quote (x->arena, v->value[i]));
        else
            fprintf (atomic_stream (f), "unset %s\n", v->name[i]);
    }
    return atomic_commit (f, x->err);
}

/* Without Slurm nobody else loads the tracer: between setup and run. */
static int write_tracing (const struct runner *x, FILE *out)
{
    const char *library, *layers = x->layers;

    if (*x->array || !layers)
        return 0;
    library = program_preload (x->arena, x->err);
    if (!library)
        return -1;
    fprintf (out, "export DFTRACE_LAYERS=%s\n", shell_quote (x->arena, layers));
    fprintf (out, "export LD_PRELOAD=%s${LD_PRELOAD:+:$LD_PRELOAD}\n",
             shell_quote (x->arena, library));
    return 0;
}

static int write_script (const struct runner *x)
{
    const struct spec *s = x->sweep->spec;
    struct atomic_file *f = atomic_open (in (x, "script"), 0755, x->err);

    if (!f)
        return -1;
    fprintf (atomic_stream (f), "#!/bin/bash\n");
    if (s->setup)
        fprintf (atomic_stream (f), "%s\n", s->setup);
    if (write_tracing (x, atomic_stream (f)) < 0) {
        atomic_abort (f);
        return -1;
    }
    if (s->script)
        fprintf (atomic_stream (f), "%s\n",
                 shell_quote (x->arena, arena_format (x->arena, "%s/script",
                                                      x->sweep->path)));
    else
        fprintf (atomic_stream (f), "%s\n", s->run);
    if (atomic_commit (f, x->err) < 0)
        return -1;
    if (!s->teardown)
        return 0;
    return write_file (
        in (x, "teardown"), 0755,
        arena_format (x->arena, "#!/bin/bash\n%s\n", s->teardown), x->err);
}

static const char *env_or (const char *name, const char *fallback)
{
    const char *value = getenv (name);

    return value ? value : fallback;
}

static int status_start (struct runner *x)
{
    struct runstatus *s = &x->status;
    char host[256] = "";

    (void)gethostname (host, sizeof (host) - 1);
    s->state = RUN_RUNNING;
    s->start = now ();
    s->restart = atoi (env_or ("SLURM_RESTART_COUNT", "0"));
    (void)snprintf (s->node, sizeof (s->node), "%s",
                    env_or ("SLURMD_NODENAME", host));
    (void)snprintf (s->nodes, sizeof (s->nodes), "%s",
                    env_or ("SLURM_JOB_NODELIST", host));
    (void)snprintf (s->array, sizeof (s->array), "%s", x->array);
    if (*x->array) {
        (void)snprintf (
            s->job, sizeof (s->job), "%s",
            env_or ("SLURM_ARRAY_JOB_ID", env_or ("SLURM_JOB_ID", "")));
        (void)snprintf (s->task, sizeof (s->task), "%s",
                        env_or ("SLURM_ARRAY_TASK_ID", ""));
    }
    pagecache_before (x->sweep, x->point, x->run, s);
    return runstatus_write (in (x, "status"), s, x->err);
}

/* -- the run ----------------------------------------------------------- */

static const int forwarded[] = {SIGTERM, SIGINT,  SIGHUP,
                                SIGUSR1, SIGUSR2, SIGCONT};

static void signals_block (sigset_t *set, sigset_t *before)
{
    sigemptyset (set);
    sigaddset (set, SIGCHLD);
    for (size_t i = 0; i < sizeof (forwarded) / sizeof (forwarded[0]); i++)
        sigaddset (set, forwarded[i]);
    (void)sigprocmask (SIG_BLOCK, set, before);
}

static _Noreturn void bash_exit (const struct runner *x,
                                 const struct variables *v,
                                 const char *script,
                                 const sigset_t *mask,
                                 int append)
{
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC);
    int null = open ("/dev/null", O_RDONLY | O_CLOEXEC);
    int out = open (in (x, "stdout"), flags, 0644);
    int errors = open (in (x, "stderr"), flags, 0644);

    (void)setpgid (0, 0);
    if (null < 0 || out < 0 || errors < 0 || dup2 (null, 0) < 0 ||
        dup2 (out, 1) < 0 || dup2 (errors, 2) < 0)
        _exit (126);
    for (size_t i = 0; i < v->count; i++) {
        if (v->value[i])
            (void)setenv (v->name[i], v->value[i], 1);
        else
            (void)unsetenv (v->name[i]);
    }
    (void)sigprocmask (SIG_SETMASK, mask, NULL);
    (void)execlp ("bash", "bash", in (x, script), (char *)NULL);
    dprintf (2, "bash: %s\n", strerror (errno));
    _exit (127);
}

/* Until the child ends; what arrives meanwhile goes to its process group. */
static int
wait_and_forward (struct runner *x, pid_t pid, const sigset_t *set, int *status)
{
    for (;;) {
        siginfo_t info;
        int signal = sigwaitinfo (set, &info);

        if (waitpid (pid, status, WNOHANG) == pid)
            return 0;
        if (signal < 0 || signal == SIGCHLD)
            continue;
        if (signal != SIGCONT)
            x->status.caught = signal;
        if (kill (-pid, signal) < 0)
            (void)kill (pid, signal);
    }
}

static int run_bash (struct runner *x,
                     const struct variables *v,
                     const char *script,
                     int append,
                     int *status)
{
    sigset_t set, before;
    pid_t pid;

    signals_block (&set, &before);
    pid = fork ();
    if (pid == 0)
        bash_exit (x, v, script, &before, append);
    if (pid > 0) {
        (void)setpgid (pid, pid);
        (void)wait_and_forward (x, pid, &set, status);
    }
    (void)sigprocmask (SIG_SETMASK, &before, NULL);
    if (pid < 0)
        return errf (x->err, "bash: fork: %s", strerror (errno));
    return 0;
}

int runner_trace_found (const char *dir)
{
    char path[4096];
    struct dirent *e;
    int found = 0;
    DIR *shards;

    (void)snprintf (path, sizeof (path), "%s/trace.dft", dir);
    if (access (path, R_OK) == 0)
        return 1;
    (void)snprintf (path, sizeof (path), "%s/shards", dir);
    shards = opendir (path);
    while (shards && !found && (e = readdir (shards))) {
        size_t n = strlen (e->d_name);

        found = n > 4 && !strcmp (e->d_name + n - 4, ".dft");
    }
    if (shards)
        (void)closedir (shards);
    return found;
}

static int status_end (struct runner *x, int status)
{
    struct runstatus *s = &x->status;
    const struct spec *spec = x->sweep->spec;

    s->state = RUN_ENDED;
    s->end = now ();
    s->signal = WIFSIGNALED (status) ? WTERMSIG (status) : 0;
    s->exit = s->signal ? 128 + s->signal : WEXITSTATUS (status);
    s->trace = TRACE_OFF;
    if (x->layers && runner_trace_found (in (x, "trace")))
        s->trace = TRACE_OK;
    else if (x->layers && spec->trace_check)
        s->trace = TRACE_MISSING;
    return runstatus_write (in (x, "status"), s, x->err);
}

static int run_teardown (struct runner *x, struct variables *v, int status)
{
    int ignored, caught = x->status.caught, rc;

    if (!x->sweep->spec->teardown)
        return 0;
    set (v, "SWEEP_EXIT",
         arena_format (x->arena, "%d",
                       WIFSIGNALED (status) ? 128 + WTERMSIG (status)
                                            : WEXITSTATUS (status)));
    set (v, "DFTRACE_LAYERS", NULL);
    rc = run_bash (x, v, "teardown", 1, &ignored);
    x->status.caught = caught;
    return rc;
}

static int run (struct runner *x)
{
    struct variables v = {.arena = x->arena};
    int status = 0;

    if (make_attempt (x) < 0 || make_trace (x) < 0)
        return -1;
    for (size_t i = 0; i < x->sweep->spec->envs; i++)
        set (&v, x->point->env[i].name, x->point->env[i].text);
    own_variables (x, &v);
    if (write_env (x, &v) < 0 || write_script (x) < 0 || status_start (x) < 0)
        return -1;
    if (run_bash (x, &v, "script", 0, &status) < 0 ||
        run_teardown (x, &v, status) < 0)
        return -1;
    if (status_end (x, status) < 0)
        return -1;
    return x->status.exit;
}

int runner_run (const struct sweepdir *d,
                struct run r,
                const char *array,
                int *caught,
                struct errtext *err)
{
    struct runner x = {.sweep = d,
                       .arena = d->arena,
                       .point = &d->grid->point[r.point],
                       .run = r,
                       .array = array,
                       .layers = r.control ? NULL : d->spec->layers,
                       .err = err};

    int rc = run (&x);

    if (caught)
        *caught = x.status.caught;
    return rc;
}

static int is_stop (int signal)
{
    return signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
}

int runner_run_task (const struct sweepdir *d,
                     struct run r,
                     const char *array,
                     int *caught,
                     struct errtext *err)
{
    int twin = run_has_twin (d->spec, d->grid, r), signal = 0, worst = 0;
    int first = twin && run_twin_first (d->spec, d->grid, r);

    for (int i = 0; i <= twin && !is_stop (signal); i++) {
        struct run one = r;
        int rc;

        if (twin)
            one.control = (i == 0) == first;
        rc = runner_run (d, one, array, &signal, err);
        if (rc < 0)
            return -1;
        if (!worst)
            worst = rc;
    }
    if (caught)
        *caught = signal;
    return worst;
}
