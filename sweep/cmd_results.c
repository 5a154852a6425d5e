/* SPDX-License-Identifier: MIT
 *
 * cmd_results.c - `dftrace sweep results DIR`: the tables
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "sweep/cmd.h"
#include "sweep/results/check.h"
#include "sweep/results/columns.h"
#include "sweep/results/junit.h"
#include "sweep/results/questions.h"
#include "sweep/results/restable.h"
#include "sweep/results/verdict.h"

struct results_options {
    struct filter_options filter;
    struct output output;
    const char *format;
    struct opt_list metric;
    const char *compare, *baseline, *group, *pivot, *junit;
    int as_long, effects, write;
};

static const struct verb_help help = {
    .usage = "dftrace sweep results [OPTION…] DIR [RUN…]",
    .summary = "the numbers of a sweep, per configuration",
    .text = "What no epilog has analyzed yet is analyzed first. Failed "
            "points stay in the table with\ntheir state. csv and json have "
            "the exact values.",
    .example = "  $ dftrace sweep results my-study\n"
               "  $ dftrace sweep results my-study --metric read_bandwidth\n"
               "  $ dftrace sweep results my-study --format csv > points.csv\n"
               "  $ dftrace sweep results nightly --junit nightly.xml",
    .exits = "0  all runs are done\n3  some are still to come\n"
             "4  some have failed\n"
             "7  all are done, and a check of the sweep file has failed",
};

static int check_metrics (const struct resultset *r,
                          const struct opt_list *metric)
{
    for (int i = 0; i < metric->count; i++) {
        const char *name = metric->item[i], *near;

        if (resultset_metric (r, name) >= 0)
            continue;
        near = column_near (name);
        if (column_find (name) >= 0)
            log_error ("%s: no run has this metric", name);
        else if (near)
            log_error ("%s: no such metric: did you mean %s?", name, near);
        else
            log_error ("%s: no such metric: the columns of --format csv are "
                       "the known ones",
                       name);
        return -1;
    }
    return 0;
}

static void results_print_table (struct textable *t, enum table_format format)
{
    textable_print (t, stdout, format);
    textable_destroy (t);
}

static void results_print_metrics (const struct resultset *r,
                                   const struct opt_list *metric,
                                   enum table_format format)
{
    for (int i = 0; i < metric->count; i++) {
        if (format == TABLE_TEXT)
            printf ("%s%s\n\n", i ? "\n" : "", metric->item[i]);
        results_print_table (
            restable_metric (r, resultset_metric (r, metric->item[i])), format);
    }
}

/* -- questions --------------------------------------------------------- */

/* "seq,access:read_bandwidth" */
static int pivot (const struct resultset *r,
                  const char *text,
                  enum table_format format,
                  struct errtext *err)
{
    const char *colon = strrchr (text, ':');
    size_t axes;
    int metric, *axis;

    if (!colon)
        return errf (err, "--pivot: %s: AXES:METRIC should be here", text);
    metric = resultset_metric (r, colon + 1);
    if (metric < 0)
        return errf (err, "--pivot: %s: no run has this metric", colon + 1);
    if (group_parse (r->sweep,
                     arena_copy (r->sweep->arena, text, (size_t)(colon - text)),
                     &axis, &axes, err) < 0)
        return -1;
    if (axes < 2)
        return errf (err, "--pivot: %s: two axes at least: down and across",
                     text);
    results_print_table (pivot_table (r, axis, axes, metric), format);
    return 0;
}

static void ask (const struct resultset *r,
                 const struct results_options *o,
                 const struct question *q,
                 enum table_format format)
{
    const char *names[OPT_LIST_MAX + 1] = {NULL};

    for (int i = 0; i < o->metric.count; i++)
        names[i] = o->metric.item[i];
    question_print (stdout, r, q, o->metric.count ? names : NULL, format);
}

/* A table per other value of the axis. */
static int baseline (const struct resultset *r,
                     const struct results_options *o,
                     enum table_format format,
                     struct errtext *err)
{
    struct compare base = {.axis = -1}, *c;
    size_t n;

    if (baseline_parse (r->sweep, o->baseline, &base, err) < 0)
        return -1;
    n = baseline_compares (r, &base, &c);
    for (size_t i = 0; i < n; i++) {
        struct question q = {.kind = QUESTION_BASELINE, .compare = c[i]};

        if (i && format == TABLE_TEXT)
            putchar ('\n');
        ask (r, o, &q, format);
    }
    return 0;
}

/* 1: answered; 0: nothing was asked; -1 and err. */
static int questions (const struct resultset *r,
                      const struct results_options *o,
                      enum table_format format,
                      struct errtext *err)
{
    struct question q = {.kind = QUESTION_EFFECTS};
    int *axis;

