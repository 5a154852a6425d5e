/* SPDX-License-Identifier: MIT
 *
 * taskenv.c - a plan -> directories, and the environment of a task
 *
 * In:  struct plan, the task's environment
 * Out: job directory, job.json, markers, stage; DFTRACE_* and LD_PRELOAD
 */
#include "config.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "lib/base/array.h"
#include "lib/base/programkind.h"
#include "lib/format/calls.h"
#include "lib/settings/nodename.h"
#include "lib/settings/paths.h"
#include "lib/settings/preloads.h"
#include "lib/settings/taskenv.h"

enum { NS_PER_MS = 1000000 };

/* -- before ------------------------------------------------------------ */

/* Work on file systems that may hang, done in a forked process. */
struct taskenv_start {
    const struct plan *plan;
    const struct jobinfo *job;
    struct taskenv_made made;
};

/* The loader would say one line for every process of the job about a library
 * that is not there; better we say it once. */
static int check_library (const char *path, struct errtext *err)
{
    int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const char *why = NULL;
    char magic[4] = "";

    if (fd < 0)
        return errf (err, "%s: preload library: %s", path, strerror (errno));
    if (read (fd, magic, sizeof (magic)) != (ssize_t)sizeof (magic) ||
        memcmp (magic, "\177ELF", sizeof (magic)) != 0)
        why = "not a shared library";
    else if (preloads_is_noexec (fd))
        why = "its file system is mounted with noexec: move it";
    else if (strpbrk (path, " :\t\n"))
        why = "blanks and colons separate LD_PRELOAD: move it";
    close (fd);
    errno = ENOEXEC;
    return why ? errf (err, "%s: preload library: %s", path, why) : 0;
}

static int check_libraries (const struct plan *p, struct errtext *err)
{
    char path[SETTING_TEXT_MAX + 32];

    for (int i = 0; i < PRELOADS_COUNT; i++) {
        int needed = preloads_path (i, p->settings.preload, p->settings.layers,
                                    path, sizeof (path));

        if (needed < 0)
            return errf (err, "%s: preload library: %s", p->settings.preload,
                         strerror (errno));
        if (needed && check_library (path, err) < 0)
            return -1;
    }
    return 0;
}

/* -- the environment --------------------------------------------------- */

struct emitter {
    const struct taskenv *env;
    int failed;
};

static void emit (void *cookie, const char *name, const char *value)
{
    struct emitter *e = cookie;

    if (e->env->set (e->env->cookie, name, value) < 0)
        e->failed = 1;
}

static void
emit_directory (struct emitter *e, const char *dir, const struct jobinfo *job)
{
    char id[32];

    FORMAT (id, "%" PRIu64, job->job_id);
    emit (e, PLAN_OWNER, id);
    emit (e, "DFTRACE_JOB_DIR", dir);
}

/* A list as the task has it; NULL and err: too long. */
static const char *
taskenv_list (struct emitter *e, const char *variable, struct errtext *err)
{
    const char *old;

    errno = 0;
    old = e->env->get (e->env->cookie, variable);
    if (!old && errno == ENAMETOOLONG) {
        errf (err, "%s: longer than %d bytes", variable, TASKENV_LIST_MAX - 1);
        return NULL;
    }
    return old ? old : "";
}

static int
emit_python (struct emitter *e, const struct plan *p, struct errtext *err)
{
    static char text[TASKENV_LIST_MAX + SETTING_TEXT_MAX];
    const char *old = taskenv_list (e, "PYTHONPATH", err);

    emit (e, setting_info (SETTING_ID_python)->env, p->settings.python);
    if (!old)
        return -1;
    if (pathlist_add (old, p->settings.python, PATHLIST_PYTHON, text,
                      sizeof (text)) < 0)
        return errf (err, "PYTHONPATH: %s: %s", p->settings.python,
                     strerror (errno));
    emit (e, "PYTHONPATH", text);
    return 0;
}

