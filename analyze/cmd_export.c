/* SPDX-License-Identifier: MIT
 *
 * cmd_export.c - `dftrace export`: events of a job -> CSV and others
 *
 * In:  a job directory, or trace files of ours or of DFTracer
 * Out: every event, or those that --where lets through, by their ends
 */
#include "config.h"

#include "analyze/cmd.h"
#include "analyze/export/otf.h"
#include "analyze/export/pfw.h"
#include "analyze/scan/where.h"
#include "analyze/tables/eventprint.h"
#include "analyze/tables/results.h"
#include "analyze/tables/treetable.h"
#include "analyze/trace/find.h"
#include "lib/base/array.h"
#include "lib/format/calls.h"
#include "lib/settings/settings.h"
#include "lib/util/fsutil.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"
#include "lib/util/spool.h"
#include "lib/util/xalloc.h"

/* --- exports that are made of more than the events as they come -------------
 */

/* The metrics of an open job, or of the events that where lets through, as
 * OpenMetrics. 0, or -1 with err. */
static int exportmore_metrics (FILE *out,
                               struct job *job,
                               const struct where *where,
                               struct errtext *err)
{
    struct totals totals = {0};
    struct summary summary = {0};
    struct result r = {job, &totals, &summary};
    int rc = -1;

    if (totals_load (&totals, job, NULL, where->terms ? where : NULL, 0, err) ==
            0 &&
        summary_make (&summary, &totals, job, err) == 0) {
        jobmetrics_write (out, &r);
        rc = 0;
    }
    summary_clear (&summary);
    totals_clear (&totals);
    return rc;
}

/* --- Parquet ----------------------------------------------------------------
 */

enum { EXPORTMORE_WORDS = 7 }; /* before the conditions */

/* The Python of PATH: the one of an environment with pyarrow. */
static const char exportmore_python[] = "python3";
static const char exportmore_program[] =
    "import sys; sys.path.insert (0, sys.argv[1]); "
    "from dftrace._parquet import main; sys.exit (main (sys.argv[2:]))";

/* Become a Python that writes Parquet. */
static _Noreturn void exportmore_parquet (const char *path,
                                          const char *output,
                                          const struct opt_list *conditions)
{
    const char **word =
        ZEROED (word, (size_t)conditions->count + EXPORTMORE_WORDS);
    struct settings settings;
    struct errtext err;
    int n = 0;

    settings_init (&settings);
    if (settings_from_env (&settings, &err) < 0)
        die_with (EXIT_USAGE, "%s", err.text);
    word[n++] = exportmore_python;
    word[n++] = "-c";
    word[n++] = exportmore_program;
    if (!(word[n++] = places_python (&settings)))
        die ("--format parquet: the Python package is not installed: set "
             "DFTRACE_PYTHON to its directory");
    word[n++] = output;
    word[n++] = path;
    for (int i = 0; i < conditions->count; i++)
        word[n++] = conditions->item[i];
    execvp (exportmore_python, (char **)(uintptr_t)word);
    die ("--format parquet: %s: %m: Parquet is written by pyarrow",
         exportmore_python);
}

/* --- all of it --------------------------------------------------------------
 */
enum { EXPORT_MODE = 0600, EXPORT_MODE_METRICS = 0644 /* for a collector */ };

/* The values of --format; the first ones are those of enum event_format. */
enum export_format {
    FORMAT_CSV = EVENTS_CSV,
    FORMAT_JSONL = EVENTS_JSONL,
    FORMAT_CHROME = EVENTS_CHROME,
    FORMAT_PFW,
    FORMAT_FOLDED,
    FORMAT_SPEEDSCOPE,
    FORMAT_OPENMETRICS,
    FORMAT_PARQUET,
    FORMAT_OTF2,
    FORMAT_COUNT
};

static const char *const export_words[FORMAT_COUNT] = {
    "csv",        "jsonl",       "chrome",  "pfw", "folded",
    "speedscope", "openmetrics", "parquet", "otf2"};

#define EXPORT_WORDS \
    " csv jsonl chrome pfw folded speedscope openmetrics parquet otf2"

struct export
{
    const char *format_word, *output;
    struct opt_list conditions;
    int format;
    struct where where;
};

