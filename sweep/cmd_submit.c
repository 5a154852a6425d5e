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
    struct submit_flags flags;
    int limit, wave;
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
    int silent; /* looks without an answer of Slurm, so far */
    int ended;  /* the last analysis job */
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

/* The directory is read anew: an analysis job may have added a round. */
static void wait_look (void *cookie)
{
    struct wait *w = cookie;
    struct slurm_queue q = {.count = 0};
    struct sweepdir *d = sweepdir_open (w->sweep->path);
    struct sweep_report r;
    struct journal j;

    journal_read (d, &j);
    w->silent++;
    if (!j.analysis || slurm_queue_read (j.analysis, 0, &q, NULL) == 0) {
        w->silent = 0;
        w->ended = !j.analysis ||
                   slurm_task_is_over (slurm_queue_find (&q, j.analysis, -1));
    }
    slurm_queue_free (&q);
    status_read (d, STATUS_SLURM, &r);
    wait_print (w, &r, !w->silent && !w->ended && !r.open ? "; analyzing" : "");
    sweepdir_close (d);
}

/* All jobs have ended: the tables, and how it went. */
static int wait_settle (const char *path)
{
    struct sweepdir *d = sweepdir_open (path);
    struct sweep_report r;
    struct errtext err;

    status_read (d, STATUS_SLURM | STATUS_SETTLED, &r);
    if (!resultset_written (d) && resultset_write_all (d, &err) < 0)
        die ("%s", err.text);
    return r.good == r.count ? verdict_status (d) : EXIT_SOME_FAILED;
}

static int cmd_wait (struct sweepdir *d)
{
    struct journal j;
    struct wait w = {.sweep = d, .start = time (NULL), .terminal = isatty (2)};

    journal_read (d, &j);
    if (!j.analysis)
        die ("%s: nothing to wait for: ", d->path);
    for (;;) {
        void *mark = arena_alloc (1);

        if (xalloc_guard (wait_look, &w) < 0)
            w.silent++;
        arena_free (mark);
        if (w.ended)
            break;
        if (w.silent > SILENCE_MAX)
            die ("slurm: does not answer: the runs go on; see `dftrace sweep "
                 "status %s` later",
                 d->path);
        sleep (time (NULL) - w.start < WAIT_PATIENT ? WAIT_FIRST : WAIT_LATER);
    }
    if (w.terminal)
        fputc ('\n', stderr);
    return wait_settle (d->path);
}

/* -- submit ------------------------------------------------------------ */

struct submission {
    const struct submit_options *options;
    const char *path, *dir;
    struct spec *spec;
    struct grid *grid;
    struct freeze_options freeze;
    struct run *run; /* that are meant, in order */
    size_t runs;
};

/* Arrays and waves as large as Slurm, and the user, allow. */
static void ask_limits (struct submission *s)
{
    struct slurm_config c;
    struct errtext err;

    if (slurm_config_read (&c, &err) < 0)
        die ("%s", err.text);
    s->freeze.wave =
        s->options->wave ? s->options->wave : c.max_jobs / WAVES_IN_MEMORY;
    s->freeze.max_tasks = c.max_tasks;
    if (s->freeze.wave && s->freeze.wave < c.max_tasks)
        s->freeze.max_tasks = s->freeze.wave;
}

static void submit_choose (struct submission *s)
{
    struct sweepdir planned = {
        .path = s->dir, .spec = s->spec, .grid = s->grid};

    planned.layout = layout_make (s->spec, s->grid, s->freeze.max_tasks);
    s->run = filter_runs (&planned, &s->options->filter, EXIT_FAILED,
                          s->options->limit, &s->runs);
    if (!s->runs)
        die ("%s: no run is meant by the filter", s->path);
    if (s->runs < planned.layout->runs) {
        s->freeze.run = s->run;
        s->freeze.runs = s->runs;
    }
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
    struct sweepdir *d = &planned;

    if (access (arena_format ("%s/manifest.json", s->dir), F_OK) == 0) {
        d = sweepdir_open (s->dir);
        s->run = wanted_and_missing (s, d, &s->runs);
    }
    cmd_table (runtable_planned (d, s->run, s->runs), s->options->format);
}