static int
emit_preload (struct emitter *e, const struct plan *p, struct errtext *err)
{
    static char text[TASKENV_LIST_MAX + PRELOADS_COUNT * SETTING_TEXT_MAX];
    const char *old = taskenv_list (e, "LD_PRELOAD", err);

    if (!old)
        return -1;
    if (preloads_add (old, p->settings.preload, p->settings.layers, text,
                      sizeof (text)) < 0)
        return errf (err, "LD_PRELOAD: %s: %s", p->settings.preload,
                     strerror (errno));
    emit (e, "LD_PRELOAD", text);
    return 0;
}

/* Python is not there on every node, and not in every job. */
static int has_python (const struct plan *p)
{
    char file[SETTING_TEXT_MAX];
    int n = FORMAT (file, "%s/sitecustomize.py", p->settings.python);

    if (!(p->settings.layers & LAYER_APP) || n >= (int)sizeof (file) ||
        access (file, R_OK) < 0)
        return 0;
    return 1;
}

/* A step of a staged job that is not staged itself must not write there. */
static void emit_stage (struct emitter *e, const char *stage)
{
    if (*stage)
        emit (e, "DFTRACE_STAGE", stage);
    else if (e->env->get (e->env->cookie, "DFTRACE_STAGE"))
        emit (e, "DFTRACE_STAGE", NULL);
}

/* A step of srun writes its output into a pipe; a batch script has a file, and
 * that is no I/O of the application, either. */
static void emit_output (struct emitter *e, const struct plan *p)
{
    char list[2 * SETTING_TEXT_MAX + 2] = "", path[SETTING_TEXT_MAX];
    size_t used = 0;

    for (int fd = 1; p->shell && fd <= 2; fd++) {
        const char *link = fd == 1 ? "/proc/self/fd/1" : "/proc/self/fd/2";
        ssize_t n = readlink (link, path, sizeof (path));
        struct stat st;

        if (n <= 0 || n >= (ssize_t)sizeof (path) || fstat (fd, &st) < 0 ||
            !S_ISREG (st.st_mode) || memchr (path, ':', n))
            continue;
        path[n] = '\0';
        if (used && strcmp (list, path) == 0)
            continue;
        if (used)
            list[used++] = ':';
        memcpy (list + used, path, (size_t)n + 1);
        used += n;
    }
    if (used && used < SETTING_TEXT_MAX)
        emit (e, setting_info (SETTING_ID_output)->env, list);
}

/* Which kernel the name of this node belongs to. */
static void emit_node (struct emitter *e, const char *node)
{
    if (*node)
        emit (e, setting_info (SETTING_ID_node)->env, node);
}

/* Add our directories to a bind list, and keep what it has. */
static void emit_bind (struct emitter *e,
                       const char *preload,
                       const char *dir,
                       const char *variable)
{
    static char list[TASKENV_LIST_MAX + 3 * SETTING_TEXT_MAX];
    const char *old = e->env->get (e->env->cookie, variable);
    const char *slash = strrchr (preload, '/');
    int n = (int)(slash ? slash - preload : 0);

    if (n == 0 || (old && strstr (old, dir)) || strpbrk (dir, ",:") ||
        strpbrk (preload, ",:"))
        return;
    FORMAT (list, "%s%s%.*s:%.*s:ro,%s", old ? old : "", old && *old ? "," : "",
            n, preload, n, preload, dir);
    emit (e, variable, list);
}

int taskenv_bind (const struct taskenv *env,
                  const char *preload,
                  const char *dir)
{
    struct emitter e = {env, 0};

    emit_bind (&e, preload, dir, "APPTAINER_BIND");
    emit_bind (&e, preload, dir, "SINGULARITY_BIND");
    return e.failed ? -1 : 0;
}

static int start_step (void *cookie)
{
    struct taskenv_start *s = cookie;
    struct taskenv_made *made = &s->made;
    const struct plan *p = s->plan;
    int fd;

    if (check_libraries (p, &made->err) < 0)
        return -1;
    if (plan_step_stage (p, s->job, made->stage) < 0)
        return errf (&made->err, "stage: path too long");
    if (*made->stage && paths_use_limited_memory (made->stage))
        made->stage[0] = '\0';
    if (*made->stage) {
        fd = jobdir_create (made->stage, &made->err);
        if (fd < 0)
            return -1;
        close (fd);
    }
    if (taskdir_make (p, s->job, made) < 0)
        return -1;
    made->python = has_python (p);
    if (s->job->host)
        nodename_describe (s->job->host, made->node);
    return 0;
}

