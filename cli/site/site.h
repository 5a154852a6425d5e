/* SPDX-License-Identifier: MIT
 *
 * site.h - the verb site: lines, questions, tables and a page
 */
#pragma once

#include "cli/site/sitedb.h"
#include "lib/model/summary.h"
#include "lib/util/optparse.h"
#include "lib/util/textable.h"

/* --- siteask.c: questions to the site's database -> tables --- */

struct siteask {
    struct opt_list by;     /* words "user,program"; fields of summary.h */
    struct opt_list metric; /* names of metrics */
    const char *program, *user;
    const char *sort;
    int days;   /* jobs that ended in the last so many; 0: all */
    int top;    /* rows; 0: all */
    int lowest; /* worst: the smallest values */
};

/* Each gives a table of the database that is open. A word of the question that
 * is wrong ends the command with EXIT_USAGE. */

/* A row for each group: jobs, node hours, then of each metric the sum (bytes,
 * seconds, counts) or the mean (rates, shares); largest sort first. */
struct textable *siteask_top (const struct siteask *q);

/* A row for each job, by the first metric. */
struct textable *siteask_worst (const struct siteask *q);

/* A row for each shape of job (program, name, nodes, ranks) and metric: jobs,
 * geometric mean, and whether and when it changed. */
struct textable *siteask_history (const struct siteask *q);

/* A row for each day: jobs, node hours, metrics as in siteask_top. */
struct textable *siteask_days (const struct siteask *q);

/* --- options that the words of `dftrace site` share --- */

struct site_options {
    struct siteask ask;
    enum table_format format;
    int call_ns, keep_days;
    int days_said; /* ask.days is not the default */
    const char *output;
};

/* --- directories of jobs --- */

/* Called with cookie and a directory: with its job.json and the state of that,
 * a regular file; without one; one that the caller may not read. */
struct site_walk {
    void (*job) (void *cookie,
                 const char *dir,
                 const char *json,
                 const struct stat *owner);
    void (*other) (void *cookie, const char *dir); /* NULL: none */
    void (*denied) (void *cookie, const char *dir);
    void *cookie;
};

/* Visit dir and the directories below it, but not those in a job's. Symbolic
 * links are not followed; depth: 0. */
void site_walk (const struct site_walk *w, const char *dir, int depth);

/* A user's file, which may be a link or a FIFO by now: NULL then, or if it has
 * more than max bytes or is no JSON. */
struct ytree *site_json (const char *path, size_t max);

/* The words of `dftrace site`. operands follow the word; the table in
 * cmd_site.c has their number. Return an exit status. */
int site_job (const struct site_options *o, int count, char **operands);
int site_stats (const struct site_options *o, int count, char **operands);
int site_cost (const struct site_options *o, int count, char **operands);
int site_collect (const struct site_options *o, int count, char **operands);
int site_top (const struct site_options *o, int count, char **operands);
int site_worst (const struct site_options *o, int count, char **operands);
int site_history (const struct site_options *o, int count, char **operands);
int site_report (const struct site_options *o, int count, char **operands);
int site_openmetrics (const struct site_options *o, int count, char **operands);

/* --- siteline.c: a line that an epilog kept (spank/epilog/keep.h) -> a job ---
 *
 * Not by ytree, which takes 60 us for such a line of 1.6 KB; with this one,
 * collecting takes 45 us a line in all.
 */

/* An object of texts and numbers without anything nested. Members that are not
 * known are left out. 0; -1 when the line is none, is cut, or lacks job or
 * ended. line is not changed. Pure. */
int siteline_read (const char *line, struct job_summary *s);

/* --- sitepage.c: the site's database -> one page, or OpenMetrics text --- */

/* One HTML file: jobs and bytes by day, users, programs, what changed. Of q
 * only days and user count. 0, or -1 with err; errors of the stream stay in
 * it. */
void sitepage_write (FILE *out, const struct siteask *q);

/* The text of OpenMetrics 1.0: a gauge for each metric of q, summed (or mean,
 * see siteask_top) by q->by. */
void sitepage_openmetrics (FILE *out, const struct siteask *q);
