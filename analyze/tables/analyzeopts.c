/* SPDX-License-Identifier: MIT
 *
 * analyzeopts.c - command line of `dftrace analyze` -> what to do
 *
 * In:  words
 * Out: struct analyze_options, to cmd_analyze.c
 */
#include "config.h"

#include "analyze/tables/analyzeopts.h"

#include "analyze/tables/groups.h"
#include "analyze/trace/parts.h"
#include "lib/base/array.h"
#include "lib/util/log.h"
#include "lib/util/spool.h"

enum { TOP_DEFAULT = 20 }; /* rows of long tables on a terminal */

static const struct verb_help analyze_help = {
    .usage = "dftrace analyze [OPTION…] DIR|FILE…",
    .summary =
        "Print where the time of a job went, what its I/O cost, and what "
        "could be saved.",
    .text =
        "DIR is a job directory or a sweep directory, and FILE is a trace "
        "of dftrace (.dft) or of DFTracer (.pfw, .pfw.gz, of any year). "
        "They may be mixed. Without a path the newest one in the working "
        "directory is taken. One job gives a summary of at most 24 lines; "
        "--view all prints all tables instead. Several jobs "
        "give one row each; with --view NAME the rows of all jobs are in "
        "one table. The results are also written into job directories, as "
        "metrics.json and tables/*.csv.\n\n"
        "VIEW is the name of a table, or a list of keys by which events are "
        "grouped, as --by has them; --show says what is printed of each "
        "group (see dftrace help views). --where selects events by "
        "conditions like 'dur > 10ms and file ~ \"*.bin\"' (see dftrace help "
        "where). All numbers are then about these events only, and no tables "
        "are written. The answer to --by and --show, which write none "
        "either, is kept in DIR/answers as long as the trace is the same, "
        "and the same question is then answered at once. So is what the "
        "tables are made of.\n\n"
        "Each file is of one kind: data, index, checkpoint or program. The "
        "kind follows from its path; dftrace help kinds lists the patterns, "
        "and the options below replace them. A pattern is a shell pattern "
        "that is compared with every component of a path; several are "
        "separated by commas. A file that only checkpoint regions write is "
        "a checkpoint, too.\n\n"
        "Every event is read. Times are unions of intervals where the "
        "definition says so (dftrace help metrics). How threads waited "
        "outside of recorded calls is in part estimated by samples.",
    .example =
        "  $ dftrace analyze dftrace/pretrain-4711\n"
        "  $ dftrace analyze --view all dftrace/pretrain-4711\n"
        "  $ dftrace analyze --view call --format csv dftrace/*\n"
        "  $ dftrace analyze --by rank,name --show 'count,p99(dur)' gpt-io\n"
        "  $ dftrace analyze --slurm 64 --srun-option=-N8 big-job\n"
        "  $ dftrace analyze --data-pattern '*.bin' gpt-io",
    .exits =
        "0  all traces are complete\n"
        "1  there is nothing to analyze, a partition is missing, or events "
        "are\n   lost and --strict was given\n"
        "2  the command line is wrong\n"
        "5  the analysis is done, but events are lost or damaged; the "
        "output\n   says which",
};

static int take_view (struct analyze_options *o)
{
    struct errtext err;

    o->view = -1;
    o->all_views = o->view_word && strcmp (o->view_word, "all") == 0;
    o->events_asked = o->view_word && strcmp (o->view_word, "event") == 0;
    o->tree_asked = o->view_word && strcmp (o->view_word, "tree") == 0;
    if (!o->view_word || o->all_views || o->events_asked || o->tree_asked ||
        (o->view = view_parse (o->view_word)) >= 0)
        return 0;
    if (o->by_word)
        log_error ("--view %s --by %s: one of them", o->view_word, o->by_word);
    else if (query_parse_keys (&o->by, o->view_word, &err) == 0)
        return 0;
    else if (access (o->view_word, F_OK) == 0)
        log_error ("--view %s: a path, not a view: try `dftrace analyze %s`, "
                   "or see dftrace help views",
                   o->view_word, o->view_word);
    else
        log_error ("--view: %s", err.text);
    return 1;
}

