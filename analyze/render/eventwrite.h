/* SPDX-License-Identifier: MIT
 *
 * eventwrite.h - events of a job -> CSV, JSON lines, Chrome's trace viewer
 */
#ifndef DFT_ANALYZE_EVENTWRITE_H
#define DFT_ANALYZE_EVENTWRITE_H

#include <stdio.h>

#include "analyze/trace/evname.h"
#include "analyze/trace/parts.h"
#include "analyze/query/where.h"

enum event_format { EVENTS_CSV, EVENTS_JSONL, EVENTS_CHROME };

struct eventwrite {
    enum event_format format;
    const struct where *where;
    FILE *out;
    /* private */
    uint64_t start, events; /* ns of CLOCK_REALTIME; written */
    /* texts of the event at hand */
    char category[EVNAME_TEXT], name[EVNAME_TEXT], file[EVNAME_TEXT];
};

/* 0, or -1 (ENOMEM); *bad gets the events that cannot be decoded. Errors of
 * writing stay in out. */
int eventwrite_all (struct eventwrite *x,
                    const struct parts *parts,
                    uint64_t *bad);

#endif
