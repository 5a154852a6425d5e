/* SPDX-License-Identifier: MIT
 *
 * submit.h - a frozen sweep -> held arrays -> analysis job -> release
 */
#ifndef DFT_SUBMIT_SUBMIT_H
#define DFT_SUBMIT_SUBMIT_H

#include "sweep/submit/journal.h"

struct submit_report {
    int arrays;   /* submitted or adopted by this call */
    int before;   /* were in the journal already */
    int released; /* by this call */
};

/* Everything the journal does not show as done yet; so calling it again is
 * harmless. With hold the arrays stay held. say (cookie, line) is called for
 * each step, for people. */
int submit_sweep (struct sweepdir *d,
                  int hold,
                  void (*say) (void *cookie, const char *line),
                  void *cookie,
                  struct submit_report *report,
                  struct errtext *err);

/* "4711,4712" of all arrays in the journal. */
const char *submit_job_list (const struct sweepdir *d, const struct journal *j);

/* The text of the batch script of a chunk that waits for no other. */
const char *submit_preview (struct sweepdir *d, const struct chunk *c);

#endif