/* --view event: the longest first. */
static int take_events (struct analyze_options *o)
{
    int text = o->format == TABLE_TEXT || o->format == TABLE_MARKDOWN;
    struct errtext err;

    o->events =
        (struct eventtable){.where = &o->where,
                            .sort = WHERE_dur,
                            .top = text || o->top_given ? (size_t)o->top : 0,
                            .threads = o->threads};
    if (o->partial || o->reduce || o->tasks)
        log_error ("--view event: events are not put together from "
                   "partitions: leave out --partial, --reduce and --slurm");
    else if (o->sort_word &&
             eventtable_parse_sort (&o->events, o->sort_word, &err) < 0)
        log_error ("--sort %s", err.text);
    else
        return 0;
    return 1;
}

/* --view tree, which begins with hosts, processes, threads or ranks. */
static int take_tree (struct analyze_options *o)
{
    struct errtext err = {""};

    o->tree_by = GROUP_KEYS;
    if (o->partial || o->reduce || o->tasks)
        log_error ("--view tree: not put together from partitions: leave out "
                   "--partial, --reduce and --slurm");
    else if (o->show_word || o->sort_word)
        log_error ("--view tree: without --show and --sort");
    else if (where_needs_context (&o->where))
        log_error ("--where: --view tree does not know step and epoch; "
                   "arg.step is the argument of a region");
    else if (!o->by_word)
        return 0;
    else if (query_parse_keys (&o->by, o->by_word, &err) < 0)
        log_error ("--by: %s", err.text);
    else if (o->by.keys != 1 || (o->by.key[0].what != GROUP_host &&
                                 o->by.key[0].what != GROUP_process &&
                                 o->by.key[0].what != GROUP_thread &&
                                 o->by.key[0].what != GROUP_rank))
        log_error ("--by %s: a tree begins with host, process, thread or rank",
                   o->by_word);
    else {
        o->tree_by = o->by.key[0].what;
        o->by.keys = 0;
        return 0;
    }
    return 1;
}

