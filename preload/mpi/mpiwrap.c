/* SPDX-License-Identifier: MIT
 *
 * mpiwrap.c - the wrappers of open, close and what else is done to a file of
 *              MPI
 *
 * In:  the arguments, handed on as they came
 * Out: records of class META and SYNC; the table of open files
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

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

/* Convert a handle, an integer of 8 bytes or an int from C or Fortran. */
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

enum { HINTS_MAX = 1024 };

/* Texts of Fortran end in blanks, not in NUL. */
static const char *wrapfile_text (W text, W length, char *out, size_t size)
{
    size_t n = (size_t)length < size ? (size_t)length : size - 1;

    while (n > 0 && ((const char *)text)[n - 1] == ' ')
        n--;
    memcpy (out, (const char *)text, n);
    out[n] = '\0';
    return out;
}

/* --- open, delete ----------------------------------------------------------
 */

/* How many open it, and the hints that were given. */
static uint8_t wrapfile_about (const struct mpicall *c,
                               W comm,
                               W info,
                               struct record_arg *args)
{
    char hints[HINTS_MAX];
    int rank, size;
    uint8_t n = 0;

    comm = wrapmpi_handle (c->form, MPIHANDLE_COMM, comm);
    if (mpireal_comm (comm, &rank, &size) == 0)
        args[n++] = mpicall_int (c->door, "mpi.comm_size", size);
    mpireal_hints (wrapmpi_handle (c->form, MPIHANDLE_INFO, info), hints,
                   sizeof (hints));
    if (hints[0])
        args[n++] = mpicall_text (c->door, "mpi.hints", hints);
    return n;
}

static void wrapfile_opened (
    struct mpicall *c, int rc, W comm, const char *path, W amode, W info, W fh)
{
    int saved_errno = errno;
    struct record_arg args[2];
    char text[1];
    struct record r;
    mpiword handle;
    int wanted;

    if (!c->door)
        return;
    mpicall_result (c, &r, CALL_MPI_File_open, rc);
    r.flags = (uint64_t)(unsigned)wrapmpi_int (c->form, amode);
    wanted = c->door->file (mpifile_path (path), &r.file, text, 0);
    if (rc == 0) {
        mpicall_rank (c->door);
        r.nargs = wrapfile_about (c, comm, info, args);
        r.args = args;
        handle = mpi_is_fortran (c->form)
                     ? wrapmpi_handle (c->form, MPIHANDLE_FILE, fh)
                     : *(const mpiword *)fh;
        (void)mpifile_open (c->door, handle, path);
    }
    if (wanted)
        c->door->record (&r);
    mpicall_drop (c);
    errno = saved_errno;
}

MPIWRAP int MPI_File_open (W comm, W path, W amode, W info, W fh)
{
    struct mpicall c = OTHER_CALL (MPI_File_open, MPIFORM_C);
    int (*real) (W, W, W, W, W) = mpicall_begin (&c);
    int rc = real ? real (comm, path, amode, info, fh) : (int)MPI_ERROR;

    wrapfile_opened (&c, rc, comm, (const char *)path, amode, info, fh);
    return rc;
}

#define F_OPEN(SYMBOL, FORM)                                                  \
    MPIWRAP void SYMBOL (W comm, W path, W amode, W info, W fh, W ierr, W n)  \
    {                                                                         \
        struct mpicall c = OTHER_CALL (MPI_File_open, FORM);                  \
        void (*real) (W, W, W, W, W, int *, W) = mpicall_begin (&c);          \
        int own = 0, *error = wrapmpi_error (ierr, &own);                     \
        char text[PATH_MAX];                                                  \
                                                                              \
        if (real)                                                             \
            real (comm, path, amode, info, fh, error, n);                     \
        else                                                                  \
            *error = MPI_ERROR;                                               \
        wrapfile_opened (&c, *error, comm,                                    \
                         wrapfile_text (path, n, text, sizeof (text)), amode, \
                         info, fh);                                           \
    }
F_OPEN (mpi_file_open_, MPIFORM_FORTRAN)
F_OPEN (mpi_file_open__, MPIFORM_FORTRAN2)
F_OPEN (mpi_file_open_f08_, MPIFORM_F08)

