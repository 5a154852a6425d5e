/* SPDX-License-Identifier: MIT
 *
 * jobdata.h - a job's data for its page
 */
#pragma once

#include <stdio.h>

#include "analyze/facts/metrics.h"
#include "analyze/report/job/jobscan.h"
#include "analyze/tables/subject.h"
#include "lib/util/ytree.h"

/* --- jobdata.c: a job directory -> all that its page is made of ---
 *
 * The traces are analyzed here and now; where they have gone, metrics.json and
 * tables/ of an earlier analysis are all there is.
 */

/* A table that the page of a job has or needs. */
struct jobtable {
    enum view view;
    enum { JOBTABLE_NEVER = 0, JOBTABLE_IF_ANY, JOBTABLE_ALWAYS } section;
    size_t most; /* rows */
};

enum { JOBTABLES = 28 };

/* In the order of the page; columns and headings are those of the view. */
extern const struct jobtable jobtables[JOBTABLES];

struct job_metric {
    double value; /* NaN: n/a */
    const char *note;
};

struct jobdata {
    const char *dir;       /* the caller's */
    struct ytree *job;     /* job.json; NULL: none */
    struct ytree *metrics; /* metrics.json */
    /* members of it: "job", "health", "insights" (empty without findings) */
    const struct ynode *about, *health, *findings;
    /* of the traces, when they are there */
    int live;
    struct joblist jobs;
    struct totals totals;
    struct summary summary;
    struct result result;
    const char *command;      /* "": not known */
    char gone[SUMMARY_WORDS]; /* who was not traced, and why; "": none */
    size_t commands_more;     /* other ones that no traced process started */
    struct jobscan *scan;     /* NULL: the traces have gone, or are a profile */
    /* in any case */
    struct job_metric metric[METRIC_COUNT];
    struct textable *table[VIEW_COUNT]; /* those of jobtables */
};

/* 0, or -1 with err: there are neither traces nor tables. */
int jobdata_load (struct jobdata *d,
                  const char *dir,
                  const struct kind_rules *rules,
                  struct errtext *err);
void jobdata_clear (struct jobdata *d); /* zeroed is fine */

/* A member of an object of JSON: its text, "" if it is null or not there; its
 * number, NaN; 0. n may be NULL. */
const char *jobdata_text (const struct ynode *n, const char *key);
double jobdata_double (const struct ynode *n, const char *key);
uint64_t jobdata_count (const struct ynode *n, const char *key);

/* A table's cell as CSV has it, by the name of its column; "" n/a. */
const char *
jobdata_cell (const struct textable *t, size_t row, const char *column);
/* Its value; NaN: n/a. */
double jobdata_number (const struct jobdata *d,
                       enum view view,
                       size_t row,
                       const char *column);

/* Return 1 if a row of the bill is a rank's, not only a process's. */
int jobdata_ranked (const struct jobdata *d);

/* --- page_tables.c: tables of a job as sections of its page --- */

void page_tables (FILE *out, const struct jobdata *d);

/* The longest calls, and what the reader selected; reads the traces again. 0,
 * or -1 with err. */
int page_events (FILE *out,
                 const struct jobdata *d,
                 const struct kind_rules *rules,
                 struct errtext *err);

/* Is row (from 1) of the table NAME (a file of views.def) on the page? Its id
 * is then NAME-row. */
int page_tables_row (const struct jobdata *d, const char *name, size_t row);

/* -- files of a job -> tables of their directories and patterns -- */

void page_directories (FILE *out, const struct jobdata *d);