static const struct verb_help export_help = {
    .usage = "dftrace export [OPTION…] DIR|FILE",
    .summary =
        "Write the events of a job as CSV, JSON lines, Parquet, for trace "
        "viewers and flame graphs; or its metrics.",
    .text =
        "DIR is a job directory, and FILE is a trace of dftrace or of "
        "DFTracer. Every event becomes one row or line: time_ns is its "
        "start in ns since 1970, and dur_ns is its duration. The format pfw "
        "is that of DFTracer; it contains all events, as dftrace merge "
        "--pfw writes them. --output then names the .pfw.gz file, and an "
        "index is written beside it. The formats folded and speedscope are "
        "for flame graphs: they contain the regions of all threads inside "
        "each other, with the calls below them, and the time that each of "
        "them took itself, in ns.\n\n"
        "The format otf2 is an archive of the Open Trace Format 2 for Vampir "
        "and other viewers: --output names a directory, which is made. It "
        "contains regions and calls as Enter and Leave, and I/O as records "
        "with handles and bytes (doc/peers.md).\n\n"
        "The format openmetrics has the metrics of the job (dftrace help "
        "metrics) instead of its events, with labels that say which job it "
        "is, for the directory of text files of a node exporter. The format "
        "parquet needs a python3 with pyarrow; doc/ask.md has more on "
        "data frames.\n\n"
        "--where selects events by conditions like 'dur > 10ms and file ~ "
        "\"*.bin\"' (see dftrace help where). All conditions must hold. "
        "In flame graphs the regions around the selected events stay.",
    .example = "  $ dftrace export dftrace/pretrain-4711 >events.csv\n"
               "  $ dftrace export -f chrome -w rank=0 -w time=10-12 -o "
               "rank0.json dftrace/pretrain-4711\n"
               "  $ dftrace export -f folded dftrace/pretrain-4711 | "
               "flamegraph.pl >flame.svg\n"
               "  $ dftrace export -f otf2 -o job.otf2 dftrace/pretrain-4711\n"
               "  $ dftrace export -f openmetrics -o "
               "/var/lib/node_exporter/job-4711.prom dftrace/pretrain-4711\n"
               "  $ dftrace export -f jsonl -w 'class = read and ret < size' "
               "a.pfw.gz | jq .size",
    .exits = "0  all events\n"
             "1  nothing to export, or not writable\n"
             "2  wrong words on the command line\n"
             "5  done, but something is lost or damaged",
};

/* DFTracer's lines, gzip with an index beside it. How many events are lost. */
static uint64_t cmd_export_write_pfw (const struct export *x,
                                      const struct parts *parts)
{
    struct pfw_report report;
    struct errtext err;

    if (pfw_write (parts, x->output, &report, &err) < 0)
        die ("%s", err.text);
    return report.bad;
}

/* A directory of files. How many events are lost. */
static uint64_t cmd_export_write_otf2 (const struct export *x,
                                       const struct parts *parts)
{
    struct otf2_report report = {0, 0, 0};
    struct errtext err;

    if (otf2_write (parts, &x->where, x->output, &report, &err) < 0)
        die ("%s", err.text);
    if (report.left_out)
        log_warn ("%s: %" PRIu64
                  " events are not in it: more of them overlap in "
                  "one thread than it can have locations",
                  x->output, report.left_out);
    return report.bad + report.left_out;
}

/* Regions inside each other, with the calls under them. */
static int write_tree (const struct export *x,
                       const struct job *job,
                       FILE *out,
                       struct errtext *err)
{
    const struct calltree_asked asked = {&x->where, GROUP_KEYS, NULL, 0};
    struct calltree tree;

    if (calltree_make (&tree, job, &asked, err) < 0)
        return -1;
    if (x->format == FORMAT_FOLDED)
        treetable_folded (out, &tree);
    else
        treetable_speedscope (out, &tree, job->label);
    calltree_clear (&tree);
    return 0;
}

static int write_events (struct export *x,
                         const struct parts *parts,
                         struct job *job,
                         FILE *out,
                         uint64_t *bad,
                         struct errtext *err)
{
    if (x->format == FORMAT_OPENMETRICS)
        return exportmore_metrics (out, job, &x->where, err);
    return x->format >= FORMAT_FOLDED
               ? write_tree (x, job, out, err)
               : eventwrite_by_time (x->format, out, &x->where, parts, bad,
                                     err);
}

/* One file, or standard output. How many events are lost. */
static uint64_t
write_out (struct export *x, const struct parts *parts, struct job *job)
{
    struct atomic_file *a =
        x->output ? xatomic_open (x->output, x->format == FORMAT_OPENMETRICS
                                                 ? EXPORT_MODE_METRICS
                                                 : EXPORT_MODE)
                  : NULL;
    FILE *out = a ? atomic_stream (a) : stdout;
    uint64_t bad = 0;
    struct errtext err;
    int rc = write_events (x, parts, job, out, &bad, &err);

    if (rc == 0 && fflush (out) != 0)
        rc =
            err_system (&err, x->output ? x->output : "standard output", errno);
    if (rc < 0) {
        atomic_abort (a);
        die ("%s", err.text);
    }
    if (a)
        xatomic_commit (a);
    return bad;
}

