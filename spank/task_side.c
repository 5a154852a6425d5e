/* SPDX-License-Identifier: MIT
 *
 * task_side.c - option, environment, site -> environment of the task
 *
 * In:  --dftrace, SLURM_DFTRACE, DFTRACE_*, plugstack.conf
 * Out: job directory, job.json, markers; DFTRACE_* and LD_PRELOAD
 * Caveat: what goes wrong here costs one line of the user's standard error
 *         and the trace, never the task (unless he said `strict`).
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/core/jobdir.h"
#include "lib/core/layers.h"
#include "lib/core/marker.h"
#include "lib/core/pathlist.h"
#include "lib/core/settings.h"
#include "spank/jobenv.h"
#include "spank/options.h"
#include "spank/site.h"
#include "spank/task_side.h"

/* The job that a DFTRACE_JOB_DIR in the environment was made for. A job that
 * was submitted from a traced one inherits both and must not believe them. */
#define OWNER_ENVIRONMENT "DFTRACE_JOB"

enum { LIST_TEXT_MAX = 16384, NS_PER_MS = 1000000 };

enum decision {
    DECIDED_NOTHING = 0, /* nobody asked, or this step has no tasks */
    DECIDED_OFF,         /* the user said no */
    DECIDED_TELL,        /* a shell: tell it the directory, trace nothing */
    DECIDED_TRACE,
    DECIDED_FAILED /* asked for and not possible: see err */
};

/* One task, from task_init_privileged to task_init of the same process. */
struct plan {
    enum decision decision;
    int strict;
    int inherited; /* the DFTRACE_* of another job are in the environment */
    struct settings settings;
    struct jobenv job;
    char dir[SETTING_TEXT_MAX];
    struct errtext err;
};

static struct plan plan;

/* -- as root ----------------------------------------------------------- */

/* Set of enum layer, or enum option_state. */
static int wanted_layers (spank_t sp, struct errtext *err)
{
    static const char *const variables[] = {OPTION_ENVIRONMENT, OPTION_MIRROR};
    char text[SETTING_TEXT_MAX];
    int layers = options_layers (err);

    for (int i = 0; layers == OPTION_UNSET && i < 2; i++)
        layers = options_parse (
            variables[i], jobenv_get (sp, variables[i], text, sizeof (text)),
            err);
    if (layers == OPTION_UNSET && site_settings ()->layers)
        layers = (int)site_settings ()->layers;
    return layers;
}

static int is_inherited (spank_t sp, const struct jobenv *job)
{
    char text[32], own[32];

    (void)snprintf (own, sizeof (own), "%" PRIu64, job->info.job_id);
    return jobenv_get (sp, OWNER_ENVIRONMENT, text, sizeof (text)) &&
           strcmp (text, own) != 0;
}

struct lookup {
    spank_t sp;
    int inherited;
    char text[SETTING_TEXT_MAX];
};

/* What the user may say by his environment: not the layers, which have a
 * precedence of their own, and not what belongs to the site. */
static const char *lookup (void *cookie, const char *name)
{
    static const char *const kept[] = {"DFTRACE_LAYERS", "DFTRACE_STATE_DIR",
                                       "DFTRACE_EPILOG_TIMEOUT"};
    struct lookup *l = cookie;

    for (size_t i = 0; i < sizeof (kept) / sizeof (kept[0]); i++) {
        if (strcmp (name, kept[i]) == 0)
            return NULL;
    }
    if (l->inherited && strcmp (name, "DFTRACE_JOB_DIR") == 0)
        return NULL;
    return jobenv_get (l->sp, name, l->text, sizeof (l->text));
}

static void set_layers (struct settings *s, int layers)
{
    char text[256];

    (void)settings_set (s, "layers",
                        layers_format ((unsigned)layers, text, sizeof (text)),
                        NULL);
}

