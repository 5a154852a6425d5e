/* SPDX-License-Identifier: MIT
 *
 * cmd_submit.c - `dftrace sweep submit SPEC`
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "sweep/cmd.h"
#include "sweep/slurm.h"
#include "sweep/submit.h"

struct submit_options {
    const char *dir;
    int hold, wait;
};

static const struct verb_help help = {
    .usage = "dftrace sweep submit [OPTION…] SPEC",
    .summary = "freeze a sweep file in a directory and submit it to Slurm",
    .text = "Points whose Slurm options are the same share a job array; an "
            "analysis job follows\nall arrays. Repeating the command is "
            "harmless: what Slurm has already is left alone.",
    .example = "  $ dftrace sweep submit study.yaml --wait\n"
               "  $ dftrace sweep status my-study",
    .exits = "0  submitted; with --wait: all runs are done\n"
             "1  Slurm refused; nothing runs\n"
             "4  --wait: some runs are not done\n"
             "6  the sweep file has an error",
};

/* -- submit ------------------------------------------------------------ */

/* The directory, frozen now or before. */
static struct sweepdir *frozen (const char *path, const char *dir)
{
    struct arena *a = arena_create ();
    struct slurm_config c;
    struct errtext err;
    struct sweepdir *d = NULL;
    struct spec *s;
    struct grid *g;

    if (cmd_load (path, &s, &g) == 0) {
        if (!dir)
            dir = arena_text (a, s->name);
        if (slurm_config_read (a, &c, &err) < 0 ||
            sweepdir_freeze (dir, path, s, g, c.max_tasks, &err) < 0)
            log_error ("%s", err.text);
        else
            d = cmd_open (dir);
        grid_destroy (g);
        spec_destroy (s);
    }
    arena_destroy (a);
    return d;
}

static int submit (const struct submit_options *o, const char *path)
{
    struct submit_report report;
    struct errtext err;
    struct sweepdir *d;
    int status = EXIT_OK;

    d = frozen (path, o->dir);
    if (!d)
        return EXIT_FAILED;
    printf ("%s: %zu runs, frozen in %s\n", d->spec->name, d->layout->runs,
            d->path);
    if (submit_sweep (d, o->hold, cmd_say, NULL, &report, &err) < 0) {
        log_error ("%s", err.text);
        sweepdir_close (d);
        return EXIT_FAILED;
    }
    if (report.before && !report.arrays && !report.released)
        printf ("submitted before; nothing to do. ");
    else
        printf ("%s", report.released ? "released. " : "held. ");
    printf ("Watch: dftrace sweep status %s\n", d->path);
    (void)fflush (stdout);
    if (o->wait)
        status = cmd_wait (d);
    sweepdir_close (d);
    return status;
}

int sweep_cmd_submit (int argc, char **argv)
{
    struct submit_options o = {.dir = NULL};
    const struct opt opts[] = {
        {"dir", 'd', OPT_TEXT, &o.dir, "DIR",
         "the sweep directory; default is the sweep's name, here"},
        {"hold", 0, OPT_FLAG, &o.hold, NULL,
         "leave the arrays held; submit again without it releases them"},
        {"wait", 'w', OPT_FLAG, &o.wait, NULL,
         "wait for the end of the analysis job, with a line of progress"},
        {NULL, 0, OPT_FLAG, NULL, NULL, NULL},
    };
    struct spec *s;
    struct grid *g;
    int operand, status;

    if (cmd_options (opts, &help, argc, argv, &operand, &status) < 0)
        return status;
    if (cmd_operands (&help, argc, operand, 1) < 0)
        return EXIT_USAGE;
    if (o.hold && o.wait) {
        log_error ("--hold and --wait: nothing would ever end: use one");
        return EXIT_USAGE;
    }
    if (cmd_load (argv[operand], &s, &g) < 0)
        return EXIT_SPEC;
    status = s->mode;
    grid_destroy (g);
    spec_destroy (s);
    if (status == MODE_LOCAL) {
        log_error ("%s: says mode: local: use `dftrace sweep run %s --local`",
                   argv[operand], argv[operand]);
        return EXIT_USAGE;
    }
    return submit (&o, argv[operand]);
}
