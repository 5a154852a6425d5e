/* SPDX-License-Identifier: MIT
 *
 * cmd_site.c - `dftrace site WORD`: the traced jobs of a site
 */
#include "config.h"

#include "cli/cmd.h"
#include "cli/site/site.h"
#include "cli/site/sitedb.h"
#include "lib/base/array.h"
#include "lib/util/fsutil.h"
#include "lib/util/log.h"
#include "lib/util/xalloc.h"

enum { DAYS = 7, MANY = 1 << 20 };

/* clang-format off */
#define SITE_WORDS(WORD) \
    WORD ("job", site_job, "ID [DIR…|DB]", \
          "the first screen of a job, and what a full trace of it would add") \
    WORD ("stats", site_stats, "DIR…", \
          "what was traced in the last days, its losses and its cost") \
    WORD ("cost", site_cost, "DIR…", \
          "by month: how much slower traced runs were than their controls") \
    WORD ("collect", site_collect, "DIR DB", \
          "what the epilogs kept (setting summaries) into a database") \
    WORD ("top", site_top, "DB", \
          "who moved most: a row for each group") \
    WORD ("worst", site_worst, "DB", \
          "single jobs with the largest value") \
    WORD ("history", site_history, "DB PROGRAM", \
          "the same job over time: what changed, when, how surely") \
    WORD ("report", site_report, "DB", \
          "one page with figures") \
    WORD ("openmetrics", site_openmetrics, "DB", \
          "numbers for a node exporter's textfile directory")
/* clang-format on */

static const struct {
    const char *word;
    int (*function) (const struct site_options *, int, char **);
    const char *operands, *help;
} site_words[] = {
#define WORD(WORD, FUNCTION, OPERANDS, HELP) {WORD, FUNCTION, OPERANDS, HELP},
    SITE_WORDS (WORD)
#undef WORD
};
enum { WORDS = ITEMS (site_words) };

static const struct verb_help help = {
    .usage = "dftrace site WORD [OPTION…] [ID] DIR…|DB",
    .summary = "Show what the traced jobs of a site do: who, what, and at what "
               "cost.",
    .text = "The words are:\n\n"
#define WORD(WORD, FUNCTION, OPERANDS, HELP) \
    "  " WORD " " OPERANDS "\n      " HELP "\n"
    SITE_WORDS (WORD)
#undef WORD
        "\n"
        "job: ID is that of Slurm, 4711 or 4711_3 for a task of an array. The "
        "job directory is looked for below each DIR, without one below "
        "./dftrace. What is printed is the first screen of dftrace analyze, or "
        "of a job whose traces have gone the metrics of its last analysis. "
        "Where the job left a profile (layer word profile), the number of "
        "events and bytes that a full trace would have had follows, and what "
        "it would answer. Links are not followed, and a directory whose "
        "job.json is another user's does not count. Copies are left out: "
        "directories whose owner is not the user in their job.json, those "
        "that were made later, and where users disagree those whose owner is "
        "not the job's user in Slurm. Where root asks, the "
        "traces are read with the rights of the user who owns them. With DB "
        "instead, a file of `dftrace site collect`, what the epilog kept of "
        "the job is printed.\n\n"
        "stats: DIR is a directory of job directories, or a directory above "
        "many of them. This word reads job.json, node.*.json (which the "
        "epilogs write) and results/runs.csv of sweeps; as root, those of all "
        "users. All numbers about the cost are measured: the events and MiB "
        "of traces in an hour or second of a traced process, from its start "
        "to its end; the time of the epilogs, from becoming the user; and, "
        "for sweeps with `control`, how much slower traced runs were than "
        "their untraced controls (geometric mean, 95 % interval). n/a means "
        "that a number is not known. Without a control it cannot be known how "
        "much slower a job became. --call-ns gives the cost of one call, as "
        "tests/bench/bench.sh measures it on your nodes; the column that "
        "follows "
        "from it is an estimate.\n\n"
        "cost: DIR as for stats. A row for each month (UTC) in which a sweep "
        "with `control` had its results made: the geometric mean over all "
        "pairs of the elapsed time of the traced run divided by that of its "
        "untraced control, and its 95 % interval (Student's t of the "
        "logarithms). A sweep of a typical program that is repeated every "
        "month answers what tracing costs the site.\n\n"
        "collect: with `summaries = DIR` in dftrace.conf, the epilog keeps one "
        "line for each job in DIR. This word reads the new lines into DB, an "
        "SQLite file that only its owner can read (0600). The other words "
        "query DB. The metrics are those of `dftrace help metrics`. They were "
        "read with the rights of the user, from files that the user may have "
        "changed; job, user, account, partition and time come from Slurm.",
    .example =
        "  $ dftrace site job 4711\n"
        "  # dftrace site job 4711 /scratch/*/dftrace\n"
        "  $ dftrace site stats --days 7 /scratch/*/dftrace\n"
        "  $ dftrace site cost /scratch/bench/sweeps\n"
        "  # dftrace site collect /var/lib/dftrace /root/site.db\n"
        "  # dftrace site top --by user,program --days 30 /root/site.db\n"
        "  # dftrace site history --metric read_bandwidth /root/site.db "
        "python3\n"
        "  # dftrace site worst --metric data_meta_time /root/site.db\n",
    .exits = "0  printed\n1  it did not work\n2  wrong words\n5  some files or "
             "lines could not be read\n",
};

/* "DB PROGRAM" is 2, "DIR…" one or more, "ID [DIR…|DB]" also one. */
static int site_takes (const char *operands, int count)
{
    int n = 1;

    for (const char *p = operands; (p = strchr (p, ' ')); p++)
        n++;
    n -= strchr (operands, '[') != NULL;
    return strstr (operands, "…") ? count >= n : count == n;
}

