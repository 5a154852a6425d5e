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

/* Texts are never NULL, "" not known; of the job or of its files. */
struct job_facts {
    const char *label, *name, *user, *nodelist, *point, *created, *layers;
    uint64_t job_id, array_job_id; /* 0: none */
    int64_t array_task_id;         /* -1: none */
    uint64_t processes, ranks, hosts;
    /* health */
    int complete;
    uint64_t events, lost_events, lost_names, damaged_files, unreadable_files;
    uint64_t stages_missing, untraced_processes;
};

struct job_metric {
    double value; /* NaN: n/a */
    const char *note;
};

struct job_finding {
    const char *severity;
    double cost, percent; /* s and of the job; NaN: it costs no time */
    const char *rule, *finding, *view, *a_is, *b_is, *subject, *source, *advice;
    char place[SUBJECT_PLACE];
    double value, limit, a, b;
    size_t rows;
    struct {
        size_t row; /* of the view, from 1 */
        const char *name;
    } row[INSIGHT_ROWS_MAX];
};

struct jobdata {
    const char *dir;       /* the caller's */
    struct ytree *job;     /* job.json; NULL: none */
    struct ytree *metrics; /* metrics.json; the texts below are its */
    /* of the traces, when they are there */
    int live;
    struct joblist jobs;
    struct totals totals;
    struct summary summary;
    struct result result;
    char *command;
    char gone[SUMMARY_WORDS]; /* who was not traced, and why; "": none */
    size_t commands_more;     /* other ones that no traced process started */
    struct jobscan *scan;     /* NULL: the traces have gone, or are a profile */
    /* in any case */
    struct job_facts facts;
    struct job_metric metric[METRIC_COUNT];
    const char *verdict;         /* where no finding is worth its cost */
    struct job_finding *finding; /* owned; in the order of insights_find */
    size_t findings;
    struct textable *table[VIEW_COUNT]; /* those of jobtables */
};

/* 0, or -1 with err: there are neither traces nor tables. */
int jobdata_load (struct jobdata *d,
                  const char *dir,
                  const struct kind_rules *rules,
                  struct errtext *err);
void jobdata_clear (struct jobdata *d); /* zeroed is fine */

/* The value of a table's cell by the name of its column; NaN: n/a. */
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
