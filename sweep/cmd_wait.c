/* SPDX-License-Identifier: MIT
 *
 * cmd_wait.c - --wait: progress until the last analysis job has ended
 */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sweep/cmd.h"
#include "sweep/results/resultset.h"
#include "sweep/submit/slurm.h"
#include "sweep/status.h"
#include "sweep/results/verdict.h"

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

/* 1: the last analysis job has ended; 0: not yet; -1: Slurm does not answer.
 * The directory is read anew: an analysis job may have added a round. */
static int wait_look (struct wait *w)
{
    struct arena *a = arena_create ();
    struct slurm_queue q = {.count = 0};
    struct sweepdir *d = sweepdir_open (w->sweep->path, NULL);
    struct sweep_report r;
    struct journal j = {.analysis = NULL};
    struct errtext err;
    int rc = d ? journal_read (d, &j, &err) : -1;

    if (rc == 0 && j.analysis)
        rc = slurm_queue_read (a, j.analysis, 0, &q, &err);
    if (rc == 0)
        rc = !j.analysis ||
             slurm_task_is_over (slurm_queue_find (&q, j.analysis, -1));
    slurm_queue_free (&q);
    if (d && status_read (d, STATUS_SLURM, &r, &err) == 0)
        wait_print (w, &r, rc == 0 && !r.open ? "; analyzing" : "");
    sweepdir_close (d);
    arena_destroy (a);
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
        (void)sleep (time (NULL) - w.start < WAIT_PATIENT ? WAIT_FIRST
                                                          : WAIT_LATER);
    }
    if (w.terminal)
        fputc ('\n', stderr);
    return wait_settle (d->path);
}
