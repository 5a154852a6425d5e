/* SPDX-License-Identifier: MIT
 *
 * cmd_help.c - `dftrace help TOPIC`; text of the manual pages
 *
 * Everything it prints comes from the .def tables; the manual pages and the
 * completion are made from its output.
 */
#include "config.h"

#include "analyze/cmd.h"
#include "analyze/tables/results.h"
#include "analyze/tables/subject.h"
#include "analyze/facts/insight.h"
#include "analyze/query/show.h"
#include "analyze/trace/find.h"
#include "cli/cmd.h"
#include "lib/base/array.h"
#include "lib/format/calls.h"
#include "lib/format/shard.h"
#include "lib/model/kind.h"
#include "lib/model/metric.h"
#include "lib/model/view.h"
#include "lib/settings/site.h"
#include "lib/settings/settings.h"
#include "lib/util/fsutil.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"
#include "lib/util/ytree.h"
#include "lib/util/xalloc.h"

/* -- what a site may configure, in words -- */

static void help_site (void);
static void help_option (void);
static void help_conf (void);
static void help_conf_man (void);
static void help_spank_man (void);

/* -- tables and keys of --view, rules of insights, as text -- */

static void help_views (void);
static void help_where (void);
static void help_columns (void);
static void help_rules (void);
static void help_columns_of (enum view v);
static int help_rule_named (const char *name, const char *job);

/* -- what is in a trace, in words -- */

static void help_trace_man (void);

/* -- text -> man(7) -- */

static void put_troff (const char *text);

static void put_item (const char *term, const char *text);

static const struct verb_help help_help = {
    .usage =
        "dftrace help [VERB | layers | option | settings | site | metrics | "
        "kinds | views | where | columns | rules | schema | VIEW | METRIC | "
        "RULE [JOB]]",
    .summary =
        "Explain a verb, the layers and keys of --dftrace, the "
        "settings, what a site configures, the metrics, the kinds of "
        "files, the views, conditions, columns, or the rules of "
        "findings; one view, metric or rule, with commands that check it "
        "on JOB (the newest trace here); "
        "schema: the JSON schema of metrics.json.",
    .example = "  $ dftrace help layers\n"
               "  $ dftrace help cpu_wait\n"
               "  $ dftrace help analyze\n",
    .exits = "0  printed\n2  no such topic\n",
};

static void print_layers (void)
{
    puts ("Layers of --dftrace=LAYER[,LAYER...]:\n");
    for (int i = 0; i < LAYER_COUNT; i++)
        printf ("  %-9s %s\n", layer_word (i), layer_help (i));
}

static void print_setting (const struct setting_info *s)
{
    printf ("%s\n    %s.\n    Type %s, default %s%s%s.\n", s->env, s->help,
            s->type, *s->value ? "\"" : "none", s->value,
            *s->value ? "\"" : "");
    if (s->who & BY_SITE)
        printf ("    Site key (plugstack.conf): %s=\n", s->name);
    if (*s->fallback)
        printf ("    Taken from %s when unset.\n", s->fallback);
    putchar ('\n');
}

static void print_settings (void)
{
    puts ("Settings, by their environment variables. Command line wins "
          "over #SBATCH,\nthat over the environment, that over the "
          "site.\n");
    for (int id = 0; id < SETTING_COUNT_ALL; id++)
        print_setting (setting_info (id));
}

static void help_print_metric (int m)
{
    printf ("%s%s%s\n    %s.\n", metric_table[m].name,
            *metric_table[m].unit ? ", " : "", metric_table[m].unit,
            metric_table[m].definition);
}

static void help_print_metrics (void)
{
    puts ("Metrics of dftrace analyze and sweep results:\n");
    for (int m = 0; m < METRIC_COUNT; m++)
        help_print_metric (m);
}

/* Words with commas between them, in lines of less than 80 columns. */
static void help_print_list (const char *words)
{
    size_t at = 0;

    while (*words) {
        size_t n = strcspn (words, ",") + 1;

        if (at && at + n > 78)
            putchar ('\n');
        if (!at || at + n > 78)
            at = printf ("   ");
        at += n + (size_t)printf (" %.*s", (int)n, words) - n;
        words += n <= strlen (words) ? n : n - 1;
    }
    putchar ('\n');
}

static void help_print_kinds (void)
{
    puts ("What a file is for, by its path. The first kind with a "
          "matching pattern counts;\nsource and machine code belong to "
          "the program before that.\n");
    for (int k = 0; k < KIND_COUNT; k++) {
        printf ("%s\n    %s.\n", kind_name (k), kind_help (k));
        help_print_list (kind_patterns (k));
    }
}

