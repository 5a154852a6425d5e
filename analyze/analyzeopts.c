/* SPDX-License-Identifier: MIT
 *
 * analyzeopts.c - command line of `dftrace analyze` -> what to do
 *
 * In:  words
 * Out: struct analyze_options, to cmd_analyze.c
 */
#include "config.h"

#include "analyze/analyzeopts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trace/partition.h"
#include "analyze/render/sketch.h"
#include "lib/util/spool.h"
#include "lib/util/log.h"

enum { TOP_DEFAULT = 20 }; /* rows of long tables on a terminal */

static const struct verb_help analyze_help = {
    .usage = "dftrace analyze [OPTION…] DIR|FILE…",
    .summary = "traces -> tables and numbers",
    .text = "DIR is a job directory or a sweep directory, FILE a trace: ours "
            "(.dft) or DFTracer's (.pfw, .pfw.gz, of any year); they may be "
            "mixed. Several jobs give one row each, with --view NAME the "
            "rows of all in one table.\n"
            "Of one job it prints where the time of the ranks went, what I/O "
            "costs and what could be saved, on 80 columns and 24 lines; --view "
            "all prints all tables.\n"
            "metrics.json and tables/*.csv are written into job directories.\n"
            "VIEW is a table, or keys by which events are grouped "
            "(dftrace help views). --where takes conditions like 'dur > 10ms "
            "and file ~ \"*.bin\"' (dftrace help where): all numbers are then "
            "of the events for which they hold, and nothing is written.\n"
            "Data files are files on storage that are no checkpoint, index or "
            "program; the patterns say which (shell patterns, commas between "
            "them, matched against every component of a path).\n"
            "Exact numbers: times are unions of intervals where the definition "
            "says so (dftrace help metrics).",
    .example =
        "  $ dftrace analyze dftrace/pretrain-4711\n"
        "  $ dftrace analyze --view all dftrace/pretrain-4711\n"
        "  $ dftrace analyze --view call --format csv dftrace/*\n"
        "  $ dftrace analyze --view step,function --where rank=0 gpt-io\n"
        "  $ dftrace analyze --slurm 64 --srun-option=-N8 big-job\n"
        "  $ dftrace analyze --data-pattern '*.bin' gpt-io",
    .exits = "0  all traces whole\n"
             "1  nothing to analyze, a partition is missing, or --strict and "
             "something is\n"
             "2  wrong words on the command line\n"
             "5  done, but something is lost or damaged; it is said what",
};

static int take_view (struct analyze_options *o)
{
    struct errtext err;

    o->view = -1;
    o->all_views = o->view_word && strcmp (o->view_word, "all") == 0;
    if (!o->view_word || o->all_views ||
        (o->view = view_parse (o->view_word)) >= 0)
        return 0;
    if (query_parse_keys (&o->by, o->view_word, &err) == 0)
        return 0;
    log_error ("%s", err.text);
    return 1;
}

/* "3/8"; without it what Slurm says this task is. */
static int take_partition (struct analyze_options *o)
{
    const char *task = getenv ("SLURM_PROCID"),
               *tasks = getenv ("SLURM_NTASKS");
    unsigned partition = 0, partitions = 0;
    int end = 0;

    if (o->partition_word) {
        if (sscanf (o->partition_word, "%u/%u%n", &partition, &partitions,
                    &end) != 2 ||
            o->partition_word[end] || !partition)
            partitions = 0;
        partition--;
    } else if (task && tasks) {
        partition = (unsigned)strtoul (task, NULL, 10);
        partitions = (unsigned)strtoul (tasks, NULL, 10);
    } else {
        log_error ("--partial: which partition? Start it with srun, or say "
                   "--partition 1/8");
        return 1;
    }
    if (partition >= partitions || partitions > PARTITIONS_MAX) {
        log_error ("--partition %s: not a partition: use 1/8 … 8/8",
                   o->partition_word ? o->partition_word : task);
        return 1;
    }
    o->partition = partition;
    o->partitions = partitions;
    return 0;
}

