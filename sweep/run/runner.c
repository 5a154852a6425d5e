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

#include <signal.h>
#include <sys/wait.h>

#include "lib/base/array.h"
#include "lib/base/clock.h"
#include "lib/format/calls.h"
#include "lib/format/untracedlist.h"
#include "lib/settings/nodename.h"
#include "lib/settings/notrace.h"
#include "lib/settings/preloads.h"
#include "lib/settings/plan.h"
#include "lib/util/fsutil.h"
#include "sweep/run/machine.h"
#include "sweep/run/program.h"
#include "sweep/run/runner.h"
#include "sweep/run/runstatus.h"

struct runner {
    const struct sweepdir *sweep;
    const struct point *point;
    struct run run;
    const char *array;  /* "" without Slurm */
    const char *layers; /* NULL: not traced, by file or as control */
    int attempt;
    const char *path; /* of the attempt */
    struct runstatus status;
};

struct variables {
    const char **name, **value; /* value NULL: unset */
    size_t count;
};

enum { ATTEMPT_MAX = 10000 };

/* "ATTEMPT/NAME" */
static const char *runner_in (const struct runner *x, const char *name)
{
    return arena_format ("%s/%s", x->path, name);
}

/* ---- the trace of a run: its directory, its environment, its end ---- */

/* A setting, or the end of the command. */
static void
put_setting (struct settings *s, const char *name, const char *value)
{
    struct errtext err;

    if (settings_set (s, name, value, &err) < 0)
        die ("%s", err.text);
}

/* Read the settings as the plugin would from the option. */
static void read_settings (const struct runner *x, struct settings *s)
{
    struct tracespec spec;
    struct errtext err;

    settings_init (s);
    if (*x->array && settings_from_env (s, &err) < 0)
        die ("%s", err.text);
    put_setting (s, "layers", x->sweep->spec->layers);
    if (tracespec_parse (&spec, x->point->trace, &err) < 0)
        die ("%s", err.text);
    settings_overlay (s, &spec.settings);
    /* slurmstepd collects stages of steps only */
    put_setting (s, "stage", "");
    s->given &= ~(SETTING_BIT (stage));
    if (!strchr (x->path, ':'))
        put_setting (s, "output",
                     arena_format ("%s:%s", runner_in (x, "stdout"),
                                   runner_in (x, "stderr")));
    put_setting (s, "job_dir", runner_in (x, "trace"));
}

static unsigned runner_layers (const struct runner *x)
{
    struct errtext err;
    unsigned layers = 0;

    if (layers_parse (x->layers, &layers, &err) < 0)
        die ("%s", err.text);
    return layers;
}

/* Whether programs outside steps of srun are traced. */
static int runner_trace_is_ours (const struct runner *x)
{
    return x->layers && (!*x->array || !(runner_layers (x) & LAYER_NOBATCH));
}

static void runner_trace_describe (const struct runner *x, struct jobvars *v)
{
    jobvars_read (v);
    v->job.point = run_id (x->sweep->grid, x->run);
    if (*x->array)
        return;
    v->job.job_id = v->job.array_job_id = 0;
    v->job.array_task_id = -1;
    v->job.nnodes = 1;
    v->job.ntasks = 0;
    v->job.job_name = x->sweep->spec->name;
    v->job.workdir = x->sweep->cwd;
    v->job.nodelist = v->job.partition = v->job.account = NULL;
    v->job.user = v->job.home = NULL;
}

/* The job directory of a traced run, unless steps of srun alone are traced,
 * for which the plugin makes it. */
static void runner_trace_make (const struct runner *x)
{
    static struct jobvars vars;
    struct settings s;
    struct errtext err;
    int fd;

    if (!runner_trace_is_ours (x))
        return;
    runner_trace_describe (x, &vars);
    read_settings (x, &s);
    fd = jobdir_create (runner_in (x, "trace"), &err);
    if (fd < 0 || jobdir_write_json (fd, &s, &vars.job, &err) < 0)
        die ("%s", err.text);
    close (fd);
}

