/* SPDX-License-Identifier: MIT
 *
 * cmd_analyze.c - `dftrace analyze`: traces -> tables and numbers
 *
 * In:  job directories, trace files, sweep directories
 * Out: tables on standard output; metrics.json and tables/ in job directories
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cmd.h"
#include "analyze/compat.h"
#include "analyze/filelimit.h"
#include "analyze/insight.h"
#include "analyze/refused.h"
#include "analyze/results.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"

enum { TOP_DEFAULT = 20 }; /* rows of long tables on a terminal */

struct analyze {
    /* options */
    const char *format_word, *view_word;
    const char *data, *checkpoint, *index;
    const char *compat, *layers;
    int top, threads, no_write, quiet, strict;
    /* derived */
    enum table_format format;
    int view; /* enum view, -1 all */
    struct kind_rules rules;
    struct joblist jobs;
    /* on the way */
    struct textable *study; /* of several jobs */
    int failed, damaged;
};

static const struct verb_help analyze_help = {
    .usage = "dftrace analyze [OPTION…] DIR|FILE…",
    .summary = "traces -> tables and numbers",
    .text = "DIR is a job directory or a sweep directory, FILE a trace: ours "
            "(.dft) or DFTracer's (.pfw, .pfw.gz, of any year); they may be "
            "mixed. Several jobs give one row each.\n"
            "metrics.json and tables/*.csv are written into job directories.\n"
            "Views: insight metric call operation percentile rank process kind "
            "file health; without "
            "--view all but percentile.\n"
            "Data files are files on storage that are no checkpoint, index or "
            "program; the patterns say which (shell patterns, commas between "
            "them, matched against every component of a path).\n"
            "Exact numbers: times are unions of intervals where the definition "
            "says so (dftrace help metrics).",
    .example = "  $ dftrace analyze dftrace/pretrain-4711\n"
               "  $ dftrace analyze --view call --format csv dftrace/*\n"
               "  $ dftrace analyze --data-pattern '*.bin' gpt-io",
    .exits = "0  all traces whole\n"
             "1  nothing to analyze, or --strict and something is missing\n"
             "2  wrong words on the command line\n"
             "5  done, but something is lost or damaged; it is said what",
};

/* --- options ---------------------------------------------------------- */

static int bad_words (struct analyze *a)
{
    int format = table_format_parse (a->format_word);

    if (format < 0) {
        log_error ("--format %s: no such format: use text, csv, json or "
                   "markdown",
                   a->format_word);
        return 1;
    }
    a->format = (enum table_format)format;
    a->view = -1;
    if (a->view_word && (a->view = view_parse (a->view_word)) < 0) {
        log_error (
            "--view %s: no such view: use insight, metric, call, operation, "
            "percentile, rank, process, kind, file or health",
            a->view_word);
        return 1;
    }
    if (a->compat && strcmp (a->compat, "dfanalyzer") != 0) {
        log_error ("--compat %s: no such tool: use dfanalyzer", a->compat);
        return 1;
    }
    a->rules.patterns[KIND_DATA] = a->data;
    a->rules.patterns[KIND_CHECKPOINT] = a->checkpoint;
    a->rules.patterns[KIND_INDEX] = a->index;
    return 0;
}

