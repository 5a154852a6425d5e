/* SPDX-License-Identifier: MIT
 *
 * cmd_submit.c - `dftrace sweep submit SPEC` and `cancel DIR`
 */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sweep/cmd.h"
#include "sweep/resultset.h"
#include "sweep/slurm.h"
#include "sweep/status.h"
#include "sweep/submit.h"

enum {
    WAIT_FIRST = 1,  /* s between looks, at first … */
    WAIT_LATER = 15, /* … and once it has run for a while */
    WAIT_PATIENT = 120,
    SILENCE_MAX = 20, /* looks without an answer of Slurm */
};

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

static void say (void *cookie, const char *line)
{
    (void)cookie;
    puts (line);
    (void)fflush (stdout);
}

/* -- --wait ------------------------------------------------------------ */

struct wait {
    struct sweepdir *sweep;
    struct journal journal;
    time_t start;
    int terminal;
    char last[160];
};

static void
wait_print (struct wait *w, const struct sweep_report *r, const char *what)
{
    char line[160];

    (void)snprintf (line, sizeof (line),
                    "%s: %zu/%zu done, %zu running, %zu queued, %zu not "
                    "done%s",
                    w->sweep->spec->name, r->good, r->count,
                    r->by_outcome[OUTCOME_RUNNING],
                    r->by_outcome[OUTCOME_QUEUED], r->bad, what);
    if (w->terminal) {
        fprintf (stderr, "\r%s  %lld s\033[K", line,
                 (long long)(time (NULL) - w->start));
    } else if (strcmp (line, w->last)) {
        fprintf (stderr, "%s\n", line);
        (void)snprintf (w->last, sizeof (w->last), "%s", line);
    }
}

static int is_over (const struct slurm_task *t)
{
    static const char *const going[] = {
        "PENDING",   "RUNNING",  "CONFIGURING", "COMPLETING",
        "SUSPENDED", "REQUEUED", NULL};

    for (size_t i = 0; t && going[i]; i++)
        if (!strcmp (t->state, going[i]))
            return 0;
    return 1;
}

/* 1: the analysis job has ended; 0: not yet; -1: Slurm does not answer. */
static int look (struct wait *w)
{
    struct arena *a = arena_create ();
    struct slurm_queue q;
    struct sweepdir *d = sweepdir_open (w->sweep->path, NULL);
    struct sweep_report r;
    struct errtext err;
    int rc = slurm_queue_read (a, w->journal.analysis, 0, &q, &err);

    if (rc == 0)
        rc = is_over (slurm_queue_find (&q, w->journal.analysis, -1));
    if (d && status_read (d, STATUS_SLURM, &r, &err) == 0)
        wait_print (w, &r, rc == 0 && !r.open ? "; analyzing" : "");
    sweepdir_close (d);
    arena_destroy (a);
    return rc;
}

static int wait_for_end (struct sweepdir *d)
{
    struct wait w = {.sweep = d, .start = time (NULL), .terminal = isatty (2)};
    struct sweep_report r;
    struct errtext err;
    int silent = 0, rc;

    if (journal_read (d, &w.journal, &err) < 0 || !w.journal.analysis) {
        log_error ("%s: nothing to wait for: %s", d->path, err.text);
        return EXIT_FAILED;
    }
    while ((rc = look (&w)) != 1) {
        silent = rc < 0 ? silent + 1 : 0;
        if (silent > SILENCE_MAX) {
            log_error ("slurm: does not answer: the runs go on; see `dftrace "
                       "sweep status %s` later",
                       d->path);
            return EXIT_FAILED;
        }
        (void)sleep (time (NULL) - w.start < WAIT_PATIENT ? WAIT_FIRST
                                                          : WAIT_LATER);
    }
    if (w.terminal)
        fputc ('\n', stderr);
    if (status_read (d, STATUS_SLURM | STATUS_SETTLED, &r, &err) < 0) {
        log_error ("%s", err.text);
        return EXIT_FAILED;
    }
    if (!resultset_written (d) && resultset_write_all (d, &err) < 0) {
        log_error ("%s", err.text);
        return EXIT_FAILED;
    }
    return r.good == r.count ? EXIT_OK : EXIT_SOME_FAILED;
}

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
    if (submit_sweep (d, o->hold, say, NULL, &report, &err) < 0) {
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
        status = wait_for_end (d);
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

/* -- cancel ------------------------------------------------------------ */

static const struct verb_help cancel_help = {
    .usage = "dftrace sweep cancel [OPTION…] DIR",
    .summary = "cancel what has not ended; what is done stays",
    .example = "  $ dftrace sweep cancel my-study --pending",
    .exits = "0  cancelled, or nothing was left to cancel\n1  Slurm refused",
};

static int cancel (struct sweepdir *d, int pending)
{
    struct journal j;
    struct errtext err;
    const char **jobs;
    size_t n = 0;

    if (journal_read (d, &j, &err) < 0)
        goto error;
    jobs = arena_array (d->arena, d->layout->chunks + 2, sizeof (*jobs));
    for (size_t i = 0; i < d->layout->chunks; i++)
        if (j.job[i])
            jobs[n++] = j.job[i];
    if (!n) {
        puts ("nothing was submitted");
        return EXIT_OK;
    }
    if (j.analysis && !pending)
        jobs[n++] = j.analysis;
    /* Slurm forgets a pending task at once: the journal must not */
    if (journal_add (d, &err, pending ? "cancelled pending" : "cancelled",
                     NULL) < 0 ||
        slurm_cancel (d->arena, jobs, pending, &err) < 0)
        goto error;
    printf ("cancelled%s. Tables of what is done: dftrace sweep results %s\n",
            pending ? " what was pending" : "", d->path);
    return EXIT_OK;
error:
    log_error ("%s", err.text);
    return EXIT_FAILED;
}

int sweep_cmd_cancel (int argc, char **argv)
{
    int pending = 0, operand, status;
    const struct opt opts[] = {
        {"pending", 0, OPT_FLAG, &pending, NULL,
         "let running tasks end; only cancel what waits"},
        {NULL, 0, OPT_FLAG, NULL, NULL, NULL},
    };
    struct sweepdir *d;

    if (cmd_options (opts, &cancel_help, argc, argv, &operand, &status) < 0)
        return status;
    if (cmd_operands (&cancel_help, argc, operand, 1) < 0)
        return EXIT_USAGE;
    d = cmd_open (argv[operand]);
    if (!d)
        return EXIT_FAILED;
    status = cancel (d, pending);
    sweepdir_close (d);
    return status;
}
