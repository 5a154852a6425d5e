/* SPDX-License-Identifier: MIT
 *
 * results.h - the results of a job: files, database, page
 */
#pragma once

#include <stdio.h>

#include "analyze/tables/analyzeopts.h"
#include "analyze/facts/summary.h"

/* --- results.c: a job that has been read -> metrics.json and tables/ --- */

/* A member that is removed, or means something else, is a new version. */
enum { RESULTS_VERSION = 2 };

/* metrics.json of one job; rows 0: without the rows of views. Says nothing of
 * where the traces lie, so shards and their merged trace give the same bytes.
 * Errors stay in out. */
void results_json (const struct result *r, int rows, FILE *out);

/* Write metrics.json and, if they are wanted, tables of a job directory, each
 * one atomically, mode 0600. No link in the directory is followed; where it is
 * somebody else's, they go to NAME.results in the working directory, and a
 * warning says so. again: a file that has its bytes already stays as it is. 0,
 * or -1 with err. */
int results_write (const struct result *r,
                   int tables,
                   int again,
                   struct errtext *err);

/* -- the JSON schema of metrics.json -- */

void schema_print (FILE *out);

/* --- database.c: tables of jobs -> one SQLite file --- */

struct database;

/* Begin a file that appears whole under its name, in the place of what is
 * there, with database_commit. NULL, errno and err: not writable; ENOTSUP
 * where the program was built without SQLite. */
struct database *database_create (const char *path, struct errtext *err);

/* A row of the table job, and all views of that job. 0, or -1 with err. */
int database_add (struct database *d,
                  const struct result *r,
                  struct errtext *err);

/* 0, or -1 with err; d is gone in any case. */
int database_commit (struct database *d, struct errtext *err);
void database_abort (struct database *d); /* NULL is fine, keeps errno */

/* --- jobpage.c: one job -> what `dftrace analyze` prints of it --- */

/* All views that have something to say, or the one of o->view, to standard
 * output. 0, or -1: not all could be written.
 * With `all` the rows of the view go there instead, under the job's label. */
int jobpage_print (const struct analyze_options *o,
                   const struct result *r,
                   struct textable *all);

/* -- the metrics of a job as OpenMetrics text -- */

/* A gauge dftrace_job_NAME for each metric that is known, with labels that say
 * which job it is. Errors stay in the stream. */
void jobmetrics_write (FILE *out, const struct result *r);