/* Node matters are not for the task's environment. */
static void hide_site_settings (struct settings *s)
{
    s->given &= ~(1u << SETTING_ID_state_dir | 1u << SETTING_ID_epilog_timeout);
}

static enum decision decide (spank_t sp, struct plan *p)
{
    int layers = wanted_layers (sp, &p->err);
    struct lookup l = {.sp = sp};

    jobenv_read (sp, &p->job);
    if (p->job.step == STEP_OTHER)
        return DECIDED_NOTHING;
    p->inherited = l.inherited = is_inherited (sp, &p->job);
    if (layers == OPTION_BAD)
        return DECIDED_FAILED;
    if (layers == OPTION_UNSET)
        return DECIDED_NOTHING;
    if (layers & LAYER_OFF)
        return DECIDED_OFF;
    p->strict = (layers & LAYER_STRICT) != 0;
    p->settings = *site_settings ();
    if (settings_from (&p->settings, lookup, &l, &p->err) < 0)
        return DECIDED_FAILED;
    set_layers (&p->settings, layers);
    hide_site_settings (&p->settings);
    if (jobdir_path (&p->settings, &p->job.info, p->dir, &p->err) < 0)
        return DECIDED_FAILED;
    return p->job.step == STEP_TASKS || (layers & LAYER_BATCH) ? DECIDED_TRACE
                                                               : DECIDED_TELL;
}

void task_side_prepare (spank_t sp)
{
    struct errtext err;

    memset (&plan, 0, sizeof (plan));
    plan.decision = decide (sp, &plan);
    if (plan.decision == DECIDED_TRACE && plan.job.local_task == 0 &&
        marker_add (site_settings ()->state_dir, plan.job.own_id, plan.job.host,
                    plan.job.info.uid, plan.job.gid,
                    site_settings ()->epilog_timeout / NS_PER_MS, plan.dir,
                    &err) < 0)
        slurm_info ("dftrace: %s", err.text);
}

/* -- as the user ------------------------------------------------------- */

/* The loader would say one line for every process of the job about a library
 * that is not there; better we say it once. */
static int check_library (const char *path, struct errtext *err)
{
    char magic[4] = "";
    int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0)
        return errf (err, "%s: preload library: %s", path, strerror (errno));
    if (read (fd, magic, sizeof (magic)) != (ssize_t)sizeof (magic) ||
        memcmp (magic, "\177ELF", sizeof (magic)) != 0) {
        (void)close (fd);
        errno = ENOEXEC;
        return errf (err, "%s: preload library: not a shared library", path);
    }
    (void)close (fd);
    if (strpbrk (path, " :\t\n")) {
        errno = EINVAL;
        return errf (err,
                     "%s: preload library: blanks and colons separate "
                     "LD_PRELOAD: move it",
                     path);
    }
    return 0;
}

static int make_directory (const struct plan *p, struct errtext *err)
{
    int fd = jobdir_create (p->dir, err);
    int rc;

    if (fd < 0)
        return -1;
    rc = jobdir_write_json (fd, &p->settings, &p->job.info, err);
    if (rc == 0)
        rc = jobdir_mark_started (fd, p->job.host, err);
    (void)close (fd);
    return rc;
}

struct environment {
    spank_t sp;
    int failed;
};

static void emit (void *cookie, const char *name, const char *value)
{
    struct environment *e = cookie;

    if (spank_setenv (e->sp, name, value, 1) != ESPANK_SUCCESS)
        e->failed = 1;
}

static void emit_directory (struct environment *e, const struct plan *p)
{
    char id[32];

    (void)snprintf (id, sizeof (id), "%" PRIu64, p->job.info.job_id);
    emit (e, OWNER_ENVIRONMENT, id);
    emit (e, "DFTRACE_JOB_DIR", p->dir);
}