/* Nothing but sums in it. */
static int cmd_export_is_profile (const struct parts *parts)
{
    int profile = 0;

    for (size_t i = 0; i < parts->count; i++) {
        if (parts->item[i].chunks)
            return 0;
        profile |= (parts->item[i].who->p.layers & LAYER_PROFILE) != 0;
    }
    return profile;
}

static int cmd_export_damaged (const struct job *job)
{
    int bad = 0;

    for (size_t i = 0; i < job->sources; i++) {
        const struct source *s = &job->source[i];
        const struct trace_health *h =
            s->file ? tracefile_health (s->file) : NULL;

        if (!h)
            log_warn ("%s", s->problem.text);
        bad |= !h || h->lost || h->missing || h->cut || pfw_lost (&s->lines) ||
               s->lines.in.cut || s->lines.in.members_bad;
    }
    return bad;
}

static int cmd_export_export_job (struct export *x, struct job *job)
{
    struct parts parts = {0};
    struct errtext err;
    uint64_t lost;
    int bad;

    if (job_open (job, &err) < 0)
        die ("%s", err.text);
    bad = cmd_export_damaged (job);
    parts_make (&parts, job);
    if (parts.count == 0)
        die ("%s: no readable trace in it", job->label);
    if (x->format != FORMAT_OPENMETRICS && cmd_export_is_profile (&parts))
        die ("%s: n/a: profile: it has sums and no events to export: see "
             "dftrace analyze, or trace the job with --dftrace=posix,app",
             job->label);
    lost = x->format == FORMAT_PFW    ? cmd_export_write_pfw (x, &parts)
           : x->format == FORMAT_OTF2 ? cmd_export_write_otf2 (x, &parts)
                                      : write_out (x, &parts, job);
    if (bad || lost)
        log_warn ("%s: events are missing: see dftrace analyze --view health",
                  job->label);
    parts_clear (&parts);
    job_close (job);
    return bad || lost ? EXIT_DAMAGED : EXIT_OK;
}

/* --- options -------------------------------------------------------------- */

static void cmd_export_take_words (struct export *x)
{
    int i = 0;

    while (i < FORMAT_COUNT && strcmp (export_words[i], x->format_word) != 0)
        i++;
    if (i == FORMAT_COUNT)
        die_with (EXIT_USAGE,
                  "--format %s: no such format: use one of" EXPORT_WORDS,
                  x->format_word);
    x->format = i;
    if (x->output && strcmp (x->output, "-") == 0)
        x->output = NULL;
    if (i == FORMAT_OTF2 && !x->output)
        die_with (EXIT_USAGE,
                  "--format otf2: an archive is a directory of several "
                  "files, which standard output cannot take: use "
                  "--output DIR");
    if (i == FORMAT_PFW && (!x->output || x->conditions.count))
        die_with (EXIT_USAGE,
                  "--format pfw: all events into a file: use --output "
                  "FILE.pfw.gz and no --where");
    if (i == FORMAT_PARQUET && !x->output)
        die_with (EXIT_USAGE, "--format parquet: into a file: use --output "
                              "FILE.parquet");
    for (i = 0; i < x->conditions.count; i++) {
        struct errtext why;

        if (where_add (&x->where, x->conditions.item[i], &why) < 0)
            die_with (EXIT_USAGE, "--where: %s", why.text);
    }
    if (where_needs_context (&x->where) ||
        where_has (&x->where, WHERE_BY_access))
        die_with (EXIT_USAGE, "--where: step, epoch and access are known to "
                              "dftrace analyze --by and --view event only; "
                              "arg.step is the argument of a region");
}

int cmd_export (int argc, char **argv)
{
    static struct export x;
    const struct opt opts[] = {
        {"format", 'f', OPT_TEXT, &x.format_word, "FORMAT",
         "one of" EXPORT_WORDS " (csv)"},
        {"where", 'w', OPT_LIST, &x.conditions, "CONDITION",
         "only events for which this holds; may be given again"},
        {"output", 'o', OPT_TEXT, &x.output, "FILE",
         "write there, atomically (-: standard output); of otf2 a new "
         "directory"},
        OPT_END,
    };
    struct joblist jobs = {0};
    struct errtext err;
    int operands, status;

    ZERO (&x);
    x.format_word = "csv";
    operands = optparse_operands (opts, &export_help, argc, argv);
    if (argc - operands != 1)
        die_with (EXIT_USAGE, "export: name one job directory or trace file");
    cmd_export_take_words (&x);
    if (x.format == FORMAT_PARQUET)
        exportmore_parquet (argv[operands], x.output, &x.conditions);
    filelimit_raise ();
    if (joblist_add (&jobs, argv[operands], &err) < 0)
        die ("%s", err.text);
    if (jobs.count != 1)
        die ("%s: a sweep: name one of its runs", argv[operands]);
    status = cmd_export_export_job (&x, &jobs.item[0]);
    joblist_clear (&jobs);
    return status;
}
