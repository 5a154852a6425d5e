/* SPDX-License-Identifier: MIT
 *
 * page_dirs.h - files of a job -> tables of their directories and patterns
 */
#ifndef DFT_REPORT_PAGE_DIRS_H
#define DFT_REPORT_PAGE_DIRS_H

#include <stdio.h>

#include "analyze/report/job/jobdata.h"

/* 0, or -1 (ENOMEM). */
int page_directories (FILE *out, const struct jobdata *d);

#endif