/* For programs: name, unit, digits, title; '\n' stands for itself. */
static void print_metric_rows (void)
{
    for (int m = 0; m < METRIC_COUNT; m++) {
        printf ("%s\t%s\t%d\t", metric_table[m].name, metric_table[m].unit,
                metric_table[m].digits);
        for (const char *p = metric_table[m].title; *p; p++)
            (void)(*p == '\n' ? fputs ("\\n", stdout) : putchar (*p));
        putchar ('\n');
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
            puts (v->word);
    puts ("--help\n--version");
}

static void print_topics (void);

/* dftrace(1), from the tables of verbs, layers and settings. */
static void print_man (void)
{
    puts (".TH DFTRACE 1 \"\" \"" PACKAGE_STRING "\" \"User Commands\"\n"
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
    puts (".SH LAYERS\nThese words are for \\-\\-dftrace= of sbatch, srun "
          "and salloc, and for \\-\\-layers of dftrace\\-run(1).");
    for (int i = 0; i < LAYER_COUNT; i++)
        put_item (layer_word (i), layer_help (i));
    puts (".SH ENVIRONMENT\nThe command line takes precedence over "
          "#SBATCH, then the environment, then the site.");
    for (int id = 0; id < SETTING_COUNT_ALL; id++)
        put_item (setting_info (id)->env, setting_info (id)->help);
    puts (".SH FILES\n.TP\n.I JOBDIR/job.json\nWhat ran, where, with "
          "which settings.\n.TP\n.I JOBDIR/shards/*.dft\nThe trace of "
          "each node.\n.TP\n.I JOBDIR/trace.dft\nAll of them in one file."
          "\n.TP\n.I JOBDIR/trace.dft.index\nWhat is in each part of it, "
          "so that conditions read less.\n.TP\n.I JOBDIR/answers\n"
          "Answers that dftrace\\-analyze(1) has kept, and copies of "
          "DFTracer's files as merged traces; may be removed."
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
            puts (v->word);
    for (const struct topic *t = topics; t->word; t++)
        if (t->shown)
            puts (t->word);
}

/* Values of an option, a line each, for completion; 0: none are known. Where
 * verbs differ, the row of the verb comes first. */
static int help_values (const char *option, const char *verb)
{
    static const struct {
        const char *option, *verb, *values;
    } lists[] = {
        {"draw", NULL, "auto always never"},
        {"tables", NULL, "always auto"},
        {"index", NULL, "auto always never"},
        {"format", "export",
         "csv jsonl chrome pfw folded speedscope openmetrics parquet otf2"},
        {"format", "stat", "text jsonl"},
        {"format", "top", "text jsonl"},
        {"format", NULL, "text csv json markdown"},
        {"sort", "top", "io read write calls stall idle pid"},
        {"fast", NULL, "data-in-memory output-in-memory no-sync all"},
        {"only", NULL,
         "good open bad queued running done failed timeout cancelled lost"},
    };

    for (size_t i = 0; i < ITEMS (lists); i++)
        if (strcmp (option, lists[i].option) == 0 &&
            (!lists[i].verb || strcmp (verb, lists[i].verb) == 0))
            return puts (lists[i].values) >= 0;
    for (int i = 0; strcmp (option, "layers") == 0 && i < LAYER_COUNT; i++)
        puts (layer_word (i));
    for (int i = 0; strcmp (option, "view") == 0 && i < VIEW_COUNT; i++)
        puts (view_table[i].word);
    if (strcmp (option, "view") == 0)
        puts ("all\nevent\ntree");
    for (int i = 0;
         (strcmp (option, "view") == 0 || strcmp (option, "by") == 0) &&
         i < GROUP_KEYS;
         i++)
        puts (group_key_table[i].word);
    for (int i = 0;
         (strcmp (option, "show") == 0 || strcmp (option, "sort") == 0) &&
         i < SHOW_WHATS;
         i++)
        puts (show_table[i].word);
    for (int i = 0; strcmp (option, "metric") == 0 && i < METRIC_COUNT; i++)
        puts (metric_table[i].name);
    for (int c = 0; strcmp (option, "where") == 0 && c < WHERE_COLUMNS; c++)
        puts (where_column_info (c)->word);
    return 1;
}

/* A view, its columns; a metric, its definition. */
static int help_table_named (const char *word)
{
    int view = view_parse (word);

    if (view >= 0)
        help_columns_of (view);
    for (int m = 0; view < 0 && m < METRIC_COUNT; m++)
        if (strcmp (metric_table[m].name, word) == 0) {
            help_print_metric (m);
            return 1;
        }
    return view >= 0;
}

static _Noreturn void help_unknown (const char *word)
{
    static const char *words[METRIC_COUNT + VIEW_COUNT + INSIGHT_COUNT + 64];
    const char *near;
    size_t n = 0;

    for (const struct verb *v = verb_table (); v->word; v++)
        words[n++] = v->word;
    for (const struct topic *t = topics; t->word; t++)
        if (t->shown)
            words[n++] = t->word;
    for (int v = 0; v < VIEW_COUNT; v++)
        words[n++] = view_table[v].word;
    for (int v = 0; v < VIEW_COUNT; v++)
        words[n++] = view_table[v].file;
    for (int i = 0; i < INSIGHT_COUNT; i++)
        words[n++] = insight_table[i].name;
    for (int m = 0; m < METRIC_COUNT; m++)
        words[n++] = metric_table[m].name;
    words[n] = NULL;
    near = nearest_word (word, words);
    if (near)
        die_with (EXIT_USAGE,
                  "%s: no such topic: did you mean `dftrace help %s`?", word,
                  near);
    die_with (EXIT_USAGE,
              "%s: no such topic: try a verb, layers, option, settings, site, "
              "metrics, kinds, views, where, columns, rules, schema, or a "
              "view, a metric or a rule",
              word);
}

static int help_on (char *word, char *second)
{
    const struct verb *v = verb_find (word);
    char option[] = "--help-all";
    char *args[] = {word, second ? second : option, second ? option : NULL,
                    NULL};

    for (const struct topic *t = topics; t->word; t++) {
        if (strcmp (word, t->word) == 0) {
            t->print ();
            return EXIT_OK;
        }
    }
    if (v)
        return v->run (second ? 3 : 2, args);
    if (help_rule_named (word, second) || help_table_named (word))
        return EXIT_OK;
    help_unknown (word);
}

int cmd_help (int argc, char **argv)
{
    static const struct opt none[] = {{.name = NULL}};
    int first = optparse_operands (none, &help_help, argc, argv);

    if (first == argc) {
        verb_print_all (stdout);
        return EXIT_OK;
    }
    if (strcmp (argv[first], "values") == 0 && first + 1 < argc)
        return help_values (argv[first + 1],
                            first + 2 < argc ? argv[first + 2] : "")
                   ? EXIT_OK
                   : EXIT_FAILED;
    return help_on (argv[first], argv[first + 1]);
}

/* ---- what a site may configure, in words ---- */

enum { COLUMNS = 78 };

typedef void (*key_f) (const char *key, const char *value, const char *help);

/* Every key that a site may say but `rule` and `conf`. */
static void each_key (key_f f)
{
    const struct site_info *own;

    for (int id = 0; id < SETTING_COUNT_ALL; id++) {
        const struct setting_info *s = setting_info (id);

        if (s->who & BY_SITE)
            f (s->name, s->value, s->help);
    }
    for (size_t i = 0; (own = site_info (i)); i++)
        if (strcmp (own->key, "conf") != 0)
            f (own->key, own->value, own->help);
}

/* Words in lines of COLUMNS, each behind prefix. */
static void help_site_put_wrapped (const char *prefix, const char *text)
{
    size_t column = 0;

    for (text += strspn (text, " "); *text; text += strspn (text, " ")) {
        size_t n = strcspn (text, " ");

        if (column && column + 1 + n > COLUMNS) {
            putchar ('\n');
            column = 0;
        }
        printf ("%s%.*s", column ? " " : prefix, (int)n, text);
        column += n + (column ? 1 : strlen (prefix));
        text += n;
    }
    putchar ('\n');
}

/* --- help site, help option ---------------------------------------------- */

static void
help_site_put_key (const char *key, const char *value, const char *help)
{
    printf ("%s=%s\n", key, value);
    help_site_put_wrapped ("    ", help);
}

static void put_rules (key_f f)
{
    const struct rule_info *r;

    for (size_t i = 0; (r = rule_info (i)); i++)
        f (r->word, "", r->help);
}

static void put_rule_word (const char *key, const char *value, const char *help)
{
    printf ("  %s=%s %s\n", key, value, help);
}

static void help_site (void)
{
    puts ("Keys of the plugstack.conf line and of " SITE_CONF
          ",\nwith their defaults:\n");
    each_key (help_site_put_key);
    puts ("\nrule=  (in the file, any number of times; the first that "
          "fits a job that says\nnothing decides, `layers` when none "
          "does). Its words:");
    put_rules (put_rule_word);
}

static void help_option (void)
{
    puts ("--dftrace=LAYER[,LAYER...][,KEY=VALUE...] of sbatch, srun, "
          "salloc.\n\nKeys:");
    for (int id = 0; id < SETTING_COUNT_ALL; id++) {
        const struct setting_info *s = setting_info (id);

        if (!(s->who & BY_OPTION))
            continue;
        printf ("%s=\n", s->name);
        help_site_put_wrapped ("    ", s->help);
    }
}

/* --- dftrace.conf --------------------------------------------------------- */

static void put_conf (const char *key, const char *value, const char *help)
{
    putchar ('\n');
    help_site_put_wrapped ("# ", help);
    printf ("#%s = %s\n", key, value);
}

static void put_conf_rule (const char *key, const char *value, const char *help)
{
    printf ("#   %-10s %s\n", key, help);
}

static void help_conf (void)
{
    puts ("# " SITE_CONF
          " - see dftrace.conf(5)\n#\n# KEY = VALUE; a # behind a blank "
          "begins a comment. What is commented out here\n# is the "
          "default. Words of the plugstack.conf line win. slurmd logs "
          "what it does\n# not understand when it starts; so does "
          "`dftrace doctor`.");
    each_key (put_conf);
    putchar ('\n');
    help_site_put_wrapped (
        "# ", "Which jobs are traced that do not say --dftrace: the "
              "first rule whose words all fit decides. Words:");
    put_rules (put_conf_rule);
    puts ("#rule = partition=debug layers=off\n"
          "#rule = account=ml,bio* nodes=4- sample=10 layers=posix,app");
}

static void put_man_key (const char *key, const char *value, const char *help)
{
    char term[64];

    FORMAT (term, "%s =", key);
    put_item (term, help);
    if (*value) {
        fputs ("Default ", stdout);
        put_troff (value);
        puts (".");
    }
}

static const char see_also[] =
    ".SH SEE ALSO\n.BR dftrace (1), \" \" dftrace.conf (5), \" \" "
    "dftrace\\-trace (5), \" \" dftrace\\-spank (8)";

static void help_conf_man (void)
{
    puts (".TH DFTRACE.CONF 5 \"\" \"" PACKAGE_STRING
          "\" \"File Formats\"\n.SH NAME\ndftrace.conf \\- how a site "
          "traces its jobs\n.SH SYNOPSIS\n.nf\n.I " SITE_CONF
          "\n.fi\n.SH DESCRIPTION\nThis file says which jobs of a site are "
          "traced, where the traces are written, and what the epilog does "
          "with them. The SPANK plugin, the node epilog and the command "
          "dftrace read it. It must be the same on every node and submit "
          "host.\n.SH EXAMPLE\n.nf\n"
          "log_root = /scratch/%u/dftrace\n"
          "rule = partition=debug layers=off\n"
          "rule = account=ml,bio* nodes=4\\- sample=10 "
          "layers=posix,app\n.fi\n.SH FORMAT\n"
          "The file has one KEY = VALUE per line; a # after a blank begins a "
          "comment.\nEvery key may also be given as KEY=VALUE on the line of "
          "the plugin in plugstack.conf, where it takes precedence; conf= on "
          "that line names another file.\nFor a key or value that is not "
          "understood the default is used; slurmd writes a line to its log, "
          "and so does\n.BR \"dftrace doctor\" .\n.SH KEYS");
    each_key (put_man_key);
    puts (".TP\n.B rule =\nFor jobs that do not say \\-\\-dftrace: the "
          "words below, separated by blanks. The first rule whose words "
          "all match decides; if none matches, the key default decides. "
          "Rules cannot be given on the line in plugstack.conf.\n.RS");
    put_rules (put_man_key);
    puts (".RE");
    puts (see_also);
}

/* --- dftrace-spank(8) ----------------------------------------------------- */

static void help_spank_man (void)
{
    puts (
        ".TH DFTRACE\\-SPANK 8 \"\" \"" PACKAGE_STRING
        "\" \"System Administration\"\n.SH NAME\ndftrace\\-spank \\- the "
        "Slurm plugin of dftrace\n.SH SYNOPSIS\n.B optional dftrace.so\n"
        "[\\fIKEY\\fB=\\fIVALUE\\fR]...\n.br\n.B sbatch\n"
        "\\fB\\-\\-dftrace=\\fILAYER\\fR[,\\fILAYER\\fR]...[,\\fIKEY\\fB=\\fI"
        "VALUE\\fR]...\n"
        ".SH DESCRIPTION\nThis plugin adds the option \\-\\-dftrace to "
        "sbatch, srun and salloc, and prepares the tasks of jobs that use it: "
        "it makes the job directory and sets the environment and LD_PRELOAD, "
        "in the task itself and as its user.\nThe plugin returns success from "
        "every callback of slurmstepd. A job that cannot be traced runs "
        "untraced and says so in one line.\n.SH EXAMPLE\n.nf\n"
        "sbatch \\-\\-dftrace=posix,app job.sh\n"
        "#SBATCH "
        "\\-\\-dftrace=posix,app,job_dir=/scratch/%u/%x\\-%j,max_bytes=2G\n"
        "srun \\-\\-dftrace=off ./quiet\n.fi\n.SH PRECEDENCE\n"
        "Steps inherit the option of their job unless they have their own, "
        "which then replaces it as a whole. The option takes precedence over "
        "SLURM_DFTRACE, then DFTRACE_*, then the settings of the site.\n"
        ".SH LAYERS");
    for (int i = 0; i < LAYER_COUNT; i++)
        put_item (layer_word (i), layer_help (i));
    puts (".SH SETTINGS IN THE OPTION");
    for (int id = 0; id < SETTING_COUNT_ALL; id++) {
        const struct setting_info *s = setting_info (id);
        char term[64];

        FORMAT (term, "%s=", s->name);
        if (s->who & BY_OPTION)
            put_item (term, s->help);
    }
    puts (".SH KEYS OF THE SITE\nSee dftrace.conf(5).\n.SH FILES\n.TP\n.I "
          "<state_dir>/<job id>.<host>\nA file of root with the user, the job "
          "directory and the staging directory of a traced job, for the "
          "epilog.\n.TP\n.I "
          "/etc/slurm/plugstack.conf.d/dftrace.conf\nThe line that begins with "
          "optional.");
    puts (see_also);
}

/* ---- `dftrace help views`, `where`, `columns` and `rules` ---- */

static void help_views (void)
{
    puts ("Tables of dftrace analyze --view VIEW:\n");
    for (int v = 0; v < VIEW_COUNT; v++)
        printf ("  %-14s %s\n", view_table[v].word, view_table[v].heading);
    puts ("\nViews that are no tables in DIR/tables:\n");
    puts ("  event          the events themselves, the longest first");
    puts ("  tree           regions inside each other, with the calls under "
          "them");
    puts ("\nKeys of --by KEY[,KEY] and --view KEY[,KEY]: events grouped by "
          "them\n");
    for (int k = 0; k < GROUP_KEYS; k++)
        printf ("  %-14s %s\n", group_key_table[k].word,
                group_key_table[k].help);
    printf ("  %-14s %s\n", "arg.NAME",
            "what a region says of itself: its argument NAME");
    printf ("  %-14s %s\n", "COLUMN",
            "columns of dftrace help where: name, errno, pid, offset");
    printf ("  %-14s %s\n", "interval(TIME)",
            "interval with its length: interval(1s)");
    printf ("  %-14s %s\n", "log2(COLUMN)",
            "numbers from a power of two to the next: log2(size)");
    printf ("  %-14s %s\n", "bin(COLUMN, W)",
            "numbers from a multiple of W to the next: bin(dur, 1ms)");
    puts ("\nMeasures of --show, separated by commas:\n");
    for (int i = 0; i < SHOW_WHATS; i++)
        printf ("  %s%-*s %s\n", show_table[i].word,
                14 - (int)strlen (show_table[i].word),
                show_table[i].of ? "(COLUMN)" : "", show_table[i].help);
    printf ("  %-14s %s\n", "pN(COLUMN)",
            "quantile, exactly: p50, p99, p99.9; the value of rank "
            "N/100 * count");
}

/* --- conditions ----------------------------------------------------------- */

static void help_where_row (const struct where_column_info *c)
{
    static const char *const types[] = {
        [WHERE_TEXT] = "text",   [WHERE_NUMBER] = "number",
        [WHERE_BYTES] = "bytes", [WHERE_TIME] = "time",
        [WHERE_ERRNO] = "error", [WHERE_ANY] = "any"};

    printf ("  %-10s %-7s %s\n", c->word, types[c->type], c->help);
}

static void help_where (void)
{
    puts ("Conditions of --where, of dftrace analyze and export:\n\n"
          "  --where 'dur > 10ms and size >= 1M and file ~ \"*.bin\"'\n"
          "  --where 'class = read and ret < size and not (rank in (0, 4))'\n"
          "  --where 'errno = ENOENT or arg.step = 3'\n"
          "\n"
          "  = != < <= > >=   a number with its unit, another column, a text\n"
          "  ~ !~             a shell pattern, case ignored; of a path without "
          "a / in it:\n"
          "                   of one component of the path\n"
          "  =~               a regular expression (POSIX, extended)\n"
          "  in (A, B)        one of these; not in (A, B)\n"
          "  has(COLUMN)      the event has a value there\n"
          "  and or not ( )   also && || !\n"
          "\n"
          "Times: ns us ms s min h. Bytes: K M G T and KiB are powers of 1024, "
          "kB MB GB of\n1000. A text with blanks stands in quotes. After = and "
          "!= a word without quotes is\na list of patterns (name=read,write), "
          "of numbers a list of ranges (rank=0-3,\ntime=2-); in quotes it is "
          "exactly that text. An event that does not have a value\nfulfils no "
          "condition on it; != and !~ are the contrary of = and ~. Several "
          "--where\nhave to hold all.\n\nColumns:\n");
    for (int c = 0; c < WHERE_COLUMNS; c++)
        if (where_column_taken (c))
            help_where_row (where_column_info (c));
    help_where_row (where_column_info (WHERE_argument));
}

/* One view: its columns with their units. */
static void help_columns_of (enum view v)
{
    printf ("%s, %s.csv: a row is %s\n", view_table[v].word, view_table[v].file,
            view_table[v].help);
    for (const struct view_column *c = NULL; (c = view_column_next (v, c));)
        if (!c->joined)
            printf ("  %-21s%s%s%s %s\n", c->name, c->unit[0] ? " " : "",
                    c->unit, c->unit[0] ? "," : "", c->help);
    putchar ('\n');
}

static void help_columns_top (void)
{
    puts (
        "top --format jsonl: members of a line; sums are of the interval, over "
        "all threads");
    for (int i = 0; i < TOP_COLUMN_COUNT; i++) {
        const struct top_column_info *c = &top_column_table[i];

        printf ("  %-21s%s%s%s %s\n", c->name, c->unit[0] ? " " : "", c->unit,
                c->unit[0] ? "," : "", c->help);
    }
    putchar ('\n');
}

static void help_columns (void)
{
    puts ("Columns of the tables of dftrace analyze, the same in text, "
          "CSV, JSON and SQLite:\n");
    for (int v = 0; v < VIEW_COUNT; v++)
        help_columns_of (v);
    help_columns_top ();
}

static void help_rule (const struct insight_info *r)
{
    printf ("%s: %s\n    %s / %s %s %g", r->name, r->finding, r->what_a,
            r->what_b, r->below ? "below" : "above", r->limit);
    if (!r->costs)
        printf (", critical %g", r->critical);
    printf ("; from view %s.\n    Try: %s.\n", r->from, r->advice);
}

static void help_rules (void)
{
    puts ("Rules of dftrace analyze --view insight: a finding when a / b "
          "is beyond the limit.\nIt is critical when mending it could "
          "save 10 % of the job's time, a warning from\n1 %, minor below "
          "that; a rule about the numbers is critical beyond its second "
          "limit.\n");
    for (int i = 0; i < INSIGHT_COUNT; i++)
        help_rule (&insight_table[i]);
}

/* Seconds of etc/examples/fixes/fixes.py; the table of doc/findings.md. */
static void help_measured (const char *rule)
{
    static const struct {
        const char *rule, *cause;
        double before, told, after;
        const char *change;
    } measured[] = {
        {"sync_stall", "sync", 0.28, 0.24, 0.03, "one fsync, not 400"},
        {"write_stall", "write", 0.38, 0.29, 0.07, "a buffer of 1 MiB"},
        {"cached_reads", "cached", 0.45, 0.17, 0.20,
         "pieces of 1 MiB, not 64 bytes"},
        {"small_reads", "read", 1.00, 0.71, 0.32,
         "pieces of 1 MiB, not pages backwards"},
        {"metadata_time", "files", 0.97, 0.75, 0.04, "one file, not 20,000"},
        {"flock_wait", "flock", 0.86, 0.68, 0.24, "a file for each process"},
        {"process_start", "spawn", 0.53, 0.47, 0.03, "one awk, not 400 expr"},
        {"sleep_wait", "sleep", 2.03, 2.00, 0.23, "wait for the event"},
        {"straggler", "straggler", 1.34, 1.20, 0.44, "equal parts"},
        {"checkpoint_stall", "checkpoint", 0.83, 0.35, 0.50, "each tenth step"},
        {"seeks", "seek", 0.20, 0.02, 0.15,
         "count, and do not ask for the position"},
        {"network_wait", "network", 0.65, 0.51, 0.13, "one request, not 100"},
        {"pipe_wait", "pipe", 1.13, 1.01, 0.63, "start both programs first"},
        {"lock_wait", "lock", 0.63, 0.38, 0.25, "a lock for each thread"},
        {"redundant_reads", "again", 0.46, 0.26, 0.17, "read the table once"},
        {"read_stall", "overlap", 1.27, 0.14, 1.13, "read ahead in a thread"},
        {"imports", "imports", 0.43, 0.22, 0.16, "one module, not 1,000"},
        {"loader_stall", "loader", 1.76, 0.82, 0.98, "fetch ahead in a thread"},
        {"loader_stall", "decode", 0.79, 0.51, 0.41, "keep what was decoded"},
        {"open_churn", "churn", 0.60, 0.18, 0.26, "keep 16 files open"},
        {"step_tail", "tail", 1.04, 0.50, 0.62, "reports in a thread"},
        {"other_io", "index", 0.34, 0.14, 0.15, "read the index once"},
        {"page_faults", "pages", 0.55, 0.17, 0.39, "MADV_WILLNEED"},
        {"random_reads", "jumps", 0.68, 0.29, 0.35, "in the order of the file"},
        {"new_pools", "pools", 0.68, 0.43, 0.16, "one pool, not 12"},
        {"hdf5_small", "rows", 0.51, 0.01, 0.13, "1,000 rows a call"},
    };

    for (size_t i = 0; i < sizeof (measured) / sizeof (measured[0]); i++)
        if (strcmp (measured[i].rule, rule) == 0)
            printf ("    Measured (fixes.py %s): %.2f s before, at most "
                    "%.2f s told,\n    %.2f s after: %s.\n",
                    measured[i].cause, measured[i].before, measured[i].told,
                    measured[i].after, measured[i].change);
}

static const char *help_member (const struct ynode *n, const char *key)
{
    const char *text = ynode_text (n, key, "");

    return strcmp (text, "null") == 0 ? "" : text;
}

static double help_number (const struct ynode *n, const char *key)
{
    const char *text = help_member (n, key);
    char *end;
    double value = strtod (text, &end);

    return end > text ? value : NAN;
}

/* The finding of a rule in metrics.json of a job; NULL: it has none. */
static const struct ynode *help_finding (const struct ytree *t,
                                         const char *rule)
{
    const struct ynode *list =
        t ? ynode_get (ytree_root (t), "insights") : NULL;

    for (size_t i = 0; list && list->type == YNODE_LIST && i < list->count; i++)
        if (strcmp (help_member (list->item[i], "rule"), rule) == 0)
            return list->item[i];
    return NULL;
}

/* metrics.json of a job, which is made from its traces if need be, where that
 * may be written. NULL: there is none. */
static struct ytree *help_metrics (const char *job)
{
    char verb[] = "analyze", quiet[] = "--quiet";
    char *words[] = {verb, quiet, (char *)job, NULL};
    const char *path = arena_format ("%s/metrics.json", job);

    if (access (path, F_OK) < 0 && access (job, W_OK) == 0)
        cmd_analyze (3, words);
    return ytree_load (path, NULL);
}

/* Print what was found in a job, and the command for the longest events of the
 * process that has most of it. */
static void help_found (const struct ynode *n, const char *job)
{
    const char *pids = help_member (n, "pids"),
               *subject = help_member (n, "subject"),
               *source = help_member (n, "source");
    double from = help_number (n, "from_s"), until = help_number (n, "to_s");
    double cost = help_number (n, "cost_s");
    char place[SUBJECT_PLACE], words[WORDS_MAX];

    printf ("    In %s: %s", job, help_member (n, "severity"));
    if (!isnan (cost))
        printf (", at most %s, %.3g %% of the job",
                value_words (words, cost, "s"),
                help_number (n, "cost_percent"));
    printf ("%s%s.\n", *subject ? ": " : "", subject);
    if (*finding_place (place, from, until, help_number (n, "processes"), pids))
        printf ("    When and where: %s.\n", place);
    if (*source)
        printf ("    Lines of the program: %s.\n", source);
    puts ("    Check it:");
    if (isnan (from) || !*pids)
        return;
    printf ("      dftrace analyze --view event --where 'time >= %.3f and "
            "time <= %.3f and process = %.*s' %s\n",
            from, until + 0.001, (int)strcspn (pids, ","), pids, job);
}

/* One rule, with the rows of the bill whose time it is about. 0: there is none
 * of that name. */
static int help_rule_named (const char *name, const char *job)
{
    int i = 0;
    const char *comma = "    Its time is in the bill: ";
    char newest[PATH_MAX];
    const struct ynode *found;
    struct ytree *t;

    while (i < INSIGHT_COUNT && strcmp (insight_table[i].name, name) != 0)
        i++;
    if (i == INSIGHT_COUNT)
        return 0;
    help_rule (&insight_table[i]);
    if (insight_table[i].parts >> BILL_other & 1)
        printf ("%sany row", comma);
    for (int row = 0; row < BILL_other; row++)
        if (insight_table[i].parts >> row & 1 &&
            !(insight_table[i].parts >> BILL_other & 1)) {
            printf ("%s%s", comma, bill_table[row].title);
            comma = "; ";
        }
    if (insight_table[i].parts)
        puts (".");
    help_measured (name);
    if (!job)
        job = job_newest (newest) == 0 ? newest : "JOB";
    t = help_metrics (job);
    if ((found = help_finding (t, name)))
        help_found (found, job);
    else
        puts ("    Check it:");
    ytree_destroy (t);
    printf ("      dftrace analyze --view insight %s\n"
            "      dftrace analyze --view %s %s\n"
            "    After a change: dftrace compare %s AFTER.\n"
            "    Its cost, and when to ignore it: doc/findings.md.\n",
            job, insight_table[i].from, job, job);
    return 1;
}

/* ---- what is in a trace, in words ---- */

/* The calls of a class, with commas. */
static void put_class (enum call_class class)
{
    const char *comma = "";

    for (int c = 1; c < CALL_MAX; c++) {
        const struct call_info *info = &call_table[c];

        if (!info->name[0] || info->class != class)
            continue;
        fputs (comma, stdout);
        put_troff (info->name);
        comma = ", ";
    }
    puts (".");
}

static void help_trace_man (void)
{
    printf (
        ".TH DFTRACE\\-TRACE 5 \"\" \"%s\" \"File Formats\"\n.SH NAME\n"
        "dftrace\\-trace \\- traces of dftrace, and the job directory they are "
        "in\n.SH DESCRIPTION\nA traced job leaves a job directory with its "
        "traces. This page lists its files and the calls that a trace "
        "contains.\n.SH EXAMPLE\n.nf\n"
        "dftrace stat dftrace/pretrain\\-4711\n"
        "dftrace stat \\-\\-events dftrace/pretrain\\-4711/trace.dft\n.fi\n"
        ".SH JOB DIRECTORY\n"
        "The directory is made with the rights of the user, mode 0700.\n"
        ".TP\n.I job.json\nWhat ran, where, and with which settings; when it "
        "has ended, which processes were not traced (untraced), and how it and "
        "those that failed ended (ended).\n"
        ".TP\n.I shards/processes.HOST\nLines of the processes of a node: "
        "which were not traced, and why; what the kernel has counted of "
        "those that were; how processes have ended that could not say it. At "
        "most 17 MiB.\n"
        ".TP\n.I shards/HOST\\-0\\-KEY.dft\nThe trace of the processes of "
        "a node, which share this file; or the traces of many processes, "
        "packed.\n"
        ".TP\n.I shards/HOST\\-PID\\-TIME.dft\nThe trace of one process that "
        "could not share a file, or was traced with share=0.\n"
        ".TP\n.I shards/started.HOST\nThis node has traced tasks.\n"
        ".TP\n.I node.HOST.json\nWhat the epilog of the node has counted.\n"
        ".TP\n.I trace.dft\nAll shards and lines as one file, written by "
        "dftrace\\-merge(1).\n"
        ".TP\n.I trace.dft.index\nWhat is in each chunk of it, so that "
        "questions with a condition read less.\n"
        ".TP\n.I combined.pfw.gz\nThe same as DFTracer's JSON lines.\n"
        ".TP\n.IR metrics.json \", \" tables/*.csv\nWritten by "
        "dftrace\\-analyze(1).\n"
        ".SH FORMAT\nThis is version %d of the format, the only one "
        "that is read. Numbers are little endian. A file is a sequence of "
        "blocks: a process block, and chunks of events. A chunk belongs to "
        "one thread, has its length and a checksum, and can be read without "
        "the others. Events that could not be recorded are counted in the "
        "process block. doc/trace\\-format.md describes each byte.\n"
        ".SH CALLS\nThese calls are recorded, by class:\n",
        PACKAGE_STRING, SHARD_VERSION);
    for (int class = CALL_CLASS_READ; class <= CALL_CLASS_LAST; class ++) {
        printf (".TP\n.B %s\n", call_class_name (class));
        put_class (class);
    }
    puts (".SH SEE ALSO\n.BR dftrace (1), \" \" dftrace\\-analyze (1), "
          "\" \" dftrace\\-merge (1)");
}

/* ---- text -> man(7) ---- */

/* Text to standard output: hyphens are ASCII ones, backslashes are shown. */
static void put_troff (const char *text)
{
    for (; *text; text++) {
        if (*text == '-' || *text == '\\')
            fputs (*text == '-' ? "\\-" : "\\e", stdout);
        else
            putchar (*text);
        if (*text == ':' && text[1] && text[1] != ' ')
            fputs ("\\:", stdout); /* a list may be broken here */
    }
}

/* .TP with a bold term and a sentence, which gets its period here. */
static void put_item (const char *term, const char *text)
{
    fputs (".TP\n.B ", stdout);
    put_troff (term);
    putchar ('\n');
    put_troff (text);
    fputs (".\n", stdout);
}
