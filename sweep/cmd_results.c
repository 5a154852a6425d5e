/* SPDX-License-Identifier: MIT
 *
 * cmd_results.c - `dftrace sweep results DIR`: the tables
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "sweep/cmd.h"
#include "sweep/compare.h"
#include "sweep/filter.h"
#include "sweep/restable.h"

struct results_options {
    struct filter_options filter;
    char *const *word; /* runs, when not all are meant */
    int words;
    const char *format;
    struct opt_list metric;
    const char *compare, *group, *pivot;
    int as_long, effects, write;
};

static const struct verb_help help = {
    .usage = "dftrace sweep results [OPTION…] DIR [RUN…]",
    .summary = "the numbers of a sweep, per configuration",
    .text = "What no epilog has analyzed yet is analyzed first. Failed "
            "points stay in the table with\ntheir state. csv and json have "
            "the exact values in the units of metrics.json.",
    .example = "  $ dftrace sweep results my-study\n"
               "  $ dftrace sweep results my-study --metric read_bandwidth\n"
               "  $ dftrace sweep results my-study --format csv > points.csv",
    .exits = "0  all runs are done\n3  some are still to come\n"
             "4  some have failed",
};

static int check_metrics (const struct resultset *r,
                          const struct opt_list *metric)
{
    for (int i = 0; i < metric->count; i++) {
        const char *name = metric->item[i], *near;

        if (resultset_metric (r, name) >= 0)
            continue;
        near = restable_near (name);
        if (restable_knows (name))
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

static void print_table (struct textable *t, enum table_format format)
{
    textable_print (t, stdout, format);
    textable_destroy (t);
}

static void print_metrics (const struct resultset *r,
                           const struct opt_list *metric,
                           enum table_format format)
{
    for (int i = 0; i < metric->count; i++) {
        if (format == TABLE_TEXT)
            printf ("%s%s\n\n", i ? "\n" : "", metric->item[i]);
        print_table (
            restable_metric (r, resultset_metric (r, metric->item[i]),
                             format == TABLE_CSV || format == TABLE_JSON),
            format);
    }
}

/* -- questions --------------------------------------------------------- */

typedef struct textable *
table_of (const struct resultset *r, const void *question, int metric);

struct axes {
    int *axis;
    size_t count;
};

static struct textable *
by_compare (const struct resultset *r, const void *question, int metric)
{
    return compare_table (r, question, metric);
}

static struct textable *
by_group (const struct resultset *r, const void *question, int metric)
{
    const struct axes *x = question;

    return group_table (r, x->axis, x->count, metric);
}

static struct textable *
by_effects (const struct resultset *r, const void *question, int metric)
{
    (void)question;
    return effects_table (r, metric);
}

/* For every metric that is asked about: --metric, else the sweep file's, else
 * the usual ones of those that there are. */
static void ask (const struct resultset *r,
                 const struct opt_list *metric,
                 enum table_format format,
                 const char *what,
                 table_of *table,
                 const void *question)
{
    static const char *const usual[] = {"loader_time", "read_time",
                                        "read_bandwidth", "job_time", NULL};
    const char *const *names = r->sweep->spec->metrics;
    const char *asked[OPT_LIST_MAX + 1] = {NULL};
    int first = 1;

    for (int i = 0; i < metric->count; i++)
        asked[i] = metric->item[i];
    if (metric->count)
        names = asked;
    else if (!names)
        names = usual;
    for (; *names; names++) {
        int m = resultset_metric (r, *names);

        if (m < 0)
            continue;
        if (format == TABLE_TEXT)
            printf ("%s%s%s\n\n", first ? "" : "\n", *names, what);
        print_table (table (r, question, m), format);
        first = 0;
    }
}

/* "seq,access:read_bandwidth" */
static int pivot (const struct resultset *r,
                  const char *text,
                  enum table_format format,
                  struct errtext *err)
{
    const char *colon = strrchr (text, ':');
    struct axes x;
    int metric;

    if (!colon)
        return errf (err, "--pivot: %s: AXES:METRIC should be here", text);
    metric = resultset_metric (r, colon + 1);
    if (metric < 0)
        return errf (err, "--pivot: %s: no run has this metric", colon + 1);
    if (group_parse (r->sweep,
                     arena_copy (r->sweep->arena, text, (size_t)(colon - text)),
                     &x.axis, &x.count, err) < 0)
        return -1;
    if (x.count < 2)
        return errf (err, "--pivot: %s: two axes at least: down and across",
                     text);
    print_table (pivot_table (r, x.axis, x.count, metric), format);
    return 0;
}

/* 1: answered; 0: nothing was asked; -1 and err. */
static int questions (const struct resultset *r,
                      const struct results_options *o,
                      enum table_format format,
                      struct errtext *err)
{
    struct compare c;
    struct axes x;

    if (o->pivot)
        return pivot (r, o->pivot, format, err) < 0 ? -1 : 1;
    if (o->compare) {
        if (compare_parse (r->sweep, o->compare, &c, err) < 0)
            return -1;
        ask (r, &o->metric, format, ": means with 95 % intervals, paired ratio",
             by_compare, &c);
        return 1;
    }
    if (o->group) {
        if (group_parse (r->sweep, o->group, &x.axis, &x.count, err) < 0)
            return -1;
        ask (r, &o->metric, format, "", by_group, &x);
        return 1;
    }
    if (o->effects)
        ask (r, &o->metric, format,
             ": change from the lowest to the highest mean", by_effects, NULL);
    return o->effects;
}

/* What the sweep file asks under results: */
static void file_questions (const struct resultset *r, enum table_format format)
{
    static const struct opt_list none = {.count = 0};
    const struct spec *s = r->sweep->spec;

    for (size_t i = 0; i < s->compares; i++) {
        putchar ('\n');
        ask (r, &none, format, ": means with 95 % intervals, paired ratio",
             by_compare, &s->compare[i]);
    }
    if (s->groups) {
        struct axes x = {.axis = s->group, .count = s->groups};

        putchar ('\n');
        ask (r, &none, format, "", by_group, &x);
    }
}

static void print_all (const struct resultset *r, enum table_format format)
{
    restable_print (stdout, r, r->sweep->spec->metrics, format);
    file_questions (r, format);
}

static void print (const struct resultset *r,
                   const struct results_options *o,
                   enum table_format format)
{
    if (o->as_long)
        print_table (restable_long (r), format);
    else if (o->metric.count)
        print_metrics (r, &o->metric, format);
    else if (format == TABLE_TEXT || format == TABLE_MARKDOWN)
        print_all (r, format);
    else
        print_table (restable_points (r), format);
}

static int results (struct sweepdir *d,
                    const struct results_options *o,
                    enum table_format format)
{
    struct errtext err = {""};
    int answered;
    struct resultset *r =
        resultset_load_some (d, &o->filter, o->word, o->words, &err);

    if (!r || (o->write && resultset_write (r, &err) < 0)) {
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
        print (r, o, format);
    if (o->write)
        return EXIT_OK;
    return r->report.open  ? EXIT_PENDING
           : r->report.bad ? EXIT_SOME_FAILED
                           : EXIT_OK;
}

int sweep_cmd_results (int argc, char **argv)
{
    struct results_options o = {.format = "text"};
    const struct opt opts[] = {
        FILTER_OPTIONS (o.filter),
        {"format", 'f', OPT_TEXT, &o.format, "FORMAT",
         "text, csv, markdown or json"},
        {"metric", 'm', OPT_LIST, &o.metric, "NAME",
         "this metric with its spread; may be repeated"},
        {"compare", 0, OPT_TEXT, &o.compare, "AXIS=A:B",
         "B against A, paired by repeat, with the ratio's interval"},
        {"group", 0, OPT_TEXT, &o.group, "AXES",
         "over everything but these axes, as in seq,gbs"},
        {"pivot", 0, OPT_TEXT, &o.pivot, "AXES:METRIC",
         "as a matrix, the last axis across: seq,access:read_bandwidth"},
        {"effects", 0, OPT_FLAG, &o.effects, NULL,
         "what each axis does, and the strongest interaction"},
        {"long", 0, OPT_FLAG, &o.as_long, NULL,
         "one row per number: for R, pandas and gnuplot"},
        {"write", 0, OPT_FLAG, &o.write, NULL,
         "write DIR/results/ as well (the analysis job does this)"},
        {NULL, 0, OPT_FLAG, NULL, NULL, NULL},
    };
    int operand, status, format;
    struct sweepdir *d;

    if (cmd_options (opts, &help, argc, argv, &operand, &status) < 0)
        return status;
    if (argc == operand && cmd_operands (&help, argc, operand, 1) < 0)
        return EXIT_USAGE;
    o.word = argv + operand + 1;
    o.words = argc - operand - 1;
    if (o.write && filter_used (&o.filter, o.words)) {
        log_error ("--write: the tables of a sweep hold all runs: leave out "
                   "the filter");
        return EXIT_USAGE;
    }
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
