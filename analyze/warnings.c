/* SPDX-License-Identifier: MIT
 *
 * warnings.c - a job that was read -> warnings about its trace
 *
 * In:  totals of a job, from cmd_analyze.c
 * Out: lines on standard error
 */
#include "config.h"

#include "analyze/warnings.h"
#include "analyze/facts/failure.h"

#include "analyze/trace/untraced.h"
#include "lib/base/array.h"
#include "lib/base/programkind.h"
#include "lib/util/log.h"

enum { TOLD = 400 }; /* characters of a list */

int warn_damage (const struct result *r)
{
    const struct summary *s = r->summary;
    int damaged = 0;

    if (s->stages) {
        damaged = 1;
        log_warn ("%s: %llu stages of nodes were not collected: what they held "
                  "is missing: see shards/staged.HOST.STEP",
                  r->job->label, (unsigned long long)s->stages);
    }
    if (!s->damaged)
        return damaged;
    if (s->lost)
        log_warn ("%s: %zu of %zu trace files are damaged or incomplete, %llu "
                  "events or more are missing: see dftrace analyze --view "
                  "health",
                  r->job->label, s->damaged, s->files,
                  (unsigned long long)s->lost);
    else
        log_warn ("%s: %zu of %zu trace files are damaged or incomplete, but "
                  "no event is known to be missing: see dftrace analyze --view "
                  "health",
                  r->job->label, s->damaged, s->files);
    return 1;
}

void warn_doubts (const struct result *r)
{
    const struct summary *s = r->summary;
    static const char see[] = "see dftrace analyze --view health";

    if (s->copied_processes)
        log_warn ("%s: %llu processes are in several trace files: the longest "
                  "copy of each counts: %s",
                  r->job->label, (unsigned long long)s->copied_processes, see);
    else if (s->copied)
        log_warn ("%s: %llu lines were written twice: each counts once: %s",
                  r->job->label, (unsigned long long)s->copied, see);
    if (s->doubtful)
        log_warn ("%s: %llu events have durations or sizes that cannot be, or "
                  "are of two processes with one number: %s",
                  r->job->label, (unsigned long long)s->doubtful, see);
    if (s->coverage.cut)
        log_warn ("%s: the kernel's count is not complete: " COVERAGE_CUT
                  ": see shards/processes.HOST",
                  r->job->label);
    if (s->unsized)
        log_warn (
            "%s: %llu reads and writes have no size: DFTracer records it "
            "only with DFTRACER_INC_METADATA=1: their bytes are not known",
            r->job->label, (unsigned long long)s->unsized);
    if (s->guessed_unit)
        log_warn ("%s: no line says the unit of time, and it is not "
                  "microseconds: it was taken from the times: %s",
                  r->job->label, see);
}

int warn_is_quiet (const struct result *r)
{
    const struct summary *s = r->summary;

    return !s->stages && !s->damaged && !s->copied_processes && !s->copied &&
           !s->doubtful && !s->unsized && !s->guessed_unit;
}

/* The answer is of a part of the job. */
static void warn_profile_part (const struct result *r,
                               const struct profparts *p)
{
    double weight = jobinfo_weight (&r->job->info, r->summary->launched.found);
    char until[64] = "";

    if (p->both && !p->after && p->until > r->summary->start)
        FORMAT (until, " (all to %.3f s)",
                (p->until - r->summary->start) / 1e9);
    log_warn ("%s: of the %llu events in the trace alone%s: %llu calls are in "
              "the profile, which has sums only",
              r->job->label, (unsigned long long)p->events, until,
              (unsigned long long)p->calls);
    if (weight > 1)
        log_warn ("%s: drawn by detail=%s: sums of this times %g are estimates "
                  "of the job's",
                  r->job->label, r->job->info.detail, weight);
}

int warn_profile (const struct result *r)
{
    const struct profparts *p = &r->summary->profparts;

    if (!p->calls && !summary_is_profile (r->summary))
        return 0;
    if (p->events) {
        warn_profile_part (r, p);
        return 0;
    }
    log_error ("%s: n/a: profile: it has sums and no single events: ask --view "
               "call, file, kind, process, operation, or trace the job with "
               "--dftrace=posix,app",
               r->job->label);
    return 1;
}

void warn_points (const struct result *r)
{
    size_t n = pointfaults_all (&r->totals->tally.points);

    if (n)
        log_warn ("%s: %zu trace points do not work: see dftrace analyze "
                  "--view point",
                  r->job->label, n);
}

/* All in one line; job.json and the process view have each. */
static void warn_programs (const struct job *job, const struct untraced *u)
{
    char words[TOLD];

    if (untracedlist_sum (u) > untracedlist_wishes (u) || u->cut)
        log_warn ("%s: not traced: %s: see dftrace analyze --view process",
                  job->label,
                  untracedlist_words (u, 0, words, sizeof (words), TOLD));
}

/* Facts that take a sentence. */
static void warn_keep_list (const struct job *job, const struct untraced *u)
{
    for (size_t i = 0; i < u->count; i++) {
        const struct untraced_program *p = &u->item[i];
        const char *reason = untraced_settings (p);
        const char *stop = untraced_stopped (p);

        if (reason)
            log_warn ("%s: %s ran untraced: %s", p->host, p->exe, reason);
        if (stop)
            log_warn ("%s: %s: traced only until seccomp or prctl: %s (%llu "
                      "processes)",
                      p->host, p->exe, stop, (unsigned long long)p->count);
    }
}

void warn_untraced (const struct job *job,
                    const struct analyze_options *o,
                    enum warn_untraced before)
{
    struct untraced u = {.count = 0};
    struct errtext err;

    untraced_load (&u, job->dir);
    if (u.files)
        untracedlist_look (&u, job->dir);
    untracedlist_fold (&u);
    warn_keep_list (job, &u);
    if (before != WARN_PAGE || o->view >= 0 || o->format != TABLE_TEXT)
        warn_programs (job, &u);
    if (before != WARN_ANSWER && !o->no_write &&
        untraced_write (&u, job->dir, &err) < 0)
        log_debug ("%s", err.text);
    untracedlist_clear (&u);
}

void warnings_note_end (const struct job *job,
                        const struct analyze_options *o,
                        int known)
{
    struct errtext err;

    if (!known && !o->no_write && endfile_write (job, &err) < 0)
        log_debug ("%s", err.text);
}
