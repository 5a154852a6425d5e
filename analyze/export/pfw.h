/* SPDX-License-Identifier: MIT
 *
 * pfw.h - traces of a job -> DFTracer's JSON lines (dialect of 2025)
 */
#ifndef DFT_EXPORT_PFW_H
#define DFT_EXPORT_PFW_H

#include "analyze/trace/parts.h"

struct pfw_report {
    uint64_t events;  /* written */
    uint64_t moments; /* starts and ends of processes: "ph" X, too */
    uint64_t bad;     /* in chunks that cannot be decoded */
};

/* Write path and path.idx, each atomically, mode 0600. Events are in the
 * order of their ends, over all threads. 0, or -1 with err. */
int pfw_write (const struct parts *parts,
               const char *path,
               struct pfw_report *report,
               struct errtext *err);

#endif
