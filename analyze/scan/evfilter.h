/* SPDX-License-Identifier: MIT
 *
 * evfilter.h - evaluate a condition (--where) on a batch of events
 *
 * A condition is evaluated column by column for a whole batch. A term that
 * depends only on a call, file, region or thread is evaluated once for each of
 * these.
 */
#pragma once

#include "analyze/scan/column.h"
#include "analyze/scan/where.h"
#include "analyze/trace/batch.h"

/* A term that an entry of the dictionary or the thread decides, for event i of
 * the source's batch. */
int evterm_entry (const struct where_node *n,
                  const struct column_source *s,
                  size_t i);

/* The numbers of a column, and which events have one. */
void evterm_numbers (enum where_column column,
                     const struct column_source *s,
                     uint64_t start,
                     int64_t *value,
                     unsigned char *has);

/* The text of event i; NULL: none. buf has room for KEYTEXT_MAX. */
const char *evterm_text (enum where_column column,
                         const struct column_source *s,
                         size_t i,
                         char *buf);

struct column_source;
struct evfilter_memo;

/* Zero but for the first four. */
struct evfilter {
    const struct where *where; /* NULL: everything is wanted */
    struct dict *dict;
    uint64_t start;               /* of the job, ns of CLOCK_REALTIME */
    struct column_source *source; /* of a query, which has seen the batch; NULL:
                                     there is none */
    struct column_source *own;    /* instead; owned */
    struct evfilter_memo *memo;   /* of each node; owned */
    const struct trace_process *who;
    uint32_t tid;
};

/* wanted[i]: is event i of the batch wanted? */
void evfilter_batch (struct evfilter *f,
                     const struct batch *b,
                     unsigned char *wanted);

void evfilter_clear (struct evfilter *f);
