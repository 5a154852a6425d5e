/* SPDX-License-Identifier: MIT
 *
 * task_side.c - a task of slurmstepd -> traced, told, or left alone
 *
 * In:  --dftrace, SLURM_DFTRACE, DFTRACE_*, the site's settings
 * Out: root's marker; job directory, DFTRACE_* and LD_PRELOAD of the task
 * Caveat: what goes wrong here costs one line of the user's standard error
 *         and the trace, never the task (unless he said `strict`).
 */
#include "config.h"

#include <sched.h>

#include "lib/base/array.h"
#include "lib/format/calls.h"
#include "lib/settings/jobdir.h"
#include "lib/settings/marker.h"
#include "lib/base/programkind.h"
#include "lib/base/text.h"
#include "lib/settings/taskenv.h"
#include "spank/sides.h"
#include "spank/jobenv.h"
#include "spank/once.h"
#include "spank/message.h"

enum {
    NS_PER_MS = 1000000,
    SPARE_MS = 2000 /* beyond start_timeout, for who waits for another task */
};

/* JOB.NODE, for the steps of a batch script that is not traced: why was said.
 */
#define SAID "DFTRACE_UNTRACED"

/* Plan of the step, made before tasks exist, which have a copy. */
static struct plan plan;
static struct jobenv job;

/* The tasks of a step on this node need the same directories, and look at the
 * same library. */
static struct once *start;

/* -- the task's environment -------------------------------------------- */

struct lookup {
    spank_t sp;
    char text[TASKENV_LIST_MAX];
};

/* A step that is started from outside (srun --jobid=ID --overlap) knows nothing
 * of the job's directory; root's marker on this node does. "": none. */
static char joined[SETTING_TEXT_MAX];

static const char *get_variable (void *cookie, const char *name)
{
    struct lookup *l = cookie;

    if (joined[0] && strcmp (name, "DFTRACE_JOB_DIR") == 0)
        return joined;
    if (joined[0] && strcmp (name, PLAN_OWNER) == 0) {
        snprintf (l->text, sizeof (l->text), "%" PRIu64, job.info.job_id);
        return l->text;
    }
    return jobenv_get (l->sp, name, l->text, sizeof (l->text));
}

static int set_variable (void *cookie, const char *name, const char *value)
{
    struct lookup *l = cookie;
    spank_err_t rc = value ? spank_setenv (l->sp, name, value, 1)
                           : spank_unsetenv (l->sp, name);

    return rc == ESPANK_SUCCESS ? 0 : -1;
}

/* -- as root ----------------------------------------------------------- */

/* Before 24.05 `--export` loses the option of the batch step; the exported
 * one is there always. */
static void task_side_decide (struct lookup *l)
{
    static char exported[SETTING_TEXT_MAX], mirror[SETTING_TEXT_MAX];
    const struct plan_word words[] = {
        options_word (),
        {.name = OPTION_ENVIRONMENT,
         .text = jobenv_get (l->sp, OPTION_ENVIRONMENT, exported,
                             sizeof (exported))},
        {.name = PLAN_MIRROR,
         .text = jobenv_get (l->sp, PLAN_MIRROR, mirror, sizeof (mirror))},
        {.name = NULL},
    };
    const struct plan_sources from = {words, get_variable, l, site_now ()};

    jobenv_read (l->sp, &job);
    plan_make (&plan, &from, &job.info, job.step);
}

/* An explicit directory takes precedence over the site's default. */
static int names_a_place (struct lookup *l)
{
    static const char *const names[] = {"DFTRACE_JOB_DIR", "DFTRACE_LOG_ROOT"};
    const struct tracespec *option = options_word ().spec;
    const char *text;

    for (size_t i = 0; i < ITEMS (names); i++) {
        text = get_variable (l, names[i]);
        if (text && *text)
            return 1;
    }
    return option && option->settings.given &
                         (SETTING_BIT (job_dir) | SETTING_BIT (log_root));
}

