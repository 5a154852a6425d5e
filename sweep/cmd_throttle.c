/* SPDX-License-Identifier: MIT
 *
 * cmd_throttle.c - `dftrace sweep throttle DIR N`: live
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/cmd.h"
#include "sweep/submit/slurm.h"
#include "sweep/status.h"

static const struct verb_help help = {
    .usage = "dftrace sweep throttle [OPTION…] DIR N",
    .summary = "let at most N runs of a sweep run at a time, from now on",
    .text = "Slurm's limit is per array: N is shared out over the arrays that "
            "have runs left, at least\none each. 0 lifts the limit. What runs "
            "already is not stopped.",
    .example = "  $ dftrace sweep throttle my-study 4",
    .exits = "0  changed, or nothing is left to run\n1  Slurm refused",
};

/* Job ids of the arrays with runs that have not ended. */
static size_t open_arrays (struct sweepdir *d,
                           const struct sweep_report *r,
                           const struct journal *j,
                           const char **job)
{
    char *seen = arena_alloc (d->arena, d->layout->chunks + 1);
    size_t n = 0;

    for (size_t i = 0; i < r->count; i++) {
        size_t chunk = (size_t)(r->run[i].chunk - d->layout->chunk);

        if (outcome_class (r->run[i].outcome) != OUTCOME_OPEN || seen[chunk] ||
            !j->job[chunk])
            continue;
        seen[chunk] = 1;
        job[n++] = j->job[chunk];
    }
    return n;
}

static int
throttle (struct sweepdir *d, int limit, int dry, const struct output *output)
{
    struct textable *t = textable_create ();
    const char **job =
        arena_array (d->arena, d->layout->chunks + 1, sizeof (*job));
    FILE *talk = cmd_talk (output);
    struct sweep_report r;
    struct journal j;
    struct errtext err = {""};
    int n;

    textable_column (t, "job", "job", NULL, 0);
    textable_column (t, "limit", "limit", NULL, 1);

    if (journal_read (d, &j, &err) < 0 ||
        status_read (d, STATUS_SLURM, &r, &err) < 0)
        goto error;
    n = (int)open_arrays (d, &r, &j, job);
    for (int i = 0; i < n; i++) {
        int share = limit / n + (i < limit % n);

        if (limit && !share)
            share = 1;
        if (!dry && slurm_throttle (d->arena, job[i], share, &err) < 0)
            goto error;
        textable_row (t);
        textable_text (t, job[i]);
        textable_uint (t, (uint64_t)share);
        fprintf (talk, "job %s: %s\n", job[i],
                 share ? arena_format (d->arena, "at most %d at a time", share)
                       : "no limit");
    }
    if (talk != stdout)
        cmd_table (t, output);
    else
        textable_destroy (t);
    t = NULL;
    if (!n)
        fprintf (talk, "nothing is left to run\n");
    else if (limit && limit < n)
        log_warn ("%d arrays have runs left: at least one of each may run", n);
    if (n && !dry &&
        journal_add (d, &err, "throttle", "limit",
                     arena_format (d->arena, "%d", limit), NULL) < 0)
        goto error;
    return EXIT_OK;
error:
    textable_destroy (t);
    log_error ("%s", err.text);
    return EXIT_FAILED;
}

int sweep_cmd_throttle (int argc, char **argv)
{
    struct output output = {.json = 0};
    int dry = 0, operand, status;
    const struct opt opts[] = {
        {"json", 0, OPT_FLAG, &output.json, NULL, "for programs: the arrays"},
        {"csv", 0, OPT_FLAG, &output.csv, NULL, "the same as CSV"},
        {"dry-run", 'n', OPT_FLAG, &dry, NULL, "say what would change"},
        {NULL, 0, OPT_FLAG, NULL, NULL, NULL},
    };
    struct sweepdir *d;
    char *end;
    long limit;

    if (optparse_command (opts, &help, argc, argv, 0, &operand, &status) < 0)
        return status;
    if (cmd_operands (&help, argc, operand, 2) < 0)
        return EXIT_USAGE;
    limit = strtol (argv[operand + 1], &end, 10);
    if (*end || end == argv[operand + 1] || limit < 0 || limit > 1000000) {
        log_error ("%s: no number of runs", argv[operand + 1]);
        return EXIT_USAGE;
    }
    d = cmd_open (argv[operand]);
    if (!d)
        return EXIT_FAILED;
    if (d->spec->mode == MODE_PACK) {
        log_error ("%s: mode: pack: runs one after the other", d->path);
        sweepdir_close (d);
        return EXIT_FAILED;
    }
    status = throttle (d, (int)limit, dry, &output);
    sweepdir_close (d);
    return status;
}
