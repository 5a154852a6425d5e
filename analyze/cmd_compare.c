/* SPDX-License-Identifier: MIT
 *
 * cmd_compare.c - `dftrace compare`: two jobs -> what became slower
 *
 * In:  two job directories or trace files
 * Out: a row for each group of events, by the change of its time; a status
 */
#include "config.h"

#include "analyze/cmd.h"
#include "analyze/facts/question.h"
#include "analyze/facts/summary.h"
#include "analyze/tables/jobcompare.h"
#include "analyze/warnings.h"
#include "analyze/trace/find.h"
#include "lib/base/array.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"
#include "lib/util/pool.h"
#include "lib/util/xalloc.h"

enum { COMPARE_TOP = 20, COMPARE_LIMIT = 10 };

struct compare {
    const char *by;
    struct opt_list conditions;
    int limit, top, threads; /* limit: percent */
    enum table_format format;
    struct query query;
    struct where where;
    struct joblist jobs[JOBCOMPARE_SIDES];
};

static const struct verb_help compare_help = {
    .usage = "dftrace compare [OPTION…] A B\n"
             "       dftrace compare [OPTION…] A… -- B…",
    .summary = "runs of two sides -> what became slower, and how sure",
    .text = "A and B are job directories or trace files, or SWEEP/runs/POINT, "
            "which is every run of that point. Three sentences come first: how "
            "many times as long the job takes in B, what the time went into, "
            "and how sure that is. Then events are grouped by the keys of --by "
            "(dftrace help views), without it by calls and regions; a row has "
            "the number of events and their time in both, means of the runs, "
            "sorted by the change of the time, and B / A with its 95 % "
            "interval.\n"
            "The unit of the test is the run: with one run a side the step, in "
            "groups of steps that follow each other. \"slower\" and "
            "\"faster\" differ by more than --limit and are no chance: p "
            "below 0.05 by Welch's test of the logarithms, adjusted for the "
            "number of rows by Holm's method (of steps, the whole interval is "
            "beyond a factor of 2, as runs vary). \"same\" has its whole "
            "interval within the "
            "limit. All else is \"too few to tell\": make more runs. Run A and "
            "B in turn, not first all of A: what else the machine does changes "
            "slowly.",
    .example =
        "  $ dftrace compare a1 a2 a3 -- b1 b2 b3\n"
        "  $ dftrace compare --by pattern --where 'class = read' old new\n"
        "  $ dftrace compare sweep/runs/lr0.1.3f2a -- sweep/runs/lr1.7c01",
    .exits = "0  nothing is slower\n"
             "1  it could not be found out\n"
             "2  wrong words on the command line\n"
             "5  nothing is slower, but a trace is damaged\n"
             "7  something is slower",
};

/* --- both ----------------------------------------------------------------- */

static int compare_slower (const struct jobcompare *found)
{
    int slower = found->verdicts[JOBCOMPARE_SLOWER] > 0;

    for (size_t i = 0; i < found->count && found->row[i].title; i++)
        slower |= found->row[i].verdict == JOBCOMPARE_SLOWER;
    return slower;
}

static void compare_put_headline (const struct compare *c,
                                  const struct jobcompare *found)
{
    for (int i = 0; i < JOBCOMPARE_SENTENCES; i++)
        printf ("%s%s\n", found->headline[i],
                c->format == TABLE_MARKDOWN ? "\n" : "");
    printf (c->format == TABLE_MARKDOWN ? "" : "\n");
}

static int compare_print (struct compare *c)
{
    struct jobcompare found;
    const struct jobcompare_input in = {&c->query, c->jobs, c->limit / 100.0,
                                        c->threads, warn_damage};
    struct textable *t = textable_create ();
    int text = c->format == TABLE_TEXT || c->format == TABLE_MARKDOWN;
    size_t top = c->top >= 0 ? (size_t)c->top : text ? COMPARE_TOP : 0;
    struct errtext err = {""};
    int status;

    if (jobcompare_make (&found, &in, &err) < 0)
        die ("%s", err.text);
    if (text)
        compare_put_headline (c, &found);
    jobcompare_columns (t, &found);
    jobcompare_rows (t, &found, top);
    textable_print (t, stdout, c->format);
    status = compare_slower (&found) ? EXIT_CHECK_FAILED
             : found.damaged         ? EXIT_DAMAGED
                                     : EXIT_OK;
    jobcompare_clear (&found);
    textable_destroy (t);
    return status;
}

static void compare_words (struct compare *c)
{
    struct errtext err;

    if (query_parse_keys (&c->query, c->by, &err) < 0)
        die_with (EXIT_USAGE, "--by: %s", err.text);
    for (int i = 0; i < c->conditions.count; i++)
        if (where_add (&c->where, c->conditions.item[i], &err) < 0)
            die_with (EXIT_USAGE, "--where: %s", err.text);
    if (where_needs_context (&c->where) &&
        !query_has_key (&c->query, GROUP_step))
        die_with (EXIT_USAGE,
                  "--where: step and epoch are known with --by step only");
    c->query.where = &c->where;
}

int cmd_compare (int argc, char **argv)
{
    static struct compare c;
    const struct opt opts[] = {
        {"by", 'b', OPT_TEXT, &c.by, "KEY[,KEY]",
         "groups of events that are compared (function)"},
        {"where", 'w', OPT_LIST, &c.conditions, "CONDITION",
         "only events for which this holds; may be given again"},
        {"limit", 0, OPT_INT, &c.limit, "PERCENT",
         "what surely differs by less is the same (10)"},
        FORMAT_OPTION (c.format),
        {"top", 'n', OPT_INT, &c.top, "N", "rows, 0 for all (in text 20)"},
        TEXTABLE_OPTION_WIDE,
        {"threads", 'j', OPT_INT, &c.threads, "N",
         "threads to use (one per core)"},
        OPT_END,
    };
    int operands, status, second = jobcompare_second (argc, argv);
    struct errtext err;

    ZERO (&c);
    c.by = "function";
    c.limit = COMPARE_LIMIT;
    c.top = -1;
    textable_wide = 0;
    operands = optparse_operands (opts, &compare_help, argc, argv);
    if (argc - operands < 2 || (second == 0 && argc - operands > 2))
        die_with (EXIT_USAGE, "compare: name two jobs, or several runs of "
                              "both: A1 A2 A3 -- B1 B2 B3");
    compare_words (&c);
    filelimit_raise ();
    pool_use (c.threads);
    if (jobcompare_sides (c.jobs, argc - operands, argv + operands, second,
                          &err) < 0)
        die ("%s", err.text);
    status = compare_print (&c);
    for (int side = 0; side < JOBCOMPARE_SIDES; side++)
        joblist_clear (&c.jobs[side]);
    where_clear (&c.where);
    return status;
}
