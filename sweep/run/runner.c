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

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/util/fsutil.h"
#include "sweep/run/pagecache.h"
#include "sweep/run/program.h"
#include "sweep/run/runner_work.h"
#include "sweep/submit/slurmsaid.h"

enum { ATTEMPT_MAX = 10000 };

static double runner_now (void)
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
    s->start = runner_now ();
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
    return runstatus_write (runner_in (x, "status"), s, x->err);
}

/* -- the run ----------------------------------------------------------- */

static int status_end (struct runner *x, int status)
{
    struct runstatus *s = &x->status;

    s->state = RUN_ENDED;
    s->end = runner_now ();
    s->signal = WIFSIGNALED (status) ? WTERMSIG (status) : 0;
    s->exit = s->signal ? 128 + s->signal : WEXITSTATUS (status);
    s->oom = s->exit && *x->array && slurmsaid_oom (runner_in (x, "stderr"));
    s->trace = TRACE_OFF;
    if (x->layers)
        s->trace = runner_trace_check (x);
    return runstatus_write (runner_in (x, "status"), s, x->err);
}

static int run_teardown (struct runner *x, struct variables *v, int status)
{
    int ignored, caught = x->status.caught, rc;

    if (!x->sweep->spec->teardown)
        return 0;
    variables_set (v, "SWEEP_EXIT",
                   arena_format (x->arena, "%d",
                                 WIFSIGNALED (status) ? 128 + WTERMSIG (status)
                                                      : WEXITSTATUS (status)));
    variables_set (v, "DFTRACE_LAYERS", NULL);
    rc = runner_bash (x, v, "teardown", 1, &ignored);
    x->status.caught = caught;
    return rc;
}

static int runner_own_run (struct runner *x)
{
    struct variables v = {.arena = x->arena};
    int status = 0;

    if (make_attempt (x) < 0 || runner_trace_make (x) < 0)
        return -1;
    for (size_t i = 0; i < x->sweep->spec->envs; i++)
        variables_set (&v, x->point->env[i].name, x->point->env[i].text);
    runner_variables (x, &v);
    if (runner_write_env (x, &v) < 0 || runner_write_script (x) < 0 ||
        status_start (x) < 0)
        return -1;
    if (runner_bash (x, &v, "script", 0, &status) < 0 ||
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

    int rc = runner_own_run (&x);

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
    int control = run_has_paired (d->spec, d->grid, r), signal = 0, worst = 0;
    int first = control && run_control_first (d->spec, d->grid, r);

    for (int i = 0; i <= control && !is_stop (signal); i++) {
        struct run one = r;
        int rc;

        if (control)
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
