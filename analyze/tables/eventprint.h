/* SPDX-License-Identifier: MIT
 *
 * eventprint.h - one event -> a line of text, CSV, JSON, Chrome's trace viewer
 */
#ifndef DFT_TABLES_EVENTPRINT_H
#define DFT_TABLES_EVENTPRINT_H

#include <stdio.h>

#include "analyze/scan/where.h"
#include "analyze/trace/batch.h"

/* -- one event -> a line of text, CSV, JSON, Chrome's trace viewer -- */

/* In CSV and JSON time_ns is ns since 1970, dur_ns how long the event lasted.
 * Text has seconds since the start of the process, Chrome us since that of the
 * job. */
enum event_format {
    EVENTS_CSV,
    EVENTS_JSONL,
    EVENTS_CHROME,
    EVENTS_TEXT /* columns separated by tabs */
};

struct eventprint {
    enum event_format format;
    FILE *out;
    const struct dict *dict;
    uint64_t start;  /* of the job, ns of CLOCK_REALTIME; for Chrome */
    uint64_t events; /* printed */
};

/* -- events of a job -> lines of any format -- */

/* Print events to out: by their ends those that where lets through; or all,
 * thread by thread. *bad gets the events that cannot be decoded. 0, or -1:
 * ENOMEM, by time also EINVAL: a word of where is in no event (err says the
 * nearest). Errors of writing stay in out. */
int eventwrite_by_time (enum event_format format,
                        FILE *out,
                        const struct where *where,
                        const struct parts *parts,
                        uint64_t *bad,
                        struct errtext *err);
int eventwrite_by_thread (enum event_format format,
                          FILE *out,
                          const struct parts *parts,
                          uint64_t *bad);

#endif
