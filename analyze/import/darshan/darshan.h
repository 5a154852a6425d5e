/* SPDX-License-Identifier: MIT
 *
 * darshan.h - a log of Darshan -> processes, rows of counters, events
 *
 * A rank of which the log has a record is a process; what Darshan has added up
 * over all ranks is one, too, of no rank. Counters become rows of a profile
 * (profrows.h), segments of DXT events, by which the rows are then less:
 * nothing counts twice. doc/peers.md says which counter becomes what.
 */

/* Design. A log of Darshan (analyze/import/darshan/) becomes a trace of ours
 * in memory: a process for each rank, chunks of DXT's segments as events,
 * and rows of a profile beside it, less what DXT has. Nothing behind
 * darshan_open knows where they came from, but for the mounts and the
 * striping, which go to the totals as they are. */

#pragma once

#include "analyze/import/darshan/darshanlog.h"
#include "analyze/trace/profrows.h"
#include "lib/format/tracefile.h"

/* A mount that the log names, a file on Lustre. */
struct darshan_mount {
    char *point, *type; /* owned */
};
struct darshan_striping {
    char *path; /* owned */
    uint64_t stripes, stripe_bytes, components;
};

struct darshan_facts {
    struct darshan_mount *mount; /* owned */
    struct darshan_striping *striping;
    size_t mounts, stripings, striping_room;
};

void darshan_facts_clear (struct darshan_facts *f); /* zeroed is fine */

/* Read a log. Rows, facts and account are to be cleared by the caller in any
 * case. NULL with err, errno: not readable, not such a log. */
struct tracefile *darshan_open (const char *path,
                                struct profrows *rows,
                                struct darshan_facts *facts,
                                struct darshan_account *account,
                                struct errtext *err);
