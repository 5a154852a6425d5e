/* SPDX-License-Identifier: MIT
 *
 * cmd_submit.c - `dftrace sweep submit SPEC`
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "sweep/cmd.h"
#include "sweep/submit/rounds.h"
#include "sweep/run/runtable.h"
#include "sweep/submit/slurm.h"
#include "sweep/submit/submit.h"

enum { WAVES_IN_MEMORY = 3 }; /* Slurm keeps the one before for a while */

struct submit_options {
    struct filter_options filter;
    struct output output;
    const char *dir;
    int hold, wait, limit, wave, dry;
};

static const struct verb_help help = {
    .usage = "dftrace sweep submit [OPTION…] SPEC [RUN…]",
    .summary = "freeze a sweep file in a directory and submit it to Slurm",
    .text = "Points whose Slurm options are the same share a job array; an "
            "analysis job follows\nall arrays. Repeating the command is "
            "harmless: what Slurm has already is left alone.\nWith --limit "
            "or a filter only those runs are submitted; without it, later, "
            "the rest.\nWhat is more than Slurm takes at a time follows in "
            "waves.",
    .example = "  $ dftrace sweep submit study.yaml --limit 3 --wait\n"
               "  $ dftrace sweep submit study.yaml --wait\n"
               "  $ dftrace sweep status my-study",
    .exits = "0  submitted; with --wait: all runs are done\n"
             "1  Slurm refused; nothing runs\n"
             "4  --wait: some runs are not done\n"
             "6  the sweep file has an error",
};

/* -- submit ------------------------------------------------------------ */

struct submission {
    const struct submit_options *options;
    const char *path, *dir;
    struct arena *arena;
    struct spec *spec;
    struct grid *grid;
    struct freeze_options freeze;
    struct run *run; /* that are meant, in order */
    size_t runs;
    struct errtext err;
};

/* Arrays and waves as large as Slurm, and the user, allow. */
static int ask_limits (struct submission *s)
{
    struct slurm_config c;

    if (slurm_config_read (s->arena, &c, &s->err) < 0)
        return -1;
    s->freeze.wave =
        s->options->wave ? s->options->wave : c.max_jobs / WAVES_IN_MEMORY;
    s->freeze.max_tasks = c.max_tasks;
    if (s->freeze.wave && s->freeze.wave < c.max_tasks)
        s->freeze.max_tasks = s->freeze.wave;
    return 0;
}

static int submit_choose (struct submission *s)
{
    struct sweepdir planned = {
        .arena = s->arena, .path = s->dir, .spec = s->spec, .grid = s->grid};

    planned.layout =
        layout_make (s->arena, s->spec, s->grid, s->freeze.max_tasks);
    if (filter_runs (&planned, &s->options->filter, (size_t)s->options->limit,
                     &s->run, &s->runs, &s->err) < 0)
        return -1;
    if (!s->runs)
        return errf (&s->err, "%s: no run is meant by the filter", s->path);
    if (s->runs < planned.layout->runs) {
        s->freeze.run = s->run;
        s->freeze.runs = s->runs;
    }
    return 0;
}

/* Of the runs that are meant those that no round has. */
static struct run *
wanted_and_missing (struct submission *s, struct sweepdir *d, size_t *count)
{
    struct strmap *wanted = strmap_create ();
    size_t missing, n = 0;
    struct run *run = rounds_missing (d, d->spec, d->grid, &missing);

    for (size_t i = 0; i < s->runs; i++) {
        const char *id = run_id (s->arena, s->grid, s->run[i]);

        (void)strmap_intern (wanted, id, strlen (id), NULL);
    }
    for (size_t i = 0; i < missing; i++) {
        const char *id = run_id (d->arena, d->grid, run[i]);

        if (strmap_find (wanted, id, strlen (id)) >= 0)
            run[n++] = run[i];
    }
    strmap_destroy (wanted);
    *count = n;
    return run;
}

/* What would be submitted: of a sweep that is frozen already, the rest. */
static void print_dry (struct submission *s)
{
    struct sweepdir planned = {
        .arena = s->arena, .spec = s->spec, .grid = s->grid};
    struct sweepdir *d = sweepdir_open (s->dir, NULL);

    if (d)
        s->run = wanted_and_missing (s, d, &s->runs);
    cmd_table (runtable_planned (d ? d : &planned, s->run, s->runs),
               &s->options->output);
    sweepdir_close (d);
}

/* Frozen before, perhaps with fewer runs: those that are meant now and that no
 * round has are another round. */
static struct sweepdir *add_missing (struct submission *s, struct sweepdir *d)
{
    size_t n;
    struct run *run = wanted_and_missing (s, d, &n);

    if (!n)
        return d;
    if (round_write (d->arena, d->path, d->grid,
                     layout_of_runs (d->arena, d->spec, d->grid, run, NULL, n,
                                     d->max_tasks, d->rounds),
                     d->rounds, &s->err) < 0) {
        log_error ("%s", s->err.text);
        sweepdir_close (d);
        return NULL;
    }
    sweepdir_close (d);
    return cmd_open (s->dir);
}

