/* SPDX-License-Identifier: MIT
 *
 * cmd_results.c - `dftrace sweep results DIR`: the tables
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "sweep/cmd.h"
#include "sweep/filter.h"
#include "sweep/restable.h"

struct results_options {
    struct filter_options filter;
    char *const *word; /* runs, when not all are meant */
    int words;
    const char *format;
    struct opt_list metric;
    int as_long, write;
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

static void print (const struct resultset *r,
                   const struct results_options *o,
                   enum table_format format)
{
    if (o->as_long)
        print_table (restable_long (r), format);
    else if (o->metric.count)
        print_metrics (r, &o->metric, format);
    else if (format == TABLE_TEXT || format == TABLE_MARKDOWN)
        restable_print (stdout, r, r->sweep->spec->metrics, format);
    else
        print_table (restable_points (r), format);
}

static int results (struct sweepdir *d,
                    const struct results_options *o,
                    enum table_format format)
{
    struct errtext err = {""};
    struct resultset *r =
        resultset_load_some (d, &o->filter, o->word, o->words, &err);

    if (!r || (o->write && resultset_write (r, &err) < 0)) {
        log_error ("%s", err.text);
        return EXIT_FAILED;
    }
    if (check_metrics (r, &o->metric) < 0)
        return EXIT_USAGE;
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
