/* SPDX-License-Identifier: MIT
 *
 * cmd_analyze.c - `dftrace analyze`: traces -> tables and numbers
 *
 * In:  job directories, trace files, sweep directories
 * Out: tables on standard output; metrics.json and tables/ in job directories
 */
#include "config.h"

#include "analyze/tables/analyzeopts.h"
#include "analyze/cmd.h"
#include "analyze/facts/question.h"
#include "analyze/totalscache.h"
#include "analyze/query/nativecopy.h"
#include "analyze/warnings.h"
#include "analyze/tables/results.h"
#include "analyze/trace/find.h"
#include "analyze/partialrun.h"
#include "analyze/tables/jobcompare.h"
#include "lib/base/array.h"
#include "lib/util/spool.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"
#include "lib/util/pool.h"
#include "lib/util/terminal.h"
#include "lib/util/xalloc.h"

struct analyze {
    struct analyze_options o;
    struct joblist jobs;
    size_t number; /* of the job at hand */
    /* on the way */
    struct textable *study;   /* of several jobs */
    struct textable *crossed; /* the same, of groups */
    struct textable *all;     /* the same, of a view; NULL: each by itself */
    struct jobbaseline *baseline; /* NULL: not asked for */
    struct database *database;    /* NULL: not asked for */
    struct nativecopy copies;     /* of the job at hand */
    int failed, damaged;
};

static int analyze_failed (struct analyze *a, const struct errtext *err)
{
    log_error ("%s", err->text);
    a->failed = 1;
    return -1;
}

/* --- what is printed -------------------------------------------------- */

static void print_table (struct analyze *a, struct textable *t)
{
    if (a->o.format == TABLE_TEXT)
        terminal_page ();
    if (t)
        textable_print (t, stdout, a->o.format);
    else
        a->failed = 1;
    textable_destroy (t);
}

/* Are the totals put together from partitions? */
static int divided (const struct analyze *a)
{
    return a->o.reduce || a->o.tasks;
}

/* Print the answer to --by, --show, --view event or --view tree. */
static void print_asked (struct analyze *a,
                         const struct result *r,
                         const struct query_answer *groups)
{
    const struct asked asked = {&a->o, a->crossed, a->all, groups};

    if (asked_print (&asked, r) < 0)
        a->failed = 1;
}

/* --- one job ---------------------------------------------------------- */

static int wants_tables (const struct analyze *a, const struct result *r)
{
    const char *point = r->job->info.point;

    return !totalscache_few (&a->o, r) || (point && *point);
}

/* Events are asked for, and there are sums; --strict and a loss. */
static int cmd_analyze_refuses (struct analyze *a, const struct result *r)
{
    const int asks =
        analyze_asks (&a->o) || a->o.where.terms || a->o.trace_part;

    if (asks && warn_profile (r))
        return a->failed = 1;
    if (!a->o.strict || (!r->summary->damaged && !r->summary->stages))
        return 0;
    a->failed = 1;
    log_error ("%s: refused: --strict and the trace is not whole",
               r->job->label);
    return 1;
}

/* again: the numbers were kept, and may have been written. */
static void
cmd_analyze_show (struct analyze *a, const struct result *r, int again)
{
    struct errtext err = {""};

    if (cmd_analyze_refuses (a, r))
        return;
    if (r->job->dir && !a->o.no_write &&
        results_write (r, wants_tables (a, r), again, &err) < 0)
        analyze_failed (a, &err);
    if (a->database && database_add (a->database, r, &err) < 0)
        analyze_failed (a, &err);
    if (a->baseline)
        print_table (a,
                     jobbaseline_table (r, jobbaseline_result (a->baseline)));
    else if (analyze_asks (&a->o))
        print_asked (a, r, NULL);
    else if (a->study)
        study_row (a->study, r, a->o.format != TABLE_TEXT);
    else if (!a->o.quiet && jobpage_print (&a->o, r, a->all) < 0)
        a->failed = 1;
}

/* The totals of a job, from its traces or from its partitions. */
static int cmd_analyze_load (struct analyze *a,
                             struct totals *t,
                             struct job *job,
                             struct errtext *err)
{
    int rc;

