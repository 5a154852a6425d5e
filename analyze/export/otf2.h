/* SPDX-License-Identifier: MIT
 *
 * otf2.h - events of a job -> an archive of the Open Trace Format 2
 */
#ifndef DFT_EXPORT_OTF2_H
#define DFT_EXPORT_OTF2_H

#include "analyze/scan/where.h"
#include "analyze/trace/parts.h"

struct otf2_report {
    uint64_t events;   /* written */
    uint64_t bad;      /* in chunks that cannot be decoded */
    uint64_t left_out; /* more at a time than a thread may have locations */
};

/* Write directory path with traces.otf2, traces.def and traces/, atomically:
 * the events that where lets through. 0, or -1 with err; also where this build
 * has no OTF2. */
int otf2_write (const struct parts *parts,
                const struct where *where,
                const char *path,
                struct otf2_report *report,
                struct errtext *err);

#endif