/* -- the environment --------------------------------------------------- */

static void export_setting (void *cookie, const char *name, const char *value)
{
    fprintf (cookie, "export %s=%s\n", name, shell_quote (value));
}

/* path before what setup may have put there. */
static void export_first (FILE *out, const char *variable, const char *path)
{
    fprintf (out, "export %s=%s${%s:+:$%s}\n", variable, shell_quote (path),
             variable, variable);
}

/* Lines of ATTEMPT/script that start the tracer, between setup and run. */
static void runner_trace_write (const struct runner *x, FILE *out)
{
    const char *library, *python;
    struct settings s;

    if (!runner_trace_is_ours (x))
        return;
    read_settings (x, &s);
    library = program_preload ();
    settings_export (&s, export_setting, out);
    python = s.layers & LAYER_APP ? program_python () : NULL;
    if (python)
        export_first (out, "PYTHONPATH", python);
    for (int i = PRELOADS_COUNT - 1; i >= 0; i--) {
        char path[SETTING_TEXT_MAX + 32];

        if (preloads_path (i, library, s.layers, path, sizeof (path)) > 0)
            export_first (out, "LD_PRELOAD", path);
    }
}

/* -- afterwards -------------------------------------------------------- */

int runner_trace_found (const char *dir)
{
    return notrace_look_at (dir) == NOTRACE_NO;
}

/* The trace has not all of the run: why in x->status. */
static int runner_trace_lacks (struct runner *x, const char *dir)
{
    struct untraced u = {.count = 0};
    char words[sizeof (x->status.why) / 2];
    int lacks;

    if (untracedlist_read (&u, dir) == 0)
        untracedlist_look (&u, dir);
    lacks = u.cut || untracedlist_sum (&u) > untracedlist_wishes (&u);
    if (lacks)
        FORMAT (x->status.why,
                "not traced: %s; exclude_exe= leaves programs out, "
                "check: none accepts it",
                untracedlist_words (&u, 0, words, sizeof (words),
                                    (int)sizeof (words)));
    untracedlist_clear (&u);
    return lacks;
}

/* The state of a trace that exists. */
static enum trace_state runner_trace_whole (struct runner *x)
{
    if (!runner_trace_lacks (x, runner_in (x, "trace")))
        return TRACE_OK;
    fprintf (stderr, "dftrace: %s: %s\n", x->path, x->status.why);
    if (x->sweep->spec->trace_check)
        return TRACE_MISSING;
    x->status.why[0] = '\0';
    return TRACE_OK;
}

/* After a traced run: what became of its trace; why in x->status. */
static enum trace_state runner_trace_check (struct runner *x)
{
    enum notrace why = notrace_look_at (runner_in (x, "trace"));

    if (why == NOTRACE_NO)
        return runner_trace_whole (x);
    FORMAT (x->status.why, "no trace: %s",
            notrace_reason (why, runner_layers (x)));
    fprintf (stderr, "dftrace: %s: %s\n", x->path, x->status.why);
    return x->sweep->spec->trace_check ? TRACE_MISSING : TRACE_OFF;
}

/* ---- a run -> its variables, its script ---- */

enum { RUN_ARGUMENT_MAX = 100 * 1024 }; /* Linux takes 128 KiB */

static void
variables_set (struct variables *v, const char *name, const char *value)
{
    v->name = arena_grow (v->name, v->count, sizeof (*v->name));
    v->value = arena_grow (v->value, v->count, sizeof (*v->value));
    v->name[v->count] = name;
    v->value[v->count++] = value;
}

/* Whatever the plugin, or the shell around us, set up for the traced runs. */
static void no_tracing (const struct runner *x, struct variables *v)
{
    const char *list = getenv ("LD_PRELOAD"), *rest = "";

    while (list && *list) {
        size_t n = strcspn (list, ": ");
        const char *item = arena_copy (list, n);

        list += n + (list[n] != '\0');
        if (*item && !preloads_has_name (item, strlen (item)))
            rest = arena_format ("%s%s%s", rest, *rest ? ":" : "", item);
    }
    variables_set (v, "LD_PRELOAD", *rest ? rest : NULL);
    variables_set (v, "DFTRACE_LAYERS", "off");
    variables_set (v, "SLURM_DFTRACE", "off");
    variables_set (v, "SLURM_SPANK__SLURM_SPANK_OPTION_dftrace_dftrace", "off");
}