void task_side_join (spank_t sp)
{
    struct lookup l = {.sp = sp};
    struct marker m;
    uint64_t owner = 0;
    const char *text;

    joined[0] = '\0';
    jobenv_read (sp, &job);
    text = get_variable (&l, PLAN_OWNER);
    if (job.step != STEP_TASKS ||
        (text && parse_u64 (text, &owner) == 0 && owner == job.info.job_id) ||
        names_a_place (&l) ||
        marker_read (site_now ()->settings.state_dir, job.own_id, job.host, &m,
                     NULL) < 0)
        return;
    if (m.count > 0 && m.uid == job.info.uid)
        snprintf (joined, sizeof (joined), "%s", m.dir[0]);
    marker_free (&m);
}

const struct plan *task_side_plan (spank_t sp, const struct jobenv **of)
{
    struct lookup l = {.sp = sp};

    task_side_decide (&l);
    *of = &job;
    return &plan;
}

void task_side_begin (spank_t sp)
{
    struct lookup l = {.sp = sp};

    task_side_decide (&l);
    kernel_side_settle (&plan);
    stage_side_set_weight (plan.weight);
    once_destroy (start);
    start = job.info.tasks_here > 1 && plan.decision == DECIDED_TRACE
                ? once_create (sizeof (struct taskenv_made))
                : NULL;
    if (plan.decision == DECIDED_TRACE)
        execdoor_look ();
}

void task_side_prepare (spank_t sp)
{
    const struct settings *site = &site_now ()->settings;
    const struct marker_line line = {
        job.info.uid,     job.gid,
        jobenv_groups (), site->epilog_timeout / NS_PER_MS,
        plan.weight,      plan.dir,
        plan.stage};
    struct errtext err;

    job.local_task = jobenv_local_task (sp);
    if (plan.decision != DECIDED_TRACE || job.local_task != 0)
        return;
    if (marker_add (site->state_dir, job.own_id, job.host, &line, &err) < 0)
        say (SAY_LOG, "%s", err.text);
    if (plan.stage[0])
        stage_side_hold (&job);
}

/* -- as the user ------------------------------------------------------- */

/* -- after TaskProlog -------------------------------------------------- */

/* The task's settings, in case TaskProlog takes them away again. */
static struct taskenv_made made_here;

/* The environment that TaskProlog left, and a copy with what it lost. */
struct repair {
    char *const *from;
    char **to; /* NULL-terminated; of `size` pointers */
    size_t count, size;
};

static const char *repair_get (void *cookie, const char *name)
{
    const struct repair *r = cookie;
    size_t n = strlen (name);

    for (size_t i = 0; i < r->count; i++)
        if (strncmp (r->to[i], name, n) == 0 && r->to[i][n] == '=')
            return r->to[i] + n + 1;
    return NULL;
}

/* Lists that TaskProlog has set are added to; all else that it has set, and
 * what it has not touched, stays. */
static int repair_set (void *cookie, const char *name, const char *value)
{
    struct repair *r = cookie;
    const char *old = repair_get (r, name);
    int is_list =
        strcmp (name, "LD_PRELOAD") == 0 || strcmp (name, "PYTHONPATH") == 0;
    char *entry = NULL;

    if (!value || (old && !is_list))
        return 0;
    if (r->count + 1 >= r->size || asprintf (&entry, "%s=%s", name, value) < 0)
        return -1;
    for (size_t i = 0; old && i < r->count; i++)
        if (r->to[i] + strlen (name) + 1 == old) {
            r->to[i] = entry;
            return 0;
        }
    r->to[r->count++] = entry;
    r->to[r->count] = NULL;
    return 0;
}

static int is_off (struct repair *r, const char *name, const char *off)
{
    const char *text = repair_get (r, name);

    return text && strcmp (text, off) == 0;
}

/* A site's TaskProlog may set LD_PRELOAD (an allocator, a CUDA library) or
 * unset it; it does not mean the tracer. One that says so does. */
