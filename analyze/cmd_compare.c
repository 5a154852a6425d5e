/* SPDX-License-Identifier: MIT
 *
 * cmd_compare.c - `dftrace compare`: two jobs -> what became slower
 *
 * In:  two job directories or trace files
 * Out: a row for each group of events, by the change of its time; a status
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyze/cmd.h"
#include "analyze/facts/question.h"
#include "analyze/facts/summary.h"
#include "analyze/tables/jobcompare.h"
#include "analyze/warnings.h"
#include "analyze/trace/find.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"
#include "lib/util/pool.h"

enum { COMPARE_TOP = 20, COMPARE_LIMIT = 10, COMPARE_SIDES = 2 };

struct compare {
    const char *by, *format_word;
    struct opt_list conditions;
    int limit, top, threads; /* limit: percent */
    enum table_format format;
    struct query query;
    struct where where;
    /* of each job */
    struct joblist jobs[COMPARE_SIDES];
    struct query_answer answer[COMPARE_SIDES];
    int damaged;
};

static const struct verb_help compare_help = {
    .usage = "dftrace compare [OPTION…] A B",
    .summary = "two jobs -> what became slower, what is new, what is gone",
    .text = "A and B are job directories or trace files. Events are grouped by "
            "the keys of --by (dftrace help views), without it by calls and "
            "regions; a row has the number of events and their time in both, "
            "sorted by the change of the time, and how many times as long one "
            "of them takes in B (geometric mean, with its 95 % interval). "
            "Slower or faster is what differs by more than --limit and is no "
            "chance: p below 0.05 by Welch's test of the logarithms, adjusted "
            "for the number of rows by Holm's method. With fewer than 5 events "
            "on a side there is no interval.\n"
            "What varies from run to run of one program is not seen by "
            "comparing one run of each: dftrace sweep repeats them.",
    .example =
        "  $ dftrace compare gpt-io-4711 gpt-io-4712\n"
        "  $ dftrace compare --by pattern --where 'class = read' old new\n"
        "  $ dftrace compare --by rank,name --limit 20 -f csv old new",
    .exits = "0  nothing is slower\n"
             "1  it could not be found out\n"
             "2  wrong words on the command line\n"
             "5  nothing is slower, but a trace is damaged\n"
             "7  something is slower",
};

/* --- one job -------------------------------------------------------------- */

static int compare_load (struct compare *c, int side, struct job *job)
{
    struct totals totals = {0};
    struct summary summary = {0};
    struct result r = {job, &totals, &summary};
    const struct question question = {&c->query, job, NULL, c->threads};
    struct errtext err = {""};
    int rc = -1;

    if (job_open (job, &err) == 0 &&
        (rc = question_answer (&question, &c->answer[side], &totals, &summary,
                               &err)) == 0) {
        if (totals.processes == 0)
            rc = errf (&err, "%s: no readable trace in it", job->label);
        c->damaged |= warn_damage (&r);
    }
    if (rc < 0)
        log_error ("%s", err.text);
    summary_clear (&summary);
    totals_clear (&totals);
    job_close (job);
    return rc;
}

static int compare_side (struct compare *c, int side, const char *path)
{
    struct errtext err;

    if (joblist_add (&c->jobs[side], path, &err) < 0) {
        log_error ("%s", err.text);
        return -1;
    }
    if (c->jobs[side].count != 1) {
        log_error ("%s: a sweep: name one of its runs, or compare sweeps with "
                   "dftrace report",
                   path);
        return -1;
    }
    return compare_load (c, side, &c->jobs[side].item[0]);
}

/* --- both ----------------------------------------------------------------- */

static int compare_print (const struct compare *c)
{
    struct jobcompare found = {0};
    struct textable *t = textable_create ();
    int text = c->format == TABLE_TEXT || c->format == TABLE_MARKDOWN;
    int status = EXIT_FAILED;

    if (t && jobcompare_make (&found, &c->query, &c->answer[0], &c->answer[1],
                              c->limit / 100.0) == 0) {
        size_t top = c->top >= 0 ? (size_t)c->top : text ? COMPARE_TOP : 0;

        jobcompare_columns (t, &c->query);
        jobcompare_rows (t, &c->query, &found, top);
        if (textable_print (t, stdout, c->format) == 0 && fflush (stdout) == 0)
            status = found.slower ? EXIT_CHECK_FAILED
                     : c->damaged ? EXIT_DAMAGED
                                  : EXIT_OK;
    }
    if (status == EXIT_FAILED)
        log_error ("compare: %s", strerror (errno));
    jobcompare_clear (&found);
    textable_destroy (t);
    return status;
}

static int compare_words (struct compare *c)
{
    int format = table_format_parse (c->format_word);
    struct errtext err;

    if (format < 0) {
        log_error ("--format %s: no such format: use text, csv, json or "
                   "markdown",
                   c->format_word);
        return -1;
    }
    c->format = (enum table_format)format;
    if (query_parse_keys (&c->query, c->by, &err) < 0) {
        log_error ("--by: %s", err.text);
        return -1;
    }
    for (int i = 0; i < c->conditions.count; i++)
        if (where_add (&c->where, c->conditions.item[i], &err) < 0) {
            log_error ("--where: %s", err.text);
            return -1;
        }
    if (where_needs_context (&c->where) &&
        !query_has_key (&c->query, GROUP_step)) {
        log_error ("--where: step and epoch are known with --by step only");
        return -1;
    }
    c->query.measures = QUERY_TIMES;
    c->query.where = &c->where;
    return 0;
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
         "what differs by less is the same (10)"},
        {"format", 'f', OPT_TEXT, &c.format_word, "FORMAT",
         "text, csv, json or markdown"},
        {"top", 'n', OPT_INT, &c.top, "N", "rows, 0 for all (in text 20)"},
        {"threads", 'j', OPT_INT, &c.threads, "N",
         "threads to use (one per core)"},
        {NULL, 0, OPT_FLAG, NULL, NULL, NULL},
    };
    int operands = 0, status = EXIT_FAILED;

    memset (&c, 0, sizeof (c));
    c.by = "function";
    c.format_word = "text";
    c.limit = COMPARE_LIMIT;
    c.top = -1;
    if (optparse_command (opts, &compare_help, argc, argv, &operands, &status) <
        0)
        return status;
    if (argc - operands != COMPARE_SIDES) {
        log_error ("compare: name two job directories or trace files");
        return EXIT_USAGE;
    }
    if (compare_words (&c) < 0)
        return EXIT_USAGE;
    filelimit_raise ();
    pool_use (c.threads);
    if (compare_side (&c, 0, argv[operands]) == 0 &&
        compare_side (&c, 1, argv[operands + 1]) == 0)
        status = compare_print (&c);
    query_answers_clear (c.answer, COMPARE_SIDES);
    for (int side = 0; side < COMPARE_SIDES; side++)
        joblist_clear (&c.jobs[side]);
    where_clear (&c.where);
    return status;
}
