/* SPDX-License-Identifier: MIT
 *
 * cmd_status.c - `dftrace sweep status DIR`: what became of runs
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/cmd.h"
#include "sweep/run/runtable.h"

enum { WATCH_SECONDS = 30 };

static const struct verb_help status_help = {
    .usage = "dftrace sweep status [OPTION…] DIR [RUN…]",
    .summary = "what has become of every run of a sweep",
    .text = "Read from the status files of the runs and one squeue; needs no "
            "accounting.",
    .example = "  $ dftrace sweep status my-study -w\n"
               "  $ dftrace sweep status my-study --where 'seq > 2048' "
               "--only bad",
    .exits = "0  all runs are done\n3  some are queued or running\n"
             "4  all have ended, some are not done",
};

struct status_options {
    struct filter_options filter;
    int json, csv, watch;
};

static int status_once (const char *path, const struct status_options *o)
{
    static const struct output csv = {.csv = 1};
    struct sweepdir *d = cmd_open (path);
    struct sweep_report r;
    struct errtext err = {""};
    int status = EXIT_FAILED;

    if (!d)
        return EXIT_FAILED;
    if (status_read (d, STATUS_SLURM, &r, &err) < 0) {
        log_error ("%s", err.text);
    } else {
        if (*err.text)
            log_warn ("%s: going by status files alone", err.text);
        if (filter_report (d, &o->filter, &r, &err) < 0) {
            log_error ("%s", err.text);
            sweepdir_close (d);
            return EXIT_USAGE;
        }
        if (o->json)
            status_print_json (stdout, d, &r);
        else if (o->csv)
            cmd_table (runtable_make (d, &r), &csv);
        else
            status_print (stdout, d, &r);
        status = r.open ? EXIT_PENDING : r.bad ? EXIT_SOME_FAILED : EXIT_OK;
    }
    sweepdir_close (d);
    return status;
}

int sweep_cmd_status (int argc, char **argv)
{
    struct status_options o = {.json = 0};
    int operand, status;
    const struct opt opts[] = {
        FILTER_OPTIONS (o.filter),
        {"json", 0, OPT_FLAG, &o.json, NULL, "for programs: all there is"},
        {"csv", 0, OPT_FLAG, &o.csv, NULL, "for programs: a row per run"},
        {"watch", 'w', OPT_FLAG, &o.watch, NULL,
         "again every 30 seconds until all have ended"},
        {NULL, 0, OPT_FLAG, NULL, NULL, NULL},
    };

    if (optparse_command (opts, &status_help, argc, argv, 0, &operand,
                          &status) < 0)
        return status;
    if (argc == operand && cmd_operands (&status_help, argc, operand, 1) < 0)
        return EXIT_USAGE;
    cmd_words (&o.filter, argc, argv, operand);
    for (;;) {
        if (o.watch && isatty (1))
            fputs ("\033[H\033[2J", stdout);
        status = status_once (argv[operand], &o);
        if (!o.watch || status != EXIT_PENDING)
            return status;
        (void)fflush (stdout);
        (void)sleep (WATCH_SECONDS);
    }
}