static char *const *after_taskprolog (char *const envp[])
{
    enum { SPARE = 128 }; /* more than there are settings */
    struct repair r = {.from = envp};
    const struct taskenv env = {repair_get, repair_set, &r};
    const char *list;
    struct errtext err;

    while (envp[r.count])
        r.count++;
    r.size = r.count + SPARE;
    r.to = calloc (r.size, sizeof (*r.to));
    if (!r.to)
        return envp;
    memcpy (r.to, envp, r.count * sizeof (*r.to));
    list = repair_get (&r, "LD_PRELOAD");
    if (is_off (&r, "DFTRACE_LAYERS", "off") ||
        is_off (&r, "DFTRACE_ENABLE", "0") ||
        (list && strstr (list, plan.settings.preload) &&
         repair_get (&r, "DFTRACE_JOB_DIR")))
        return envp;
    if (taskenv_compose (&env, &plan, &job.info, &made_here, &err) < 0) {
        say (SAY_USER, "%s: TaskProlog: %s: running untraced", job.host,
             err.text);
        return envp;
    }
    return r.to;
}

/* An `optional` plugin cannot fail a task by its return value; this is what
 * Slurm does itself for a `required` one. */
static void strict_exit (void)
{
    _exit (1);
}

/* The batch script has said it already, on this node. */
static int is_said (struct lookup *l)
{
    char here[JOBDIR_NAME_MAX + 32];
    const char *said = get_variable (l, SAID);

    snprintf (here, sizeof (here), "%u.%s", job.own_id, job.host);
    if (job.step == STEP_SHELL)
        set_variable (l, SAID, here);
    return said && strcmp (said, here) == 0;
}

static int untraced (struct lookup *l)
{
    if (job.local_task == 0 && (plan.strict || !is_said (l)))
        say (SAY_USER, "%s: %s: %s", job.host, plan.err.text,
             plan.strict ? "the task does not start (strict)"
                         : "running untraced");
    if (plan.strict)
        strict_exit ();
    return 0;
}

/* Its runs have directories of their own, and say what became of them. */
static int in_sweep (struct lookup *l)
{
    const char *text = get_variable (l, PLAN_SWEEP);

    return text && *text;
}

/* The first task that comes. */
static int task_side_make (void *cookie)
{
    if (job.info.nnodes == 1)
        cpulimits_read (&job.info.limits);
    return taskenv_make (&plan, &job.info, cookie);
}

/* Said once a job: its other steps find the directory in their environment. */
static void task_side_go_apart (const struct taskenv *env, const char *dir)
{
    const char *known = env->get (env->cookie, "DFTRACE_JOB_DIR");

    if (job.local_task == 0 && (!known || strcmp (known, dir) != 0))
        say (SAY_USER,
             "%s: %s: the trace of another job is there: this one's is in %s "
             "(job_dir=…%%j keeps jobs apart)",
             job.host, plan.dir, dir);
    snprintf (plan.dir, sizeof (plan.dir), "%.*s", SETTING_TEXT_MAX - 1, dir);
    plan.apart = 1;
}

/* The stage is in memory that is limited. Said once, of what the job asked for:
 * steps of a batch script leave it to the script. */
static void task_side_unstage (const struct taskenv *env)
{
    const char *kind = env->get (env->cookie, "ENVIRONMENT");

    if (job.local_task == 0 &&
        (job.step == STEP_SHELL || !kind || strcmp (kind, "BATCH") != 0) &&
        strcmp (plan.settings.stage, site_now ()->settings.stage) != 0)
        say (SAY_USER,
             "%s: stage: %s: in memory that counts against the job's limit: "
             "traced to %s without it",
             job.host, plan.settings.stage, plan.dir);
    plan.stage[0] = '\0';
}

/* A TaskProlog may take the tracer out of the environment of this task, and
 * nobody is asked again: a row, which goes if the task leaves a trace. */
