/* SPDX-License-Identifier: MIT
 *
 * cmd_help.c - `dftrace help`: verbs, layers, settings, metrics
 *
 * Everything it prints comes from the .def tables; the manual pages and the
 * completion are made from its output.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "analyze/render/schema.h"
#include "cli/cmd.h"
#include "cli/help_site.h"
#include "cli/help_trace.h"
#include "cli/help_views.h"
#include "cli/troff.h"
#include "cli/verbs.h"
#include "lib/core/settings/layers.h"
#include "lib/core/settings/settings.h"
#include "lib/model/metric.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"

static const struct verb_help help = {
    .usage =
        "dftrace help [VERB | layers | option | settings | site | metrics | "
        "views | where | columns | rules | schema]",
    .summary =
        "Explain a verb, the layers and keys of --dftrace, the "
        "settings, what a site configures, the metrics, the views, "
        "conditions, columns, or the rules of insights; schema: the JSON "
        "schema of metrics.json.",
    .example = "  $ dftrace help layers\n"
               "  $ dftrace help analyze\n",
    .exits = "0  printed\n2  no such topic\n",
};

static void print_layers (void)
{
    (void)puts ("Layers of --dftrace=LAYER[,LAYER...]:\n");
    for (int i = 0; i < LAYER_COUNT; i++)
        (void)printf ("  %-9s %s\n", layer_word ((enum layer_index)i),
                      layer_help ((enum layer_index)i));
}

static void print_setting (const struct setting_info *s)
{
    (void)printf ("%s\n    %s.\n    Type %s, default %s%s%s.\n", s->env,
                  s->help, s->type, *s->value ? "\"" : "none", s->value,
                  *s->value ? "\"" : "");
    if (*s->key)
        (void)printf ("    Site key (plugstack.conf): %s=\n", s->key);
    if (*s->fallback)
        (void)printf ("    Taken from %s when unset.\n", s->fallback);
    (void)putchar ('\n');
}

static void print_settings (void)
{
    (void)puts ("Settings, by their environment variables. Command line wins "
                "over #SBATCH,\nthat over the environment, that over the "
                "site.\n");
    for (int id = 0; id < SETTING_COUNT_ALL; id++)
        print_setting (setting_info ((enum setting_id)id));
}

static void help_print_metrics (void)
{
    (void)puts ("Metrics of dftrace analyze and sweep results:\n");
    for (int m = 0; m < METRIC_COUNT; m++)
        (void)printf ("%s%s%s\n    %s.\n", metric_table[m].name,
                      *metric_table[m].unit ? ", " : "", metric_table[m].unit,
                      metric_table[m].definition);
}

/* For programs: name, unit, digits, title; '\n' stands for itself. */
static void print_metric_rows (void)
{
    for (int m = 0; m < METRIC_COUNT; m++) {
        (void)printf ("%s\t%s\t%d\t", metric_table[m].name,
                      metric_table[m].unit, metric_table[m].digits);
        for (const char *p = metric_table[m].title; *p; p++)
            (void)(*p == '\n' ? fputs ("\\n", stdout) : putchar (*p));
        (void)putchar ('\n');
    }
}

static void print_schema (void)
{
    schema_print (stdout);
}

/* --- for completion and the manual ------------------------------------- */

static void help_print_words (void)
{
    for (const struct verb *v = verb_table (); v->word; v++)
        if (v->shown)
            (void)puts (v->word);
    (void)puts ("--help\n--version");
}

static void print_topics (void);

