/* SPDX-License-Identifier: MIT
 *
 * cmd_run.c - `dftrace run`: any command, traced, without Slurm
 *
 * In:  options, DFTRACE_* of the environment, a command
 * Out: a job directory as a Slurm job has it; the command's exit status
 */
#include "config.h"

#include <sys/file.h>

#include "analyze/cmd.h"
#include "analyze/facts/failure.h"
#include "analyze/trace/untraced.h"
#include "cli/cmd.h"
#include "lib/util/launch.h"
#include "lib/base/array.h"
#include "lib/base/programkind.h"
#include "lib/format/calls.h"
#include "lib/settings/jobdir.h"
#include "lib/settings/kernelside.h"
#include "lib/settings/nodename.h"
#include "lib/settings/notrace.h"
#include "lib/settings/preloads.h"
#include "lib/settings/settings.h"
#include "lib/settings/taskenv.h"
#include "lib/util/fsutil.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"
#include "lib/util/xalloc.h"

/* -- layer kernel of `dftrace run` -- */

static int runkernel_start (struct kernelside *k,
                            struct settings *s,
                            int job,
                            struct errtext *err);

static void runkernel_end (struct kernelside *k);

/* -- the libraries that a command of `dftrace run` is started with -- */

static void runpreload_check (const char *preload, unsigned layers);

static int runpreload_is_noexec (const char *preload);

static enum program_kind
runpreload_look (const char *name, int noexec, char path[PATH_MAX]);

static int runpreload_may (enum program_kind kind);

static void runpreload_set (const char *preload, unsigned layers);

static const struct verb_help help = {
    .stop_at_operand = 1,
    .usage = "dftrace run [OPTION...] [--] COMMAND [ARGUMENT...]",
    .summary = "Run a command and trace its I/O, without Slurm.",
    .text =
        "The command runs unchanged: its output and its exit status are the "
        "same, and signals that are sent to dftrace are passed on to it. "
        "Its children are traced, too. The trace is written into a new job "
        "directory, which dftrace-analyze(1) reads. If standard error is a "
        "terminal, it gets the first screen of dftrace analyze at the end; "
        "DFTRACE_SCREEN=0 leaves it out. Environment variables "
        "DFTRACE_* are used (see dftrace help settings); options take "
        "precedence over them.\n\n"
        "A directory that already contains a trace is refused, because two "
        "runs in one directory would be read as one job. --add says that "
        "this command belongs to that job.",
    .example = "  $ dftrace run -o /tmp/t -- python3 train.py\n"
               "  $ dftrace analyze /tmp/t\n",
    .exits = "N    exit status N of the command\n"
             "128+N  (or death by the same signal) the command died of "
             "signal N\n"
             "2    wrong options\n"
             "125  no trace possible, or DIR holds one; the command was not "
             "started\n"
             "126  the command is there, but does not start\n"
             "127  no such command\n",
};

struct run {
    struct settings settings;
    char dir[SETTING_TEXT_MAX];
    const char *preload; /* path of the library */
    const char *python;  /* directory for PYTHONPATH; NULL: none here */
    int noexec;          /* it cannot be loaded */
    int fresh;           /* dir did not exist before */
    int quiet;
    int add; /* to the trace that dir may hold */
    const char *command;
    int locked; /* the directory, open; 0: not */
    struct kernelside kernel;
};

/* --- what is asked for -------------------------------------------------- */

/* A setting, or the end of the command with this status. */
static void set_setting (struct settings *s,
                         const char *name,
                         const char *value,
                         int failed)
{
    struct errtext err;

    if (settings_set (s, name, value, &err) < 0)
        die_with (failed, "%s", err.text);
}

static void set_dir (struct settings *s, const char *dir)
{
    char cwd[PATH_MAX];

    if (dir[0] != '/' && !getcwd (cwd, sizeof (cwd)))
        die_with (EXIT_USAGE, "%s: working directory: %m", dir);
    if (dir[0] != '/')
        dir = arena_format ("%s/%s", strcmp (cwd, "/") == 0 ? "" : cwd, dir);
    set_setting (s, "job_dir", dir, EXIT_USAGE);
}