/* Set the variables that a run has besides those of its point. */
static void runner_variables (const struct runner *x, struct variables *v)
{
    const struct spec *s = x->sweep->spec;
    const char *id = run_id (x->sweep->grid, x->run);

    variables_set (v, "SWEEP_NAME", s->name);
    variables_set (v, "SWEEP_DIR", x->sweep->path);
    variables_set (v, "SWEEP_POINT", x->point->id);
    variables_set (v, "SWEEP_LABEL", x->point->label);
    variables_set (v, "SWEEP_RUN", id);
    variables_set (v, "SWEEP_RUN_DIR", x->path);
    variables_set (v, "SWEEP_REPEAT", arena_format ("%d", x->run.repeat));
    variables_set (v, "SWEEP_ATTEMPT", arena_format ("%d", x->attempt));
    variables_set (v, "SWEEP_SEED",
                   arena_format ("%llu", (unsigned long long)seed_of_run (
                                             s, x->point, x->run.repeat)));
    variables_set (v, "SWEEP_REPEAT_SEED",
                   arena_format ("%llu", (unsigned long long)seed_of_repeat (
                                             s, x->run.repeat)));
    if (x->point->task_id)
        variables_set (v, "SLURM_ARRAY_TASK_ID", x->point->task_id);
    if (s->task_id == TASK_ID_GRID) {
        /* a script that divides by the size of its array means the grid */
        variables_set (v, "SLURM_ARRAY_TASK_MIN", "0");
        variables_set (v, "SLURM_ARRAY_TASK_MAX",
                       arena_format ("%zu", x->sweep->grid->product - 1));
        variables_set (v, "SLURM_ARRAY_TASK_COUNT",
                       arena_format ("%zu", x->sweep->grid->product));
    }
    variables_set (v, "DFTRACE_POINT", id);
    variables_set (v, "DFTRACE_JOB_DIR",
                   x->layers ? runner_in (x, "trace") : NULL);
    variables_set (v, "SWEEP_CONTROL", x->run.control ? "1" : "0");
    if (x->run.control)
        no_tracing (x, v);
    if (getenv ("SLURM_CPUS_PER_TASK") && !getenv ("SRUN_CPUS_PER_TASK"))
        variables_set (v, "SRUN_CPUS_PER_TASK", getenv ("SLURM_CPUS_PER_TASK"));
}

/* The variables of the point, to be read by people and by bash. */
static void runner_write_env (const struct runner *x, const struct variables *v)
{
    const char *text = "";

    for (size_t i = 0; i < v->count; i++)
        text = v->value[i] ? arena_format ("%sexport %s=%s\n", text, v->name[i],
                                           shell_quote (v->value[i]))
                           : arena_format ("%sunset %s\n", text, v->name[i]);
    xwrite_file (runner_in (x, "env"), 0644, text);
}

/* Hand over the changes of setup to its shell (variables that are not exported,
 * functions, options, traps, arguments), as text in a pipe that the shell of
 * `run` reads before its own text. The environment, and what names bash's own
 * state, go their own ways. */
