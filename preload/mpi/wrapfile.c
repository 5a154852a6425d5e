/* SPDX-License-Identifier: MIT
 *
 * wrapfile.c - the wrappers of open, close and what else is done to a file of
 *              MPI
 *
 * In:  the arguments, handed on as they came
 * Out: records of class META and SYNC; the table of open files
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "preload/mpi/wrapmpi.h"

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