/* The directory, frozen now or before. */
static struct sweepdir *submit_frozen (struct submission *s)
{
    struct sweepdir *d;
    int before;

    if (ask_limits (s) < 0 || submit_choose (s) < 0)
        goto error;
    if (s->options->dry) {
        print_dry (s);
        return NULL;
    }
    before = sweepdir_freeze (s->dir, s->path, s->spec, s->grid, &s->freeze,
                              &s->err);
    if (before < 0)
        goto error;
    d = cmd_open (s->dir);
    return d && before ? add_missing (s, d) : d;
error:
    log_error ("%s", s->err.text);
    return NULL;
}

static void submit_print_end (FILE *out,
                              const struct sweepdir *d,
                              const struct submit_report *r)
{
    if (r->before && !r->arrays && !r->released)
        fprintf (out, "submitted before; nothing to do. ");
    else
        fprintf (out, "%s", r->released ? "released. " : "held. ");
    fprintf (out, "Watch: dftrace sweep status %s\n", d->path);
    (void)fflush (out);
}

static int submit (struct sweepdir *d, const struct submit_options *o)
{
    FILE *talk = cmd_talk (&o->output);
    struct submit_report report;
    struct errtext err = {""};
    int status = EXIT_OK;
    size_t missing;

    (void)rounds_missing (d, d->spec, d->grid, &missing);
    fprintf (
        talk, "%s: %zu%s runs, frozen in %s\n", d->spec->name, d->layout->runs,
        missing ? arena_format (d->arena, " of %zu", d->layout->runs + missing)
                : "",
        d->path);
    if (submit_sweep (d, o->hold, cmd_say, talk, &report, &err) < 0) {
        log_error ("%s", err.text);
        return EXIT_FAILED;
    }
    submit_print_end (talk, d, &report);
    if (o->wait)
        status = cmd_wait (d);
    return cmd_print_runs (d->path, &o->output) < 0 ? EXIT_FAILED : status;
}

static int submit_spec (struct submission *s)
{
    const struct submit_options *o = s->options;
    struct sweepdir *d;
    int status = o->dry ? EXIT_OK : EXIT_FAILED;

    if (s->spec->mode == MODE_LOCAL) {
        log_error ("%s: says mode: local: use `dftrace sweep run %s --local`",
                   s->path, s->path);
        return EXIT_USAGE;
    }
    s->dir = o->dir ? o->dir : s->spec->name;
    d = submit_frozen (s);
    if (*s->err.text)
        return EXIT_FAILED;
    if (d)
        status = submit (d, o);
    sweepdir_close (d);
    return status;
}

static int check_options (const struct submit_options *o)
{
    if (o->hold && o->wait) {
        log_error ("--hold and --wait: nothing would ever end: use one");
        return -1;
    }
    if (o->limit < 0 || o->wave < 0) {
        log_error ("--limit, --wave: a number of runs should be here");
        return -1;
    }
    return 0;
}

int sweep_cmd_submit (int argc, char **argv)
{
    struct submit_options o = {.dir = NULL};
    const struct opt opts[] = {
        FILTER_OPTIONS (o.filter),
        OUTPUT_OPTIONS (o.output),
        {"dir", 'd', OPT_TEXT, &o.dir, "DIR",
         "the sweep directory; default is the sweep's name, here"},
        {"limit", 0, OPT_INT, &o.limit, "N",
         "a pilot: only the first N runs of the order; without it, later, the "
         "rest"},
        {"wave", 0, OPT_INT, &o.wave, "N",
         "at most N tasks in Slurm at a time (a third of MaxJobCount)"},
        {"dry-run", 'n', OPT_FLAG, &o.dry, NULL, "say which runs, do nothing"},
        {"hold", 0, OPT_FLAG, &o.hold, NULL,
         "leave the arrays held; submit again without it releases them"},
        {"wait", 'w', OPT_FLAG, &o.wait, NULL,
         "wait for the end of the analysis job, with a line of progress"},
        {NULL, 0, OPT_FLAG, NULL, NULL, NULL},
    };
    struct submission s = {.options = &o};
    int operand, status;

    if (optparse_command (opts, &help, argc, argv, 0, &operand, &status) < 0)
        return status;
    if ((argc == operand && cmd_operands (&help, argc, operand, 1) < 0) ||
        check_options (&o) < 0)
        return EXIT_USAGE;
    s.path = argv[operand];
    cmd_words (&o.filter, argc, argv, operand);
    if (cmd_load (s.path, &s.spec, &s.grid) < 0)
        return EXIT_SPEC;
    s.arena = arena_create ();
    status = submit_spec (&s);
    arena_destroy (s.arena);
    grid_destroy (s.grid);
    spec_destroy (s.spec);
    return status;
}