static const char hand_over_state[] =
    "sweep_traps=$(trap -p) sweep_options=$SHELLOPTS\n"
    "exec {sweep_state}< <(exec 2>/dev/null; set +eu\n"
    "echo 'exec {sweep_state}<&- {sweep_errors}>&2 2>/dev/null'\n"
    "printf 'unset sweep_state BASH_ENV\\n'\n"
    "[[ ! ${BASH_ENV+x} ]] || printf 'export BASH_ENV=%q\\n' \"$BASH_ENV\"\n"
    "shopt -p; alias -p; declare -f\n"
    "compgen -v | while IFS= read -r sweep_name; do\n"
    "  case $sweep_name in\n"
    "  BASH* | COMP_* | DIRSTACK | EPOCH* | EUID | FUNCNAME | GROUPS | "
    "HISTCMD | LINENO | \\\n"
    "    PIPESTATUS | PPID | RANDOM | SHELLOPTS | SRANDOM | UID | _ | "
    "sweep_*) continue ;;\n"
    "  esac\n"
    "  [[ ${!sweep_name@a} == *x* ]] || declare -p \"$sweep_name\"\n"
    "done\n"
    "printf 'set --'; printf ' %q' \"$@\"; echo\n"
    "printf '%s\\n' \"$sweep_traps\" "
    "'exec 2>&$sweep_errors {sweep_errors}>&-; unset sweep_errors'\n"
    "echo 'set +o braceexpand; set +o hashall; set +o interactive-comments'\n"
    "IFS=:; printf 'set -o %s\\n' $sweep_options)\n"
    "sweep_state=$sweep_state BASH_ENV=/dev/fd/$sweep_state ";

/* `run` in a shell of its own, which is traced as what it starts is: bash can
 * read and write much itself. A text as its argument is no file that it reads;
 * one that is too long for an argument is. */
static void write_run (const struct runner *x, FILE *out)
{
    const struct spec *s = x->sweep->spec;

    if (strlen (s->run) > RUN_ARGUMENT_MAX) {
        xwrite_file (runner_in (x, "run"), 0755, s->run);
        fprintf (out, "exec bash %s\n", shell_quote (runner_in (x, "run")));
        return;
    }
    if (s->setup)
        fputs (hand_over_state, out);
    fprintf (out, "exec bash -c %s %s\n", shell_quote (s->run),
             shell_quote (runner_in (x, "script")));
}

static void runner_write_script (const struct runner *x)
{
    const struct spec *s = x->sweep->spec;
    size_t size;
    char *text;
    FILE *out = xmemstream (&text, &size);

    fprintf (out, "#!/bin/bash\n");
    if (s->setup)
        fprintf (out, "%s\n", s->setup);
    fprintf (out,
             "[ -z \"${LOADEDMODULES-}\" ] || printf '%%s\\n' "
             "\"$LOADEDMODULES\" >%s\n",
             shell_quote (runner_in (x, "modules")));
    runner_trace_write (x, out);
    if (s->script)
        fprintf (out, "%s\n",
                 shell_quote (arena_format ("%s/script", x->sweep->path)));
    else
        write_run (x, out);
    xmemstream_end (out);
    xwrite_file (runner_in (x, "script"), 0755, text);
    free (text);
    if (s->teardown)
        xwrite_file (runner_in (x, "teardown"), 0755,
                     arena_format ("#!/bin/bash\n%s\n", s->teardown));
}

/* ---- a script of a run as a process group that signals reach ---- */

static const int forwarded[] = {SIGTERM, SIGINT,  SIGHUP,
                                SIGUSR1, SIGUSR2, SIGCONT};

static void signals_block (sigset_t *set, sigset_t *before)
{
    sigemptyset (set);
    sigaddset (set, SIGCHLD);
    for (size_t i = 0; i < ITEMS (forwarded); i++)
        sigaddset (set, forwarded[i]);
    sigprocmask (SIG_BLOCK, set, before);
}

static _Noreturn void bash_exit (const struct runner *x,
                                 const struct variables *v,
                                 const char *script,
                                 const sigset_t *mask,
                                 int append)
{
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC);
    int null = open ("/dev/null", O_RDONLY | O_CLOEXEC);
    int out = open (runner_in (x, "stdout"), flags, 0644);
    int errors = open (runner_in (x, "stderr"), flags, 0644);

    setpgid (0, 0);
    if (null < 0 || out < 0 || errors < 0 || dup2 (null, 0) < 0 ||
        dup2 (out, 1) < 0 || dup2 (errors, 2) < 0)
        _exit (126);
    for (size_t i = 0; i < v->count; i++) {
        if (v->value[i])
            setenv (v->name[i], v->value[i], 1);
        else
            unsetenv (v->name[i]);
    }
    sigprocmask (SIG_SETMASK, mask, NULL);
    execlp ("bash", "bash", runner_in (x, script), (char *)NULL);
    dprintf (2, "bash: %s\n", strerror (errno));
    _exit (127);
}