static void take_settings (struct run *r, const char *dir, const char *layers)
{
    struct errtext err;

    settings_init (&r->settings);
    if (settings_from_env (&r->settings, &err) < 0)
        die_with (EXIT_USAGE, "%s", err.text);
    /* the stage of a job that we are in would take our shards away */
    if (r->settings.stage[0])
        settings_set (&r->settings, "stage", "", NULL);
    if (!layers && !r->settings.layers)
        layers = "posix,app";
    if (layers)
        set_setting (&r->settings, "layers", layers, EXIT_USAGE);
    if (r->settings.layers & LAYER_OFF)
        die_with (EXIT_USAGE, "layers: off: there is nothing to trace: name "
                              "posix or app");
    if (dir)
        set_dir (&r->settings, dir);
}

/* --- job directory -------------------------------------------------------- */

enum { COMMAND_MAX = 4096 }; /* bytes of it in job.json */

static void run_add (char *command, const char *text, size_t n)
{
    size_t used = strlen (command);

    if (used + n + 1 > COMMAND_MAX)
        n = COMMAND_MAX - 1 - used;
    memcpy (command + used, text, n);
    command[used + n] = '\0';
}

/* The words of a command as a shell reads them, cut to COMMAND_MAX. */
static const char *run_words (char command[COMMAND_MAX], char **argv)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
                                "UVWXYZ0123456789_@%+=:,./-";

    command[0] = '\0';
    for (char **word = argv; *word; word++) {
        const char *p = *word, *quote = NULL;

        if (word > argv)
            run_add (command, " ", 1);
        if (*p && !p[strspn (p, plain)]) {
            run_add (command, p, strlen (p));
            continue;
        }
        run_add (command, "'", 1);
        for (; (quote = strchr (p, '\'')); p = quote + 1) {
            run_add (command, p, quote - p);
            run_add (command, "'\\''", 4);
        }
        run_add (command, p, strlen (p));
        run_add (command, "'", 1);
    }
    return command;
}

static void run_describe (struct jobinfo *job,
                          char command[COMMAND_MAX],
                          char **argv,
                          const char *cwd)
{
    const char *slash = strrchr (argv[0], '/');

    ZERO (job);
    job->job_id = getpid ();
    job->array_task_id = -1;
    job->nnodes = 1;
    job->uid = getuid ();
    job->job_name = slash ? slash + 1 : argv[0];
    job->user = settings_environ (NULL, "USER");
    job->home = settings_environ (NULL, "HOME");
    job->workdir = cwd;
    job->command = run_words (command, argv);
}

/* A directory that nobody has: process ids come again. */
static void choose_dir (struct run *r, struct jobinfo *job)
{
    struct errtext err;
    struct stat st;

    do {
        if (jobdir_path (&r->settings, job, r->dir, &err) < 0)
            die_with (EXIT_NOT_STARTED, "%s", err.text);
        job->restart++;
    } while (!r->settings.job_dir[0] && lstat (r->dir, &st) == 0);
    job->restart = 0;
}

/* A command that cannot be traced has nobody to say so but us: in the process
 * that it will be. */
static void
run_note_program (const struct run *r, const char *path, enum program_kind kind)
{
    struct errtext err;
    int dirfd;

    if (r->kernel.pid || kind == PROGRAM_UNKNOWN || !path[0])
        return;
    dirfd = open (r->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dirfd < 0 || jobdir_note_untraced (dirfd, NULL, getpid (), path,
                                           programkind_reason (kind), &err) < 0)
        log_warn ("%s: %s", r->dir, dirfd < 0 ? strerror (errno) : err.text);
    if (dirfd >= 0)
        close (dirfd);
}

/* No other run writes there, or has: the directory stays locked, where its file
 * system has locks, until we end. */
