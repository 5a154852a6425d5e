/* SPDX-License-Identifier: MIT
 *
 * cmd_run.c - `dftrace sweep run SPEC --local` and `exec`, inside a task
 */
#include "config.h"

#include <signal.h>

#include "lib/util/log.h"
#include "sweep/submit/submit.h"
#include "sweep/cmd.h"
#include "sweep/results/resultset.h"
#include "sweep/results/runreport.h"
#include "sweep/results/compare.h"
#include "sweep/run/runner.h"

enum { LOCAL_MAX_TASKS = 1000000 }; /* one list per group */

static const struct verb_help run_help = {
    .usage = "dftrace sweep run [OPTION…] SPEC [RUN…] --local",
    .summary = "run a sweep here, one run after the other, without Slurm",
    .text = "The same files as `submit` makes; runs that are done are not "
            "repeated. Ctrl-C stops the\nrun at work and the sweep; the same "
            "command goes on with it.",
    .example = "  $ dftrace sweep run study.yaml --local --limit 2",
    .exits = "0  the runs that were meant are done\n"
             "4  some are not\n6  the sweep file has an error\n"
             "7  all are done, and a check of the sweep file has failed",
    .least = 1,
};

struct run_options {
    struct filter_options filter;
    enum table_format format;
    const char *dir;
    int local, limit, dry;
};

struct chosen {
    struct run *run; /* that are meant, in the order of the sweep */
    size_t runs;
};

/* The runs of the filter as they are now; then the first N of the order. */
static void
run_choose (struct sweepdir *d, const struct run_options *o, struct chosen *c)
{
    struct sweep_report r;

    cmd_filter (d, STATUS_FILES | STATUS_SETTLED, &o->filter, EXIT_USAGE, &r);
    c->run = arena_array (d->layout->runs + 1, sizeof (*c->run));
    c->runs = 0;
    for (size_t i = 0; i < d->layout->runs; i++)
        if ((status_of (&r, d->layout->run[i]) ||
             status_of_control (d, &r, d->layout->run[i])) &&
            (!o->limit || c->runs < (size_t)o->limit))
            c->run[c->runs++] = d->layout->run[i];
    if (!c->runs)
        die_with (EXIT_USAGE, "%s: no run is meant by the filter", d->path);
}

/* And so is its control, when there is one. */
static int
is_done (struct sweepdir *d, const struct sweep_report *r, struct run run)
{
    const struct run_report *x = status_of (r, run),
                            *y = status_of_control (d, r, run);

    return x && x->outcome == OUTCOME_DONE &&
           (!y || y->outcome == OUTCOME_DONE);
}

/* 1 when a run was stopped. With retry, only runs whose end the sweep file
 * wants to see again. */
static int run_all (struct sweepdir *d, const struct chosen *c, int retry)
{
    struct sweep_report before;
    int caught = 0;

    status_read (d, STATUS_FILES, &before);
    progress_start (d->spec->name, c->runs, "runs");
    for (size_t i = 0; !caught && i < c->runs; i++) {
        progress_set (i);
        if (is_done (d, &before, c->run[i]) ||
            (retry && !status_wants_retry (d, &before, c->run[i])))
            continue;
        runner_run_task (d, c->run[i], "", &caught);
        if (caught != SIGTERM && caught != SIGINT && caught != SIGHUP)
            caught = 0;
    }
    progress_end ();
    return caught;
}

static int run_print_end (struct sweepdir *d,
                          const struct run_options *o,
                          const struct chosen *c,
                          const struct sweep_report *r)
{
    if (cmd_talk (o->format) == stdout) {
        status_print (stdout, d, r);
        printf ("tables: dftrace sweep results %s\n", d->path);
    } else {
        cmd_table (runtable_make (d, r), o->format);
    }
    for (size_t i = 0; i < c->runs; i++)
        if (!is_done (d, r, c->run[i]))
            return EXIT_SOME_FAILED;
    return verdict_status (d);
}

