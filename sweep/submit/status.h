/* SPDX-License-Identifier: MIT
 *
 * status.h - status files and Slurm's word -> what came of every run
 */
#pragma once

#include <stdio.h>

#include "sweep/run/runstatus.h"
#include "sweep/submit/journal.h"

/* One run, in the order of the arrays. */
struct run_report {
    struct run run;
    const struct chunk *chunk;
    int task;
    int attempt; /* newest; -1: none */
    struct runstatus status;
    enum outcome outcome;
    const char *reason; /* of Slurm, or "" */
};

struct sweep_report {
    struct run_report *run;
    size_t count;
    size_t by_outcome[OUTCOME_COUNT];
    size_t good, open, bad;
    int slurm_known;           /* Slurm was asked and answered */
    const char *silence;       /* why it did not answer, or "" */
    const char *analysis_lost; /* the job that is to make the tables, which
                                  has gone without making them; or NULL */
    uint32_t *row;             /* of a run in run, and one; 0: not there */
    size_t repeats;
};

enum status_sources {
    STATUS_FILES = 0,
    STATUS_SLURM = 1,   /* ask Slurm as well */
    STATUS_SETTLED = 2, /* all jobs are known to have ended: no grace */
};

void status_read (struct sweepdir *d, unsigned sources, struct sweep_report *r);

/* The row of a run, or NULL. */
const struct run_report *status_of (const struct sweep_report *r,
                                    struct run run);

/* The row of the control in the task of a run, or NULL. */
const struct run_report *status_of_control (const struct sweepdir *d,
                                            const struct sweep_report *r,
                                            struct run run);

/* Did the run, or its control, end in a state of `retry:`? */
int status_wants_retry (const struct sweepdir *d,
                        const struct sweep_report *r,
                        struct run run);

/* After rows were taken out: count, and find rows, anew. */
void status_count (struct sweep_report *r);

/* "exit 3", "on n1", a reason of Slurm, or "". */
const char *status_why (struct sweepdir *d, const struct run_report *r);

/* The table for people; JSON for programs. */
void status_print (FILE *out, struct sweepdir *d, const struct sweep_report *r);
void status_print_json (FILE *out,
                        struct sweepdir *d,
                        const struct sweep_report *r);
