/* SPDX-License-Identifier: MIT
 *
 * jobfaults.h - page-fault stalls of fault_times.csv -> a lane of the timeline
 */
#ifndef DFT_REPORT_JOBFAULTS_H
#define DFT_REPORT_JOBFAULTS_H

#include "report/csv.h"
#include "report/job/jobscan.h"

/* Times in the table count from the begin of the job; a stall lies somewhere in
 * its stretch of time, which gets an even share of it. */
void jobfaults_take (struct jobscan *s, const struct csv *times);

#endif
