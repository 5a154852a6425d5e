/* SPDX-License-Identifier: MIT
 *
 * cmd_submit.c - `dftrace sweep submit`, `throttle` and `cancel`; --wait
 */
#include "config.h"

#include "sweep/submit/submit.h"
#include "sweep/cmd.h"
#include "sweep/plan/sweepdir.h"
#include "sweep/results/resultset.h"
#include "sweep/results/runreport.h"
#include "sweep/results/compare.h"
#include "sweep/submit/journal.h"
#include "sweep/submit/slurm.h"
#include "sweep/submit/status.h"
#include "lib/base/array.h"

enum { WAVES_IN_MEMORY = 3 }; /* Slurm keeps the one before for a while */

struct submit_options {
    struct filter_options filter;
    enum table_format format;
    const char *dir;
    int hold, wait, limit, wave, dry;
};

static const struct verb_help submit_help = {
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
    .least = 1,
};

/* -- submit ------------------------------------------------------------ */

struct submission {
    const struct submit_options *options;
    const char *path, *dir;
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

    if (slurm_config_read (&c, &s->err) < 0)
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
        .path = s->dir, .spec = s->spec, .grid = s->grid};

    planned.layout = layout_make (s->spec, s->grid, s->freeze.max_tasks);
    if (filter_runs (&planned, &s->options->filter, s->options->limit, &s->run,
                     &s->runs, &s->err) < 0)
        return -1;
    if (!s->runs)
        return errf (&s->err, "%s: no run is meant by the filter", s->path);
    if (s->runs < planned.layout->runs) {
        s->freeze.run = s->run;
        s->freeze.runs = s->runs;
    }
    return 0;
}

/* Return the selected runs that no round has yet. */
static struct run *
wanted_and_missing (struct submission *s, struct sweepdir *d, size_t *count)
{
    struct strmap *wanted = strmap_create ();
    size_t missing, n = 0;
    struct run *run = rounds_missing (d, d->spec, d->grid, &missing);

    for (size_t i = 0; i < s->runs; i++) {
        const char *id = run_id (s->grid, s->run[i]);

        strmap_intern (wanted, id, strlen (id), NULL);
    }
    for (size_t i = 0; i < missing; i++) {
        const char *id = run_id (d->grid, run[i]);

        if (strmap_find (wanted, id, strlen (id)) >= 0)
            run[n++] = run[i];
    }
    strmap_destroy (wanted);
    *count = n;
    return run;
}

/* Print what would be submitted; of a sweep that is frozen already, only the
 * rest. */