/* path becomes the first element of the list in variable. */
static int emit_first (struct environment *e,
                       const char *variable,
                       const char *path,
                       const char *separators,
                       struct errtext *err)
{
    static char old[LIST_TEXT_MAX];
    static char text[LIST_TEXT_MAX + SETTING_TEXT_MAX];
    spank_err_t rc = spank_getenv (e->sp, variable, old, sizeof (old));

    if (rc == ESPANK_NOSPACE) {
        errno = ENAMETOOLONG;
        return errf (err, "%s: longer than %d bytes", variable,
                     LIST_TEXT_MAX - 1);
    }
    if (rc != ESPANK_SUCCESS)
        old[0] = '\0';
    if (pathlist_add (old, path, separators, text, sizeof (text)) < 0)
        return errf (err, "%s: %s: %s", variable, path, strerror (errno));
    emit (e, variable, text);
    return 0;
}

/* Python is not there on every node, and not in every job. */
static int
emit_python (struct environment *e, const struct plan *p, struct errtext *err)
{
    char file[SETTING_TEXT_MAX];
    int n = snprintf (file, sizeof (file), "%s/sitecustomize.py",
                      p->settings.python);

    if (!(p->settings.layers & LAYER_APP) || n >= (int)sizeof (file) ||
        access (file, R_OK) < 0)
        return 0;
    return emit_first (e, "PYTHONPATH", p->settings.python, PATHLIST_PYTHON,
                       err);
}

/* LD_PRELOAD comes last: until then the task is as it was. */
static int compose (spank_t sp, const struct plan *p, struct errtext *err)
{
    struct environment e = {sp, 0};

    settings_export (&p->settings, emit, &e);
    emit_directory (&e, p);
    if (e.failed) {
        errno = ENOMEM;
        return errf (err, "environment: Slurm did not take it");
    }
    if (emit_python (&e, p, err) < 0)
        return -1;
    return emit_first (&e, "LD_PRELOAD", p->settings.preload, PATHLIST_PRELOAD,
                       err);
}

static int trace (spank_t sp, struct plan *p)
{
    if (check_library (p->settings.preload, &p->err) < 0)
        return -1;
    if (make_directory (p, &p->err) < 0)
        return -1;
    return compose (sp, p, &p->err);
}

/* An `optional` plugin cannot fail a task by its return value; this is what
 * Slurm does itself for a `required` one. */
static void strict_exit (void)
{
    _exit (1);
}

static int untraced (struct plan *p)
{
    if (p->job.local_task == 0)
        slurm_spank_log ("dftrace: %s: %s: %s", p->job.host, p->err.text,
                         p->strict ? "the task does not start (strict)"
                                   : "running untraced");
    if (p->strict)
        strict_exit ();
    return 0;
}

/* Whatever the environment brought along must not trace this task. */
static void silence (spank_t sp, const struct plan *p)
{
    struct environment e = {sp, 0};
    char text[256];

    if (jobenv_get (sp, "DFTRACE_LAYERS", text, sizeof (text)))
        emit (&e, "DFTRACE_LAYERS", "off");
    if (p->inherited)
        (void)spank_unsetenv (sp, "DFTRACE_JOB_DIR");
}

int task_side_start (spank_t sp)
{
    struct environment e = {sp, 0};

    /* now its environment is complete: Slurm has set SLURM_RESTART_COUNT */
    if (plan.decision == DECIDED_TELL)
        plan.decision = decide (sp, &plan);
    switch (plan.decision) {
    case DECIDED_NOTHING:
        if (plan.inherited)
            silence (sp, &plan);
        return 0;
    case DECIDED_OFF:
        silence (sp, &plan);
        return 0;
    case DECIDED_TELL:
        if (plan.inherited)
            silence (sp, &plan);
        emit_directory (&e, &plan);
        return 0;
    case DECIDED_TRACE:
        if (trace (sp, &plan) == 0)
            return 0;
        break;
    case DECIDED_FAILED:
        break;
    }
    silence (sp, &plan);
    return untraced (&plan);
}
