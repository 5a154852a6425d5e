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

static struct sweepdir *run_frozen (const char *path,
                                    const char *dir,
                                    const struct spec *s,
                                    const struct grid *g)
{
    const struct freeze_options freeze = {.max_tasks = LOCAL_MAX_TASKS};
    struct errtext err;

    if (!dir)
        dir = s->name;
    if (sweepdir_freeze (dir, path, s, g, &freeze, &err) < 0) {
        log_error ("%s", err.text);
        return NULL;
    }
    return cmd_open (dir);
}

static const struct run_report *run_control_of (const struct sweepdir *d,
                                                const struct sweep_report *r,
                                                struct run run)
{
    if (!run_has_paired (d->spec, d->grid, run))
        return NULL;
    run.control = 1;
    return status_of (r, run);
}

/* The runs of the filter as they are now; then the first N of the order. */
static int run_choose (struct sweepdir *d,
                       const struct run_options *o,
                       struct chosen *c,
                       struct errtext *err)
{
    struct sweep_report r;

    if (status_read (d, STATUS_FILES | STATUS_SETTLED, &r, err) < 0 ||
        filter_report (d, &o->filter, &r, err) < 0)
        return -1;
    c->run = arena_array (d->layout->runs + 1, sizeof (*c->run));
    c->runs = 0;
    for (size_t i = 0; i < d->layout->runs; i++)
        if ((status_of (&r, d->layout->run[i]) ||
             run_control_of (d, &r, d->layout->run[i])) &&
            (!o->limit || c->runs < (size_t)o->limit))
            c->run[c->runs++] = d->layout->run[i];
    if (!c->runs)
        return errf (err, "%s: no run is meant by the filter", d->path);
    return 0;
}

/* And so is its control, when there is one. */
static int
is_done (const struct sweepdir *d, const struct sweep_report *r, struct run run)
{
    const struct run_report *x = status_of (r, run),
                            *y = run_control_of (d, r, run);

    return x && x->outcome == OUTCOME_DONE &&
           (!y || y->outcome == OUTCOME_DONE);
}

/* Ended in a way that the sweep file wants to see again? */
static int wants_retry (const struct sweepdir *d,
                        const struct sweep_report *r,
                        struct run run)
{
    const struct run_report *x = status_of (r, run),
                            *y = run_control_of (d, r, run);

    return (x && d->spec->retry.on >> x->outcome & 1) ||
           (y && d->spec->retry.on >> y->outcome & 1);
}

/* 0, 1 when a run was stopped, -1 and err. */
static int run_all (struct sweepdir *d,
                    const struct chosen *c,
                    int retry,
                    struct errtext *err)
{
    struct sweep_report before;
    int rc = 0;

    if (status_read (d, STATUS_FILES, &before, err) < 0)
        return -1;
    progress_start (d->spec->name, c->runs, "runs");
    for (size_t i = 0; rc == 0 && i < c->runs; i++) {
        int status, caught;

        progress_set (i);
        if (is_done (d, &before, c->run[i]) ||
            (retry && !wants_retry (d, &before, c->run[i])))
            continue;
        status = runner_run_task (d, c->run[i], "", &caught, err);
        rc = status < 0
                 ? -1
                 : caught == SIGTERM || caught == SIGINT || caught == SIGHUP;
    }
    progress_end ();
    return rc;
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
    int rc;

    if (run_choose (d, o, &c, &err) < 0) {
        log_error ("%s", err.text);
        return EXIT_USAGE;
    }
    if (o->dry) {
        cmd_table (runtable_planned (d, c.run, c.runs), o->format);
        return EXIT_OK;
    }
    if (chdir (d->cwd) < 0) {
        log_error ("%s: %s: run it where it was frozen", d->cwd,
                   strerror (errno));
        return EXIT_FAILED;
    }
    rc = run_all (d, &c, 0, &err);
    for (int i = 0; rc == 0 && i < d->spec->retry.times; i++)
        rc = run_all (d, &c, 1, &err);
    if (rc < 0 || resultset_write_all (d, &err) < 0 ||
        status_read (d, STATUS_FILES | STATUS_SETTLED, &r, &err) < 0) {
        log_error ("%s", err.text);
        return EXIT_FAILED;
    }
    return run_print_end (d, o, &c, &r);
}

static int run_spec (const struct run_options *o,
                     const char *path,
                     const struct spec *s,
                     const struct grid *g)
{
    struct sweepdir *d;
    int status;

    if (!o->local && s->mode != MODE_LOCAL) {
        log_error ("%s: is for Slurm: use `dftrace sweep submit`, or say "
                   "--local",
                   path);
        return EXIT_USAGE;
    }
    d = run_frozen (path, o->dir, s, g);
    status = d ? run_local (d, o) : EXIT_FAILED;
    sweepdir_close (d);
    return status;
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
    struct spec *s;
    struct grid *g;
    int operand, status;

    if (optparse_command (opts, &run_help, argc, argv, &operand, &status) < 0)
        return status;
    if (o.limit < 0) {
        log_error ("--limit: a number of runs should be here");
        return EXIT_USAGE;
    }
    cmd_words (&o.filter, argc, argv, operand);
    if (cmd_load (argv[operand], &s, &g) < 0)
        return EXIT_SPEC;
    status = run_spec (&o, argv[operand], s, g);
    spec_destroy (s);
    return status;
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
static int exec_all (struct sweepdir *d, const char *map, struct errtext *err)
{
    int worst = 0, caught = 0;

    for (size_t i = 0; i < d->layout->chunks; i++) {
        const struct chunk *c = &d->layout->chunk[i];

        if (strcmp (c->name, map))
            continue;
        for (int t = 0; t < c->count && caught != SIGTERM; t++) {
            int rc = runner_run_task (d, c->run[t], map, &caught, err);

            if (rc < 0)
                return -1;
            if (!worst)
                worst = rc;
        }
        return worst;
    }
    return errf (err, "%s: no such map in %s", map, d->path);
}

int sweep_cmd_exec (int argc, char **argv)
{
    const struct opt opts[] = {OPT_END};
    struct errtext err = {""};
    struct sweepdir *d;
    struct run run;
    int operand, status, all;
    char *end;
    long index;

    if (optparse_command (opts, &exec_help, argc, argv, &operand, &status) < 0)
        return status;
    all = !strcmp (argv[operand + 2], "all");
    index = strtol (argv[operand + 2], &end, 10);
    if (!all &&
        (*end || end == argv[operand + 2] || index < 0 || index > 100000000)) {
        log_error ("%s: no index of a task", argv[operand + 2]);
        return EXIT_USAGE;
    }
    d = cmd_open (argv[operand]);
    if (!d)
        return EXIT_FAILED;
    status = all ? exec_all (d, argv[operand + 1], &err) : -1;
    if (!all &&
        sweepdir_map_lookup (d, argv[operand + 1], (int)index, &run, &err) == 0)
        status = runner_run_task (d, run, argv[operand + 1], NULL, &err);
    if (status < 0)
        log_error ("%s", err.text);
    sweepdir_close (d);
    return status < 0 ? EXIT_FAILED : status;
}