int taskenv_make (const struct plan *p,
                  const struct jobinfo *job,
                  struct taskenv_made *made)
{
    struct taskenv_start s = {.plan = p, .job = job};
    uint64_t ms = p->settings.start_timeout / NS_PER_MS;
    /* of a batch script nothing of start_step allocates or takes a lock */
    int rc = apart_run (start_step, &s, sizeof (s), ms,
                        p->shell && !p->stage[0], -1),
        error = errno;

    *made = s.made;
    if (rc == 0 || made->err.text[0])
        return rc;
    errno = error;
    if (error == ETIMEDOUT)
        return errf (&made->err, "%s: its file system did not answer in %.1f s",
                     p->dir, ms / 1e3);
    return err_system (&made->err, p->dir, error);
}

/* LD_PRELOAD comes last: until then the task is as it was. */
int taskenv_compose (const struct taskenv *env,
                     const struct plan *p,
                     const struct jobinfo *job,
                     const struct taskenv_made *made,
                     struct errtext *err)
{
    const char *dir = made->apart[0] ? made->apart : p->dir;
    struct emitter e = {env, 0};

    settings_export (&p->settings, emit, &e);
    emit_directory (&e, dir, job);
    emit (&e, setting_info (SETTING_ID_made)->env, dir);
    emit_node (&e, made->node);
    emit_stage (&e, made->stage);
    emit_output (&e, p);
    if (e.failed || (p->settings.container_bind &&
                     taskenv_bind (env, p->settings.preload, dir) < 0)) {
        errno = ENOMEM;
        return errf (err, "environment: Slurm did not take it");
    }
    if (made->python && emit_python (&e, p, err) < 0)
        return -1;
    return emit_preload (&e, p, err);
}

int taskenv_trace (const struct taskenv *env,
                   const struct plan *p,
                   const struct jobinfo *job,
                   struct errtext *err)
{
    struct taskenv_made made;

    if (taskenv_make (p, job, &made) < 0) {
        *err = made.err;
        return -1;
    }
    return taskenv_compose (env, p, job, &made, err);
}

/* Everything but what would switch the tracer on. */
static void emit_settings (void *cookie, const char *name, const char *value)
{
    if (strcmp (name, setting_info (SETTING_ID_layers)->env) != 0)
        emit (cookie, name, value);
}

int taskenv_tell (const struct taskenv *env,
                  const struct plan *p,
                  const struct jobinfo *job)
{
    struct emitter e = {env, 0};

    settings_export (&p->settings, emit_settings, &e);
    emit_directory (&e, p->dir, job);
    return e.failed ? -1 : 0;
}

/* A traced batch script gives it to its steps. */
static void drop_library (struct emitter *e)
{
    static char text[TASKENV_LIST_MAX];
    const char *list = e->env->get (e->env->cookie, "LD_PRELOAD");

    if (list && preloads_drop (list, text, sizeof (text)) > 0)
        emit (e, "LD_PRELOAD", *text ? text : NULL);
}

void taskenv_silence (const struct taskenv *env, const struct plan *p)
{
    struct emitter e = {env, 0};

    if (env->get (env->cookie, "DFTRACE_LAYERS"))
        emit (&e, "DFTRACE_LAYERS", "off");
    drop_library (&e);
    if (p->inherited)
        emit (&e, "DFTRACE_JOB_DIR", NULL);
}

/* ---- a plan -> the job directory of a task, and what is noted there ---- */

enum program_kind taskenv_program (const struct jobinfo *job,
                                   char path[PATH_MAX])
{
    char found[PATH_MAX] = "";

    path[0] = '\0';
    if (!job->program)
        return PROGRAM_UNKNOWN;
    if (strchr (job->program, '/'))
        FORMAT (found, "%s", job->program);
    else
        programkind_search (job->path, job->program, found, sizeof (found));
    if (!found[0] || access (found, X_OK) < 0 || !realpath (found, path)) {
        path[0] = '\0';
        return PROGRAM_UNKNOWN;
    }
    return programkind_look (AT_FDCWD, found);
}