static enum optparse_result
parse (struct analyze *a, int argc, char **argv, int *operands)
{
    const struct opt opts[] = {
        {"format", 'f', OPT_TEXT, &a->format_word, "FORMAT",
         "text, csv, json or markdown"},
        {"view", 'v', OPT_TEXT, &a->view_word, "VIEW", "only this table"},
        {"top", 'n', OPT_INT, &a->top, "N",
         "rows of long tables in text, 0 for all (20)"},
        {"data-pattern", 0, OPT_TEXT, &a->data, "PATTERNS",
         "files that are data, and no others"},
        {"checkpoint-pattern", 0, OPT_TEXT, &a->checkpoint, "PATTERNS",
         "files that are checkpoints (*checkpoint*,*ckpt*)"},
        {"index-pattern", 0, OPT_TEXT, &a->index, "PATTERNS",
         "files that are indices (*.idx,*.npy,*.json)"},
        {"compat", 0, OPT_TEXT, &a->compat, "dfanalyzer",
         "the tables of DFAnalyzer, digit for digit, and exact values"},
        {"layers", 0, OPT_TEXT, &a->layers, "ai|dlio|FILE",
         "layers of those tables: a preset, or YAML (what fits the trace)"},
        {"threads", 'j', OPT_INT, &a->threads, "N",
         "threads to use (one per core)"},
        {"no-write", 0, OPT_FLAG, &a->no_write, NULL,
         "leave the job directory as it is"},
        {"quiet", 'q', OPT_FLAG, &a->quiet, NULL, "print no tables"},
        {"strict", 0, OPT_FLAG, &a->strict, NULL,
         "give no numbers when something is lost or damaged"},
        {NULL, 0, OPT_FLAG, NULL, NULL, NULL},
    };
    struct errtext err;
    enum optparse_result rc =
        optparse (opts, &analyze_help, argc, argv, 0, operands, &err);

    if (rc == OPTPARSE_ERROR)
        log_error ("%s", err.text);
    else if (rc == OPTPARSE_OK && *operands == argc) {
        log_error ("analyze: no directory: say which job, for example "
                   "dftrace analyze dftrace/NAME-JOBID");
        rc = OPTPARSE_ERROR;
    } else if (rc == OPTPARSE_OK && bad_words (a))
        rc = OPTPARSE_ERROR;
    return rc;
}

/* --- what is printed -------------------------------------------------- */

static void print_table (struct analyze *a, struct textable *t)
{
    if (!t || textable_print (t, stdout, a->format) < 0)
        a->failed = 1;
    textable_destroy (t);
}

static void print_head (const struct result *r)
{
    const struct summary *s = r->summary;

    (void)printf ("%s: %zu processes, ", r->job->label, s->processes);
    if (s->numbered)
        (void)printf ("%zu ranks, ", s->numbered);
    else
        (void)printf ("no ranks, ");
    (void)printf ("%zu hosts, %.3f s, %llu events\n", s->hosts,
                  (double)(s->end - s->start) / 1e9,
                  (unsigned long long)s->n.events);
    if (s->unfinished)
        (void)printf ("%zu processes did not end in order (killed, _exit, or "
                      "still running); what they recorded is counted\n",
                      s->unfinished);
    if (s->rings)
        (void)printf ("%llu io_urings were in use; what went through them is "
                      "not in the trace\n",
                      (unsigned long long)s->rings);
    if (s->untraced)
        (void)printf ("%llu children could not be followed\n",
                      (unsigned long long)s->untraced);
}

static void print_heading (const struct analyze *a, enum view v)
{
    (void)printf (a->format == TABLE_MARKDOWN ? "\n## %s\n\n" : "\n%s\n",
                  view_table[v].heading);
}

static void print_all (struct analyze *a, const struct result *r)
{
    print_head (r);
    for (int v = 0; v < VIEW_COUNT; v++) {
        if (v == VIEW_percentile ||
            (v == VIEW_health && !r->summary->damaged) ||
            (v == VIEW_insight && !insights_any (r->summary, r->totals)))
            continue;
        print_heading (a, (enum view)v);
        print_table (a, view_make (r, (enum view)v, (size_t)a->top));
    }
}

static void print_one (struct analyze *a, const struct result *r)
{
    int text = a->format == TABLE_TEXT || a->format == TABLE_MARKDOWN;

    if (a->view >= 0)
        print_table (
            a, view_make (r, (enum view)a->view, text ? (size_t)a->top : 0));
    else if (a->format == TABLE_JSON)
        results_json (r, stdout);
    else if (a->format == TABLE_CSV)
        print_table (a, view_make (r, VIEW_metric, 0));
    else
        print_all (a, r);
}

/* --- one job ---------------------------------------------------------- */

static void tell_damage (struct analyze *a, const struct result *r)
{
    const struct summary *s = r->summary;

    if (!s->damaged)
        return;
    a->damaged = 1;
    log_warn ("%s: %zu of %zu trace files are damaged or incomplete, %llu "
              "events or more are missing: see dftrace analyze --view health",
              r->job->label, s->damaged, s->files, (unsigned long long)s->lost);
}