/* Until the child ends; what arrives meanwhile goes to its process group. */
static int wait_and_forward (struct runner *x, pid_t pid, const sigset_t *set)
{
    for (int status;;) {
        siginfo_t info;
        int signal = sigwaitinfo (set, &info);

        if (waitpid (pid, &status, WNOHANG) == pid)
            return status;
        if (signal < 0 || signal == SIGCHLD)
            continue;
        if (signal != SIGCONT)
            x->status.caught = signal;
        if (kill (-pid, signal) < 0)
            kill (pid, signal);
    }
}

/* bash ATTEMPT/SCRIPT with these variables, its output into the files of the
 * attempt. Signals go on to it; the last is x->status.caught. Its status, as of
 * waitpid. */
static int runner_bash (struct runner *x,
                        const struct variables *v,
                        const char *script,
                        int append)
{
    sigset_t set, before;
    pid_t pid;
    int status;

    signals_block (&set, &before);
    pid = fork ();
    if (pid < 0)
        die ("bash: fork: %m");
    if (pid == 0)
        bash_exit (x, v, script, &before, append);
    setpgid (pid, pid);
    status = wait_and_forward (x, pid, &set);
    sigprocmask (SIG_SETMASK, &before, NULL);
    return status;
}

/* ---- what Slurm says of a step where its own output goes ---- */

enum { TAIL_BYTES = 64 * 1024 /* it says so last */ };

/* Words of srun and slurmstepd, 20.11 to 26.05: the kernel's handler, and
 * JobAcctGatherParams=OverMemoryKill. */
static int is_oom (const char *line)
{
    static const char *const words[] = {
        "Out Of Memory",
        "oom-kill event",
        "oom_kill event",
        "exceeded memory limit",
        "Exceeded job memory limit",
    };
    const char *error = strstr (line, "error: ");

    if (!error || (strncmp (line, "srun: ", 6) != 0 &&
                   strncmp (line, "slurmstepd", 10) != 0))
        return 0;
    for (size_t i = 0; i < ITEMS (words); i++)
        if (strstr (error, words[i]))
            return 1;
    return 0;
}

int slurmsaid_oom (const char *path)
{
    int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), found = 0;
    char *text = arena_alloc (TAIL_BYTES + 1), *line;
    struct stat st;

    if (fd >= 0 && fstat (fd, &st) == 0 && S_ISREG (st.st_mode) &&
        pread (fd, text, TAIL_BYTES, MAX (0, st.st_size - TAIL_BYTES)) > 0)
        while (!found && (line = strsep (&text, "\n")))
            found = is_oom (line);
    if (fd >= 0)
        close (fd);
    return found;
}

/* -- one run ------------------------------------------------------------ */

static double runner_now (void)
{
    return clock_ns (CLOCK_REALTIME) / 1e9;
}

/* -- what is on disk before the run ------------------------------------ */

static void make_attempt (struct runner *x)
{
    xmake_dirs (sweepdir_run_path (x->sweep, x->run));
    x->attempt = sweepdir_last_attempt (x->sweep, x->run);
    do {
        if (++x->attempt > ATTEMPT_MAX)
            break;
        x->path = sweepdir_attempt_path (x->sweep, x->run, x->attempt);
        if (mkdir (x->path, 0755) == 0)
            return;
    } while (errno == EEXIST);
    die ("%s: cannot be made: %m", x->path);
}

static const char *env_or (const char *name, const char *fallback)
{
    const char *value = getenv (name);

    return value ? value : fallback;
}