/* A program that cannot be traced has nobody to say so but us: a line for each
 * of the tasks. */
static int
note_program (int dirfd, const struct jobinfo *job, struct errtext *err)
{
    char path[PATH_MAX];
    enum program_kind kind = taskenv_program (job, path);
    uint32_t tasks = job->tasks_here ? job->tasks_here : 1;
    int rc = 0;

    if (kind == PROGRAM_UNKNOWN)
        return 0;
    while (rc == 0 && tasks-- > 0)
        rc = jobdir_note_untraced (dirfd, job->host, 0, path,
                                   programkind_reason (kind), err);
    return rc;
}

/* The directory with its job.json; a descriptor, or -1 and err. */
static int taskdir_open (const char *dir,
                         const struct plan *p,
                         const struct jobinfo *job,
                         struct errtext *err)
{
    int fd = jobdir_create (dir, err);

    if (fd >= 0 && jobdir_write_json (fd, &p->settings, job, err) < 0) {
        close (fd);
        return -1;
    }
    return fd;
}

/* Two jobs in one directory would be read as one: who comes second gets one
 * beside it. */
static int taskdir_own (const struct plan *p,
                        const struct jobinfo *job,
                        struct taskenv_made *made)
{
    int fd = taskdir_open (p->dir, p, job, &made->err);

    if (fd < 0 || jobdir_is_of (fd, job))
        return fd;
    close (fd);
    if (jobdir_apart (p->dir, job, made->apart, &made->err) < 0)
        return -1;
    return taskdir_open (made->apart, p, job, &made->err);
}

int taskdir_make (const struct plan *p,
                  const struct jobinfo *job,
                  struct taskenv_made *made)
{
    const char *stage = made->stage;
    struct errtext *err = &made->err;
    int fd = taskdir_own (p, job, made);
    int rc = 0;

    if (fd < 0)
        return -1;
    if (rc == 0)
        rc = jobdir_mark_started (fd, job->host, err);
    if (rc == 0 && *stage)
        rc = jobdir_mark_staged (fd, job->host, stage, err);
    if (rc == 0 && !p->shell && !(p->settings.layers & LAYER_KERNEL))
        rc = note_program (fd, job, err);
    close (fd);
    return rc;
}

/* ---- vfork, fork, a page in common, a pipe -> a step with a deadline ---- */

enum {
    FIRST = 3,      /* behind standard input, output and error */
    FD_MANY = 1024, /* to be closed one by one, on old kernels */
    STACK_BYTES = 320 << 10,
    GUARD_BYTES = 64 << 10, /* at its end: a page, however large */
    GONE_MS = 100 /* a killed process that does not end runs no code of ours */
};

struct apart {
    int rc, error;
    int (*step) (void *);
    int pipe_fd, keep;
    char *stack; /* of a worker in our memory; NULL: it has a copy */
    pid_t pid;
    _Alignas(16) char data[]; /* of any type */
};

static void apart_close_from (int fd)
{
#ifdef SYS_close_range
    if (syscall (SYS_close_range, fd, ~0U, 0) == 0)
        return;
#endif
    for (int i = fd; i < FD_MANY; i++)
        close (i);
}

/* Close the standard descriptors, so that the reader of this process's output
 * does not wait for it. */
static int apart_detach (const struct apart *a)
{
    int null = open ("/dev/null", O_RDWR), fd, kept;

    /* the others away from where the standard files will be */
    fd = fcntl (a->pipe_fd, F_DUPFD, APART_KEPT + 1);
    kept = a->keep < 0 ? -1 : fcntl (a->keep, F_DUPFD, APART_KEPT + 1);
    if (null < 0 || fd < 0 || (a->keep >= 0 && kept < 0))
        return -1;
    for (int i = 0; i < FIRST; i++)
        if (dup2 (null, i) < 0)
            return -1;
    if (dup2 (fd, FIRST) < 0 || (kept >= 0 && dup2 (kept, APART_KEPT) < 0))
        return -1;
    apart_close_from (kept < 0 ? APART_KEPT : APART_KEPT + 1);
    setsid ();
    return FIRST;
}