    if (divided (a)) {
        partial_reduce (t, job, &a->o);
        return 0;
    }
    if (!a->o.no_answers)
        nativecopy_find (&a->copies, job, 0);
    do {
        totals_clear (t);
        rc = job_open (job, err);
        if (rc == 0)
            rc = totals_load (t, job, &a->o.rules,
                              analyze_asks (&a->o) ? NULL : &a->o.where,
                              a->o.threads, err);
    } while (!nativecopy_held (&a->copies, job, t, rc < 0));
    return rc;
}

/* No process, and why. */
static void cmd_analyze_nothing (struct analyze *a, const struct job *job)
{
    for (size_t i = 0; i < job->sources; i++)
        log_error ("%s", job->source[i].problem.text);
    a->failed = 1;
}

/* A question that needs no totals. 1: its answer may be kept. */
static int cmd_analyze_count (struct analyze *a,
                              struct job *job,
                              struct query_answer *groups)
{
    struct totals totals = {0};
    struct summary summary = {0};
    struct result r = {job, &totals, &summary};
    const struct question question = {&a->o.by, job, &a->o.rules, a->o.threads};
    struct errtext err = {""};
    int keep = 0, rc;

    do {
        summary_clear (&summary);
        totals_clear (&totals);
        rc = job_open (job, &err);
        if (rc == 0)
            rc = question_answer (&question, groups, &totals, &summary, &err);
    } while (!nativecopy_held (&a->copies, job, &totals, rc < 0));
    if (rc < 0)
        analyze_failed (a, &err);
    else if (totals.processes == 0)
        cmd_analyze_nothing (a, job);
    else {
        a->damaged |= warn_damage (&r);
        warn_doubts (&r);
        if (!cmd_analyze_refuses (a, &r))
            print_asked (a, &r, groups);
        keep = a->o.write && warn_is_quiet (&r) && answercache_may (job);
        fflush (stdout);
        nativecopy_write (&a->copies, job);
    }
    summary_clear (&summary);
    totals_clear (&totals);
    job_close (job);
    return keep;
}

/* Answer the question from the kept answer, or count and keep it. */
static void do_question (struct analyze *a, struct job *job)
{
    const struct result r = {job, NULL, NULL};
    struct query_answer groups = {0};
    struct answercache cache = {0};
    char *question = a->o.no_answers ? NULL : asked_question (&a->o);

    if (job->problem.text[0])
        log_warn ("%s", job->problem.text);
    warn_untraced (job, &a->o, WARN_ANSWER);
    if (question)
        answercache_make (&cache, job, question);
    if (cache.file && answercache_find (&groups, &cache, &a->o.by)) {
        log_debug ("%s: the answer was kept", job->label);
        print_asked (a, &r, &groups);
    } else {
        if (cache.file)
            nativecopy_find (&a->copies, job,
                             a->o.write && a->o.conditions.count > 0);
        if (cmd_analyze_count (a, job, &groups) && cache.file)
            answercache_put (&cache, job, question, &a->o.show, &groups);
        nativecopy_put (&a->copies, job);
        nativecopy_clear (&a->copies, job);
    }
    query_answer_clear (&groups);
    answercache_clear (&cache);
    free (question);
}

static void do_job (struct analyze *a, struct job *job)
{
    struct totals totals = {0};
    struct summary summary = {0};
    struct result r = {job, &totals, &summary};
    struct errtext err = {""};
    struct totalscache cache;

    if (job->problem.text[0])
        log_warn ("%s", job->problem.text);
    warn_untraced (job, &a->o, a->study ? WARN_ROW : WARN_PAGE);
    if (!totalscache_find (&cache, job, &a->o, &totals, &summary) &&
        (cmd_analyze_load (a, &totals, job, &err) < 0 ||
         summary_make (&summary, &totals, job, &err) < 0))
        analyze_failed (a, &err);
    else if (totals.processes == 0)
        cmd_analyze_nothing (a, job);
    else {
        a->damaged |= warn_damage (&r);
        warn_doubts (&r);
        warn_points (&r);
        cmd_analyze_show (a, &r, cache.found);
        totalscache_note (&cache, &a->o, &r);
        warnings_note_end (job, &a->o, cache.found || divided (a));
        if (divided (a) && !a->failed && (a->o.tasks || !a->o.no_write))
            partial_forget (job);
    }
    summary_clear (&summary);
    totals_clear (&totals);
    job_close (job);
    nativecopy_clear (&a->copies, job);
    totalscache_put (&cache, job);
}

