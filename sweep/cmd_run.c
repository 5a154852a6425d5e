/* SPDX-License-Identifier: MIT
 *
 * cmd_run.c - `dftrace sweep run SPEC --local` and, inside a task, `exec`
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/util/progress.h"
#include "sweep/cmd.h"
#include "sweep/resultset.h"
#include "sweep/runner.h"
#include "sweep/status.h"

enum { LOCAL_MAX_TASKS = 1000000 }; /* one list per group */

/* -- run --------------------------------------------------------------- */

static const struct verb_help run_help = {
    .usage = "dftrace sweep run [OPTION…] SPEC --local",
    .summary = "run a sweep here, one run after the other, without Slurm",
    .text = "The same files as `submit` makes; runs that are done are not "
            "repeated. Ctrl-C stops the\nrun at work and the sweep; the same "
            "command goes on with it.",
    .example = "  $ dftrace sweep run study.yaml --local --limit 2",
    .exits = "0  all runs (or the first N) are done\n"
             "4  some are not\n6  the sweep file has an error",
};

struct run_options {
    const char *dir;
    int local, limit;
};

static struct sweepdir *frozen (const char *path,
                                const char *dir,
                                const struct spec *s,
                                const struct grid *g)
{
    struct errtext err;

    if (!dir)
        dir = s->name;
    if (sweepdir_freeze (dir, path, s, g, LOCAL_MAX_TASKS, &err) < 0) {
        log_error ("%s", err.text);
        return NULL;
    }
    return cmd_open (dir);
}

/* And so is its twin, when there is one. */
static int already_done (const struct sweep_report *r, struct run run, int twin)
{
    int done = 0;

    for (size_t i = 0; i < r->count; i++)
        if (r->run[i].run.point == run.point &&
            r->run[i].run.repeat == run.repeat &&
            (twin || r->run[i].run.control == run.control)) {
            if (r->run[i].outcome != OUTCOME_DONE)
                return 0;
            done = 1;
        }
    return done;
}

/* Ended in a way that the sweep file wants to see again? */
static int wants_retry (const struct sweepdir *d,
                        const struct sweep_report *r,
                        struct run run)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->run[i].run.point == run.point &&
            r->run[i].run.repeat == run.repeat &&
            d->spec->retry.on >> r->run[i].outcome & 1)
            return 1;
    return 0;
}

/* In the order of the sweep. 0, 1 when a run was stopped, -1 and err. */
static int
run_all (struct sweepdir *d, size_t limit, int retry, struct errtext *err)
{
    struct sweep_report before;
    size_t runs = d->layout->runs;
    int rc = 0;

    if (limit && limit < runs)
        runs = limit;
    if (status_read (d, STATUS_FILES, &before, err) < 0)
        return -1;
    progress_start (d->spec->name, runs, "runs");
    for (size_t i = 0; rc == 0 && i < runs; i++) {
        struct run r = d->layout->run[i];
        int status, caught;

        progress_set (i);
        if (already_done (&before, r, run_has_twin (d->spec, d->grid, r)) ||
            (retry && !wants_retry (d, &before, r)))
            continue;
        status = runner_run_task (d, r, "", &caught, err);
        rc = status < 0
                 ? -1
                 : caught == SIGTERM || caught == SIGINT || caught == SIGHUP;
    }
    progress_end ();
    return rc;
}

static int run_local (struct sweepdir *d, int limit)
{
    struct sweep_report r;
    struct errtext err;
    size_t want;
    int rc;

    if (chdir (d->cwd) < 0) {
        log_error ("%s: %s: run it where it was frozen", d->cwd,
                   strerror (errno));
        return EXIT_FAILED;
    }
    rc = run_all (d, (size_t)limit, 0, &err);
    for (int i = 0; rc == 0 && i < d->spec->retry.times; i++)
        rc = run_all (d, (size_t)limit, 1, &err);
    if (rc < 0 || resultset_write_all (d, &err) < 0 ||
        status_read (d, STATUS_FILES | STATUS_SETTLED, &r, &err) < 0) {
        log_error ("%s", err.text);
        return EXIT_FAILED;
    }
    status_print (stdout, d, &r);
    printf ("tables: dftrace sweep results %s\n", d->path);
    want = limit && (size_t)limit < r.count ? (size_t)limit : r.count;
    return !r.bad && r.good >= want ? EXIT_OK : EXIT_SOME_FAILED;
}

int sweep_cmd_run (int argc, char **argv)
{
    struct run_options o = {.dir = NULL};
    const struct opt opts[] = {
        {"local", 0, OPT_FLAG, &o.local, NULL, "here, without Slurm"},
        {"limit", 0, OPT_INT, &o.limit, "N",
         "only the first N runs of the order"},
        {"dir", 'd', OPT_TEXT, &o.dir, "DIR",
         "the sweep directory; default is the sweep's name, here"},
        {NULL, 0, OPT_FLAG, NULL, NULL, NULL},
    };
    struct sweepdir *d = NULL;
    struct spec *s;
    struct grid *g;
    int operand, status;

    if (cmd_options (opts, &run_help, argc, argv, &operand, &status) < 0)
        return status;
    if (cmd_operands (&run_help, argc, operand, 1) < 0)
        return EXIT_USAGE;
    if (cmd_load (argv[operand], &s, &g) < 0)
        return EXIT_SPEC;
    if (!o.local && s->mode != MODE_LOCAL)
        log_error ("%s: is for Slurm: use `dftrace sweep submit`, or say "
                   "--local",
                   argv[operand]);
    else
        d = frozen (argv[operand], o.dir, s, g);
    status = o.local || s->mode == MODE_LOCAL ? EXIT_FAILED : EXIT_USAGE;
    grid_destroy (g);
    spec_destroy (s);
    if (!d)
        return status;
    status = run_local (d, o.limit);
    sweepdir_close (d);
    return status;
}

/* -- exec -------------------------------------------------------------- */

static const struct verb_help exec_help = {
    .usage = "dftrace sweep exec DIR MAP INDEX|all",
    .summary = "do the run that line INDEX of DIR/jobs/MAP.map names",
    .text = "This is what the batch script of an array does in every task.",
    .example = "  $ dftrace sweep exec my-study g0.0 \"$SLURM_ARRAY_TASK_ID\"",
    .exits = "of the run; 128 + N when signal N ended it; 1 when it could not "
             "be started",
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
    const struct opt opts[] = {{NULL, 0, OPT_FLAG, NULL, NULL, NULL}};
    struct errtext err = {""};
    struct sweepdir *d;
    struct run run;
    int operand, status, all;
    char *end;
    long index;

    if (cmd_options (opts, &exec_help, argc, argv, &operand, &status) < 0)
        return status;
    if (cmd_operands (&exec_help, argc, operand, 3) < 0)
        return EXIT_USAGE;
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
