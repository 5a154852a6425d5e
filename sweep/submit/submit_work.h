/* SPDX-License-Identifier: MIT
 *
 * submit_work.h - what the parts of a submission share
 */
#ifndef DFT_SWEEP_SUBMIT_WORK_H
#define DFT_SWEEP_SUBMIT_WORK_H

#include "sweep/submit/submit.h"

struct submission {
    struct sweepdir *sweep;
    struct arena *arena;
    struct journal journal;
    int hold;
    void (*say) (void *cookie, const char *line);
    void *cookie;
    struct submit_report *report;
    struct errtext *err;
};

/* Chunk n is submitted, and still held by us. */
int wave_has (const struct submission *s, size_t n);

/* "4711,4712": the arrays of the wave. */
const char *wave_jobs (const struct submission *s);

/* Runs that no array in Slurm has yet. */
size_t wave_runs_to_come (const struct submission *s);

/* Are we in that job ourselves? */
int wave_is_own_job (const char *job);

/* What sbatch said, and what to do; always -1. */
int wave_explain (struct submission *s, const char *name);

/* 0, or as slurm_submit. */
int wave_submit_chunk (struct submission *s, size_t n);

/* Chunk n becomes two of half its size. */
int wave_halve (struct submission *s, size_t n);

/* The analysis job, when arrays were submitted since the last. -1 and err. */
int wave_submit_analysis (struct submission *s);

#endif