static void one_job (void *cookie)
{
    struct analyze *a = cookie;
    struct job *job = &a->jobs.item[a->number];

    job->trace_part = a->o.trace_part;
    if (a->o.partial) {
        partial_task (job, &a->o, &a->damaged);
        job_close (job);
    } else if (asked_alone (&a->o))
        do_question (a, job);
    else
        do_job (a, job);
}

/* A failure ends the analysis of its job; the next one follows. */
static void all_jobs (struct analyze *a)
{
    for (a->number = 0; a->number < a->jobs.count; a->number++)
        if (xalloc_guard (one_job, a) < 0) {
            if (errno == ENOMEM)
                xalloc_die ();
            log_error ("%s", xalloc_why ());
            a->failed = 1;
        }
}

/* Without a path: the newest trace here. NULL: there is none. */
static char **cmd_analyze_newest (void)
{
    static char path[PATH_MAX];
    static char *paths[] = {path};

    if (job_newest (path) == 0) {
        log_info ("analyze: the newest trace here: %s", path);
        return paths;
    }
    log_error ("analyze: no directory, and no trace here: say which job, for "
               "example dftrace analyze dftrace/NAME-JOBID");
    return NULL;
}

/* Several jobs, or one of a sweep: a row each. */
static int find_jobs (struct analyze *a, char **paths, int count)
{
    struct errtext err;

    for (int i = 0; i < count; i++)
        if (joblist_add (&a->jobs, paths[i], &err) < 0)
            analyze_failed (a, &err);
    if (query_has_key (&a->o.by, GROUP_configuration)) {
        a->crossed = textable_create ();
        asked_columns (&a->o, a->crossed);
    } else if (a->jobs.count > 1 && !a->o.baseline) {
        if (a->o.view >= 0 || analyze_asks (&a->o))
            a->all = textable_create ();
        else
            a->study = study_make (a->o.format != TABLE_TEXT);
    }
    return a->jobs.count ? 0 : -1;
}

static int load_baseline (struct analyze *a)
{
    struct errtext err;

    if (!a->o.baseline)
        return 0;
    if (!(a->baseline = jobbaseline_load (&a->o, &err)))
        return analyze_failed (a, &err);
    a->damaged |= warn_damage (jobbaseline_result (a->baseline));
    return 0;
}

static int begin_database (struct analyze *a)
{
    struct errtext err;

    if (!a->o.sqlite || (a->database = database_create (a->o.sqlite, &err)))
        return 0;
    return analyze_failed (a, &err);
}

/* Without a job there is no file. */
static void end_database (struct analyze *a)
{
    struct errtext err;

    if (!a->database)
        return;
    if (a->failed)
        database_abort (a->database);
    else if (database_commit (a->database, &err) < 0)
        analyze_failed (a, &err);
}

int cmd_analyze (int argc, char **argv)
{
    static struct analyze a; /* large, and once */
    int operands = 0;
    char **paths;

    ZERO (&a);
    switch (analyze_options_parse (&a.o, argc, argv, &operands)) {
    case OPTPARSE_HELP:
        return EXIT_OK;
    case OPTPARSE_ERROR:
        return EXIT_USAGE;
    default:
        break;
    }
    paths = operands < argc ? argv + operands : cmd_analyze_newest ();
    if (!paths)
        return EXIT_USAGE;
    filelimit_raise ();
    pool_use (a.o.threads);
    spool_limit (a.o.memory);
    if (find_jobs (&a, paths, operands < argc ? argc - operands : 1) == 0 &&
        load_baseline (&a) == 0 && begin_database (&a) == 0)
        all_jobs (&a);
    end_database (&a);
    if (a.crossed)
        print_table (&a, a.crossed);
    if (a.all && !a.o.quiet)
        print_table (&a, a.all);
    else
        textable_destroy (a.all);
    if (a.study && !a.o.quiet)
        print_table (&a, a.study);
    else
        textable_destroy (a.study);
    jobbaseline_destroy (a.baseline);
    joblist_clear (&a.jobs);
    if (fflush (stdout) != 0)
        a.failed = 1;
    return a.failed ? EXIT_FAILED : a.damaged ? EXIT_DAMAGED : EXIT_OK;
}