static int site_run (struct site_options *o, int count, char **operands)
{
    const char *names[WORDS + 1] = {NULL};

    for (size_t i = 0; i < WORDS; i++) {
        names[i] = site_words[i].word;
        if (strcmp (names[i], operands[0]) != 0)
            continue;
        if (!site_takes (site_words[i].operands, count - 1))
            die_with (EXIT_USAGE, "site: usage: dftrace site %s [OPTION…] %s",
                      names[i], site_words[i].operands);
        return site_words[i].function (o, count - 1, operands + 1);
    }
    die_with (EXIT_USAGE,
              "site: %s: no such word: did you mean `dftrace site %s`?",
              operands[0], nearest_word (operands[0], names) ?: "stats");
}

int cmd_site (int argc, char **argv)
{
    static struct site_options o = {.ask = {.days = -1, .top = -1}};
    static const struct opt options[] = {
        {"days", 0, OPT_INT, &o.ask.days, "N",
         "jobs of the last N days (7; of cost all); 0: all"},
        FORMAT_OPTION (o.format),
        TEXTABLE_OPTION_WIDE,
        {"by", 'b', OPT_LIST, &o.ask.by, "COLUMN[,COLUMN…]",
         "groups of top and openmetrics: user, program, account, partition, "
         "name, nodes, … (user)"},
        {"metric", 'm', OPT_LIST, &o.ask.metric, "METRIC[,METRIC…]",
         "which numbers"},
        {"sort", 0, OPT_TEXT, &o.ask.sort, "METRIC",
         "of top: jobs, node_hours or a metric (node_hours)"},
        {"top", 'n', OPT_INT, &o.ask.top, "N",
         "rows; 0: all (20 of top and worst, all groups of openmetrics)"},
        {"lowest", 0, OPT_FLAG, &o.ask.lowest, NULL,
         "of worst: the smallest values, as of bandwidths unasked"},
        {"user", 0, OPT_TEXT, &o.ask.user, "NAME", "jobs of this user only"},
        {"output", 'o', OPT_TEXT, &o.output, "FILE",
         "of report: where the page goes (site.html)"},
        {"keep-days", 0, OPT_INT, &o.keep_days, "N",
         "of collect: remove jobs and files that are older; 0: none (0)"},
        {"call-ns", 0, OPT_INT, &o.call_ns, "N",
         "of stats: estimate what the calls cost, at N ns each"},
        {.name = NULL},
    };
    int first;

    textable_wide = 0;
    first = optparse_operands (options, &help, argc, argv);
    o.days_said = o.ask.days >= 0;
    if (!o.days_said)
        o.ask.days = DAYS;
    if (first >= argc)
        die_with (EXIT_USAGE, "site: no word: try `dftrace site --help`");
    return site_run (&o, argc - first, argv + first);
}

/* ---- the words of `dftrace site` that have a database ---- */

enum { TOP_ROWS = 20 };

static int verbs_ask (const struct site_options *o,
                      const char *path,
                      const char *program,
                      struct textable *(*ask) (const struct siteask *))
{
    struct siteask q = o->ask;
    struct textable *t;

    q.program = program;
    if (q.top < 0)
        q.top = TOP_ROWS;
    sitedb_open (path, 0);
    t = ask (&q);
    textable_print (t, stdout, o->format);
    if (!textable_rows (t) && o->format == TABLE_TEXT && o->ask.days)
        log_warn ("site: %s: no such job in the last %d days: --days 0 asks "
                  "for all",
                  path, o->ask.days);
    if (textable_find (t, "jobs_half") >= 0)
        log_info ("site: some jobs were chosen by a rule with sample=N and "
                  "stand for N: numbers are estimates, with half of their "
                  "95 %% interval");
    if (ask != siteask_history && q.top > 0 &&
        textable_rows (t) == (size_t)q.top)
        log_info ("site: the first %d rows: --top 0 shows all", q.top);
    textable_destroy (t);
    return EXIT_OK;
}

int site_top (const struct site_options *o, int count, char **operands)
{
    return verbs_ask (o, operands[0], NULL, siteask_top);
}

int site_worst (const struct site_options *o, int count, char **operands)
{
    return verbs_ask (o, operands[0], NULL, siteask_worst);
}

int site_history (const struct site_options *o, int count, char **operands)
{
    return verbs_ask (o, operands[0], operands[1], siteask_history);
}

int site_collect (const struct site_options *o, int count, char **operands)
{
    struct sitecollect sum =
        sitecollect_run (operands[0], operands[1], o->keep_days);

    printf ("%s: %" PRIu64 " jobs of %" PRIu64 " files added, %" PRIu64
            " removed\n",
            operands[1], sum.jobs, sum.files, sum.expired);
    if (sum.bad)
        log_warn ("site: %s: %" PRIu64 " lines or files could not be read",
                  operands[0], sum.bad);
    return sum.bad ? EXIT_DAMAGED : EXIT_OK;
}

int site_report (const struct site_options *o, int count, char **operands)
{
    const char *path = o->output ? o->output : "site.html";
    struct errtext err;
    char *text;
    size_t size;
    FILE *out = xmemstream (&text, &size);

    sitedb_open (operands[0], 0);
    sitepage_write (out, &o->ask);
    xmemstream_end (out);
    if (write_file (path, 0600, text, &err) < 0)
        die ("site: %s", err.text);
    free (text);
    printf ("%s\n", path);
    return EXIT_OK;
}

int site_openmetrics (const struct site_options *o, int count, char **operands)
{
    struct siteask q = o->ask;

    if (q.top < 0)
        q.top = 0;
    sitedb_open (operands[0], 0);
    sitepage_openmetrics (stdout, &q);
    return EXIT_OK;
}
