/* SPDX-License-Identifier: MIT
 *
 * mpirequest.h - transfers under way: request -> what was asked
 */
#ifndef DFT_MPI_MPIREQUEST_H
#define DFT_MPI_MPIREQUEST_H

#include "preload/mpi/mpifile.h"

/* How many there are: where there are none, nobody looks further. */
extern unsigned mpirequest_pending __attribute__ ((visibility ("hidden")));

/* The request at `at` (a handle, an int of Fortran's) was made by call *r. When
 * there is no room, its end will not be seen: the trace has the post alone. */
void mpirequest_post (const void *at,
                      int fortran,
                      const struct record *r,
                      const struct mpifile *f);

/* The one that request i of an array is, or -1. */
int mpirequest_find (const void *requests, int i, int fortran);

/* It has ended: bytes as its status says (-1: not known) or err. 1, or 0 where
 * that was known. */
int mpirequest_done (const struct layerdoor *door,
                     int found,
                     int64_t bytes,
                     int err);

#endif
