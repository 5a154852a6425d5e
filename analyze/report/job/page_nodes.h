/* SPDX-License-Identifier: MIT
 *
 * page_nodes.h - the section of a job's page about its nodes
 */
#ifndef DFT_REPORT_PAGE_NODES_H
#define DFT_REPORT_PAGE_NODES_H

#include <stdio.h>

#include "analyze/report/job/jobdata.h"

/* A row a node; nothing for a job of one node, or without its traces. */
void page_nodes (FILE *out, const struct jobdata *d);

#endif
