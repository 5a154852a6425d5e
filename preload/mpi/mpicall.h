/* SPDX-License-Identifier: MIT
 *
 * mpicall.h - one call of MPI-IO under way
 *
 * Only the outermost call of a thread is recorded: Fortran's functions of MPICH
 * call those of C, and MPI may call itself.
 */
#pragma once

#include "preload/mpi/mpireal.h"

/* -- open files of MPI: handle -> name -- */

struct mpifile {
    mpiword handle;  /* 0: free */
    uint32_t name;   /* names_intern, of when it was last asked for */
    uint8_t ignored; /* filters leave it out */
    uint8_t has_view;
};

/* Return the path without a prefix of MPI such as "ufs:" or "lustre:". */
const char *mpifile_path (const char *path);

/* A file was opened. Where there is no room, calls on it have no name, and
 * that is counted. Not 0: filters leave it out. */
int mpifile_open (const struct layerdoor *door, mpiword fh, const char *path);

/* The entry of a handle, or NULL. It stays until the file is closed. */
struct mpifile *mpifile_of (mpiword fh);

/* Id of its name now; 0: none. */
uint32_t mpifile_name (const struct layerdoor *door, struct mpifile *f);

void mpifile_close (struct mpifile *f);

/* -- one call of MPI-IO under way -- */

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

/* -- functions with large counts of an MPI that has none -- */

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

/* -- transfers under way: request -> what was asked -- */

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

/* -- a call in which ranks wait for each other -- */

struct mpimeet {
    const struct layerdoor *door; /* NULL: it is in another one, not wanted */
    uint64_t start;
};

void mpimeet_begin (struct mpimeet *m);
void mpimeet_end (const struct mpimeet *m, const char *name);

/* -- one call that waits for requests, or tests them -- */

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
