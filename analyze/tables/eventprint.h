/* SPDX-License-Identifier: MIT
 *
 * eventprint.h - events as lines and as a table
 */
#pragma once

#include "analyze/query/query.h"
#include "analyze/scan/where.h"
#include "analyze/tables/views.h"
#include "analyze/trace/batch.h"

/* --- eventprint.c: one event -> a line of text, CSV, JSON, Chrome's trace
 * viewer ---
 */

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

/* --- eventtable.c: the events that a condition lets through -> rows (--view
 * event) ---
 */

/* -- the events that a condition lets through -> rows (--view event) -- */

enum { EVENTTABLE_MAX = 1 << 20 }; /* rows; more are refused */

struct eventtable {
    const struct where *where; /* NULL: all events */
    enum where_column sort;    /* of numbers */
    int ascending;
    size_t top; /* 0: all of them */
    int threads;
};

/* Columns that --sort takes: numbers of events. 0, or -1 with err. */
int eventtable_parse_sort (struct eventtable *e,
                           const char *word,
                           struct errtext *err);

/* A row for each event, in order; reads the job again. 0, or -1 with err. */
int eventtable_rows (struct textable *t,
                     const struct eventtable *e,
                     const struct result *r,
                     const struct kind_rules *rules,
                     struct errtext *err);

/* -- an event that is kept -> a row of --view event -- */

/* An event that is kept. */
struct eventrow {
    int64_t by; /* what it is sorted by, turned so that less comes first */
    uint64_t start, end, bytes;
    size_t split, at; /* which one it is */
    const struct trace_process *who;
    uint32_t tid, name, name2;
    uint16_t call;
    int has_bytes;
    int64_t rank, step, offset;
    uint64_t size, flags;
    int32_t error;
    struct batch_arg *arg; /* owned */
    uint32_t args;
};

void eventrow_columns (struct textable *t);