static void status_start (struct runner *x)
{
    struct runstatus *s = &x->status;
    char host[256] = "";

    gethostname (host, sizeof (host) - 1);
    s->state = RUN_RUNNING;
    s->start = runner_now ();
    s->restart = atoi (env_or ("SLURM_RESTART_COUNT", "0"));
    FORMAT (s->node, "%s", env_or ("SLURMD_NODENAME", host));
    FORMAT (s->nodes, "%s", env_or ("SLURM_JOB_NODELIST", host));
    FORMAT (s->array, "%s", x->array);
    if (*x->array) {
        FORMAT (s->job, "%s",
                env_or ("SLURM_ARRAY_JOB_ID", env_or ("SLURM_JOB_ID", "")));
        FORMAT (s->task, "%s", env_or ("SLURM_ARRAY_TASK_ID", ""));
    }
    pagecache_before (x->sweep, x->point, x->run, s);
    runstatus_write (runner_in (x, "status"), s);
}

/* -- the run ----------------------------------------------------------- */

/* Convert a status of waitpid () to the one that a shell would report. */
static int shell_status (int status)
{
    return WIFSIGNALED (status) ? 128 + WTERMSIG (status)
                                : WEXITSTATUS (status);
}

static void status_end (struct runner *x, int status)
{
    struct runstatus *s = &x->status;

    s->state = RUN_ENDED;
    s->end = runner_now ();
    s->signal = WIFSIGNALED (status) ? WTERMSIG (status) : 0;
    s->exit = shell_status (status);
    s->oom = s->exit && *x->array && slurmsaid_oom (runner_in (x, "stderr"));
    s->trace = TRACE_OFF;
    if (x->layers)
        s->trace = runner_trace_check (x);
    runstatus_write (runner_in (x, "status"), s);
}

static void run_teardown (struct runner *x, struct variables *v, int status)
{
    int caught = x->status.caught;

    if (!x->sweep->spec->teardown)
        return;
    variables_set (v, "SWEEP_EXIT", arena_format ("%d", shell_status (status)));
    variables_set (v, "DFTRACE_LAYERS", NULL);
    runner_bash (x, v, "teardown", 1);
    x->status.caught = caught;
}

/* Make the next attempt's directory, run setup and run in bash, then
 * teardown, and write the status file. array is the chunk's name ("" when
 * there is no Slurm; tracing is then set up here). Signals TERM, INT, HUP,
 * USR1, USR2 and CONT are passed on to the run while it lasts; *caught gets
 * the last of them, CONT apart, or 0. Returns the exit status of the run
 * (128 + signal). */
static int runner_run (const struct sweepdir *d,
                       struct run r,
                       const char *array,
                       int *caught)
{
    struct runner x = {.sweep = d,
                       .point = &d->grid->point[r.point],
                       .run = r,
                       .array = array,
                       .layers = r.control ? NULL : d->spec->layers};
    struct variables v = {};
    int status;

    make_attempt (&x);
    runner_trace_make (&x);
    for (size_t i = 0; i < d->spec->envs; i++)
        variables_set (&v, x.point->env[i].name, x.point->env[i].text);
    runner_variables (&x, &v);
    runner_write_env (&x, &v);
    runner_write_script (&x);
    status_start (&x);
    status = runner_bash (&x, &v, "script", 0);
    run_teardown (&x, &v, status);
    status_end (&x, status);
    *caught = x.status.caught;
    return x.status.exit;
}

static int is_stop (int signal)
{
    return signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
}

int runner_run_task (const struct sweepdir *d,
                     struct run r,
                     const char *array,
                     int *caught)
{
    int control = run_has_paired (d->spec, d->grid, r), worst = 0;
    int first = control && run_control_first (d->spec, d->grid, r);

    *caught = 0;
    for (int i = 0; i <= control && !is_stop (*caught); i++) {
        int rc;

        if (control)
            r.control = (i == 0) == first;
        rc = runner_run (d, r, array, caught);
        if (!worst)
            worst = rc;
    }
    return worst;
}
