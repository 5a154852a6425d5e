/* SPDX-License-Identifier: MIT
 *
 * cmd_resume.c - `dftrace sweep resume DIR`: again, but only what is not done
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "sweep/cmd.h"
#include "sweep/spec/grow.h"
#include "sweep/submit/resume.h"
#include "sweep/run/runtable.h"
#include "sweep/submit/submit.h"

struct resume_options {
    struct filter_options filter;
    struct output output;
    const char *grow;
    int dry, hold, wait, same_nodes;
    int retry; /* as the sweep file says */
};

static const struct verb_help help = {
    .usage = "dftrace sweep resume [OPTION…] DIR [RUN…]",
    .summary = "submit again what has ended and is not done",
    .text = "A new, shorter map, new attempts (a1, a2, …) beside the old "
            "ones; what is done, queued\nor running is left alone. The "
            "analysis job that still waits is replaced. --grow\n"
            "multiplies what the sweep file says.",
    .example = "  $ dftrace sweep resume my-study --only timeout,lost "
               "--grow time=2\n"
               "  $ dftrace sweep resume my-study 'mmap-*' -n",
    .exits = "0  submitted, or nothing is left to do; with --wait: all done\n"
             "1  Slurm refused\n4  --wait: some runs are not done",
};

static int never_submitted (struct sweepdir *d, const struct journal *j)
{
    if (j->submitted)
        return 0;
    log_error ("%s: was never submitted: use `dftrace sweep submit`, or `run "
               "--local` again",
               d->path);
    return 1;
}

/* A crash between the round and the release, or a wave that is still to come:
 * first that. */
static int is_unfinished (const struct sweepdir *d, const struct journal *j)
{
    for (size_t i = 0; i < d->layout->chunks; i++)
        if (!j->job[i] && !j->cancelled[i])
            return 1;
    return j->analysis_behind;
}

static int resume_finish (struct sweepdir *d, const struct resume_options *o)
{
    FILE *talk = cmd_talk (&o->output);
    struct submit_report report;
    struct errtext err;
    int status = EXIT_OK;

    if (submit_sweep (d, o->hold, cmd_say, talk, &report, &err) < 0) {
        log_error ("%s", err.text);
        return EXIT_FAILED;
    }
    if (report.arrays || report.released)
        fprintf (talk, "%s. ", report.released ? "released" : "held");
    fprintf (talk, "Watch: dftrace sweep status %s\n", d->path);
    (void)fflush (talk);
    if (o->wait)
        status = cmd_wait (d);
    return cmd_print_runs (d->path, &o->output) < 0 ? EXIT_FAILED : status;
}

/* "2 timeout, 1 lost" */
static const char *counts (struct sweepdir *d, const struct sweep_report *r)
{
    const char *text = "";

    for (int o = 0; o < OUTCOME_COUNT; o++)
        if (r->by_outcome[o] && outcome_class ((enum outcome)o) == OUTCOME_BAD)
            text =
                arena_format (d->arena, "%s%s%zu %s", text, *text ? ", " : "",
                              r->by_outcome[o], outcome_word ((enum outcome)o));
    return text;
}

static int again (struct sweepdir *d, const struct resume_options *o)
{
    struct resume_plan p = {.runs = 0};
    FILE *talk = cmd_talk (&o->output);
    struct sweep_report r;
    struct sweepdir *next;
    struct errtext err = {""};
    int status;

    if (o->grow && grow_parse (o->grow, &p.grow_time, &p.grow_mem, &err) < 0) {
        log_error ("--grow: %s", err.text);
        return EXIT_USAGE;
    }
    if (status_read (d, STATUS_SLURM | (o->retry ? STATUS_SETTLED : 0), &r,
                     &err) < 0 ||
        filter_report (d, &o->filter, &r, &err) < 0)
        goto error;
    if (!r.slurm_known) {
        log_error ("slurm: does not answer: what still runs is not known: %s",
                   err.text);
        return EXIT_FAILED;
    }
    if (o->retry)
        resume_choose_retries (d, &r, &p);
    else
        resume_choose (d, &r, &p);
    if (r.analysis_lost && !o->retry)
        fprintf (talk, "analysis: job %s is gone and has made no tables\n",
                 r.analysis_lost);
    if (r.analysis_lost && !o->retry && !o->dry &&
        journal_add (d, &err, "analysis lost", "job", r.analysis_lost, NULL) <
            0)
        goto error;
    if (!p.runs && r.analysis_lost && !o->retry)
        return o->dry ? EXIT_OK : resume_finish (d, o);
    if (!p.runs) {
        fprintf (talk,
                 "nothing to do: no such run has ended without being done\n");
        return EXIT_OK;
    }
    if (o->same_nodes)
        resume_same_nodes (d, &r, &p);
    if (resume_check_grow (d, &p, &err) < 0)
        goto error;
    fprintf (talk, "%zu run%s (%s), round %d\n", p.runs, p.runs == 1 ? "" : "s",
             counts (d, &r), d->rounds);
    if (o->dry) {
        cmd_table (runtable_planned (d, p.run, p.runs), &o->output);
        return EXIT_OK;
    }
    if (resume_write (d, &p, &err) < 0)
        goto error;
    next = cmd_open (d->path);
    status = next ? resume_finish (next, o) : EXIT_FAILED;
    sweepdir_close (next);
    return status;
error:
    log_error ("%s", err.text);
    return EXIT_FAILED;
}

static int resume_runs (struct sweepdir *d, const struct resume_options *o)
{
    struct journal j;
    struct errtext err = {""};

    if (sweepdir_lock (d, &err) < 0 || journal_read (d, &j, &err) < 0) {
        log_error ("%s", err.text);
        return EXIT_FAILED;
    }
    if (never_submitted (d, &j))
        return EXIT_FAILED;
    if (is_unfinished (d, &j) && !o->dry) {
        fprintf (cmd_talk (&o->output),
                 "the last submission is not complete: going on with it\n");
        return resume_finish (d, o);
    }
    return again (d, o);
}

int sweep_cmd_resume (int argc, char **argv)
{
    struct resume_options o = {.dry = 0};
    const struct opt opts[] = {
        FILTER_OPTIONS (o.filter),
        OUTPUT_OPTIONS (o.output),
        {"same-nodes", 0, OPT_FLAG, &o.same_nodes, NULL,
         "every run on the nodes of its last attempt"},
        {"grow", 0, OPT_TEXT, &o.grow, "FACTORS",
         "more time or memory, as in time=2,mem=1.5"},
        {"dry-run", 'n', OPT_FLAG, &o.dry, NULL,
         "say which runs, submit nothing"},
        {"auto", 0, OPT_FLAG, &o.retry, NULL,
         "what `retry:` of the sweep file says; the analysis job does this"},
        {"hold", 0, OPT_FLAG, &o.hold, NULL, "leave the arrays held"},
        {"wait", 'w', OPT_FLAG, &o.wait, NULL,
         "wait for the end of the analysis job"},
        {NULL, 0, OPT_FLAG, NULL, NULL, NULL},
    };
    struct sweepdir *d;
    int operand, status;

    if (optparse_command (opts, &help, argc, argv, 0, &operand, &status) < 0)
        return status;
    if (argc == operand && cmd_operands (&help, argc, operand, 1) < 0)
        return EXIT_USAGE;
    cmd_words (&o.filter, argc, argv, operand);
    d = cmd_open (argv[operand]);
    if (!d)
        return EXIT_FAILED;
    status = resume_runs (d, &o);
    sweepdir_close (d);
    return status;
}
