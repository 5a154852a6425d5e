/* SPDX-License-Identifier: MIT
 *
 * resume.h - runs of a report -> another round, written and submitted
 */
#ifndef DFT_SWEEP_RESUME_H
#define DFT_SWEEP_RESUME_H

#include "sweep/submit/status.h"

struct resume_plan {
    const struct run *run; /* in the order of the sweep */
    size_t runs;
    const char *const *nodes;   /* per run, or NULL: anywhere */
    double grow_time, grow_mem; /* factors; 0: as in the sweep file */
};

/* Which rows of the report can run again: what has ended and is not done, or
 * what is not done and was asked for by state. In d's memory. */
void resume_choose (struct sweepdir *d,
                    const struct sweep_report *r,
                    struct resume_plan *p);

/* As resume_choose, by `retry:` of the sweep file: runs in its states that were
 * tried less often than it says. Sets the factors too. */
void resume_choose_retries (struct sweepdir *d,
                            const struct sweep_report *r,
                            struct resume_plan *p);

/* Every chosen run goes where it was tried last. */
void resume_same_nodes (struct sweepdir *d,
                        const struct sweep_report *r,
                        struct resume_plan *p);

/* -1 and err when a factor has nothing to multiply. */
int resume_check_grow (const struct sweepdir *d,
                       const struct resume_plan *p,
                       struct errtext *err);

/* Write the round; the directory must be opened anew to see it. */
int resume_write (struct sweepdir *d,
                  const struct resume_plan *p,
                  struct errtext *err);

#endif
