/* SPDX-License-Identifier: MIT
 *
 * results.h - a job that has been read -> metrics.json and tables/
 */
#ifndef DFT_TABLES_RESULTS_H
#define DFT_TABLES_RESULTS_H

#include <stdio.h>

#include "analyze/tables/views.h"

/* -- a job that has been read -> metrics.json and tables/ -- */

/* A member that is removed, or means something else, is a new version. */
enum { RESULTS_VERSION = 2 };

/* metrics.json of one job. Says nothing of where the traces lie, so shards
 * and their merged trace give the same bytes. Errors stay in out. */
void results_json (const struct result *r, FILE *out);

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

#endif
