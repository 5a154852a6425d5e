/* SPDX-License-Identifier: MIT
 *
 * page_insights.h - what is worth a look in a job, as a section of its page
 */
#ifndef DFT_REPORT_PAGE_INSIGHTS_H
#define DFT_REPORT_PAGE_INSIGHTS_H

#include <stdio.h>

#include "analyze/report/job/jobdata.h"

void page_insights (FILE *out, const struct jobdata *d);

#endif
