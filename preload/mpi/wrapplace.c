/* SPDX-License-Identifier: MIT
 *
 * wrapplace.c - the wrappers of size, position and sync of a file of MPI; of
 *               MPI_Init
 */
#include "config.h"

#include <errno.h>

#include "preload/mpi/wrapmpi.h"

/* --- size, position, sync ----------------------------------------------------
 */

/* What n means depends on the call. */
static void
wrapplace_done (struct mpicall *c, enum call call, int rc, W fh, W n, W whence)
{
    int saved_errno = errno;
    struct record r;

    if (!c->door)
        return;
    mpicall_result (c, &r, call, rc);
    if (call == CALL_MPI_File_seek || call == CALL_MPI_File_seek_shared) {
        r.offset = wrapmpi_number (c->form, n);
        r.flags = (uint64_t)(unsigned)wrapmpi_int (c->form, whence);
    } else if (call != CALL_MPI_File_sync)
        r.size = (uint64_t)wrapmpi_number (c->form, n);
    mpicall_record (c, &r,
                    mpifile_of (wrapmpi_handle (c->form, MPIHANDLE_FILE, fh)));
    errno = saved_errno;
}

#define C_SIMPLE(ROW, PARAMS, TYPES, ARGS, N, WHENCE)       \
    MPIWRAP int ROW PARAMS                                  \
    {                                                       \
        struct mpicall c = OTHER_CALL (ROW, MPIFORM_C);     \
        int (*real) TYPES = mpicall_begin (&c);             \
        int rc = real ? real ARGS : (int)MPI_ERROR;         \
                                                            \
        wrapplace_done (&c, CALL_##ROW, rc, fh, N, WHENCE); \
        return rc;                                          \
    }
#define F_SIMPLE(SYMBOL, ROW, FORM, PARAMS, TYPES, ARGS, N, WHENCE) \
    MPIWRAP void SYMBOL PARAMS                                      \
    {                                                               \
        struct mpicall c = OTHER_CALL (ROW, FORM);                  \
        void (*real) TYPES = mpicall_begin (&c);                    \
        int own = 0, *error = wrapmpi_error (ierr, &own);           \
                                                                    \
        if (real)                                                   \
            real ARGS;                                              \
        else                                                        \
            *error = MPI_ERROR;                                     \
        wrapplace_done (&c, CALL_##ROW, *error, fh, N, WHENCE);     \
    }
#define ONE(ROW, FORTRAN, C_PARAMS, C_TYPES, C_ARGS, PARAMS, TYPES, ARGS, N, \
            S)                                                               \
    C_SIMPLE (ROW, C_PARAMS, C_TYPES, C_ARGS, N, S)                          \
    F_SIMPLE (FORTRAN##_, ROW, MPIFORM_FORTRAN, PARAMS, TYPES, ARGS, N, S)   \
    F_SIMPLE (FORTRAN##__, ROW, MPIFORM_FORTRAN2, PARAMS, TYPES, ARGS, N, S) \
    F_SIMPLE (FORTRAN##_f08_, ROW, MPIFORM_F08, PARAMS, TYPES, ARGS, N, S)

ONE (MPI_File_set_size,
     mpi_file_set_size,
     (W fh, W n),
     (W, W),
     (fh, n),
     (W fh, W n, W ierr),
     (W, W, int *),
     (fh, n, error),
     n,
     0)
ONE (MPI_File_preallocate,
     mpi_file_preallocate,
     (W fh, W n),
     (W, W),
     (fh, n),
     (W fh, W n, W ierr),
     (W, W, int *),
     (fh, n, error),
     n,
     0)
ONE (MPI_File_sync,
     mpi_file_sync,
     (W fh),
     (W),
     (fh),
     (W fh, W ierr),
     (W, int *),
     (fh, error),
     0,
     0)
ONE (MPI_File_seek,
     mpi_file_seek,
     (W fh, W n, W whence),
     (W, W, W),
     (fh, n, whence),
     (W fh, W n, W whence, W ierr),
     (W, W, W, int *),
     (fh, n, whence, error),
     n,
     whence)
ONE (MPI_File_seek_shared,
     mpi_file_seek_shared,
     (W fh, W n, W whence),
     (W, W, W),
     (fh, n, whence),
     (W fh, W n, W whence, W ierr),
     (W, W, W, int *),
     (fh, n, whence, error),
     n,
     whence)

/* --- init --------------------------------------------------------------------
 */

static void wrapplace_begun (struct mpicall *c, int rc)
{
    if (c->door && rc == 0)
        mpicall_rank (c->door);
    mpicall_drop (c);
}

MPIWRAP int MPI_Init (W argc, W argv)
{
    struct mpicall c = OTHER_CALL (MPI_Init, MPIFORM_C);
    int (*real) (W, W) = mpicall_begin (&c);
    int rc = real ? real (argc, argv) : (int)MPI_ERROR;

    wrapplace_begun (&c, rc);
    return rc;
}

MPIWRAP int MPI_Init_thread (W argc, W argv, W required, W provided)
{
    struct mpicall c = OTHER_CALL (MPI_Init_thread, MPIFORM_C);
    int (*real) (W, W, W, W) = mpicall_begin (&c);
    int rc = real ? real (argc, argv, required, provided) : (int)MPI_ERROR;

    wrapplace_begun (&c, rc);
    return rc;
}

#define F_INIT(SYMBOL, FORM)                              \
    MPIWRAP void SYMBOL (W ierr)                          \
    {                                                     \
        struct mpicall c = OTHER_CALL (MPI_Init, FORM);   \
        void (*real) (int *) = mpicall_begin (&c);        \
        int own = 0, *error = wrapmpi_error (ierr, &own); \
                                                          \
        if (real)                                         \
            real (error);                                 \
        else                                              \
            *error = MPI_ERROR;                           \
        wrapplace_begun (&c, *error);                     \
    }
F_INIT (mpi_init_, MPIFORM_FORTRAN)
F_INIT (mpi_init__, MPIFORM_FORTRAN2)
F_INIT (mpi_init_f08_, MPIFORM_F08)

#define F_INIT_THREAD(SYMBOL, FORM)                            \
    MPIWRAP void SYMBOL (W required, W provided, W ierr)       \
    {                                                          \
        struct mpicall c = OTHER_CALL (MPI_Init_thread, FORM); \
        void (*real) (W, W, int *) = mpicall_begin (&c);       \
        int own = 0, *error = wrapmpi_error (ierr, &own);      \
                                                               \
        if (real)                                              \
            real (required, provided, error);                  \
        else                                                   \
            *error = MPI_ERROR;                                \
        wrapplace_begun (&c, *error);                          \
    }
F_INIT_THREAD (mpi_init_thread_, MPIFORM_FORTRAN)
F_INIT_THREAD (mpi_init_thread__, MPIFORM_FORTRAN2)
F_INIT_THREAD (mpi_init_thread_f08_, MPIFORM_F08)
