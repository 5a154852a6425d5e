/* SPDX-License-Identifier: MIT
 *
 * mpireal.h - the MPI that this process has: functions, handles, constants
 *
 * No MPI is linked and no header of one is used. What the two families of MPI
 * differ in are the widths of handles (pointers in Open MPI, ints in MPICH and
 * its relatives); both fit a machine word, in which arguments are handed on as
 * they came.
 */
#pragma once

#include <stdint.h>

#include "preload/record/layerdoor.h"

typedef uintptr_t mpiword;

enum mpirow {
#define TRANSFER(NAME, FORTRAN, SHAPE) MPIROW_##NAME,
#define OTHER(NAME, FORTRAN)           MPIROW_##NAME,
#define MEETS(NAME, FORTRAN, N)        MPIROW_##NAME,
#include "preload/mpi/mpicalls.def"
#undef TRANSFER
#undef OTHER
#undef MEETS
    MPIROW_COUNT
};

/* How a function was called. */
enum mpiform {
    MPIFORM_C,
    MPIFORM_LARGE, /* C, counts of MPI_Count */
    /* All arguments are addresses, handles are ints: */
    MPIFORM_FORTRAN,
    MPIFORM_FORTRAN2, /* two underscores */
    MPIFORM_F08,
    MPIFORM_COUNT
};

enum mpiabi { MPIABI_NONE, MPIABI_OPENMPI, MPIABI_MPICH };

enum {
    MPI_ERROR = 16,       /* "other error", where there is no such function */
    MPISTATUS_BYTES = 24, /* the larger of the two */
    MPISTATUS_MPICH = 20,
    MPISTATUS_INTS = 6 /* Fortran's */
};

static inline int mpi_is_fortran (enum mpiform form)
{
    return form >= MPIFORM_FORTRAN;
}

/* The real function; NULL where the process has none. */
void *mpireal (enum mpirow row, enum mpiform form);

/* Whose handles these are; MPIABI_NONE: neither family's, nothing is asked
 * and nothing recorded. */
enum mpiabi mpireal_abi (void);

/* The recorder, if it wants events of this layer now, else NULL. */
const struct layerdoor *mpireal_door (void);

/* Questions that communicate with nobody; for arguments of calls that have
 * succeeded, since MPI may end the program for bad ones. */
int64_t mpireal_type_size (mpiword type); /* bytes; 0: not known */
int64_t mpireal_type_extent (mpiword type);
/* A type of blocks of another one: lengths in elements, places in bytes. 0 and
 * *made, which is to be freed; -1: there is none. */
int mpireal_type_make (int blocks,
                       const int *lengths,
                       const intptr_t *places,
                       mpiword type,
                       mpiword *made);
void mpireal_type_free (mpiword *type);
int64_t mpireal_status_bytes (const void *status, int fortran); /* -1: no */
int mpireal_comm (mpiword comm, int *rank, int *size);          /* 0, -1 */
mpiword mpireal_world (void);
int64_t mpireal_byte_offset (mpiword fh, int64_t offset); /* -1: not known */

/* "key=value;key=value" of the hints that were given; "": none. */
void mpireal_hints (mpiword info, char *text, size_t size);

/* Fortran's int -> handle of C; 0: not known. */
enum mpihandle {
    MPIHANDLE_FILE,
    MPIHANDLE_TYPE,
    MPIHANDLE_COMM,
    MPIHANDLE_INFO
};
mpiword mpireal_f2c (enum mpihandle what, int handle);

/* True when the caller does not want this status (or these). */
int mpireal_ignores (const void *status, int fortran);