static int run_local (struct sweepdir *d, const struct run_options *o)
{
    struct sweep_report r;
    struct errtext err;
    struct chosen c;
    int stopped;

    run_choose (d, o, &c);
    if (o->dry) {
        cmd_table (runtable_planned (d, c.run, c.runs), o->format);
        return EXIT_OK;
    }
    if (chdir (d->cwd) < 0)
        die ("%s: %m: run it where it was frozen", d->cwd);
    stopped = run_all (d, &c, 0);
    for (int i = 0; !stopped && i < d->spec->retry.times; i++)
        stopped = run_all (d, &c, 1);
    if (resultset_write_all (d, &err) < 0)
        die ("%s", err.text);
    status_read (d, STATUS_FILES | STATUS_SETTLED, &r);
    return run_print_end (d, o, &c, &r);
}

int sweep_cmd_run (int argc, char **argv)
{
    struct run_options o = {.dir = NULL};
    const struct opt opts[] = {
        FILTER_OPTIONS (o.filter),
        FORMAT_OPTION (o.format),
        {"local", 0, OPT_FLAG, &o.local, NULL, "here, without Slurm"},
        {"limit", 0, OPT_INT, &o.limit, "N",
         "only the first N runs of the order"},
        {"dir", 'd', OPT_TEXT, &o.dir, "DIR",
         "the sweep directory; default is the sweep's name, here"},
        {"dry-run", 0, OPT_FLAG, &o.dry, NULL,
         "freeze, say which runs, do nothing"},
        OPT_END,
    };
    int operand = optparse_operands (opts, &run_help, argc, argv);
    const struct freeze_options freeze = {.max_tasks = LOCAL_MAX_TASKS};
    struct spec *s;
    struct grid *g;

    cmd_words (&o.filter, argc, argv, operand);
    cmd_load (argv[operand], &s, &g);
    if (!o.local && s->mode != MODE_LOCAL)
        die_with (EXIT_USAGE,
                  "%s: is for Slurm: use `dftrace sweep submit`, or say "
                  "--local",
                  argv[operand]);
    if (!o.dir)
        o.dir = s->name;
    sweepdir_freeze (o.dir, argv[operand], s, g, &freeze);
    return run_local (sweepdir_open (o.dir), &o);
}

/* ---- `dftrace sweep exec DIR MAP INDEX`: inside a task, do its run ---- */

static const struct verb_help exec_help = {
    .usage = "dftrace sweep exec DIR MAP INDEX|all",
    .summary = "do the run that line INDEX of DIR/jobs/MAP.map names",
    .text = "This is what the batch script of an array does in every task.",
    .example = "  $ dftrace sweep exec my-study g0.0 \"$SLURM_ARRAY_TASK_ID\"",
    .exits = "of the run; 128 + N when signal N ended it; 1 when it could not "
             "be started",
    .least = 3,
    .most = 3,
};

/* mode: pack: every run of the map, in its order, until a signal says stop. */
static int exec_all (struct sweepdir *d, const char *map)
{
    int worst = 0, caught = 0;

    for (size_t i = 0; i < d->layout->chunks; i++) {
        const struct chunk *c = &d->layout->chunk[i];

        if (strcmp (c->name, map))
            continue;
        for (int t = 0; t < c->count && caught != SIGTERM; t++) {
            int rc = runner_run_task (d, c->run[t], map, &caught);

            if (!worst)
                worst = rc;
        }
        return worst;
    }
    die ("%s: no such map in %s", map, d->path);
}

int sweep_cmd_exec (int argc, char **argv)
{
    const struct opt opts[] = {OPT_END};
    int operand = optparse_operands (opts, &exec_help, argc, argv), caught;
    const char *map = argv[operand + 1], *task = argv[operand + 2];
    int all = !strcmp (task, "all");
    struct sweepdir *d;
    uint64_t index = 0;

    if (!all && (parse_u64 (task, &index) < 0 || index > 100000000))
        die_with (EXIT_USAGE, "%s: no index of a task", task);
    d = sweepdir_open (argv[operand]);
    return all ? exec_all (d, map)
               : runner_run_task (d, sweepdir_map_lookup (d, map, (int)index),
                                  map, &caught);
}