static void show (struct analyze *a, const struct result *r)
{
    struct errtext err = {""};

    if (a->strict && r->summary->damaged) {
        a->failed = 1;
        log_error ("%s: refused: --strict and the trace is not whole",
                   r->job->label);
        return;
    }
    if (r->job->dir && !a->no_write && results_write (r, &err) < 0) {
        a->failed = 1;
        log_error ("%s", err.text);
    }
    if (a->study)
        study_row (a->study, r, a->format != TABLE_TEXT);
    else if (!a->quiet)
        print_one (a, r);
}

/* The tables of DFAnalyzer instead of ours. */
static void do_compat (struct analyze *a, struct job *job)
{
    struct compat c = {0};
    struct errtext err = {""};

    if (job_open (job, &err) < 0 ||
        compat_load (&c, job, a->layers, &err) < 0) {
        log_error ("%s", err.text);
        a->failed = 1;
        job_close (job);
        return;
    }
    for (size_t i = 0; i < job->sources; i++) {
        const struct source *s = &job->source[i];

        if (!s->file)
            log_warn ("%s", s->problem.text);
        a->damaged |= !s->file || pfw_lost (&s->lines) || s->lines.cut ||
                      s->lines.in.cut || s->lines.in.members_bad;
    }
    if (!a->quiet && compat_print (&c, stdout, a->format) < 0)
        a->failed = 1;
    compat_clear (&c);
    job_close (job);
}

static void tell_refusal (const char *host, const char *reason)
{
    log_warn ("%s: programs ran untraced: %s", host, reason);
}

static void do_job (struct analyze *a, struct job *job)
{
    struct totals totals = {0};
    struct summary summary = {0};
    struct result r = {job, &totals, &summary};
    struct errtext err = {""};

    if (job->problem.text[0])
        log_warn ("%s", job->problem.text);
    (void)refused_each (job->dir, tell_refusal);
    if (job_open (job, &err) < 0 ||
        totals_load (&totals, job, &a->rules, a->threads, &err) < 0 ||
        summary_make (&summary, &totals, job, &err) < 0) {
        log_error ("%s", err.text);
        a->failed = 1;
    } else if (totals.processes == 0) {
        for (size_t i = 0; i < job->sources; i++)
            log_error ("%s", job->source[i].problem.text);
        a->failed = 1;
    } else {
        tell_damage (a, &r);
        show (a, &r);
    }
    summary_clear (&summary);
    totals_clear (&totals);
    job_close (job);
}

static void one_job (struct analyze *a, struct job *job)
{
    if (a->compat || a->layers)
        do_compat (a, job);
    else
        do_job (a, job);
}

/* Several jobs, or one of a sweep: a row each. */
static int find_jobs (struct analyze *a, char **paths, int count)
{
    struct errtext err;

    for (int i = 0; i < count; i++)
        if (joblist_add (&a->jobs, paths[i], &err) < 0) {
            log_error ("%s", err.text);
            a->failed = 1;
        }
    if (a->jobs.count > 1 && a->view < 0 && !a->compat && !a->layers &&
        !(a->study = study_make (a->format != TABLE_TEXT)))
        return -1;
    return a->jobs.count ? 0 : -1;
}

int cmd_analyze (int argc, char **argv)
{
    struct analyze a = {.format_word = "text", .top = TOP_DEFAULT};
    int operands = 0;

    switch (parse (&a, argc, argv, &operands)) {
    case OPTPARSE_HELP:
        return EXIT_OK;
    case OPTPARSE_ERROR:
        return EXIT_USAGE;
    default:
        break;
    }
    filelimit_raise ();
    if (find_jobs (&a, argv + operands, argc - operands) == 0)
        for (size_t i = 0; i < a.jobs.count; i++)
            one_job (&a, &a.jobs.item[i]);
    if (a.study && !a.quiet)
        print_table (&a, a.study);
    else
        textable_destroy (a.study);
    joblist_clear (&a.jobs);
    if (fflush (stdout) != 0)
        a.failed = 1;
    return a.failed ? EXIT_FAILED : a.damaged ? EXIT_DAMAGED : EXIT_OK;
}
