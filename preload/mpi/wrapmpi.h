/* SPDX-License-Identifier: MIT
 *
 * wrapmpi.h - what the wrappers have in common
 *
 * Arguments are machine words, handed on as they came: whatever is narrower
 * has its value in the low bits. The prototypes are nobody's, as the symbols
 * are all that a program sees.
 */
#ifndef DFT_MPI_WRAPMPI_H
#define DFT_MPI_WRAPMPI_H

#include "preload/mpi/mpicall.h"

typedef mpiword W;

#define MPIWRAP __attribute__ ((visibility ("default")))

/* Wrappers need no prototypes: nothing of ours calls them. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* rc of Fortran, whose variable may be missing in mpi_f08. */
static inline int *wrapmpi_error (W ierr, int *own)
{
    return ierr ? (int *)ierr : own;
}

/* What a handle, an integer of 8 bytes, an int was, in either language. */
static inline mpiword
wrapmpi_handle (enum mpiform form, enum mpihandle what, W handle)
{
    return mpi_is_fortran (form) ? mpireal_f2c (what, *(const int *)handle)
                                 : handle;
}

static inline int64_t wrapmpi_number (enum mpiform form, W number)
{
    return mpi_is_fortran (form) ? *(const int64_t *)number : (int64_t)number;
}

static inline int wrapmpi_int (enum mpiform form, W number)
{
    return mpi_is_fortran (form) ? *(const int *)number : (int)number;
}

#define OTHER_CALL(ROW, FORM)             \
    {                                     \
        .row = MPIROW_##ROW, .form = FORM \
    }

#endif
