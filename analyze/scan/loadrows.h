/* SPDX-License-Identifier: MIT
 *
 * loadrows.h - profiles of a job -> its totals
 */
#ifndef DFT_ANALYZE_LOADROWS_H
#define DFT_ANALYZE_LOADROWS_H

#include "analyze/scan/load.h"
#include "analyze/scan/scan.h"

/* Add the profiles of all sources to the scanner and the processes of t, whose
 * events have been read; main_tid: of each process, NULL: its first thread. A
 * condition asks for single events, so that with one nothing is added. 0, or -1
 * (ENOMEM). */
int loadrows (struct totals *t,
              struct pass *pass,
              struct scanner *s,
              const struct where *where,
              const uint32_t *main_tid);

/* The widest bin of all maps of time of a job, ns; 0: it has none. */
uint64_t loadrows_bin (const struct job *job);

/* Do the bins of the piece's source count its events already? */
int loadrows_have_events (const struct pass *pass, size_t piece);

/* Add mounts and files on Lustre from a log to the tally of the job. 0, or -1
 * (ENOMEM). */
int loadrows_facts (struct tally *t, const struct darshan_facts *f);

#endif
