/* SPDX-License-Identifier: MIT
 *
 * page_tables.h - tables of a job as sections of its page
 */
#ifndef DFT_JOB_PAGE_TABLES_H
#define DFT_JOB_PAGE_TABLES_H

#include <stdio.h>

#include "analyze/report/job/jobdata.h"

/* -- tables of a job as sections of its page -- */

void page_tables (FILE *out, const struct jobdata *d);

/* Is row (from 1) of the table NAME (a file of views.def) on the page? Its id
 * is then NAME-row. */
int page_tables_row (const struct jobdata *d, const char *name, size_t row);

/* -- files of a job -> tables of their directories and patterns -- */

/* 0, or -1 (ENOMEM). */
int page_directories (FILE *out, const struct jobdata *d);

#endif
