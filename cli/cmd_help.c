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

#include "analyze/tables/results.h"
#include "cli/cmd.h"
#include "cli/help_site.h"
#include "cli/help_trace.h"
#include "cli/help_views.h"
#include "cli/troff.h"
#include "cli/verbs.h"
#include "lib/format/layers.h"
#include "lib/settings/settings.h"
#include "lib/model/kind.h"
#include "lib/model/metric.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"

static const struct verb_help help = {
    .usage =
        "dftrace help [VERB | layers | option | settings | site | metrics | "
        "kinds | views | where | columns | rules | schema]",
    .summary = "Explain a verb, the layers and keys of --dftrace, the "
               "settings, what a site configures, the metrics, the kinds of "
               "files, the views, conditions, columns, or the rules of "
               "findings; "
               "schema: the JSON schema of metrics.json.",
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

/* Words with commas between them, in lines of less than 80 columns. */
static void help_print_list (const char *words)
{
    size_t at = 0;

    while (*words) {
        size_t n = strcspn (words, ",") + 1;

        if (at && at + n > 78)
            (void)putchar ('\n');
        if (!at || at + n > 78)
            at = (size_t)printf ("   ");
        at += n + (size_t)printf (" %.*s", (int)n, words) - n;
        words += n <= strlen (words) ? n : n - 1;
    }
    (void)putchar ('\n');
}

static void help_print_kinds (void)
{
    (void)puts ("What a file is for, by its path. The first kind with a "
                "matching pattern counts;\nsource and machine code belong to "
                "the program before that.\n");
    for (int k = 0; k < KIND_COUNT; k++) {
        (void)printf ("%s\n    %s.\n", kind_name ((enum file_kind)k),
                      kind_help ((enum file_kind)k));
        help_print_list (kind_patterns ((enum file_kind)k));
    }
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
                "\\fIscript\\fR\n.SH DESCRIPTION\n"
                "dftrace records the I/O calls and the steps of a job, and "
                "prints where the time of the job went. It also runs a grid "
                "of parameters as Slurm jobs and compares the results.\n"
                ".SH EXAMPLE\n.nf\n"
                "sbatch \\-\\-dftrace=posix,app job.sh\n"
                "dftrace analyze dftrace/pretrain\\-4711\n\n"
                "dftrace run \\-o trace1 \\-\\- python3 train.py\n"
                "dftrace report trace1\n.fi\n.SH VERBS\n"
                "Each verb has a page of its own, dftrace\\-VERB(1), and "
                "prints its options with \\-\\-help.");
    for (const struct verb *v = verb_table (); v->word; v++)
        if (v->shown)
            put_item (v->word, v->help);
    (void)puts (
        ".SH LAYERS\nThese words are for \\-\\-dftrace= of sbatch, srun "
        "and salloc, and for \\-\\-layers of dftrace\\-run(1).");
    for (int i = 0; i < LAYER_COUNT; i++)
        put_item (layer_word ((enum layer_index)i),
                  layer_help ((enum layer_index)i));
    (void)puts (".SH ENVIRONMENT\nThe command line takes precedence over "
                "#SBATCH, then the environment, then the site.");
    for (int id = 0; id < SETTING_COUNT_ALL; id++)
        put_item (setting_info ((enum setting_id)id)->env,
                  setting_info ((enum setting_id)id)->help);
    (void)puts (".SH FILES\n.TP\n.I JOBDIR/job.json\nWhat ran, where, with "
                "which settings.\n.TP\n.I JOBDIR/shards/*.dft\nThe trace of "
                "each node.\n.TP\n.I JOBDIR/trace.dft\nAll of them in one file."
                "\n.TP\n.I JOBDIR/trace.dft.index\nWhat is in each part of it, "
                "so that conditions read less.\n.TP\n.I JOBDIR/answers\n"
                "Answers that dftrace\\-analyze(1) has kept; may be removed."
                "\n.TP\n.IR JOBDIR/metrics.json \", \" JOBDIR/tables/*.csv\n"
                "The results of dftrace\\-analyze(1).");
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
    {"kinds", help_print_kinds, 1},
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
               "metrics, kinds, views, where, columns, rules or schema",
               word);
    return EXIT_USAGE;
}

int cmd_help (int argc, char **argv)
{
    static const struct opt none[] = {{.name = NULL}};
    int first, status;

    if (optparse_command (none, &help, argc, argv, 0, &first, &status) < 0)
        return status;
    if (first == argc) {
        verb_print_all (stdout);
        return EXIT_OK;
    }
    return help_on (argv[first]);
}
