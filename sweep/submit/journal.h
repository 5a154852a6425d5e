/* SPDX-License-Identifier: MIT
 *
 * journal.h - what the driver asked Slurm for: one JSON line each, fsynced
 */
#pragma once

#include "sweep/plan/sweepdir.h"

/* Append {"time":…,"event":event, key: value, …} to DIR/journal.jsonl and
 * wait until it is on disk. The pairs end with NULL. */
void journal_add (const struct sweepdir *d, const char *event, ...)
    __attribute__ ((sentinel));

struct journal {
    const char **job;      /* per chunk of the layout: array job id, or NULL */
    char *intended;        /* per chunk: sbatch was to be called */
    char *released;        /* per chunk: its job is no longer held */
    char *cancelled;       /* per chunk: as a whole, or what waited of it */
    const char *gone;      /* ids of single runs that were cancelled, "a b " */
    int64_t killed_time;   /* when running ones were last cancelled; 0: never */
    const char *analysis;  /* job id of the last one, or NULL */
    int64_t analysis_time; /* when it was submitted, seconds since 1970 */
    int analysis_goes_on;  /* it submits what is still to come */
    int analyses;          /* so many */
    int analysis_intended; /* number of the last that was to be; -1: none */
    int analysis_behind;   /* arrays were submitted after the last one */
    int submitted;         /* chunks with a job id */
};

/* All that was written; an absent file is an empty journal. A torn last line
 * is left out. */
void journal_read (const struct sweepdir *d, struct journal *j);