static int apart_work (void *cookie)
{
    struct apart *a = cookie;
    int fd = apart_detach (a);

    if (fd >= 0) {
        errno = 0;
        a->rc = a->step (a->data);
        a->error = errno;
        (void)!write (fd, "", 1);
    }
    _exit (0);
}

/* In between, so that the worker is no child of ours. It has our memory, while
 * we wait, and changes nothing in it. */
static _Noreturn void apart_between (struct apart *a)
{
    pid_t pid = a->stack ? clone (apart_work, a->stack + STACK_BYTES,
                                  CLONE_VM | SIGCHLD, a)
                         : fork ();

    if (pid == 0)
        apart_work (a);
    a->pid = pid; /* not before: a copy has *a in common with us */
    _exit (pid < 0);
}

/* A copy of slurmstepd's page tables, and their end, take most of a millisecond
 * of each task. No handler of ours runs in a worker that has our memory. */
static int apart_start (struct apart *a)
{
    int status = 0;
    sigset_t all, old;
    pid_t pid, rc;

    sigfillset (&all);
    if (a->stack)
        sigprocmask (SIG_SETMASK, &all, &old);
    pid = vfork ();
    if (pid == 0)
        apart_between (a);
    if (a->stack)
        sigprocmask (SIG_SETMASK, &old, NULL);
    if (pid < 0)
        return -1;
    do
        rc = waitpid (pid, &status, 0);
    while (rc < 0 && errno == EINTR);
    if (rc == pid && status != 0) {
        errno = EAGAIN;
        return -1;
    }
    return 0;
}

static uint64_t apart_now (void)
{
    struct timespec ts;

    clock_gettime (CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* 0: it is done. */
static int apart_wait (int fd, uint64_t ms)
{
    uint64_t end = apart_now () + ms, now;
    struct pollfd p = {fd, POLLIN, 0};
    char done;

    while ((now = apart_now ()) < end) {
        /* errno may be that of a worker in our memory */
        if (poll (&p, 1, (int)(end - now)) > 0) {
            if (read (fd, &done, 1) == 1)
                return 0;
            errno = ECHILD; /* it was killed */
            return -1;
        }
    }
    errno = ETIMEDOUT;
    return -1;
}

/* A worker in our memory must not go on beside us. */
static void apart_end (const struct apart *a, int fd)
{
    int error = errno;

    if (a->stack && error == ETIMEDOUT && a->pid > 0) {
        kill (a->pid, SIGKILL);
        (void)apart_wait (fd, GONE_MS);
    }
    errno = error;
}

/* A program under a sanitizer has more in its memory than we know of. */
static char *apart_stack (int shares)
{
#ifdef DFT_SANITIZER
    return NULL;
#else
    char *stack = shares ? mmap (NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0)
                         : MAP_FAILED;

    if (stack == MAP_FAILED)
        return NULL;
    (void)mprotect (stack, GUARD_BYTES, PROT_NONE);
    return stack;
#endif
}

int apart_run (int (*step) (void *),
               void *data,
               size_t size,
               uint64_t ms,
               int shares,
               int keep)
{
    size_t bytes = sizeof (struct apart) + size;
    int fd[2], rc = -1, error;
    struct apart *a = mmap (NULL, bytes, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (a == MAP_FAILED)
        return -1;
    memcpy (a->data, data, size);
    a->stack = apart_stack (shares);
    if (pipe2 (fd, O_CLOEXEC) == 0) {
        a->step = step;
        a->pipe_fd = fd[1];
        a->keep = keep;
        rc = apart_start (a);
        close (fd[1]);
        if (rc == 0)
            rc = apart_wait (fd[0], ms);
        if (rc < 0)
            apart_end (a, fd[0]);
        else if (a->stack) /* its code may be unmapped next: until it ends */
            (void)apart_wait (fd[0], ms);
        error = errno;
        close (fd[0]);
        errno = error;
        if (rc == 0) {
            memcpy (data, a->data, size);
            rc = a->rc;
            errno = a->error;
        }
    }
    error = errno;
    /* A worker in our memory may still be on its way out, on its stack, or in a
     * system call that writes there once more. The task's exec frees both. */
    if (!a->stack)
        munmap (a, bytes);
    errno = error;
    return rc;
}