static void task_side_doubt (void)
{
    char path[PATH_MAX] = "slurm_script";
    int dirfd =
        open (plan.dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (dirfd >= 0 &&
        (!job.info.program ||
         (taskenv_program (&job.info, path) == PROGRAM_UNKNOWN && path[0])))
        jobdir_note_untraced (dirfd, job.host, getpid (), path,
                              programkind_reason (PROGRAM_ENVIRONMENT), NULL);
    if (dirfd >= 0)
        close (dirfd);
    if (job.local_task == 0)
        say (SAY_LOG, "slurmstepd calls execve in an unknown way: a TaskProlog "
                      "that changes LD_PRELOAD would leave its tasks untraced");
}

/* Return how many processors the job may use on its node, of which its tasks
 * may be bound to fewer; 0: it is on several nodes, or it is not known. */
static uint32_t task_side_cpus (const struct taskenv *env)
{
    const char *text = env->get (env->cookie, "SLURM_CPUS_ON_NODE");
    cpu_set_t set[8]; /* 8192 processors */
    uint64_t here = 0, of_job = 0;

    if (sched_getaffinity (0, sizeof (set), set) == 0)
        here = (unsigned)CPU_COUNT_S (sizeof (set), set);
    if (text && parse_u64 (text, &of_job) == 0 && of_job > here)
        here = of_job;
    return job.info.nnodes == 1 && here < UINT32_MAX ? (uint32_t)here : 0;
}

static int task_side_trace (const struct taskenv *env)
{
    const uint64_t ms = plan.settings.start_timeout / NS_PER_MS + SPARE_MS;
    struct taskenv_made *made = &made_here;

    job.info.cpus = task_side_cpus (env);
    if (once_run (start, task_side_make, made, sizeof (*made), ms) == 0) {
        if (made->apart[0])
            task_side_go_apart (env, made->apart);
        if (plan.stage[0] && !made->stage[0])
            task_side_unstage (env);
        privatetmp_tell (plan.dir, &job,
                         env->get (env->cookie, "DFTRACE_JOB_DIR"));
        if (taskenv_compose (env, &plan, &job.info, made, &plan.err) < 0)
            return -1;
        if (execdoor_open (after_taskprolog) < 0)
            task_side_doubt ();
        return 0;
    }
    plan.err = made->err;
    if (!made->err.text[0])
        errf (&plan.err, "%s: the first task of this node: %s", plan.dir,
              strerror (errno));
    return -1;
}

int task_side_start (spank_t sp)
{
    struct lookup l = {.sp = sp};
    const struct taskenv env = {get_variable, set_variable, &l};

    /* now its environment is complete: Slurm has set SLURM_RESTART_COUNT */
    if (job.step == STEP_SHELL) {
        task_side_decide (&l);
        kernel_side_settle (&plan);
        set_variable (&l, PLAN_SCRIPT, NULL);
    }
    switch (plan.decision) {
    case DECIDED_NOTHING:
        if (plan.inherited)
            taskenv_silence (&env, &plan);
        return 0;
    case DECIDED_OFF:
        taskenv_silence (&env, &plan);
        return 0;
    case DECIDED_TELL:
        if (plan.inherited)
            taskenv_silence (&env, &plan);
        taskenv_tell (&env, &plan, &job.info);
        if (job.local_task == 0 && !in_sweep (&l))
            stage_side_send (sp, &plan, &job);
        return 0;
    case DECIDED_TRACE:
        if (task_side_trace (&env) < 0)
            break;
        if (job.local_task == 0)
            stage_side_send (sp, &plan, &job);
        if (job.local_task == 0 && plan.kernel.text[0])
            say (SAY_USER, "%s: %s: going on without it", job.host,
                 plan.kernel.text);
        if (plan.settings.layers & LAYER_KERNEL)
            kernel_side_follow (&plan, &job);
        return 0;
    case DECIDED_FAILED:
        break;
    }
    taskenv_silence (&env, &plan);
    return untraced (&l);
}
