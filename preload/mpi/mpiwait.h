/* SPDX-License-Identifier: MIT
 *
 * mpiwait.h - one call that waits for requests, or tests them
 */
#ifndef DFT_MPI_MPIWAIT_H
#define DFT_MPI_MPIWAIT_H

#include "preload/mpi/mpicall.h"

enum { MPIWAIT_MAX = 64 }; /* requests of files that one call is followed for */

enum mpiwaits { MPIWAITS_ALL, MPIWAITS_ANY, MPIWAITS_SOME };

struct mpiwait {
    enum mpiform form;
    enum mpiwaits waits;
    int n; /* requests */
    const void *requests;
    void *statuses; /* what is to be handed on */
    /* of those that have them; NULL: not this call */
    const int *flag;  /* 0 afterwards: nothing has ended */
    const int *index; /* which one ended, or of all that did */
    const int *outcount;
    /* ours: */
    const struct layerdoor *door; /* NULL: not followed */
    uint64_t start;
    int hits;
    struct {
        int index, found;
    } hit[MPIWAIT_MAX];
    int has_statuses; /* else bytes are those asked for */
    char own[MPIWAIT_MAX * MPISTATUS_BYTES] __attribute__ ((aligned (16)));
};

/* Before and after the real call. begin may put statuses of ours in place. */
void mpiwait_begin (struct mpiwait *w);
void mpiwait_end (struct mpiwait *w, int rc);

#endif