/* What goes with work that is divided. */
static int take_division (struct analyze_options *o)
{
    if (o->partial + o->reduce + (o->tasks > 0) > 1) {
        log_error ("analyze: one of --partial, --reduce and --slurm");
        return 1;
    }
    if (!o->partial && !o->reduce && !o->tasks)
        return 0;
    if (o->partial && o->sqlite) {
        log_error (
            "analyze: --sqlite with --reduce: a partition has no tables");
        return 1;
    }
    if (o->tasks > PARTITIONS_MAX) {
        log_error ("--slurm %d: more than %d tasks", o->tasks, PARTITIONS_MAX);
        return 1;
    }
    o->partitions = (unsigned)o->tasks;
    return o->partial ? take_partition (o) : 0;
}

/* Blocks stand between tables of text only. */
static int take_draw (struct analyze_options *o)
{
    if (strcmp (o->draw_word, "always") == 0)
        o->draw = 1;
    else if (strcmp (o->draw_word, "auto") == 0)
        o->draw = o->format == TABLE_TEXT && sketch_terminal ();
    else if (strcmp (o->draw_word, "never") != 0) {
        log_error ("--draw %s: not a time: use auto, always or never",
                   o->draw_word);
        return 1;
    }
    if (o->draw && o->format != TABLE_TEXT) {
        log_error ("--draw %s: only with --format text", o->draw_word);
        return 1;
    }
    return 0;
}

static int take_words (struct analyze_options *o)
{
    int format = table_format_parse (o->format_word);
    struct errtext err;

    if (format < 0) {
        log_error ("--format %s: no such format: use text, csv, json or "
                   "markdown",
                   o->format_word);
        return 1;
    }
    o->format = (enum table_format)format;
    o->few_tables = strcmp (o->tables_word, "auto") == 0;
    if (!o->few_tables && strcmp (o->tables_word, "always") != 0) {
        log_error ("--tables %s: not a time: use always or auto",
                   o->tables_word);
        return 1;
    }
    if (o->compat && strcmp (o->compat, "dfanalyzer") != 0) {
        log_error ("--compat %s: no such tool: use dfanalyzer", o->compat);
        return 1;
    }
    for (int i = 0; i < o->conditions.count; i++)
        if (where_add (&o->where, o->conditions.item[i], &err) < 0) {
            log_error ("--where: %s", err.text);
            return 1;
        }
    o->where.partial = o->partial;
    o->no_write |= o->where.terms > 0;
    o->rules.patterns[KIND_DATA] = o->data;
    o->rules.patterns[KIND_CHECKPOINT] = o->checkpoint;
    o->rules.patterns[KIND_INDEX] = o->index;
    o->by.interval = o->interval;
    o->by.where = &o->where;
    o->by.measures = QUERY_UNION;
    if (take_view (o))
        return 1;
    if (!o->by.keys && where_needs_context (&o->where)) {
        log_error (
            "--where: step and epoch are known to --view KEY[,KEY] only; "
            "arg.step is the argument of a region");
        return 1;
    }
    return take_draw (o) || take_division (o);
}

