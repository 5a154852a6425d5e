/* SPDX-License-Identifier: MIT
 *
 * metricwords.h - the name of a metric -> words for a figure or a column
 */
#ifndef DFT_REPORT_METRICWORDS_H
#define DFT_REPORT_METRICWORDS_H

/* "read_time" -> "read time", "bill_sync" -> "ranks' time: sync"; malloc'd,
 * NULL: ENOMEM. Any name will do. */
char *metricwords (const char *metric);

#endif