/* The directory, frozen now or before, perhaps with fewer runs: those that are
 * meant now and that no round has are another round. */
static struct sweepdir *submit_frozen (struct submission *s)
{
    int before =
        sweepdir_freeze (s->dir, s->path, s->spec, s->grid, &s->freeze);
    struct sweepdir *d = sweepdir_open (s->dir);
    struct run *run;
    size_t n;

    if (!before)
        return d;
    run = wanted_and_missing (s, d, &n);
    if (!n)
        return d;
    round_write (d->path, d->grid,
                 layout_of_runs (d->spec, d->grid,
                                 &(struct round_runs){run, n, NULL,
                                                      d->max_tasks, d->rounds}),
                 d->rounds);
    return sweepdir_open (s->dir);
}

int cmd_submit (struct sweepdir *d,
                const struct submit_flags *o,
                enum table_format format,
                const char *idle)
{
    FILE *talk = cmd_talk (format);
    struct submit_report r = submit_sweep (d, o->hold, talk);
    int status = EXIT_OK;

    fprintf (talk, "%sWatch: dftrace sweep status %s\n",
             r.released ? "released. "
             : r.arrays ? "held. "
                        : idle,
             d->path);
    fflush (talk);
    if (o->wait)
        status = cmd_wait (d);
    cmd_print_runs (d->path, format);
    return status;
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
        {"dry-run", 0, OPT_FLAG, &o.flags.dry, NULL,
         "say which runs, do nothing"},
        {"hold", 0, OPT_FLAG, &o.flags.hold, NULL,
         "leave the arrays held; submit again without it releases them"},
        {"wait", 0, OPT_FLAG, &o.flags.wait, NULL,
         "wait for the end of the analysis job, with a line of progress"},
        OPT_END,
    };
    int operand = optparse_operands (opts, &submit_help, argc, argv);
    struct submission s = {.options = &o, .path = argv[operand]};
    struct sweepdir *d;
    size_t missing;

    if (o.flags.hold && o.flags.wait)
        die_with (EXIT_USAGE,
                  "--hold and --wait: nothing would ever end: use one");
    cmd_words (&o.filter, argc, argv, operand);
    cmd_load (s.path, &s.spec, &s.grid);
    if (s.spec->mode == MODE_LOCAL)
        die_with (EXIT_USAGE,
                  "%s: says mode: local: use `dftrace sweep run %s --local`",
                  s.path, s.path);
    s.dir = o.dir ? o.dir : s.spec->name;
    ask_limits (&s);
    submit_choose (&s);
    if (o.flags.dry) {
        print_dry (&s);
        return EXIT_OK;
    }
    d = submit_frozen (&s);
    rounds_missing (d, d->spec, d->grid, &missing);
    fprintf (cmd_talk (o.format), "%s: %zu%s runs, frozen in %s\n",
             d->spec->name, d->layout->runs,
             missing ? arena_format (" of %zu", d->layout->runs + missing) : "",
             d->path);
    return cmd_submit (d, &o.flags, o.format,
                       "submitted before; nothing to do. ");
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