static void wrapfile_deleted (struct mpicall *c, int rc, const char *path)
{
    int saved_errno = errno;
    struct record r;
    char text[1];

    if (!c->door)
        return;
    mpicall_result (c, &r, CALL_MPI_File_delete, rc);
    if (c->door->file (mpifile_path (path), &r.file, text, 0))
        c->door->record (&r);
    mpicall_drop (c);
    errno = saved_errno;
}

MPIWRAP int MPI_File_delete (W path, W info)
{
    struct mpicall c = OTHER_CALL (MPI_File_delete, MPIFORM_C);
    int (*real) (W, W) = mpicall_begin (&c);
    int rc = real ? real (path, info) : (int)MPI_ERROR;

    wrapfile_deleted (&c, rc, (const char *)path);
    return rc;
}

#define F_DELETE(SYMBOL, FORM)                                           \
    MPIWRAP void SYMBOL (W path, W info, W ierr, W n)                    \
    {                                                                    \
        struct mpicall c = OTHER_CALL (MPI_File_delete, FORM);           \
        void (*real) (W, W, int *, W) = mpicall_begin (&c);              \
        int own = 0, *error = wrapmpi_error (ierr, &own);                \
        char text[PATH_MAX];                                             \
                                                                         \
        if (real)                                                        \
            real (path, info, error, n);                                 \
        else                                                             \
            *error = MPI_ERROR;                                          \
        wrapfile_deleted (&c, *error,                                    \
                          wrapfile_text (path, n, text, sizeof (text))); \
    }
F_DELETE (mpi_file_delete_, MPIFORM_FORTRAN)
F_DELETE (mpi_file_delete__, MPIFORM_FORTRAN2)
F_DELETE (mpi_file_delete_f08_, MPIFORM_F08)

/* --- close ------------------------------------------------------------------
 */

/* The handle is gone when the call is over: it is looked up before. */
static struct mpifile *wrapfile_closing (const struct mpicall *c, W fh)
{
    if (!c->door)
        return NULL;
    return mpifile_of (mpi_is_fortran (c->form)
                           ? wrapmpi_handle (c->form, MPIHANDLE_FILE, fh)
                           : *(const mpiword *)fh);
}

static void wrapfile_closed (struct mpicall *c, int rc, struct mpifile *f)
{
    int saved_errno = errno;
    struct record r;

    if (!c->door)
        return;
    mpicall_result (c, &r, CALL_MPI_File_close, rc);
    mpicall_record (c, &r, f);
    if (f)
        mpifile_close (f);
    errno = saved_errno;
}

MPIWRAP int MPI_File_close (W fh)
{
    struct mpicall c = OTHER_CALL (MPI_File_close, MPIFORM_C);
    int (*real) (W) = mpicall_begin (&c);
    struct mpifile *f = wrapfile_closing (&c, fh);
    int rc = real ? real (fh) : (int)MPI_ERROR;

    wrapfile_closed (&c, rc, f);
    return rc;
}

#define F_CLOSE(SYMBOL, FORM)                                 \
    MPIWRAP void SYMBOL (W fh, W ierr)                        \
    {                                                         \
        struct mpicall c = OTHER_CALL (MPI_File_close, FORM); \
        void (*real) (W, int *) = mpicall_begin (&c);         \
        struct mpifile *f = wrapfile_closing (&c, fh);        \
        int own = 0, *error = wrapmpi_error (ierr, &own);     \
                                                              \
        if (real)                                             \
            real (fh, error);                                 \
        else                                                  \
            *error = MPI_ERROR;                               \
        wrapfile_closed (&c, *error, f);                      \
    }
F_CLOSE (mpi_file_close_, MPIFORM_FORTRAN)
F_CLOSE (mpi_file_close__, MPIFORM_FORTRAN2)
F_CLOSE (mpi_file_close_f08_, MPIFORM_F08)

/* --- view -------------------------------------------------------------------
 */

static void wrapfile_viewed (
    struct mpicall *c, int rc, W fh, W displacement, W etype, W filetype)
{
    int saved_errno = errno;
    struct record_arg args[3];
    struct record r;
    struct mpifile *f;

