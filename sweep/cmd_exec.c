/* SPDX-License-Identifier: MIT
 *
 * cmd_exec.c - `dftrace sweep exec DIR MAP INDEX`: inside a task, do its run
 */
#include "config.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/cmd.h"
#include "sweep/run/runner.h"

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

    if (optparse_command (opts, &exec_help, argc, argv, 0, &operand, &status) <
        0)
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
