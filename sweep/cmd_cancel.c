/* SPDX-License-Identifier: MIT
 *
 * cmd_cancel.c - `dftrace sweep cancel DIR`
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "sweep/cmd.h"
#include "sweep/filter.h"
#include "sweep/slurm.h"

struct cancel_options {
    struct filter_options filter;
    int pending, dry;
    char *const *word;
    int words;
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
    size_t n = 0;

    for (size_t i = 0; i < d->layout->chunks; i++)
        if (j->job[i])
            jobs[n++] = j->job[i];
    if (!n) {
        puts ("nothing was submitted");
        return 0;
    }
    if (j->analysis && !o->pending)
        jobs[n++] = j->analysis;
    for (size_t i = 0; o->dry && i < n; i++)
        printf ("would cancel job %s\n", jobs[i]);
    if (o->dry)
        return 0;
    /* Slurm forgets a pending task at once: the journal must not */
    if (journal_add (d, err, o->pending ? "cancelled pending" : "cancelled",
                     NULL) < 0 ||
        slurm_cancel (d->arena, jobs, o->pending, err) < 0)
        return -1;
    printf ("cancelled%s. Tables of what is done: dftrace sweep results %s\n",
            o->pending ? " what was pending" : "", d->path);
    return 0;
}

static int cancel_some (struct sweepdir *d,
                        const struct journal *j,
                        const struct cancel_options *o,
                        struct errtext *err)
{
    struct sweep_report r;
    const char **jobs, *runs = "";
    size_t n = 0;

    if (d->spec->mode == MODE_PACK)
        return errf (err,
                     "%s: mode: pack: one job runs all: cancel it as a "
                     "whole",
                     d->path);
    if (status_read (d, STATUS_SLURM, &r, err) < 0 ||
        filter_report (d, &o->filter, o->word, o->words, &r, err) < 0)
        return -1;
    jobs = arena_array (d->arena, r.count + 1, sizeof (*jobs));
    for (size_t i = 0; i < r.count; i++) {
        const char *job = j->job[r.run[i].chunk - d->layout->chunk];
        const char *id = run_id (d->arena, d->grid, r.run[i].run);

        if (!job || outcome_class (r.run[i].outcome) != OUTCOME_OPEN ||
            (o->pending && r.run[i].outcome != OUTCOME_QUEUED))
            continue;
        jobs[n++] = arena_format (d->arena, "%s_%d", job, r.run[i].task);
        runs = arena_format (d->arena, "%s%s%s", runs, *runs ? " " : "", id);
        if (o->dry)
            printf ("would cancel %s, %s\n", jobs[n - 1], id);
    }
    if (!n)
        puts ("no such run is queued or running");
    if (!n || o->dry)
        return 0;
    if (journal_add (d, err, "cancelled runs", "runs", runs, NULL) < 0 ||
        slurm_cancel (d->arena, jobs, o->pending, err) < 0)
        return -1;
    printf ("cancelled %zu run%s\n", n, n == 1 ? "" : "s");
    return 0;
}

int sweep_cmd_cancel (int argc, char **argv)
{
    struct cancel_options o = {.pending = 0};
    const struct opt opts[] = {
        FILTER_OPTIONS (o.filter),
        {"pending", 0, OPT_FLAG, &o.pending, NULL,
         "let running tasks end; only cancel what waits"},
        {"dry-run", 'n', OPT_FLAG, &o.dry, NULL, "say what, cancel nothing"},
        {NULL, 0, OPT_FLAG, NULL, NULL, NULL},
    };
    struct errtext err = {""};
    struct sweepdir *d;
    struct journal j;
    int operand, status, rc;

    if (cmd_options (opts, &help, argc, argv, &operand, &status) < 0)
        return status;
    if (argc == operand && cmd_operands (&help, argc, operand, 1) < 0)
        return EXIT_USAGE;
    o.word = argv + operand + 1;
    o.words = argc - operand - 1;
    d = cmd_open (argv[operand]);
    if (!d)
        return EXIT_FAILED;
    rc = journal_read (d, &j, &err);
    if (rc == 0)
        rc = filter_used (&o.filter, o.words) ? cancel_some (d, &j, &o, &err)
                                              : cancel_all (d, &j, &o, &err);
    if (rc < 0)
        log_error ("%s", err.text);
    sweepdir_close (d);
    return rc < 0 ? EXIT_FAILED : EXIT_OK;
}
