/* SPDX-License-Identifier: MIT
 *
 * jobmetrics.c - the metrics of a job as OpenMetrics text
 *
 * In:  a job that has been read
 * Out: text for the directory of a node exporter's text files
 */
#include "config.h"

#include "analyze/tables/jobmetrics.h"

#include <inttypes.h>

#include "analyze/facts/metrics.h"
#include "lib/model/openmetrics.h"

static void
jobmetrics_text (struct openmetrics *m, const char *name, const char *text)
{
    if (text && *text)
        openmetrics_label (m, name, text);
}

/* Labels of whose value there is none are left out: a label that is empty is
 * the same as none. */
static void jobmetrics_labels (struct openmetrics *m, const struct job *job)
{
    const struct job_info *info = &job->info;
    char id[24];

    openmetrics_label (m, "run", job->label); /* `job` is a collector's */
    jobmetrics_text (m, "job_name", info->name);
    if (info->job_id) {
        (void)snprintf (id, sizeof (id), "%" PRIu64, info->job_id);
        openmetrics_label (m, "job_id", id);
    }
    jobmetrics_text (m, "user", info->user);
    jobmetrics_text (m, "point", info->point);
}

void jobmetrics_write (FILE *out, const struct result *r)
{
    for (int i = 0; i < METRIC_COUNT; i++) {
        const struct metric_info *info = &metric_table[i];
        struct metric_value v = metric_compute (r->summary, (enum metric)i);
        struct openmetrics sample;
        char name[80];

        if (!v.known)
            continue;
        (void)snprintf (name, sizeof (name), "dftrace_job_%s", info->name);
        openmetrics_family (out, name, info->definition, info->unit);
        sample = openmetrics_sample (out, name);
        jobmetrics_labels (&sample, r->job);
        openmetrics_value (&sample,
                           info->digits == 0 ? (double)v.whole : v.value);
    }
    openmetrics_end (out);
}