/* --by, --show, --sort. */
static int take_question (struct analyze_options *o)
{
    struct errtext err = {""};

    if (o->tree_asked)
        return take_tree (o);
    if ((o->by_word || o->show_word) &&
        (o->view >= 0 || o->all_views || o->events_asked)) {
        log_error ("--view %s: with --by and --show there is one table, theirs",
                   o->view_word);
        return 1;
    }
    if (o->by_word && query_parse_keys (&o->by, o->by_word, &err) < 0)
        log_error ("--by: %s", err.text);
    else if (o->show_word &&
             show_parse (&o->show, &o->by, o->show_word, &err) < 0)
        log_error ("--show: %s", err.text);
    else if (o->events_asked)
        return take_events (o);
    else if (o->sort_word && !o->show.items)
        log_error ("--sort %s: say with --show what there is to sort by",
                   o->sort_word);
    else if (o->sort_word &&
             show_parse_sort (&o->show, &o->by, o->sort_word, &err) < 0)
        log_error ("--sort %s", err.text);
    else
        return 0;
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

/* Check the options of divided work (--partial, --reduce, --slurm). */
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

static int analyzeopts_take_words (struct analyze_options *o)
{
    struct errtext err;

    o->few_tables = strcmp (o->tables_word, "auto") == 0;
    if (!o->few_tables && strcmp (o->tables_word, "always") != 0) {
        log_error ("--tables %s: not a time: use always or auto",
                   o->tables_word);
        return 1;
    }
    o->top_given = o->top >= 0;
    if (!o->top_given)
        o->top = TOP_DEFAULT;
    for (int i = 0; i < o->conditions.count; i++)
        if (where_add (&o->where, o->conditions.item[i], &err) < 0) {
            log_error ("--where: %s", err.text);
            return 1;
        }
    o->where.partial = o->partial;
    o->write = !o->no_write;
    o->no_write |= o->where.terms > 0 || o->trace_part;
    o->rules.patterns[KIND_DATA] = o->data;
    o->rules.patterns[KIND_CHECKPOINT] = o->checkpoint;
    o->rules.patterns[KIND_INDEX] = o->index;
    o->by.interval = o->interval;
    o->by.where = &o->where;
    o->by.running = 1;
    if (take_view (o) || take_question (o))
        return 1;
    if (!analyze_asks (o) && where_needs_context (&o->where)) {
        log_error ("--where: step and epoch are known to --by, --show and "
                   "--view event only; "
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
        FORMAT_OPTION (o->format),
        {"view", 'v', OPT_TEXT, &o->view_word, "all|VIEW|event|tree|KEY[,KEY]",
         "print all tables, one table, the events, the tree of regions, or "
         "events grouped by keys"},
        {"by", 'b', OPT_TEXT, &o->by_word, "KEY[,KEY]",
         "group events by these keys, any number of them, as --view KEY does"},
        {"show", 's', OPT_TEXT, &o->show_word, "MEASURE[,MEASURE]",
         "print this of each group: count, sum(bytes), p99(dur), union, ..."},
        {"sort", 0, OPT_TEXT, &o->sort_word, "[-]MEASURE|KEY",
         "sort by a measure, the greatest first, or a key; - reverses it"},
        {"where", 'w', OPT_LIST, &o->conditions, "CONDITION",
         "use only events for which this holds; may be repeated"},
        {"interval", 0, OPT_DURATION, &o->interval, "TIME",
         "length of an interval of --view interval (at most 60 rows)"},
        {"draw", 0, OPT_TEXT, &o->draw_word, "WHEN",
         "draw bars and maps: auto (on a terminal), always or never"},
        {"top", 'n', OPT_INT, &o->top, "N",
         "print so many rows of long tables as text (20), of --by in any "
         "format; 0 for all"},
        TEXTABLE_OPTION_WIDE,
        {"data-pattern", 0, OPT_TEXT, &o->data, "PATTERNS",
         "these files are data, and no others are"},
        {"checkpoint-pattern", 0, OPT_TEXT, &o->checkpoint, "PATTERNS",
         "these files are checkpoints"},
        {"index-pattern", 0, OPT_TEXT, &o->index, "PATTERNS",
         "these files are indices"},
        {"threads", 'j', OPT_INT, &o->threads, "N",
         "use so many threads (one for each core)"},
        {"baseline", 0, OPT_TEXT, &o->baseline, "DIR",
         "compare with this job, which ran without real data (--mock-data)"},
        {"sqlite", 0, OPT_TEXT, &o->sqlite, "FILE",
         "also write all tables of all jobs into one SQLite file"},
        {"slurm", 0, OPT_INT, &o->tasks, "TASKS",
         "let so many tasks of Slurm analyze, each a partition of the traces"},
        {"srun-option", 0, OPT_LIST, &o->srun, "WORD",
         "pass this option to that srun; may be repeated"},
        {"partial", 0, OPT_FLAG, &o->partial, NULL,
         "analyze only the partition of this task; write DIR/partials"},
        {"partition", 0, OPT_TEXT, &o->partition_word, "I/N",
         "which partition this is, from 1 (default: the task of srun)"},
        {"reduce", 0, OPT_FLAG, &o->reduce, NULL,
         "combine the partitions in DIR/partials"},
        {"memory", 0, OPT_SIZE, &o->memory, "SIZE",
         "keep so many bytes of times in memory, the rest in a temporary file "
         "(64M)"},
        {"tables", 0, OPT_TEXT, &o->tables_word, "WHEN",
         "write tables/: always, or auto, which leaves out profiles and tasks "
         "of arrays that are not runs of a sweep (always)"},
        {"no-write", 0, OPT_FLAG, &o->no_write, NULL,
         "write nothing into the job directory"},
        {"no-answers", 0, OPT_FLAG, &o->no_answers, NULL,
         "count events also where the answer was kept; keep none"},
        {"trace-part", 0, OPT_FLAG, &o->trace_part, NULL,
         "of a job that went on as a profile, what is in the trace"},
        {"debug", 0, OPT_FLAG, &o->debug, NULL, NULL},
        {"quiet", 'q', OPT_FLAG, &o->quiet, NULL, "print no tables"},
        {"strict", 0, OPT_FLAG, &o->strict, NULL,
         "print no numbers if events are lost or damaged"},
        OPT_END,
    };
    struct errtext err;
    enum optparse_result rc;

    ZERO (o);
    o->draw_word = "auto";
    o->tables_word = "always";
    o->top = -1;
    o->memory = SPOOL_LIMIT;
    textable_wide = 0;
    rc = optparse (opts, &analyze_help, argc, argv, operands, &err);
    if (o->debug)
        log_set_level (LEVEL_DEBUG);
    if (rc == OPTPARSE_ERROR)
        log_error ("%s", err.text);
    else if (rc == OPTPARSE_OK && analyzeopts_take_words (o))
        rc = OPTPARSE_ERROR;
    return rc;
}
