/* SPDX-License-Identifier: MIT
 *
 * mpicall.h - one call of MPI-IO under way
 *
 * Only the outermost call of a thread is recorded: Fortran's functions of MPICH
 * call those of C, and MPI may call itself.
 */
#ifndef DFT_MPI_MPICALL_H
#define DFT_MPI_MPICALL_H

#include "preload/mpi/mpifile.h"

enum mpishape { /* mpicalls.def */
                MPISHAPE_OTHER = 0,
                MPISHAPE_DATA,
                MPISHAPE_DATA_AT,
                MPISHAPE_POST,
                MPISHAPE_POST_AT,
                MPISHAPE_BEGIN,
                MPISHAPE_BEGIN_AT,
                MPISHAPE_END
};

struct mpicall {
    enum mpirow row;
    enum mpiform form;
    enum mpishape shape;
    /* As the program gave them; 0 where the shape has none. */
    mpiword fh, offset, count, type;
    mpiword last; /* status or request; what is to be handed on */
    /* ours: */
    const struct layerdoor *door; /* NULL: not recorded */
    uint64_t start;
    char own_status[2 * MPISTATUS_BYTES] __attribute__ ((aligned (16)));
};

/* This thread is in a call that is recorded. */
extern _Thread_local int mpicall_inside
    __attribute__ ((tls_model ("initial-exec"), visibility ("hidden")));

/* The real function, or NULL (the wrapper gives MPI_ERROR). Sets c->last to a
 * status of ours where the program wants none. */
void *mpicall_begin (struct mpicall *c);

/* A transfer or the post of one is done. rc: MPI's result. */
void mpicall_end (struct mpicall *c, int rc);

/* --- calls that are written out ------------------------------------------ */

/* *r filled for a call that has ended, of the given row of calls.def. */
void mpicall_result (const struct mpicall *c,
                     struct record *r,
                     enum call call,
                     int rc);

/* Recorded, with its file: f may be NULL. After it c is done. */
void mpicall_record (struct mpicall *c, struct record *r, struct mpifile *f);

/* Nothing is to be recorded after all. */
void mpicall_drop (struct mpicall *c);

/* An argument of an event. */
struct record_arg
mpicall_int (const struct layerdoor *door, const char *key, int64_t value);
struct record_arg
mpicall_text (const struct layerdoor *door, const char *key, const char *text);

/* Once in a process: who it is in MPI_COMM_WORLD. After MPI_Init. */
void mpicall_rank (const struct layerdoor *door);

#endif