    if (!c->door)
        return;
    mpicall_result (c, &r, CALL_MPI_File_set_view, rc);
    f = mpifile_of (wrapmpi_handle (c->form, MPIHANDLE_FILE, fh));
    if (rc == 0) {
        etype = wrapmpi_handle (c->form, MPIHANDLE_TYPE, etype);
        filetype = wrapmpi_handle (c->form, MPIHANDLE_TYPE, filetype);
        r.offset = wrapmpi_number (c->form, displacement);
        args[0] = mpicall_int (c->door, "mpi.etype", mpireal_type_size (etype));
        args[1] =
            mpicall_int (c->door, "mpi.filetype", mpireal_type_size (filetype));
        args[2] =
            mpicall_int (c->door, "mpi.extent", mpireal_type_extent (filetype));
        r.args = args;
        r.nargs = 3;
    }
    if (f && rc == 0)
        f->has_view = 1;
    mpicall_record (c, &r, f);
    errno = saved_errno;
}

MPIWRAP int MPI_File_set_view (W fh, W disp, W etype, W type, W rep, W info)
{
    struct mpicall c = OTHER_CALL (MPI_File_set_view, MPIFORM_C);
    int (*real) (W, W, W, W, W, W) = mpicall_begin (&c);
    int rc = real ? real (fh, disp, etype, type, rep, info) : (int)MPI_ERROR;

    wrapfile_viewed (&c, rc, fh, disp, etype, type);
    return rc;
}

#define F_VIEW(SYMBOL, FORM)                                                   \
    MPIWRAP void SYMBOL (W fh, W disp, W etype, W type, W rep, W info, W ierr, \
                         W n)                                                  \
    {                                                                          \
        struct mpicall c = OTHER_CALL (MPI_File_set_view, FORM);               \
        void (*real) (W, W, W, W, W, W, int *, W) = mpicall_begin (&c);        \
        int own = 0, *error = wrapmpi_error (ierr, &own);                      \
                                                                               \
        if (real)                                                              \
            real (fh, disp, etype, type, rep, info, error, n);                 \
        else                                                                   \
            *error = MPI_ERROR;                                                \
        wrapfile_viewed (&c, *error, fh, disp, etype, type);                   \
    }
F_VIEW (mpi_file_set_view_, MPIFORM_FORTRAN)
F_VIEW (mpi_file_set_view__, MPIFORM_FORTRAN2)
F_VIEW (mpi_file_set_view_f08_, MPIFORM_F08)

/* ---- the wrappers of size, position and sync of a file of MPI; of MPI_Init
 * ---- */

/* --- size, position, sync ----------------------------------------------------
 */

/* Fill in the record; the meaning of n depends on the call. */
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

/* ---- the wrappers of all that moves bytes ---- */

#define START(ROW, FORM, SHAPE, OFFSET, COUNT, TYPE, LAST)                     \
    {                                                                          \
        .row = MPIROW_##ROW, .form = FORM, .shape = MPISHAPE_##SHAPE,          \
        .fh = fh, .offset = OFFSET, .count = COUNT, .type = TYPE, .last = LAST \
    }

/* --- C ------------------------------------------------------------------- */

#define IN_C(SYMBOL, PARAMS, TYPES, ARGS, ...)      \
    MPIWRAP int SYMBOL PARAMS                       \
    {                                               \
        struct mpicall c = START (__VA_ARGS__);     \
        int (*real) TYPES = mpicall_begin (&c);     \
        int rc = real ? real ARGS : (int)MPI_ERROR; \
                                                    \
        mpicall_end (&c, rc);                       \
        return rc;                                  \
    }

#define C_DATA(SYMBOL, ROW, FORM, SHAPE)                                    \
    IN_C (SYMBOL, (W fh, W buf, W count, W type, W last), (W, W, W, W, W),  \
          (fh, buf, count, type, c.last), ROW, FORM, SHAPE, 0, count, type, \
          last)
#define C_DATA_AT(SYMBOL, ROW, FORM, SHAPE)                                \
    IN_C (SYMBOL, (W fh, W offset, W buf, W count, W type, W last),        \
          (W, W, W, W, W, W), (fh, offset, buf, count, type, c.last), ROW, \
          FORM, SHAPE, offset, count, type, last)