static void print_dry (struct submission *s)
{
    struct sweepdir planned = {.spec = s->spec, .grid = s->grid};
    struct sweepdir *d = sweepdir_open (s->dir, NULL);

    if (d)
        s->run = wanted_and_missing (s, d, &s->runs);
    cmd_table (runtable_planned (d ? d : &planned, s->run, s->runs),
               s->options->format);
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
    if (round_write (
            d->path, d->grid,
            layout_of_runs (
                d->spec, d->grid,
                &(struct round_runs){run, n, NULL, d->max_tasks, d->rounds}),
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
    fflush (out);
}

static int submit (struct sweepdir *d, const struct submit_options *o)
{
    FILE *talk = cmd_talk (o->format);
    struct submit_report report;
    struct errtext err = {""};
    int status = EXIT_OK;
    size_t missing;

    rounds_missing (d, d->spec, d->grid, &missing);
    fprintf (talk, "%s: %zu%s runs, frozen in %s\n", d->spec->name,
             d->layout->runs,
             missing ? arena_format (" of %zu", d->layout->runs + missing) : "",
             d->path);
    if (submit_sweep (d, o->hold, cmd_say, talk, &report, &err) < 0) {
        log_error ("%s", err.text);
        return EXIT_FAILED;
    }
    submit_print_end (talk, d, &report);
    if (o->wait)
        status = cmd_wait (d);
    return cmd_print_runs (d->path, o->format) < 0 ? EXIT_FAILED : status;
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
        FORMAT_OPTION (o.format),
        {"dir", 'd', OPT_TEXT, &o.dir, "DIR",
         "the sweep directory; default is the sweep's name, here"},
        {"limit", 0, OPT_INT, &o.limit, "N",
         "a pilot: only the first N runs of the order; without it, later, the "
         "rest"},
        {"wave", 0, OPT_INT, &o.wave, "N",
         "at most N tasks in Slurm at a time (a third of MaxJobCount)"},
        {"dry-run", 0, OPT_FLAG, &o.dry, NULL, "say which runs, do nothing"},
        {"hold", 0, OPT_FLAG, &o.hold, NULL,
         "leave the arrays held; submit again without it releases them"},
        {"wait", 0, OPT_FLAG, &o.wait, NULL,
         "wait for the end of the analysis job, with a line of progress"},
        OPT_END,
    };
    struct submission s = {.options = &o};
    int operand, status;

    if (optparse_command (opts, &submit_help, argc, argv, &operand, &status) <
        0)
        return status;
    if (check_options (&o) < 0)
        return EXIT_USAGE;
    s.path = argv[operand];
    cmd_words (&o.filter, argc, argv, operand);
    if (cmd_load (s.path, &s.spec, &s.grid) < 0)
        return EXIT_SPEC;
    status = submit_spec (&s);
    spec_destroy (s.spec);
    return status;
}

/* ---- --wait: progress until the last analysis job has ended ---- */

enum {
    WAIT_FIRST = 1,  /* s between looks, at first … */
    WAIT_LATER = 15, /* … and once it has run for a while */
    WAIT_PATIENT = 120,
    SILENCE_MAX = 20, /* looks without an answer of Slurm */
};

struct wait {
    struct sweepdir *sweep;
    time_t start;
    int terminal;
    char last[160];
};

static void
wait_print (struct wait *w, const struct sweep_report *r, const char *what)
{
    char line[160];

    FORMAT (line,
            "%s: %zu/%zu done, %zu running, %zu queued, %zu not "
            "done%s",
            w->sweep->spec->name, r->good, r->count,
            r->by_outcome[OUTCOME_RUNNING], r->by_outcome[OUTCOME_QUEUED],
            r->bad, what);
    if (w->terminal) {
        fprintf (stderr, "\r%s  %lld s\033[K", line,
                 (long long)(time (NULL) - w->start));
    } else if (strcmp (line, w->last)) {
        fprintf (stderr, "%s\n", line);
        FORMAT (w->last, "%s", line);
    }
}

/* 1: the last analysis job has ended; 0: not yet; -1: Slurm does not answer.
 * The directory is read anew: an analysis job may have added a round. */
static int wait_look (struct wait *w)
{
    void *mark = arena_alloc (1);
    struct slurm_queue q = {.count = 0};
    struct sweepdir *d = sweepdir_open (w->sweep->path, NULL);
    struct sweep_report r;
    struct journal j = {.analysis = NULL};
    struct errtext err;
    int rc = d ? journal_read (d, &j, &err) : -1;

    if (rc == 0 && j.analysis)
        rc = slurm_queue_read (j.analysis, 0, &q, &err);
    if (rc == 0)
        rc = !j.analysis ||
             slurm_task_is_over (slurm_queue_find (&q, j.analysis, -1));
    slurm_queue_free (&q);
    if (d && status_read (d, STATUS_SLURM, &r, &err) == 0)
        wait_print (w, &r, rc == 0 && !r.open ? "; analyzing" : "");
    sweepdir_close (d);
    arena_free (mark);
    return rc;
}

/* All jobs have ended: the tables, and how it went. */
static int wait_settle (const char *path)
{
    struct sweepdir *d = cmd_open (path);
    struct sweep_report r;
    struct errtext err = {""};
    int status = EXIT_FAILED;

    if (!d)
        return status;
    if (status_read (d, STATUS_SLURM | STATUS_SETTLED, &r, &err) < 0 ||
        (!resultset_written (d) && resultset_write_all (d, &err) < 0))
        log_error ("%s", err.text);
    else
        status = r.good == r.count ? verdict_status (d) : EXIT_SOME_FAILED;
    sweepdir_close (d);
    return status;
}

int cmd_wait (struct sweepdir *d)
{
    struct journal j;
    struct wait w = {.sweep = d, .start = time (NULL), .terminal = isatty (2)};
    struct errtext err;
    int silent = 0, rc;

    if (journal_read (d, &j, &err) < 0 || !j.analysis) {
        log_error ("%s: nothing to wait for: %s", d->path, err.text);
        return EXIT_FAILED;
    }
    while ((rc = wait_look (&w)) != 1) {
        silent = rc < 0 ? silent + 1 : 0;
        if (silent > SILENCE_MAX) {
            log_error ("slurm: does not answer: the runs go on; see `dftrace "
                       "sweep status %s` later",
                       d->path);
            return EXIT_FAILED;
        }
        sleep (time (NULL) - w.start < WAIT_PATIENT ? WAIT_FIRST : WAIT_LATER);
    }
    if (w.terminal)
        fputc ('\n', stderr);
    return wait_settle (d->path);
}

/* ---- `dftrace sweep throttle DIR N`: live ---- */

static const struct verb_help throttle_help = {
    .usage = "dftrace sweep throttle [OPTION…] DIR N",
    .summary = "let at most N runs of a sweep run at a time, from now on",
    .text = "Slurm's limit is per array: N is shared out over the arrays that "
            "have runs left, at least\none each. 0 lifts the limit. What runs "
            "already is not stopped.",
    .example = "  $ dftrace sweep throttle my-study 4",
    .exits = "0  changed, or nothing is left to run\n1  Slurm refused",
    .least = 2,
    .most = 2,
};

/* Job ids of the arrays with runs that have not ended. */
static size_t open_arrays (struct sweepdir *d,
                           const struct sweep_report *r,
                           const struct journal *j,
                           const char **job)
{
    char *seen = arena_alloc (d->layout->chunks + 1);
    size_t n = 0;

    for (size_t i = 0; i < r->count; i++) {
        size_t chunk = r->run[i].chunk - d->layout->chunk;

        if (outcome_class (r->run[i].outcome) != OUTCOME_OPEN || seen[chunk] ||
            !j->job[chunk])
            continue;
        seen[chunk] = 1;
        job[n++] = j->job[chunk];
    }
    return n;
}

static int
throttle (struct sweepdir *d, int limit, int dry, enum table_format format)
{
    struct textable *t = textable_create ();
    const char **job = arena_array (d->layout->chunks + 1, sizeof (*job));
    FILE *talk = cmd_talk (format);
    struct sweep_report r;
    struct journal j;
    struct errtext err = {""};
    int n;

    textable_columns (t, "job limit#");

    if (journal_read (d, &j, &err) < 0 ||
        status_read (d, STATUS_SLURM, &r, &err) < 0)
        goto error;
    n = (int)open_arrays (d, &r, &j, job);
    for (int i = 0; i < n; i++) {
        int share = limit / n + (i < limit % n);

        if (limit && !share)
            share = 1;
        if (!dry && slurm_throttle (job[i], share, &err) < 0)
            goto error;
        textable_line (t, "%s %d", job[i], share);
        fprintf (talk, "job %s: %s\n", job[i],
                 share ? arena_format ("at most %d at a time", share)
                       : "no limit");
    }
    if (talk != stdout)
        cmd_table (t, format);
    else
        textable_destroy (t);
    t = NULL;
    if (!n)
        fprintf (talk, "nothing is left to run\n");
    else if (limit && limit < n)
        log_warn ("%d arrays have runs left: at least one of each may run", n);
    if (n && !dry &&
        journal_add (d, &err, "throttle", "limit", arena_format ("%d", limit),
                     NULL) < 0)
        goto error;
    return EXIT_OK;
error:
    textable_destroy (t);
    log_error ("%s", err.text);
    return EXIT_FAILED;
}

int sweep_cmd_throttle (int argc, char **argv)
{
    enum table_format format = TABLE_TEXT;
    int dry = 0, operand, status;
    const struct opt opts[] = {
        FORMAT_OPTION (format),
        {"dry-run", 0, OPT_FLAG, &dry, NULL, "say what would change"},
        OPT_END,
    };
    struct sweepdir *d;
    char *end;
    long limit;

    if (optparse_command (opts, &throttle_help, argc, argv, &operand, &status) <
        0)
        return status;
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
    status = throttle (d, (int)limit, dry, format);
    sweepdir_close (d);
    return status;
}

/* ---- `dftrace sweep cancel DIR` ---- */

enum { JOBS_AT_A_TIME = 500 };

struct cancel_options {
    struct filter_options filter;
    enum table_format format;
    int pending, dry;
};

static const struct verb_help cancel_help = {
    .usage = "dftrace sweep cancel [OPTION…] DIR [RUN…]",
    .summary = "cancel what has not ended; what is done stays",
    .example = "  $ dftrace sweep cancel my-study --pending\n"
               "  $ dftrace sweep cancel my-study --where 'gbs == 256'",
    .exits = "0  cancelled, or nothing was left to cancel\n1  Slurm refused",
    .least = 1,
};

/* Every array, and the analysis. */
static int cancel_all (struct sweepdir *d,
                       const struct journal *j,
                       const struct cancel_options *o,
                       struct errtext *err)
{
    const char **jobs = arena_array (d->layout->chunks + 2, sizeof (*jobs));
    FILE *talk = cmd_talk (o->format);
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
                     "rounds", arena_format ("%d", d->rounds), NULL) < 0 ||
        slurm_cancel (jobs, o->pending, err) < 0)
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
        rc = slurm_cancel (jobs + i, pending, err);
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
    FILE *talk = cmd_talk (o->format);
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
    list = xmemstream (&runs, &length);
    jobs = arena_array (r.count + 1, sizeof (*jobs));
    for (size_t i = 0; i < r.count; i++) {
        const char *job = j->job[r.run[i].chunk - d->layout->chunk];
        const char *id = run_id (d->grid, r.run[i].run);

        if (outcome_class (r.run[i].outcome) != OUTCOME_OPEN ||
            (o->pending && r.run[i].outcome != OUTCOME_QUEUED))
            continue;
        later += !job;
        if (!job)
            continue;
        jobs[n++] = arena_format ("%s_%d", job, r.run[i].task);
        fprintf (list, "%s%s", n > 1 ? " " : "", id);
        if (o->dry)
            fprintf (talk, "would cancel %s, %s\n", jobs[n - 1], id);
    }
    xmemstream_end (list);
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
        FORMAT_OPTION (o.format),
        {"pending", 0, OPT_FLAG, &o.pending, NULL,
         "let running tasks end; only cancel what waits"},
        {"dry-run", 0, OPT_FLAG, &o.dry, NULL, "say what, cancel nothing"},
        OPT_END,
    };
    struct errtext err = {""};
    struct sweepdir *d;
    struct journal j;
    int status, rc;

    if (!(d = cmd_begin (opts, &cancel_help, argc, argv, &o.filter, &status)))
        return status;
    rc = journal_read (d, &j, &err);
    if (rc == 0)
        rc = filter_used (&o.filter) ? cancel_some (d, &j, &o, &err)
                                     : cancel_all (d, &j, &o, &err);
    if (rc < 0)
        log_error ("%s", err.text);
    else
        rc = cmd_print_runs (d->path, o.format);
    sweepdir_close (d);
    return rc < 0 ? EXIT_FAILED : EXIT_OK;
}
