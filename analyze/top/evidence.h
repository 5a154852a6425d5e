/* SPDX-License-Identifier: MIT
 *
 * evidence.h - what shows that a process or a job has ended
 */
#ifndef DFT_TOP_EVIDENCE_H
#define DFT_TOP_EVIDENCE_H

#include "lib/format/tracefile.h"

enum evidence {
    EVIDENCE_NONE,    /* it may be running */
    EVIDENCE_COMMAND, /* its command has ended; what that started may run */
    EVIDENCE_ALL,     /* each node of it has done its epilog */
    EVIDENCE_NOBODY   /* nobody would say so: it has no job.json */
};

/* The evidence for the job in that directory. */
enum evidence evidence_of_job (const char *dir);

/* The process has ended: it said so, or it was on this host and is gone. */
int evidence_of_process (const struct trace_process *who);

#endif
