/* SPDX-License-Identifier: MIT
 *
 * runner_files.c - a run -> its variables, its script
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/util/fsutil.h"
#include "lib/settings/preloads.h"
#include "sweep/run/program.h"
#include "sweep/run/runner_work.h"

enum { RUN_ARGUMENT_MAX = 100 * 1024 }; /* Linux takes 128 KiB */

const char *runner_in (const struct runner *x, const char *name)
{
    return arena_format (x->arena, "%s/%s", x->path, name);
}

void variables_set (struct variables *v, const char *name, const char *value)
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
        if (*item && !preloads_has_name (item, strlen (item)))
            kept =
                arena_format (x->arena, "%s%s%s", kept, *kept ? ":" : "", item);
    }
    variables_set (v, "LD_PRELOAD", *kept ? kept : NULL);
    variables_set (v, "DFTRACE_LAYERS", "off");
    variables_set (v, "SLURM_DFTRACE", "off");
    variables_set (v, "SLURM_SPANK__SLURM_SPANK_OPTION_dftrace_dftrace", "off");
}

void runner_variables (const struct runner *x, struct variables *v)
{
    const struct spec *s = x->sweep->spec;
    const char *id = run_id (x->arena, x->sweep->grid, x->run);

    variables_set (v, "SWEEP_NAME", s->name);
    variables_set (v, "SWEEP_DIR", x->sweep->path);
    variables_set (v, "SWEEP_POINT", x->point->id);
    variables_set (v, "SWEEP_LABEL", x->point->label);
    variables_set (v, "SWEEP_RUN", id);
    variables_set (v, "SWEEP_RUN_DIR", x->path);
    variables_set (v, "SWEEP_REPEAT",
                   arena_format (x->arena, "%d", x->run.repeat));
    variables_set (v, "SWEEP_ATTEMPT",
                   arena_format (x->arena, "%d", x->attempt));
    variables_set (v, "SWEEP_SEED",
                   arena_format (x->arena, "%llu",
                                 (unsigned long long)seed_of_run (
                                     s, x->point, x->run.repeat)));
    variables_set (
        v, "SWEEP_REPEAT_SEED",
        arena_format (x->arena, "%llu",
                      (unsigned long long)seed_of_repeat (s, x->run.repeat)));
    if (x->point->task_id)
        variables_set (v, "SLURM_ARRAY_TASK_ID", x->point->task_id);
    if (s->task_id == TASK_ID_GRID) {
        /* a script that divides by the size of its array means the grid */
        variables_set (v, "SLURM_ARRAY_TASK_MIN", "0");
        variables_set (
            v, "SLURM_ARRAY_TASK_MAX",
            arena_format (x->arena, "%zu", x->sweep->grid->product - 1));
        variables_set (v, "SLURM_ARRAY_TASK_COUNT",
                       arena_format (x->arena, "%zu", x->sweep->grid->product));
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
int runner_write_env (const struct runner *x, const struct variables *v)
{
    struct atomic_file *f = atomic_open (runner_in (x, "env"), 0644, x->err);

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

/* What setup did to its shell (variables that are not exported, functions,
 * options, traps, arguments), as text in a pipe that the shell of `run` reads
 * before its own text. The environment, and what names bash's own state, go
 * their own ways. */
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
static int write_run (const struct runner *x, FILE *out)
{
    const struct spec *s = x->sweep->spec;
    const char *script = shell_quote (x->arena, runner_in (x, "script"));

    if (strlen (s->run) > RUN_ARGUMENT_MAX) {
        fprintf (out, "exec bash %s\n",
                 shell_quote (x->arena, runner_in (x, "run")));
        return write_file (runner_in (x, "run"), 0755, s->run, x->err);
    }
    if (s->setup)
        fputs (hand_over_state, out);
    fprintf (out, "exec bash -c %s %s\n", shell_quote (x->arena, s->run),
             script);
    return 0;
}

int runner_write_script (const struct runner *x)
{
    const struct spec *s = x->sweep->spec;
    struct atomic_file *f = atomic_open (runner_in (x, "script"), 0755, x->err);

    if (!f)
        return -1;
    fprintf (atomic_stream (f), "#!/bin/bash\n");
    if (s->setup)
        fprintf (atomic_stream (f), "%s\n", s->setup);
    fprintf (atomic_stream (f),
             "[ -z \"${LOADEDMODULES-}\" ] || printf '%%s\\n' "
             "\"$LOADEDMODULES\" >%s\n",
             shell_quote (x->arena, runner_in (x, "modules")));
    if (runner_trace_write (x, atomic_stream (f)) < 0) {
        atomic_abort (f);
        return -1;
    }
    if (s->script)
        fprintf (atomic_stream (f), "%s\n",
                 shell_quote (x->arena, arena_format (x->arena, "%s/script",
                                                      x->sweep->path)));
    else if (write_run (x, atomic_stream (f)) < 0) {
        atomic_abort (f);
        return -1;
    }
    if (atomic_commit (f, x->err) < 0)
        return -1;
    if (!s->teardown)
        return 0;
    return write_file (
        runner_in (x, "teardown"), 0755,
        arena_format (x->arena, "#!/bin/bash\n%s\n", s->teardown), x->err);
}