static void run_take_dir (struct run *r, int fd)
{
    int busy = flock (fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;

    if (busy || (r->settings.job_dir[0] && notrace_is_used (r->dir)))
        die_with (EXIT_NOT_STARTED,
                  "%s: %s, and two runs in one directory would read as one "
                  "job: name another one, or say --add",
                  r->dir,
                  busy ? "another run is writing there"
                       : "holds a trace already");
    r->locked = fd;
}

static void run_make_dir (struct run *r, char **argv)
{
    char cwd[PATH_MAX], command[COMMAND_MAX], text[SETTING_TEXT_MAX];
    char node[NODENAME_MAX];
    struct jobinfo job;
    struct errtext err;
    struct stat st;
    int fd;

    run_describe (&job, command, argv, getcwd (cwd, sizeof (cwd)));
    choose_dir (r, &job);
    r->fresh = lstat (r->dir, &st) < 0;
    fd = jobdir_create (r->dir, &err);
    if (fd < 0)
        die_with (EXIT_NOT_STARTED, "%s", err.text);
    if (!r->add)
        run_take_dir (r, fd);
    /* the number was for the name only; of Slurm's jobs the plugin makes those
     * directories that are found by the job's id */
    job.job_id = settings_environ (NULL, "SLURM_JOB_ID")
                     ? 0
                     : jobdir_job_id (settings_environ, NULL);
    cpulimits_read (&job.limits);
    job.cpus = job.limits.allowed;
    if (jobdir_write_json (fd, &r->settings, &job, &err) < 0)
        die_with (EXIT_NOT_STARTED, "%s", err.text);
    set_setting (&r->settings, "job_dir", r->dir, EXIT_NOT_STARTED);
    set_setting (&r->settings, "made", r->dir, EXIT_NOT_STARTED);
    /* which kernel the name of this node belongs to */
    nodename_find (settings_environ, NULL, node);
    set_setting (&r->settings, "node", nodename_describe (node, text),
                 EXIT_NOT_STARTED);
    if (runkernel_start (&r->kernel, &r->settings, fd, &err) < 0)
        die_with (EXIT_NOT_STARTED, "%s", err.text);
    if (r->add)
        close (fd);
}

/* --- the command ------------------------------------------------------------
 */

static void run_set_variable (void *cookie, const char *name, const char *value)
{
    setenv (name, value, 1);
}

static int run_set_list (void *cookie, const char *name, const char *value)
{
    return setenv (name, value, 1);
}

static void run_set_environment (void *cookie)
{
    const struct taskenv lists = {settings_environ, run_set_list, NULL};
    const struct run *r = cookie;
    char path[PATH_MAX];
    enum program_kind kind = runpreload_look (r->command, r->noexec, path);

    settings_export (&r->settings, run_set_variable, NULL);
    if ((r->settings.layers & LAYER_APP) && r->python) {
        run_set_variable (NULL, setting_info (SETTING_ID_python)->env,
                          r->python);
        places_first ("PYTHONPATH", r->python, PATHLIST_PYTHON);
    }
    if (r->settings.container_bind)
        (void)taskenv_bind (&lists, r->preload, r->dir);
    if (!r->noexec && runpreload_may (kind))
        runpreload_set (r->preload, r->settings.layers);
    run_note_program (r, path, kind);
    if (r->kernel.pid)
        kernelside_follow ();
}

/* The first screen to the terminal that is standard error: standard output may
 * be a file of the command's. */
static void run_show (const struct run *r)
{
    char verb[] = "analyze";
    char *words[] = {verb, (char *)r->dir, NULL};
    int out = dup (STDOUT_FILENO);

    setenv ("DFTRACE_PAGER", "cat", 1);
    fflush (stdout);
    if (dup2 (STDERR_FILENO, STDOUT_FILENO) >= 0) {
        cmd_analyze (2, words);
        fflush (stdout);
    }
    if (out >= 0) {
        dup2 (out, STDOUT_FILENO);
        close (out);
    }
}

static void say_where (const struct run *r)
{
    enum notrace why = r->locked ? notrace_look_again (r->locked, r->dir)
                                 : notrace_look_at (r->dir);

    if (r->quiet)
        return;
    if (why == NOTRACE_NO && r->settings.screen && isatty (STDERR_FILENO))
        run_show (r);
    if (why == NOTRACE_NO)
        log_info ("trace in %s: `dftrace analyze %s` shows it", r->dir, r->dir);
    else
        log_info ("%s: no trace: %s", r->dir,
                  notrace_reason (why, r->settings.layers));
}

/* A directory made for a command that never ran. */
static void remove_dir (const struct run *r)
{
    if (r->fresh && rmdir (arena_format ("%s/shards", r->dir)) == 0 &&
        unlink (arena_format ("%s/job.json", r->dir)) == 0)
        rmdir (r->dir);
}

/* The end of the command, which it may not be able to tell itself. */
static int
run_note_end (const struct run *r, pid_t pid, int status, struct errtext *err)
{
    int fd = open (r->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    char node[NODENAME_MAX], text[PROCLINE_ENDED_MAX];
    struct procline l = {text, sizeof (text), 0};
    int rc;

    if (fd < 0)
        return errf (err, "%s: %s", r->dir, strerror (errno));
    procline_ended (&l, pid, status, PROCLINE_RUN);
    rc = jobdir_append (fd, nodename_find (settings_environ, NULL, node), &l,
                        err);
    close (fd);
    return rc;
}

static int run_command (struct run *r, char **argv)
{
    struct errtext problem;
    int status;
    pid_t rc = launch (argv, run_set_environment, r, &status);
    int err = errno;

    runkernel_end (&r->kernel);
    if (rc < 0) {
        log_error ("%s: %s: is it the right name?", argv[0], strerror (err));
        remove_dir (r);
        return err == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_EXEC;
    }
    xalloc_status =
        WIFSIGNALED (status) ? 128 + WTERMSIG (status) : WEXITSTATUS (status);
    if (run_note_end (r, rc, status, &problem) < 0)
        log_debug ("%s", problem.text);
    if (endfile_write_throttled (r->dir, &problem) < 0)
        log_debug ("%s", problem.text);
    if (untraced_list (r->dir, &problem) < 0)
        log_warn ("%s", problem.text);
    if (endfile_write_run (r->dir, status, &problem) < 0)
        log_debug ("%s", problem.text);
    say_where (r);
    return launch_exit_status (status);
}

int cmd_run (int argc, char **argv)
{
    static struct run r;
    const char *dir = NULL, *layers = NULL;
    const struct opt opts[] = {
        {"output", 'o', OPT_TEXT, &dir, "DIR", "job directory to make"},
        {"layers", 'l', OPT_TEXT, &layers, "LAYERS",
         "what to trace; default posix,app"},
        {"add", 0, OPT_FLAG, &r.add, NULL,
         "this command belongs to the job whose trace DIR holds"},
        {"quiet", 'q', OPT_FLAG, &r.quiet, NULL, "do not say where it is"},
        OPT_END,
    };
    int first;

    xalloc_status = EXIT_NOT_STARTED;
    first = optparse_operands (opts, &help, argc, argv);
    if (first == argc)
        die_with (EXIT_USAGE, "run: no command: try `dftrace run -- COMMAND`");
    take_settings (&r, dir, layers);
    r.command = argv[first];
    r.add |= !dir; /* the directory of a job that we are in */
    r.preload = places_library (&r.settings);
    r.python = places_python (&r.settings);
    runpreload_check (r.preload, r.settings.layers);
    run_make_dir (&r, argv + first);
    r.noexec = runpreload_is_noexec (r.preload);
    return run_command (&r, argv + first);
}

/* ---- settings, job directory -> a recorder beside the command ---- */

enum { END_MS = 10000 }; /* it writes what it has */

/* Start the recorder where s has layer kernel; job: a descriptor of the job
 * directory. Where there can be none, this is said and the layer is taken out
 * of s, unless s is strict: then -1 and err. */
static int runkernel_start (struct kernelside *k,
                            struct settings *s,
                            int job,
                            struct errtext *err)
{
    const char *program;
    int shards, rc;

    if (!(s->layers & LAYER_KERNEL))
        return 0;
    program = places_kernel ();
    shards = openat (job, "shards", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    rc = shards >= 0 ? kernelside_start (k, program, s, NULL, err)
                     : errf (err, "layer kernel: %s", strerror (errno));
    if (rc == 0)
        kernelside_place (k, shards);
    if (shards >= 0)
        close (shards);
    if (rc == 0 && err->text[0])
        log_warn ("%s", err->text);
    if (rc == 0 || s->layers & LAYER_STRICT)
        return rc;
    log_warn ("%s: going on without it", err->text);
    s->layers &= ~(unsigned)LAYER_KERNEL;
    return 0;
}

/* After the command: wait for it, and say what is missing. */
static void runkernel_end (struct kernelside *k)
{
    struct errtext err;

    if (kernelside_end (k, END_MS, &err) < 0)
        log_warn ("%s", err.text);
}

/* ---- the libraries of `dftrace run` -> LD_PRELOAD of the command ---- */

/* Whether the preload library, whose path is given, and those
 * that the layers need beside it can be loaded. */
static void runpreload_check (const char *preload, unsigned layers)
{
    if (preload[0] != '/' || strpbrk (preload, ": \t"))
        die_with (EXIT_NOT_STARTED,
                  "%s: cannot be preloaded: DFTRACE_PRELOAD needs an absolute "
                  "path without colon and blank",
                  preload);
    if (access (preload, R_OK) < 0)
        die_with (EXIT_NOT_STARTED,
                  "%s: %m: run `make install`, or set DFTRACE_PRELOAD to %s",
                  preload, places_library_name);
    for (int i = 1; i < PRELOADS_COUNT; i++) {
        char path[PATH_MAX];

        if (preloads_path (i, preload, layers, path, sizeof (path)) > 0 &&
            access (path, R_OK) < 0)
            die_with (EXIT_NOT_STARTED,
                      "%s: %m: the layers need it beside %s: run `make "
                      "install`",
                      path, places_library_name);
    }
}

/* True when the library that is there cannot be loaded, which is said: its file
 * system is mounted with noexec. */
static int runpreload_is_noexec (const char *preload)
{
    int fd = open (preload, O_RDONLY | O_CLOEXEC);
    int is = fd >= 0 && preloads_is_noexec (fd);

    if (fd >= 0)
        close (fd);
    if (is)
        log_warn ("%s: its file system is mounted with noexec, and the command "
                  "is not traced: move the library, or set DFTRACE_PRELOAD to "
                  "another %s",
                  preload, places_library_name);
    return is;
}

/* Return the kind of the command and its path, "" if that is not known. */
static enum program_kind
runpreload_look (const char *name, int noexec, char path[PATH_MAX])
{
    const char *asan = settings_environ (NULL, "ASAN_OPTIONS");
    enum program_kind kind;

    if (!strchr (name, '/'))
        programkind_search (settings_environ (NULL, "PATH"), name, path,
                            PATH_MAX);
    else if (!realpath (name, path))
        path[0] = '\0';
    kind = path[0] ? programkind_look (AT_FDCWD, path) : PROGRAM_UNKNOWN;
    if (kind == PROGRAM_SANITIZER && asan &&
        strstr (asan, "verify_asan_link_order=0"))
        kind = PROGRAM_UNKNOWN;
    return kind == PROGRAM_UNKNOWN && noexec ? PROGRAM_NOEXEC : kind;
}

/* False when the loader of such a program would print an error or end it. */
static int runpreload_may (enum program_kind kind)
{
    return kind != PROGRAM_NOEXEC && kind != PROGRAM_MACHINE &&
           kind != PROGRAM_SANITIZER;
}

/* In the child: LD_PRELOAD begins with them. What others preload sees the calls
 * after us. */
static void runpreload_set (const char *preload, unsigned layers)
{
    const char *old = settings_environ (NULL, "LD_PRELOAD");
    size_t size = (old ? strlen (old) : 0) +
                  PRELOADS_COUNT * (strlen (preload) + NAME_MAX);
    char *list = arena_alloc (size);

    if (preloads_add (old, preload, layers, list, size) == 0)
        setenv ("LD_PRELOAD", list, 1);
}