    if (o->pivot)
        return pivot (r, o->pivot, format, err) < 0 ? -1 : 1;
    if (o->baseline)
        return baseline (r, o, format, err) < 0 ? -1 : 1;
    if (o->compare) {
        q.kind = QUESTION_COMPARE;
        if (compare_parse (r->sweep, o->compare, &q.compare, err) < 0)
            return -1;
    } else if (o->group) {
        q.kind = QUESTION_GROUP;
        if (group_parse (r->sweep, o->group, &axis, &q.axes, err) < 0)
            return -1;
        q.axis = axis;
    } else if (!o->effects) {
        return 0;
    }
    ask (r, o, &q, format);
    return 1;
}

static void results_print_all (const struct resultset *r,
                               enum table_format format)
{
    restable_print (stdout, r, r->sweep->spec->metrics, format);
    questions_of_file (stdout, r, format);
    verdict_print (stdout, r, format);
    if (format != TABLE_TEXT)
        return;
    putchar ('\n');
    check_print (stdout, r);
}

static void results_print (const struct resultset *r,
                           const struct results_options *o,
                           enum table_format format)
{
    if (o->as_long)
        results_print_table (restable_long (r), format);
    else if (o->metric.count)
        results_print_metrics (r, &o->metric, format);
    else if (format == TABLE_TEXT || format == TABLE_MARKDOWN)
        results_print_all (r, format);
    else
        results_print_table (restable_points (r), format);
}

static int results_status (const struct resultset *r)
{
    size_t count[VERDICTS];

    if (r->report.open)
        return EXIT_PENDING;
    if (r->report.bad)
        return EXIT_SOME_FAILED;
    verdict_count (r, count);
    return count[VERDICT_FAIL] ? EXIT_CHECK_FAILED : EXIT_OK;
}

static int results (struct sweepdir *d,
                    const struct results_options *o,
                    enum table_format format)
{
    struct errtext err = {""};
    int answered;
    struct resultset *r = resultset_load_some (d, &o->filter, &err);

    if (!r || (o->write && resultset_write (r, &err) < 0) ||
        (o->junit && junit_write (o->junit, r, &err) < 0)) {
        log_error ("%s", err.text);
        return EXIT_FAILED;
    }
    if (check_metrics (r, &o->metric) < 0)
        return EXIT_USAGE;
    answered = questions (r, o, format, &err);
    if (answered < 0) {
        log_error ("%s", err.text);
        return EXIT_USAGE;
    }
    if (!answered)
        results_print (r, o, format);
    if (o->write)
        return EXIT_OK;
    return results_status (r);
}

int sweep_cmd_results (int argc, char **argv)
{
    struct results_options o = {.format = "text"};
    const struct opt opts[] = {
        FILTER_OPTIONS (o.filter),
        OUTPUT_OPTIONS (o.output),
        {"format", 'f', OPT_TEXT, &o.format, "FORMAT",
         "text, csv, markdown or json"},
        {"metric", 'm', OPT_LIST, &o.metric, "NAME",
         "this metric with its spread; may be repeated"},
        {"compare", 0, OPT_TEXT, &o.compare, "AXIS=A:B",
         "B against A, paired by repeat, with the ratio's interval"},
        {"baseline", 0, OPT_TEXT, &o.baseline, "AXIS=VALUE",
         "what the other values cost against this one, as in data=mock"},
        {"group", 0, OPT_TEXT, &o.group, "AXES",
         "means over the settings of the other axes that all rows have, as in "
         "seq,gbs"},
        {"pivot", 0, OPT_TEXT, &o.pivot, "AXES:METRIC",
         "as a matrix, the last axis across: seq,access:read_bandwidth"},
        {"effects", 0, OPT_FLAG, &o.effects, NULL,
         "what each axis does, by pairs where points are missing; and the "
         "strongest interaction"},
        {"junit", 0, OPT_TEXT, &o.junit, "FILE",
         "runs and checks as JUnit XML, too: for a CI system"},
        {"long", 0, OPT_FLAG, &o.as_long, NULL,
         "one row per number: for R, pandas and gnuplot"},
        {"write", 0, OPT_FLAG, &o.write, NULL,
         "write DIR/results/ as well (the analysis job does this)"},
        {NULL, 0, OPT_FLAG, NULL, NULL, NULL},
    };
    int operand, status, format;
    struct sweepdir *d;

    if (optparse_command (opts, &help, argc, argv, 0, &operand, &status) < 0)
        return status;
    if (argc == operand && cmd_operands (&help, argc, operand, 1) < 0)
        return EXIT_USAGE;
    cmd_words (&o.filter, argc, argv, operand);
    if (o.write && filter_used (&o.filter)) {
        log_error ("--write: the tables of a sweep hold all runs: leave out "
                   "the filter");
        return EXIT_USAGE;
    }
    if (o.output.json || o.output.csv)
        o.format = o.output.json ? "json" : "csv";
    format = table_format_parse (o.format);
    if (format < 0) {
        log_error ("--format: %s: no such format: use text, csv, markdown or "
                   "json",
                   o.format);
        return EXIT_USAGE;
    }
    d = cmd_open (argv[operand]);
    if (!d)
        return EXIT_FAILED;
    status = results (d, &o, (enum table_format)format);
    sweepdir_close (d);
    return status;
}
