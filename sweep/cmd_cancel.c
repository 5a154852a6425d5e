/* SPDX-License-Identifier: MIT
 *
 * cmd_cancel.c - `dftrace sweep cancel DIR`
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/cmd.h"
#include "sweep/submit/journal.h"
#include "sweep/submit/slurm.h"

enum { JOBS_AT_A_TIME = 500 };

struct cancel_options {
    struct filter_options filter;
    struct output output;
    int pending, dry;
};

static const struct verb_help help = {
    .usage = "dftrace sweep cancel [OPTION…] DIR [RUN…]",
    .summary = "cancel what has not ended; what is done stays",
    .example = "  $ dftrace sweep cancel my-study --pending\n"
               "  $ dftrace sweep cancel my-study --where 'gbs == 256'",
    .exits = "0  cancelled, or nothing was left to cancel\n1  Slurm refused",
};

/* Every array, and the analysis. */
static int cancel_all (struct sweepdir *d,
                       const struct journal *j,
                       const struct cancel_options *o,
                       struct errtext *err)
{
    const char **jobs =
        arena_array (d->arena, d->layout->chunks + 2, sizeof (*jobs));
    FILE *talk = cmd_talk (&o->output);
    struct sweep_report r;
    size_t n = 0;

    for (size_t i = 0; i < d->layout->chunks; i++)
        if (j->job[i])
            jobs[n++] = j->job[i];
    if (!n) {
        fprintf (talk, "nothing was submitted\n");
        return 0;
    }
    if (j->analysis && !o->pending)
        jobs[n++] = j->analysis;
    if (status_read (d, STATUS_SLURM, &r, err) < 0)
        return -1;
    if (r.slurm_known && !r.open) {
        fprintf (talk, "nothing is left to cancel: every run has ended\n");
        return 0;
    }
    for (size_t i = 0; o->dry && i < n; i++)
        fprintf (talk, "would cancel job %s\n", jobs[i]);
    if (o->dry)
        return 0;
    /* Slurm forgets a pending task at once: the journal must not */
    if (journal_add (d, err, o->pending ? "cancelled pending" : "cancelled",
                     "rounds", arena_format (d->arena, "%d", d->rounds),
                     NULL) < 0 ||
        slurm_cancel (d->arena, jobs, o->pending, err) < 0)
        return -1;
    fprintf (talk,
             "cancelled%s. Tables of what is done: dftrace sweep results %s\n",
             o->pending ? " what was pending" : "", d->path);
    return 0;
}

/* A command line has an end: some hundred at a time. */
static int cancel_jobs (struct sweepdir *d,
                        const char **jobs,
                        size_t n,
                        int pending,
                        struct errtext *err)
{
    for (size_t i = 0; i < n; i += JOBS_AT_A_TIME) {
        size_t end = i + JOBS_AT_A_TIME < n ? i + JOBS_AT_A_TIME : n;
        const char *next = jobs[end];
        int rc;

        jobs[end] = NULL;
        rc = slurm_cancel (d->arena, jobs + i, pending, err);
        jobs[end] = next;
        if (rc < 0)
            return -1;
    }
    return 0;
}

static int cancel_some (struct sweepdir *d,
                        const struct journal *j,
                        const struct cancel_options *o,
                        struct errtext *err)
{
    struct sweep_report r;
    FILE *talk = cmd_talk (&o->output);
    size_t n = 0, later = 0, length = 0;
    const char **jobs;
    char *runs = NULL;
    FILE *list;
    int rc = 0;

    if (d->spec->mode == MODE_PACK)
        return errf (err,
                     "%s: mode: pack: one job runs all: cancel it as a "
                     "whole",
                     d->path);
    if (status_read (d, STATUS_SLURM, &r, err) < 0 ||
        filter_report (d, &o->filter, &r, err) < 0)
        return -1;
    list = open_memstream (&runs, &length);
    if (!list)
        return errf (err, "memory: not enough");
    jobs = arena_array (d->arena, r.count + 1, sizeof (*jobs));
    for (size_t i = 0; i < r.count; i++) {
        const char *job = j->job[r.run[i].chunk - d->layout->chunk];
        const char *id = run_id (d->arena, d->grid, r.run[i].run);

        if (outcome_class (r.run[i].outcome) != OUTCOME_OPEN ||
            (o->pending && r.run[i].outcome != OUTCOME_QUEUED))
            continue;
        later += !job;
        if (!job)
            continue;
        jobs[n++] = arena_format (d->arena, "%s_%d", job, r.run[i].task);
        fprintf (list, "%s%s", n > 1 ? " " : "", id);
        if (o->dry)
            fprintf (talk, "would cancel %s, %s\n", jobs[n - 1], id);
    }
    (void)fclose (list);
    if (later)
        log_warn ("%zu of them wait for a later wave and cannot be cancelled "
                  "one by one: cancel the whole sweep, or them when they are "
                  "queued",
                  later);
    if (!n)
        fprintf (talk, "no such run is queued or running\n");
    if (n && !o->dry) {
        rc = journal_add (d, err, "cancelled runs", "runs", runs, NULL) < 0 ||
                     cancel_jobs (d, jobs, n, o->pending, err) < 0
                 ? -1
                 : 0;
        if (rc == 0)
            fprintf (talk, "cancelled %zu run%s\n", n, n == 1 ? "" : "s");
    }
    free (runs);
    return rc;
}

int sweep_cmd_cancel (int argc, char **argv)
{
    struct cancel_options o = {.pending = 0};
    const struct opt opts[] = {
        FILTER_OPTIONS (o.filter),
        OUTPUT_OPTIONS (o.output),
        {"pending", 0, OPT_FLAG, &o.pending, NULL,
         "let running tasks end; only cancel what waits"},
        {"dry-run", 'n', OPT_FLAG, &o.dry, NULL, "say what, cancel nothing"},
        {NULL, 0, OPT_FLAG, NULL, NULL, NULL},
    };
    struct errtext err = {""};
    struct sweepdir *d;
    struct journal j;
    int operand, status, rc;

    if (optparse_command (opts, &help, argc, argv, 0, &operand, &status) < 0)
        return status;
    if (argc == operand && cmd_operands (&help, argc, operand, 1) < 0)
        return EXIT_USAGE;
    cmd_words (&o.filter, argc, argv, operand);
    d = cmd_open (argv[operand]);
    if (!d)
        return EXIT_FAILED;
    rc = journal_read (d, &j, &err);
    if (rc == 0)
        rc = filter_used (&o.filter) ? cancel_some (d, &j, &o, &err)
                                     : cancel_all (d, &j, &o, &err);
    if (rc < 0)
        log_error ("%s", err.text);
    else
        rc = cmd_print_runs (d->path, &o.output);
    sweepdir_close (d);
    return rc < 0 ? EXIT_FAILED : EXIT_OK;
}