/* dftrace(1), from the tables of verbs, layers and settings. */
static void print_man (void)
{
    (void)puts (".TH DFTRACE 1 \"\" \"" PACKAGE_STRING "\" \"User Commands\"\n"
                ".SH NAME\ndftrace \\- trace the I/O and the steps of a job, "
                "analyze it, sweep a parameter grid\n"
                ".SH SYNOPSIS\n.B dftrace\n.I VERB\n[\\fIOPTION\\fR]... ...\n"
                ".br\n.B sbatch \\-\\-dftrace=\\fILAYER\\fR[,\\fILAYER\\fR]... "
                "\\fIscript\\fR\n.SH VERBS\n"
                "Each has a page of its own, dftrace\\-VERB(1), and "
                "\\-\\-help.");
    for (const struct verb *v = verb_table (); v->word; v++)
        if (v->shown)
            put_item (v->word, v->help);
    (void)puts (".SH LAYERS\nWhat \\-\\-dftrace= of sbatch, srun and salloc "
                "and \\-\\-layers of dftrace\\-run(1) take.");
    for (int i = 0; i < LAYER_COUNT; i++)
        put_item (layer_word ((enum layer_index)i),
                  layer_help ((enum layer_index)i));
    (void)puts (".SH ENVIRONMENT\nThe command line wins over #SBATCH, that "
                "over the environment, that over the site.");
    for (int id = 0; id < SETTING_COUNT_ALL; id++)
        put_item (setting_info ((enum setting_id)id)->env,
                  setting_info ((enum setting_id)id)->help);
    (void)puts (".SH FILES\n.TP\n.I JOBDIR/job.json\nWhat ran, where, with "
                "which settings.\n.TP\n.I JOBDIR/shards/*.dft\nThe trace of "
                "each node.\n.TP\n.I JOBDIR/trace.dft\nAll of them in one."
                "\n.TP\n.IR JOBDIR/metrics.json \", \" JOBDIR/tables/*.csv\n"
                "What dftrace\\-analyze(1) found.");
}

/* --- topics ------------------------------------------------------------- */

static const struct topic {
    const char *word;
    void (*print) (void);
    int shown;
} topics[] = {
    {"layers", print_layers, 1},
    {"settings", print_settings, 1},
    {"metrics", help_print_metrics, 1},
    {"option", help_option, 1},
    {"schema", print_schema, 1},
    {"views", help_views, 1},
    {"where", help_where, 1},
    {"columns", help_columns, 1},
    {"rules", help_rules, 1},
    {"site", help_site, 1},
    {"conf", help_conf, 0},
    {"conf-man", help_conf_man, 0},
    {"spank-man", help_spank_man, 0},
    {"trace-man", help_trace_man, 0},
    {"man", print_man, 0},
    {"metric-rows", print_metric_rows, 0},
    {"words", help_print_words, 0},
    {"topics", print_topics, 0},
    {NULL, NULL, 0},
};

static void print_topics (void)
{
    for (const struct verb *v = verb_table (); v->word; v++)
        if (v->shown)
            (void)puts (v->word);
    for (const struct topic *t = topics; t->word; t++)
        if (t->shown)
            (void)puts (t->word);
}

static int help_on (char *word)
{
    const struct verb *v = verb_find (word);
    char option[] = "--help";
    char *args[] = {word, option, NULL};

    for (const struct topic *t = topics; t->word; t++) {
        if (strcmp (word, t->word) == 0) {
            t->print ();
            return EXIT_OK;
        }
    }
    if (v)
        return v->run (2, args);
    log_error ("%s: no such topic: try a verb, layers, option, settings, site, "
               "metrics, views, where, columns, rules or schema",
               word);
    return EXIT_USAGE;
}

int cmd_help (int argc, char **argv)
{
    static const struct opt none[] = {{.name = NULL}};
    struct errtext err;
    int first;

    switch (optparse (none, &help, argc, argv, 0, &first, &err)) {
    case OPTPARSE_HELP:
        return EXIT_OK;
    case OPTPARSE_ERROR:
        log_error ("%s", err.text);
        return EXIT_USAGE;
    case OPTPARSE_OK:
        break;
    }
    if (first == argc) {
        verb_print_all (stdout);
        return EXIT_OK;
    }
    return help_on (argv[first]);
}