int sweep_cmd_throttle (int argc, char **argv)
{
    enum table_format format = TABLE_TEXT;
    int dry = 0;
    const struct opt opts[] = {
        FORMAT_OPTION (format),
        {"dry-run", 0, OPT_FLAG, &dry, NULL, "say what would change"},
        OPT_END,
    };
    int operand = optparse_operands (opts, &throttle_help, argc, argv), n;
    struct textable *t = textable_create ();
    FILE *talk = cmd_talk (format);
    struct sweepdir *d;
    struct sweep_report r;
    struct journal j;
    const char **job;
    uint64_t limit;

    if (parse_u64 (argv[operand + 1], &limit) < 0 || limit > 1000000)
        die_with (EXIT_USAGE, "%s: no number of runs", argv[operand + 1]);
    d = sweepdir_open (argv[operand]);
    if (d->spec->mode == MODE_PACK)
        die ("%s: mode: pack: runs one after the other", d->path);
    journal_read (d, &j);
    status_read (d, STATUS_SLURM, &r);
    job = arena_array (d->layout->chunks + 1, sizeof (*job));
    n = (int)open_arrays (d, &r, &j, job);
    textable_columns (t, "job limit#");
    for (int i = 0; i < n; i++) {
        int share = (int)limit / n + (i < (int)limit % n);

        if (limit && !share)
            share = 1;
        if (!dry)
            slurm_throttle (job[i], share);
        textable_line (t, "%s %d", job[i], share);
        fprintf (talk, "job %s: %s\n", job[i],
                 share ? arena_format ("at most %d at a time", share)
                       : "no limit");
    }
    if (talk != stdout)
        cmd_table (t, format);
    else
        textable_destroy (t);
    if (!n)
        fprintf (talk, "nothing is left to run\n");
    else if (limit && (int)limit < n)
        log_warn ("%d arrays have runs left: at least one of each may run", n);
    if (n && !dry)
        journal_add (d, "throttle", "limit", arena_format ("%ju", limit), NULL);
    return EXIT_OK;
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
static void cancel_all (struct sweepdir *d,
                        const struct journal *j,
                        const struct cancel_options *o)
{
    const char **jobs = arena_array (d->layout->chunks + 2, sizeof (*jobs));
    FILE *talk = cmd_talk (o->format);
    struct sweep_report r;
    struct errtext err;
    size_t n = 0;

    for (size_t i = 0; i < d->layout->chunks; i++)
        if (j->job[i])
            jobs[n++] = j->job[i];
    if (!n) {
        fprintf (talk, "nothing was submitted\n");
        return;
    }
    if (j->analysis && !o->pending)
        jobs[n++] = j->analysis;
    status_read (d, STATUS_SLURM, &r);
    if (r.slurm_known && !r.open) {
        fprintf (talk, "nothing is left to cancel: every run has ended\n");
        return;
    }
    for (size_t i = 0; o->dry && i < n; i++)
        fprintf (talk, "would cancel job %s\n", jobs[i]);
    if (o->dry)
        return;
    /* Slurm forgets a pending task at once: the journal must not */
    journal_add (d, o->pending ? "cancelled pending" : "cancelled", "rounds",
                 arena_format ("%d", d->rounds), NULL);
    if (slurm_cancel (jobs, n, o->pending, &err) < 0)
        die ("%s", err.text);
    fprintf (talk,
             "cancelled%s. Tables of what is done: dftrace sweep results %s\n",
             o->pending ? " what was pending" : "", d->path);
}

static void cancel_some (struct sweepdir *d,
                         const struct journal *j,
                         const struct cancel_options *o)
{
    struct sweep_report r;
    FILE *talk = cmd_talk (o->format);
    size_t n = 0, later = 0;
    size_t length;
    const char **jobs;
    char *runs;
    FILE *list = xmemstream (&runs, &length);
    struct errtext err;

    if (d->spec->mode == MODE_PACK)
        die ("%s: mode: pack: one job runs all: cancel it as a whole", d->path);
    cmd_filter (d, STATUS_SLURM, &o->filter, EXIT_FAILED, &r);
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
        fprintf (list, "%s%s", n ? " " : "", id);
        jobs[n++] = arena_format ("%s_%d", job, r.run[i].task);
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
    if (!n || o->dry)
        return;
    journal_add (d, "cancelled runs", "runs", runs, NULL);
    /* a command line has an end */
    for (size_t i = 0; i < n; i += JOBS_AT_A_TIME)
        if (slurm_cancel (jobs + i, MIN (JOBS_AT_A_TIME, n - i), o->pending,
                          &err) < 0)
            die ("%s", err.text);
    fprintf (talk, "cancelled %zu run%s\n", n, n == 1 ? "" : "s");
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
    struct sweepdir *d = cmd_begin (opts, &cancel_help, argc, argv, &o.filter);
    struct journal j;

    journal_read (d, &j);
    (filter_used (&o.filter) ? cancel_some : cancel_all) (d, &j, &o);
    cmd_print_runs (d->path, o.format);
    return EXIT_OK;
}
