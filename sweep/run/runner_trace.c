/* SPDX-License-Identifier: MIT
 *
 * runner_trace.c - the trace of a run: its directory, its environment, its end
 *
 * In:  layers and settings of the point; in a job, what the plugin told its
 *      batch script
 * Out: ATTEMPT/trace/, lines of ATTEMPT/script
 * Caveat: jobs of a sweep say nobatch, as each of their runs, and each run
 *         and its control, needs a directory of its own.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/settings/preloads.h"
#include "lib/settings/jobvars.h"
#include "lib/format/layers.h"
#include "lib/settings/notrace.h"
#include "lib/settings/tracespec.h"
#include "lib/format/untracedlist.h"
#include "sweep/run/program.h"
#include "sweep/run/runner_work.h"

/* What the plugin would make of the option. */
static int read_settings (const struct runner *x, struct settings *s)
{
    struct tracespec spec;

    settings_init (s);
    if (*x->array && settings_from_env (s, x->err) < 0)
        return -1;
    if (settings_set (s, "layers", x->sweep->spec->layers, x->err) < 0 ||
        tracespec_parse (&spec, x->point->trace, x->err) < 0 ||
        tracespec_apply (&spec, s, x->err) < 0)
        return -1;
    /* slurmstepd collects stages of steps only */
    if (settings_set (s, "stage", "", x->err) < 0)
        return -1;
    s->given &= ~(SETTING_BIT (stage));
    if (!strchr (x->path, ':') &&
        settings_set (s, "output",
                      arena_format (x->arena, "%s:%s", runner_in (x, "stdout"),
                                    runner_in (x, "stderr")),
                      x->err) < 0)
        return -1;
    return settings_set (s, "job_dir", runner_in (x, "trace"), x->err);
}

/* Whether programs outside steps of srun are traced. -1 and x->err. */
static int runner_trace_is_ours (const struct runner *x)
{
    unsigned layers = 0;

    if (!x->layers)
        return 0;
    if (!*x->array)
        return 1;
    if (layers_parse (x->layers, &layers, x->err) < 0)
        return -1;
    return !(layers & LAYER_NOBATCH);
}

static void runner_trace_describe (const struct runner *x, struct jobvars *v)
{
    jobvars_read (v);
    v->job.point = run_id (x->arena, x->sweep->grid, x->run);
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

int runner_trace_make (const struct runner *x)
{
    static struct jobvars vars;
    struct settings s;
    int fd, rc = runner_trace_is_ours (x);

    if (rc <= 0)
        return rc;
    runner_trace_describe (x, &vars);
    if (read_settings (x, &s) < 0)
        return -1;
    fd = jobdir_create (runner_in (x, "trace"), x->err);
    if (fd < 0)
        return -1;
    rc = jobdir_write_json (fd, &s, &vars.job, x->err);
    (void)close (fd);
    return rc;
}

/* -- the environment --------------------------------------------------- */

struct exporting {
    struct arena *arena;
    FILE *out;
};

static void export_setting (void *cookie, const char *name, const char *value)
{
    const struct exporting *e = cookie;

    fprintf (e->out, "export %s=%s\n", name, shell_quote (e->arena, value));
}

/* path before what setup may have put there. */
static void export_first (const struct runner *x,
                          FILE *out,
                          const char *variable,
                          const char *path)
{
    fprintf (out, "export %s=%s${%s:+:$%s}\n", variable,
             shell_quote (x->arena, path), variable, variable);
}

int runner_trace_write (const struct runner *x, FILE *out)
{
    struct exporting e = {.arena = x->arena, .out = out};
    const char *library, *python;
    struct settings s;
    int rc = runner_trace_is_ours (x);

    if (rc <= 0)
        return rc;
    if (read_settings (x, &s) < 0)
        return -1;
    library = program_preload (x->arena, x->err);
    if (!library)
        return -1;
    settings_export (&s, export_setting, &e);
    python = s.layers & LAYER_APP ? program_python (x->arena) : NULL;
    if (python)
        export_first (x, out, "PYTHONPATH", python);
    for (int i = PRELOADS_COUNT - 1; i >= 0; i--) {
        char path[SETTING_TEXT_MAX + 32];

        if (preloads_path ((enum preload)i, library, s.layers, path,
                           sizeof (path)) > 0)
            export_first (x, out, "LD_PRELOAD", path);
    }
    return 0;
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
        (void)snprintf (x->status.why, sizeof (x->status.why),
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

enum trace_state runner_trace_check (struct runner *x)
{
    enum notrace why = notrace_look_at (runner_in (x, "trace"));
    unsigned layers = 0;

    if (why == NOTRACE_NO)
        return runner_trace_whole (x);
    (void)layers_parse (x->layers, &layers, x->err);
    (void)snprintf (x->status.why, sizeof (x->status.why), "no trace: %s",
                    notrace_reason (why, layers));
    fprintf (stderr, "dftrace: %s: %s\n", x->path, x->status.why);
    return x->sweep->spec->trace_check ? TRACE_MISSING : TRACE_OFF;
}