enum optparse_result analyze_options_parse (struct analyze_options *o,
                                            int argc,
                                            char **argv,
                                            int *operands)
{
    const struct opt opts[] = {
        {"format", 'f', OPT_TEXT, &o->format_word, "FORMAT",
         "text, csv, json or markdown"},
        {"view", 'v', OPT_TEXT, &o->view_word, "all|VIEW|KEY[,KEY]",
         "all tables, only this one, or events by these keys"},
        {"where", 'w', OPT_LIST, &o->conditions, "CONDITION",
         "only events for which this holds; may be given again"},
        {"interval", 0, OPT_DURATION, &o->interval, "TIME",
         "length of the rows of --view interval (at most 60 rows)"},
        {"draw", 0, OPT_TEXT, &o->draw_word, "WHEN",
         "bars and maps of blocks: auto (on a terminal), always or never"},
        {"top", 'n', OPT_INT, &o->top, "N",
         "rows of long tables in text, 0 for all (20)"},
        {"data-pattern", 0, OPT_TEXT, &o->data, "PATTERNS",
         "files that are data, and no others"},
        {"checkpoint-pattern", 0, OPT_TEXT, &o->checkpoint, "PATTERNS",
         "files that are checkpoints (*checkpoint*,*ckpt*)"},
        {"index-pattern", 0, OPT_TEXT, &o->index, "PATTERNS",
         "files that are indices (*.idx,*.npy,*.json)"},
        {"compat", 0, OPT_TEXT, &o->compat, "dfanalyzer",
         "the tables of DFAnalyzer, digit for digit, and exact values"},
        {"layers", 0, OPT_TEXT, &o->layers, "ai|dlio|FILE",
         "layers of those tables: a preset, or YAML (what fits the trace)"},
        {"threads", 'j', OPT_INT, &o->threads, "N",
         "threads to use (one per core)"},
        {"baseline", 0, OPT_TEXT, &o->baseline, "DIR",
         "compare with this job, which ran without real data (--mock-data)"},
        {"twin", 0, OPT_TEXT, &o->baseline, "DIR", NULL},
        {"sqlite", 0, OPT_TEXT, &o->sqlite, "FILE",
         "all tables of all jobs into one SQLite file, too"},
        {"slurm", 0, OPT_INT, &o->tasks, "TASKS",
         "let so many tasks of Slurm do it, each its partition of the traces"},
        {"srun-option", 0, OPT_LIST, &o->srun, "WORD",
         "for that srun; may be given again"},
        {"partial", 0, OPT_FLAG, &o->partial, NULL,
         "do only the partition of this task and write it to DIR/partials"},
        {"partition", 0, OPT_TEXT, &o->partition_word, "I/N",
         "which one (of srun: its task, from 1)"},
        {"share", 0, OPT_TEXT, &o->partition_word, "I/N", NULL},
        {"reduce", 0, OPT_FLAG, &o->reduce, NULL,
         "put the partitions in DIR/partials together"},
        {"memory", 0, OPT_SIZE, &o->memory, "SIZE",
         "of times to keep in memory, others go to a temporary file (64M)"},
        {"tables", 0, OPT_TEXT, &o->tables_word, "WHEN",
         "write tables/: always, or auto: not for tasks of arrays that are no "
         "runs of a sweep, as epilogs do (always)"},
        {"no-write", 0, OPT_FLAG, &o->no_write, NULL,
         "leave the job directory as it is"},
        {"quiet", 'q', OPT_FLAG, &o->quiet, NULL, "print no tables"},
        {"strict", 0, OPT_FLAG, &o->strict, NULL,
         "give no numbers when something is lost or damaged"},
        {NULL, 0, OPT_FLAG, NULL, NULL, NULL},
    };
    struct errtext err;
    enum optparse_result rc;

    memset (o, 0, sizeof (*o));
    o->format_word = "text";
    o->draw_word = "auto";
    o->tables_word = "always";
    o->top = TOP_DEFAULT;
    o->memory = SPOOL_LIMIT;
    rc = optparse (opts, &analyze_help, argc, argv, 0, operands, &err);
    if (rc == OPTPARSE_ERROR)
        log_error ("%s", err.text);
    else if (rc == OPTPARSE_OK && *operands == argc) {
        log_error ("analyze: no directory: say which job, for example "
                   "dftrace analyze dftrace/NAME-JOBID");
        rc = OPTPARSE_ERROR;
    } else if (rc == OPTPARSE_OK && take_words (o))
        rc = OPTPARSE_ERROR;
    return rc;
}
