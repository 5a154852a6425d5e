/* SPDX-License-Identifier: MIT
 *
 * mpilarge.h - functions with large counts of an MPI that has none
 *
 * A program may ask by a weak reference whether its MPI has functions such as
 * MPI_File_write_c (mpi4py does). It finds ours, so that these have to work
 * with an MPI that is older than MPI 4, too.
 */
#ifndef DFT_MPI_MPILARGE_H
#define DFT_MPI_MPILARGE_H

#include "preload/mpi/mpireal.h"

struct mpilarge {
    mpiword made; /* a type of ours, or 0 */
};

/* Count and type as the function without large counts takes them, if that is
 * what the process has for this row: a count beyond an int becomes one element
 * of a type that is made here. 0, or -1 where there is no such type. */
int mpilarge_begin (struct mpilarge *l,
                    enum mpirow row,
                    mpiword *count,
                    mpiword *type);

/* The type may go as soon as the call is back, also where a request has been
 * posted. */
void mpilarge_end (struct mpilarge *l);

#endif