#define C_POST    C_DATA
#define C_POST_AT C_DATA_AT
#define C_BEGIN(SYMBOL, ROW, FORM, SHAPE)                       \
    IN_C (SYMBOL, (W fh, W buf, W count, W type), (W, W, W, W), \
          (fh, buf, count, type), ROW, FORM, SHAPE, 0, count, type, 0)
#define C_BEGIN_AT(SYMBOL, ROW, FORM, SHAPE)                                 \
    IN_C (SYMBOL, (W fh, W offset, W buf, W count, W type), (W, W, W, W, W), \
          (fh, offset, buf, count, type), ROW, FORM, SHAPE, offset, count,   \
          type, 0)
#define C_END(SYMBOL, ROW, FORM, SHAPE)                                     \
    IN_C (SYMBOL, (W fh, W buf, W last), (W, W, W), (fh, buf, c.last), ROW, \
          FORM, SHAPE, 0, 0, 0, last)

/* With large counts, where the MPI may have none; the end of a split one has
 * no count. */
#define IN_L(SYMBOL, PARAMS, TYPES, ARGS, ROW, ...)                         \
    MPIWRAP int SYMBOL PARAMS                                               \
    {                                                                       \
        struct mpicall c = START (ROW, __VA_ARGS__);                        \
        struct mpilarge large;                                              \
        int (*real) TYPES = mpicall_begin (&c);                             \
        int bad = mpilarge_begin (&large, MPIROW_##ROW, &count, &type) < 0; \
        int rc = real && !bad ? real ARGS : (int)MPI_ERROR;                 \
                                                                            \
        mpilarge_end (&large);                                              \
        mpicall_end (&c, rc);                                               \
        return rc;                                                          \
    }
#define L_DATA(SYMBOL, ROW, FORM, SHAPE)                                    \
    IN_L (SYMBOL, (W fh, W buf, W count, W type, W last), (W, W, W, W, W),  \
          (fh, buf, count, type, c.last), ROW, FORM, SHAPE, 0, count, type, \
          last)
#define L_DATA_AT(SYMBOL, ROW, FORM, SHAPE)                                \
    IN_L (SYMBOL, (W fh, W offset, W buf, W count, W type, W last),        \
          (W, W, W, W, W, W), (fh, offset, buf, count, type, c.last), ROW, \
          FORM, SHAPE, offset, count, type, last)
#define L_POST    L_DATA
#define L_POST_AT L_DATA_AT
#define L_BEGIN(SYMBOL, ROW, FORM, SHAPE)                       \
    IN_L (SYMBOL, (W fh, W buf, W count, W type), (W, W, W, W), \
          (fh, buf, count, type), ROW, FORM, SHAPE, 0, count, type, 0)
#define L_BEGIN_AT(SYMBOL, ROW, FORM, SHAPE)                                 \
    IN_L (SYMBOL, (W fh, W offset, W buf, W count, W type), (W, W, W, W, W), \
          (fh, offset, buf, count, type), ROW, FORM, SHAPE, offset, count,   \
          type, 0)
#define L_END(SYMBOL, ROW, FORM, SHAPE)

/* --- Fortran ---------------------------------------------------------------
 */

#define IN_F(SYMBOL, PARAMS, TYPES, ARGS, ...)            \
    MPIWRAP void SYMBOL PARAMS                            \
    {                                                     \
        struct mpicall c = START (__VA_ARGS__);           \
        void (*real) TYPES = mpicall_begin (&c);          \
        int own = 0, *error = wrapmpi_error (ierr, &own); \
                                                          \
        if (real)                                         \
            real ARGS;                                    \
        else                                              \
            *error = MPI_ERROR;                           \
        mpicall_end (&c, *error);                         \
    }

#define F_DATA(SYMBOL, ROW, FORM, SHAPE)                                      \
    IN_F (SYMBOL, (W fh, W buf, W count, W type, W last, W ierr),             \
          (W, W, W, W, W, int *), (fh, buf, count, type, c.last, error), ROW, \
          FORM, SHAPE, 0, count, type, last)
#define F_DATA_AT(SYMBOL, ROW, FORM, SHAPE)                                 \
    IN_F (SYMBOL, (W fh, W offset, W buf, W count, W type, W last, W ierr), \
          (W, W, W, W, W, W, int *),                                        \
          (fh, offset, buf, count, type, c.last, error), ROW, FORM, SHAPE,  \
          offset, count, type, last)
#define F_POST    F_DATA
#define F_POST_AT F_DATA_AT
#define F_BEGIN(SYMBOL, ROW, FORM, SHAPE)                                      \
    IN_F (SYMBOL, (W fh, W buf, W count, W type, W ierr), (W, W, W, W, int *), \
          (fh, buf, count, type, error), ROW, FORM, SHAPE, 0, count, type, 0)
#define F_BEGIN_AT(SYMBOL, ROW, FORM, SHAPE)                                  \
    IN_F (SYMBOL, (W fh, W offset, W buf, W count, W type, W ierr),           \
          (W, W, W, W, W, int *), (fh, offset, buf, count, type, error), ROW, \
          FORM, SHAPE, offset, count, type, 0)
#define F_END(SYMBOL, ROW, FORM, SHAPE)                            \
    IN_F (SYMBOL, (W fh, W buf, W last, W ierr), (W, W, W, int *), \
          (fh, buf, c.last, error), ROW, FORM, SHAPE, 0, 0, 0, last)

#define TRANSFER(NAME, FORTRAN, SHAPE)                                 \
    C_##SHAPE (NAME, NAME, MPIFORM_C, SHAPE)                           \
        L_##SHAPE (NAME##_c, NAME, MPIFORM_LARGE, SHAPE)               \
            F_##SHAPE (FORTRAN##_, NAME, MPIFORM_FORTRAN, SHAPE)       \
                F_##SHAPE (FORTRAN##__, NAME, MPIFORM_FORTRAN2, SHAPE) \
                    F_##SHAPE (FORTRAN##_f08_, NAME, MPIFORM_F08, SHAPE)
#define OTHER(NAME, FORTRAN)
#include "preload/mpi/mpicalls.def"
#undef TRANSFER
#undef OTHER

/* ---- the wrappers of MPI_Wait, MPI_Test and their variants ---- */

/* Fields of struct mpiwait that a call sets; ONE for calls without a count of
 * requests. */
#define ALL_OF(N) .waits = MPIWAITS_ALL, .n = N
#define ANY_OF(N) .waits = MPIWAITS_ANY, .n = N, .index = (const int *)index
#define SOME_OF(N)                                                     \
    .waits = MPIWAITS_SOME, .n = N, .outcount = (const int *)outcount, \
    .index = (const int *)index
#define FLAG .flag = (const int *)flag

#define WAIT_C(NAME, PARAMS, TYPES, ARGS, FOLLOWED, ...)         \
    static __attribute__ ((noinline)) int followed_##NAME PARAMS \
    {                                                            \
        int (*real) TYPES = mpireal (MPIROW_##NAME, MPIFORM_C);  \
        struct mpiwait w;                                        \
        int rc;                                                  \
                                                                 \
        w = (struct mpiwait){.form = MPIFORM_C,                  \
                             .requests = (const void *)requests, \
                             .statuses = (void *)statuses,       \
                             __VA_ARGS__};                       \
        mpiwait_begin (&w);                                      \
        rc = real FOLLOWED;                                      \
        mpiwait_end (&w, rc);                                    \
        return rc;                                               \
    }                                                            \
    MPIWRAP int NAME PARAMS                                      \
    {                                                            \
        int (*real) TYPES = mpireal (MPIROW_##NAME, MPIFORM_C);  \
        struct mpimeet m;                                        \
        int rc;                                                  \
                                                                 \
        if (__builtin_expect (!real, 0))                         \
            return MPI_ERROR;                                    \
        mpimeet_begin (&m);                                      \
        if (__builtin_expect (mpirequest_pending > 0, 0))        \
            rc = followed_##NAME ARGS;                           \
        else                                                     \
            rc = real ARGS;                                      \
        mpimeet_end (&m, #NAME);                                 \
        return rc;                                               \
    }

#define WAIT_F(NAME, SYMBOL, FORM, PARAMS, TYPES, ARGS, FOLLOWED, ...) \
    MPIWRAP void SYMBOL PARAMS                                         \
    {                                                                  \
        void (*real) TYPES = mpireal (MPIROW_##NAME, FORM);            \
        int own = 0, *error = wrapmpi_error (ierr, &own);              \
        struct mpiwait w;                                              \
        struct mpimeet m;                                              \
                                                                       \
        mpimeet_begin (&m);                                            \
        w.form = FORM;                                                 \
        if (!real || mpirequest_pending == 0) {                        \
            if (real)                                                  \
                real ARGS;                                             \
            else                                                       \
                *error = MPI_ERROR;                                    \
            mpimeet_end (&m, #NAME);                                   \
            return;                                                    \
        }                                                              \
        w = (struct mpiwait){.form = FORM,                             \
                             .requests = (const void *)requests,       \
                             .statuses = (void *)statuses,             \
                             __VA_ARGS__};                             \
        mpiwait_begin (&w);                                            \
        real FOLLOWED;                                                 \
        mpiwait_end (&w, *error);                                      \
        mpimeet_end (&m, #NAME);                                       \
    }
#define FORTRAN(NAME, LOWER, ...)                           \
    WAIT_F (NAME, LOWER##_, MPIFORM_FORTRAN, __VA_ARGS__)   \
    WAIT_F (NAME, LOWER##__, MPIFORM_FORTRAN2, __VA_ARGS__) \
    WAIT_F (NAME, LOWER##_f08_, MPIFORM_F08, __VA_ARGS__)

#define N_C ((int)n)
#define N_F (*(const int *)n)

WAIT_C (MPI_Wait,
        (W requests, W statuses),
        (W, W),
        (requests, statuses),
        (requests, (W)w.statuses),
        ALL_OF (1))
FORTRAN (MPI_Wait,
         mpi_wait,
         (W requests, W statuses, W ierr),
         (W, W, int *),
         (requests, statuses, error),
         (requests, (W)w.statuses, error),
         ALL_OF (1))
WAIT_C (MPI_Test,
        (W requests, W flag, W statuses),
        (W, W, W),
        (requests, flag, statuses),
        (requests, flag, (W)w.statuses),
        ALL_OF (1),
        FLAG)
FORTRAN (MPI_Test,
         mpi_test,
         (W requests, W flag, W statuses, W ierr),
         (W, W, W, int *),
         (requests, flag, statuses, error),
         (requests, flag, (W)w.statuses, error),
         ALL_OF (1),
         FLAG)
WAIT_C (MPI_Waitall,
        (W n, W requests, W statuses),
        (W, W, W),
        (n, requests, statuses),
        (n, requests, (W)w.statuses),
        ALL_OF (N_C))
FORTRAN (MPI_Waitall,
         mpi_waitall,
         (W n, W requests, W statuses, W ierr),
         (W, W, W, int *),
         (n, requests, statuses, error),
         (n, requests, (W)w.statuses, error),
         ALL_OF (N_F))
WAIT_C (MPI_Testall,
        (W n, W requests, W flag, W statuses),
        (W, W, W, W),
        (n, requests, flag, statuses),
        (n, requests, flag, (W)w.statuses),
        ALL_OF (N_C),
        FLAG)
FORTRAN (MPI_Testall,
         mpi_testall,
         (W n, W requests, W flag, W statuses, W ierr),
         (W, W, W, W, int *),
         (n, requests, flag, statuses, error),
         (n, requests, flag, (W)w.statuses, error),
         ALL_OF (N_F),
         FLAG)
WAIT_C (MPI_Waitany,
        (W n, W requests, W index, W statuses),
        (W, W, W, W),
        (n, requests, index, statuses),
        (n, requests, index, (W)w.statuses),
        ANY_OF (N_C))
FORTRAN (MPI_Waitany,
         mpi_waitany,
         (W n, W requests, W index, W statuses, W ierr),
         (W, W, W, W, int *),
         (n, requests, index, statuses, error),
         (n, requests, index, (W)w.statuses, error),
         ANY_OF (N_F))
WAIT_C (MPI_Testany,
        (W n, W requests, W index, W flag, W statuses),
        (W, W, W, W, W),
        (n, requests, index, flag, statuses),
        (n, requests, index, flag, (W)w.statuses),
        ANY_OF (N_C),
        FLAG)
FORTRAN (MPI_Testany,
         mpi_testany,
         (W n, W requests, W index, W flag, W statuses, W ierr),
         (W, W, W, W, W, int *),
         (n, requests, index, flag, statuses, error),
         (n, requests, index, flag, (W)w.statuses, error),
         ANY_OF (N_F),
         FLAG)
WAIT_C (MPI_Waitsome,
        (W n, W requests, W outcount, W index, W statuses),
        (W, W, W, W, W),
        (n, requests, outcount, index, statuses),
        (n, requests, outcount, index, (W)w.statuses),
        SOME_OF (N_C))
FORTRAN (MPI_Waitsome,
         mpi_waitsome,
         (W n, W requests, W outcount, W index, W statuses, W ierr),
         (W, W, W, W, W, int *),
         (n, requests, outcount, index, statuses, error),
         (n, requests, outcount, index, (W)w.statuses, error),
         SOME_OF (N_F))
WAIT_C (MPI_Testsome,
        (W n, W requests, W outcount, W index, W statuses),
        (W, W, W, W, W),
        (n, requests, outcount, index, statuses),
        (n, requests, outcount, index, (W)w.statuses),
        SOME_OF (N_C))
FORTRAN (MPI_Testsome,
         mpi_testsome,
         (W n, W requests, W outcount, W index, W statuses, W ierr),
         (W, W, W, W, W, int *),
         (n, requests, outcount, index, statuses, error),
         (n, requests, outcount, index, (W)w.statuses, error),
         SOME_OF (N_F))

/* ---- the wrappers of calls in which ranks wait for each other ---- */

#define P1 W a
#define P4 P1, W b, W c, W d
#define P5 P4, W e
#define P6 P5, W f
#define P7 P6, W g
#define P8 P7, W h
#define P9 P8, W i
#define T1 W
#define T4 W, W, W, W
#define T5 T4, W
#define T6 T5, W
#define T7 T6, W
#define T8 T7, W
#define T9 T8, W
#define A1 a
#define A4 a, b, c, d
#define A5 A4, e
#define A6 A5, f
#define A7 A6, g
#define A8 A7, h
#define A9 A8, i

#define MEETS_C(NAME, PARAMS, TYPES, ARGS)                        \
    MPIWRAP int NAME (PARAMS)                                     \
    {                                                             \
        int (*real) (TYPES) = mpireal (MPIROW_##NAME, MPIFORM_C); \
        struct mpimeet m;                                         \
        int rc;                                                   \
                                                                  \
        if (!real)                                                \
            return MPI_ERROR;                                     \
        mpimeet_begin (&m);                                       \
        rc = real (ARGS);                                         \
        mpimeet_end (&m, #NAME);                                  \
        return rc;                                                \
    }
#define MEETS_F(NAME, SYMBOL, FORM, PARAMS, TYPES, ARGS)         \
    MPIWRAP void SYMBOL (PARAMS, W ierr)                         \
    {                                                            \
        void (*real) (TYPES, W) = mpireal (MPIROW_##NAME, FORM); \
        int own = 0;                                             \
        struct mpimeet m;                                        \
                                                                 \
        if (!real) {                                             \
            *wrapmpi_error (ierr, &own) = MPI_ERROR;             \
            return;                                              \
        }                                                        \
        mpimeet_begin (&m);                                      \
        real (ARGS, ierr);                                       \
        mpimeet_end (&m, #NAME);                                 \
    }
#define MEETS(NAME, LOWER, N)                                     \
    MEETS_C (NAME, P##N, T##N, A##N)                              \
    MEETS_F (NAME, LOWER##_, MPIFORM_FORTRAN, P##N, T##N, A##N)   \
    MEETS_F (NAME, LOWER##__, MPIFORM_FORTRAN2, P##N, T##N, A##N) \
    MEETS_F (NAME, LOWER##_f08_, MPIFORM_F08, P##N, T##N, A##N)
#define TRANSFER(NAME, FORTRAN, SHAPE)
#define OTHER(NAME, FORTRAN)
#include "preload/mpi/mpicalls.def"
