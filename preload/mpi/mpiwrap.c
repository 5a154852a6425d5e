/* SPDX-License-Identifier: MIT
 *
 * mpiwrap.c - the wrappers of open, close and what else is done to a file of
 *              MPI
 *
 * In:  the arguments, handed on as they came
 * Out: records of class META and SYNC; the table of open files
 */
#include "config.h"

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

/* --- wrappers of one shape ------------------------------------------------
 *
 * NAMES and ARGS are lists in parentheses: the parameters without those that
 * Fortran adds, and what the real function gets. All are words (W). Then a
 * statement that uses c and rc, MPI's result; then fields of struct mpicall.
 */

#define NAMES_OF(...)                                       __VA_ARGS__
#define COUNTED(A, B, C, D, E, F, G, H, I, J, K, L, N, ...) N
#define COUNT(...) \
    COUNTED (__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define JOIN_(A, B) A##B
#define JOIN(A, B)  JOIN_ (A, B)

#define PARAM_1(A)             W A
#define PARAM_2(A, ...)        W A, PARAM_1 (__VA_ARGS__)
#define PARAM_3(A, ...)        W A, PARAM_2 (__VA_ARGS__)
#define PARAM_4(A, ...)        W A, PARAM_3 (__VA_ARGS__)
#define PARAM_5(A, ...)        W A, PARAM_4 (__VA_ARGS__)
#define PARAM_6(A, ...)        W A, PARAM_5 (__VA_ARGS__)
#define PARAM_7(A, ...)        W A, PARAM_6 (__VA_ARGS__)
#define PARAM_8(A, ...)        W A, PARAM_7 (__VA_ARGS__)
#define PARAM_9(A, ...)        W A, PARAM_8 (__VA_ARGS__)
#define PARAM_12(A, B, C, ...) W A, W B, W C, PARAM_9 (__VA_ARGS__)
#define PARAMS(...)            JOIN (PARAM_, COUNT (__VA_ARGS__)) (__VA_ARGS__)

#define IN_C(SYMBOL, ROW, FORM, NAMES, ARGS, AFTER, ...)                     \
    MPIWRAP int SYMBOL (PARAMS NAMES)                                        \
    {                                                                        \
        struct mpicall c = {.row = MPIROW_##ROW, .form = FORM, __VA_ARGS__}; \
        int (*real) (PARAMS NAMES) = mpicall_begin (&c);                     \
        int rc = real ? real ARGS : (int)MPI_ERROR;                          \
                                                                             \
        AFTER;                                                               \
        return rc;                                                           \
    }

/* PARAMETERS and ARGS with all that Fortran adds. */
#define IN_F_AS(SYMBOL, ROW, FORM, PARAMETERS, ARGS, AFTER, ...)             \
    MPIWRAP void SYMBOL PARAMETERS                                           \
    {                                                                        \
        struct mpicall c = {.row = MPIROW_##ROW, .form = FORM, __VA_ARGS__}; \
        void (*real) PARAMETERS = mpicall_begin (&c);                        \
        int own = 0, rc;                                                     \
        W error = (W)wrapmpi_error (ierr, &own);                             \
                                                                             \
        if (real)                                                            \
            real ARGS;                                                       \
        else                                                                 \
            *(int *)error = MPI_ERROR;                                       \
        rc = *(const int *)error;                                            \
        AFTER;                                                               \
    }
#define IN_F(SYMBOL, ROW, FORM, NAMES, ARGS, ...)       \
    IN_F_AS (SYMBOL, ROW, FORM, (PARAMS NAMES, W ierr), \
             (NAMES_OF ARGS, error), __VA_ARGS__)
/* With the length of a text behind all others. */
#define IN_F_TEXT(SYMBOL, ROW, FORM, NAMES, ...)             \
    IN_F_AS (SYMBOL, ROW, FORM, (PARAMS NAMES, W ierr, W n), \
             (NAMES_OF NAMES, error, n), __VA_ARGS__)

/* The three symbols of a function for Fortran. */
#define FORTRAN(IN, LOWER, ROW, ...)                   \
    IN (LOWER##_, ROW, MPIFORM_FORTRAN, __VA_ARGS__)   \
    IN (LOWER##__, ROW, MPIFORM_FORTRAN2, __VA_ARGS__) \
    IN (LOWER##_f08_, ROW, MPIFORM_F08, __VA_ARGS__)
/* Its one in C; a macro among the arguments may stand for several. */
#define IN_ONE(IN, ...) IN (__VA_ARGS__)
#define BOTH(ROW, LOWER, ...)                       \
    IN_ONE (IN_C, ROW, ROW, MPIFORM_C, __VA_ARGS__) \
    FORTRAN (IN_F, LOWER, ROW, __VA_ARGS__)

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

/* The arguments of MPI_File_open; length: of a path of Fortran. */
struct wrapfile {
    W comm, path, length, amode, info, fh;
};

static const char *wrapfile_path (const struct mpicall *c,
                                  const struct wrapfile *w,
                                  char text[PATH_MAX])
{
    return mpi_is_fortran (c->form)
               ? wrapfile_text (w->path, w->length, text, PATH_MAX)
               : (const char *)w->path;
}

static void
wrapfile_opened (struct mpicall *c, int rc, const struct wrapfile *w)
{
    int saved_errno = errno;
    struct record_arg args[2];
    char text[1], room[PATH_MAX];
    const char *path;
    struct record r;
    mpiword handle;
    int wanted;

    if (!c->door)
        return;
    path = wrapfile_path (c, w, room);
    mpicall_result (c, &r, CALL_MPI_File_open, rc);
    r.flags = (uint64_t)(unsigned)wrapmpi_int (c->form, w->amode);
    wanted = c->door->file (mpifile_path (path), &r.file, text, 0);
    if (rc == 0) {
        mpicall_rank (c->door);
        r.nargs = wrapfile_about (c, w->comm, w->info, args);
        r.args = args;
        handle = mpi_is_fortran (c->form)
                     ? wrapmpi_handle (c->form, MPIHANDLE_FILE, w->fh)
                     : *(const mpiword *)w->fh;
        mpifile_open (c->door, handle, path);
    }
    if (wanted)
        c->door->record (&r);
    mpicall_drop (c);
    errno = saved_errno;
}

#define OPENED(LENGTH)       \
    wrapfile_opened (&c, rc, \
                     &(struct wrapfile){comm, path, LENGTH, amode, info, fh})
IN_C (MPI_File_open,
      MPI_File_open,
      MPIFORM_C,
      (comm, path, amode, info, fh),
      (comm, path, amode, info, fh),
      OPENED (0))
FORTRAN (IN_F_TEXT,
         mpi_file_open,
         MPI_File_open,
         (comm, path, amode, info, fh),
         OPENED (n))

static void
wrapfile_deleted (struct mpicall *c, int rc, const struct wrapfile *w)
{
    int saved_errno = errno;
    struct record r;
    char text[1], room[PATH_MAX];

    if (!c->door)
        return;
    mpicall_result (c, &r, CALL_MPI_File_delete, rc);
    if (c->door->file (mpifile_path (wrapfile_path (c, w, room)), &r.file, text,
                       0))
        c->door->record (&r);
    mpicall_drop (c);
    errno = saved_errno;
}

#define DELETED(LENGTH)       \
    wrapfile_deleted (&c, rc, \
                      &(struct wrapfile){.path = path, .length = LENGTH})
IN_C (MPI_File_delete,
      MPI_File_delete,
      MPIFORM_C,
      (path, info),
      (path, info),
      DELETED (0))
FORTRAN (IN_F_TEXT, mpi_file_delete, MPI_File_delete, (path, info), DELETED (n))

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
    struct mpicall c = {.row = MPIROW_MPI_File_close, .form = MPIFORM_C};
    int (*real) (W) = mpicall_begin (&c);
    struct mpifile *f = wrapfile_closing (&c, fh);
    int rc = real ? real (fh) : (int)MPI_ERROR;

    wrapfile_closed (&c, rc, f);
    return rc;
}

#define F_CLOSE(SYMBOL, ROW, FORM, NAMES)                       \
    MPIWRAP void SYMBOL (W fh, W ierr)                          \
    {                                                           \
        struct mpicall c = {.row = MPIROW_##ROW, .form = FORM}; \
        void (*real) (W, int *) = mpicall_begin (&c);           \
        struct mpifile *f = wrapfile_closing (&c, fh);          \
        int own = 0, *error = wrapmpi_error (ierr, &own);       \
                                                                \
        if (real)                                               \
            real (fh, error);                                   \
        else                                                    \
            *error = MPI_ERROR;                                 \
        wrapfile_closed (&c, *error, f);                        \
    }
FORTRAN (F_CLOSE, mpi_file_close, MPI_File_close, )

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

IN_C (MPI_File_set_view,
      MPI_File_set_view,
      MPIFORM_C,
      (fh, disp, etype, type, rep, info),
      (fh, disp, etype, type, rep, info),
      wrapfile_viewed (&c, rc, fh, disp, etype, type))
FORTRAN (IN_F_TEXT,
         mpi_file_set_view,
         MPI_File_set_view,
         (fh, disp, etype, type, rep, info),
         wrapfile_viewed (&c, rc, fh, disp, etype, type))

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

#define PLACE(ROW, LOWER, NAMES, N, WHENCE) \
    BOTH (ROW, LOWER, NAMES, NAMES,         \
          wrapplace_done (&c, CALL_##ROW, rc, fh, N, WHENCE))
PLACE (MPI_File_set_size, mpi_file_set_size, (fh, n), n, 0)
PLACE (MPI_File_preallocate, mpi_file_preallocate, (fh, n), n, 0)
PLACE (MPI_File_sync, mpi_file_sync, (fh), 0, 0)
PLACE (MPI_File_seek, mpi_file_seek, (fh, n, whence), n, whence)
PLACE (MPI_File_seek_shared, mpi_file_seek_shared, (fh, n, whence), n, whence)

/* --- init --------------------------------------------------------------------
 */

static void wrapplace_begun (struct mpicall *c, int rc)
{
    if (c->door && rc == 0)
        mpicall_rank (c->door);
    mpicall_drop (c);
}

IN_C (MPI_Init,
      MPI_Init,
      MPIFORM_C,
      (argc, argv),
      (argc, argv),
      wrapplace_begun (&c, rc))
IN_C (MPI_Init_thread,
      MPI_Init_thread,
      MPIFORM_C,
      (argc, argv, required, provided),
      (argc, argv, required, provided),
      wrapplace_begun (&c, rc))
FORTRAN (
    IN_F_AS, mpi_init, MPI_Init, (W ierr), (error), wrapplace_begun (&c, rc))
FORTRAN (IN_F,
         mpi_init_thread,
         MPI_Init_thread,
         (required, provided),
         (required, provided),
         wrapplace_begun (&c, rc))

/* ---- the wrappers of all that moves bytes ---- */

/* Names, arguments, the end and fields of each shape of mpicalls.def. */
#define MOVES(SHAPE, OFFSET, COUNT, TYPE, LAST)                           \
    mpicall_end (&c, rc), .shape = MPISHAPE_##SHAPE, .fh = fh,            \
                          .offset = OFFSET, .count = COUNT, .type = TYPE, \
                          .last = LAST
#define AS_DATA_OF(SHAPE)                                         \
    (fh, buf, count, type, last), (fh, buf, count, type, c.last), \
        MOVES (SHAPE, 0, count, type, last)
#define AS_DATA_AT_OF(SHAPE)                    \
    (fh, offset, buf, count, type, last),       \
        (fh, offset, buf, count, type, c.last), \
        MOVES (SHAPE, offset, count, type, last)
#define AS_DATA    AS_DATA_OF (DATA)
#define AS_POST    AS_DATA_OF (POST)
#define AS_DATA_AT AS_DATA_AT_OF (DATA_AT)
#define AS_POST_AT AS_DATA_AT_OF (POST_AT)
#define AS_BEGIN                                    \
    (fh, buf, count, type), (fh, buf, count, type), \
        MOVES (BEGIN, 0, count, type, 0)
#define AS_BEGIN_AT                                                 \
    (fh, offset, buf, count, type), (fh, offset, buf, count, type), \
        MOVES (BEGIN_AT, offset, count, type, 0)
#define AS_END (fh, buf, last), (fh, buf, c.last), MOVES (END, 0, 0, 0, last)

/* With large counts, where the MPI may have none. */
#define IN_L(SYMBOL, ROW, FORM, NAMES, ARGS, AFTER, ...)                     \
    MPIWRAP int SYMBOL (PARAMS NAMES)                                        \
    {                                                                        \
        struct mpicall c = {.row = MPIROW_##ROW, .form = FORM, __VA_ARGS__}; \
        struct mpilarge large;                                               \
        int (*real) (PARAMS NAMES) = mpicall_begin (&c);                     \
        int bad = mpilarge_begin (&large, MPIROW_##ROW, &count, &type) < 0;  \
        int rc = real && !bad ? real ARGS : (int)MPI_ERROR;                  \
                                                                             \
        mpilarge_end (&large);                                               \
        AFTER;                                                               \
        return rc;                                                           \
    }
#define LARGE(NAME, AS)      IN_ONE (IN_L, NAME##_c, NAME, MPIFORM_LARGE, AS)
#define LARGE_DATA(NAME)     LARGE (NAME, AS_DATA)
#define LARGE_DATA_AT(NAME)  LARGE (NAME, AS_DATA_AT)
#define LARGE_POST(NAME)     LARGE (NAME, AS_POST)
#define LARGE_POST_AT(NAME)  LARGE (NAME, AS_POST_AT)
#define LARGE_BEGIN(NAME)    LARGE (NAME, AS_BEGIN)
#define LARGE_BEGIN_AT(NAME) LARGE (NAME, AS_BEGIN_AT)
#define LARGE_END(NAME)      /* the end of a split call has no count */

#define TRANSFER(NAME, LOWER, SHAPE) \
    BOTH (NAME, LOWER, AS_##SHAPE)   \
    LARGE_##SHAPE (NAME)
#define OTHER(NAME, LOWER)
#include "preload/mpi/mpicalls.def"
#undef TRANSFER
#undef OTHER

/* ---- the wrappers of MPI_Wait, MPI_Test and their variants ---- */

/* Fields of struct mpiwait that a call sets. */
#define ALL_OF(N) .waits = MPIWAITS_ALL, .n = N
#define ANY       .waits = MPIWAITS_ANY, .n = N_OF, .index = (const int *)index
#define SOME                                                              \
    .waits = MPIWAITS_SOME, .n = N_OF, .outcount = (const int *)outcount, \
    .index = (const int *)index
#define FLAG .flag = (const int *)flag
#define N_OF wrapmpi_int (form, n)

#define WAIT_C(NAME, NAMES, FOLLOWED, ...)                               \
    static __attribute__ ((noinline)) int followed_##NAME (PARAMS NAMES) \
    {                                                                    \
        const enum mpiform form = MPIFORM_C;                             \
        int (*real) (PARAMS NAMES) = mpireal (MPIROW_##NAME, form);      \
        struct mpiwait w;                                                \
        int rc;                                                          \
                                                                         \
        w = (struct mpiwait){.form = form,                               \
                             .requests = (const void *)requests,         \
                             .statuses = (void *)statuses,               \
                             __VA_ARGS__};                               \
        mpiwait_begin (&w);                                              \
        rc = real FOLLOWED;                                              \
        mpiwait_end (&w, rc);                                            \
        return rc;                                                       \
    }                                                                    \
    MPIWRAP int NAME (PARAMS NAMES)                                      \
    {                                                                    \
        int (*real) (PARAMS NAMES) = mpireal (MPIROW_##NAME, MPIFORM_C); \
        struct mpimeet m;                                                \
        int rc;                                                          \
                                                                         \
        if (__builtin_expect (!real, 0))                                 \
            return MPI_ERROR;                                            \
        mpimeet_begin (&m);                                              \
        if (__builtin_expect (mpirequest_pending > 0, 0))                \
            rc = followed_##NAME NAMES;                                  \
        else                                                             \
            rc = real NAMES;                                             \
        mpimeet_end (&m, #NAME);                                         \
        return rc;                                                       \
    }

#define WAIT_F(SYMBOL, NAME, FORM, NAMES, FOLLOWED, ...)                    \
    MPIWRAP void SYMBOL (PARAMS NAMES, W ierr)                              \
    {                                                                       \
        const enum mpiform form = FORM;                                     \
        void (*real) (PARAMS NAMES, int *) = mpireal (MPIROW_##NAME, form); \
        int own = 0, *error = wrapmpi_error (ierr, &own);                   \
        struct mpiwait w;                                                   \
        struct mpimeet m;                                                   \
                                                                            \
        mpimeet_begin (&m);                                                 \
        if (!real || mpirequest_pending == 0) {                             \
            if (real)                                                       \
                real (NAMES_OF NAMES, error);                               \
            else                                                            \
                *error = MPI_ERROR;                                         \
            mpimeet_end (&m, #NAME);                                        \
            return;                                                         \
        }                                                                   \
        w = (struct mpiwait){.form = form,                                  \
                             .requests = (const void *)requests,            \
                             .statuses = (void *)statuses,                  \
                             __VA_ARGS__};                                  \
        mpiwait_begin (&w);                                                 \
        real (NAMES_OF FOLLOWED, error);                                    \
        mpiwait_end (&w, *error);                                           \
        mpimeet_end (&m, #NAME);                                            \
    }
/* NAMES, what the real function gets while requests are followed, fields. */
#define WAITS(NAME, LOWER, ...) \
    WAIT_C (NAME, __VA_ARGS__)  \
    FORTRAN (WAIT_F, LOWER, NAME, __VA_ARGS__)

WAITS (MPI_Wait,
       mpi_wait,
       (requests, statuses),
       (requests, (W)w.statuses),
       ALL_OF (1))
WAITS (MPI_Test,
       mpi_test,
       (requests, flag, statuses),
       (requests, flag, (W)w.statuses),
       ALL_OF (1),
       FLAG)
WAITS (MPI_Waitall,
       mpi_waitall,
       (n, requests, statuses),
       (n, requests, (W)w.statuses),
       ALL_OF (N_OF))
WAITS (MPI_Testall,
       mpi_testall,
       (n, requests, flag, statuses),
       (n, requests, flag, (W)w.statuses),
       ALL_OF (N_OF),
       FLAG)
WAITS (MPI_Waitany,
       mpi_waitany,
       (n, requests, index, statuses),
       (n, requests, index, (W)w.statuses),
       ANY)
WAITS (MPI_Testany,
       mpi_testany,
       (n, requests, index, flag, statuses),
       (n, requests, index, flag, (W)w.statuses),
       ANY,
       FLAG)
WAITS (MPI_Waitsome,
       mpi_waitsome,
       (n, requests, outcount, index, statuses),
       (n, requests, outcount, index, (W)w.statuses),
       SOME)
WAITS (MPI_Testsome,
       mpi_testsome,
       (n, requests, outcount, index, statuses),
       (n, requests, outcount, index, (W)w.statuses),
       SOME)

/* ---- the wrappers of calls in which ranks wait for each other ---- */

#define NAMES_1  (a)
#define NAMES_2  (a, b)
#define NAMES_3  (a, b, c)
#define NAMES_4  (a, b, c, d)
#define NAMES_5  (a, b, c, d, e)
#define NAMES_6  (a, b, c, d, e, f)
#define NAMES_7  (a, b, c, d, e, f, g)
#define NAMES_8  (a, b, c, d, e, f, g, h)
#define NAMES_9  (a, b, c, d, e, f, g, h, i)
#define NAMES_12 (a, b, c, d, e, f, g, h, i, j, k, l)

#define MEETS_C(SYMBOL, NAME, FORM, NAMES)                          \
    MPIWRAP int SYMBOL (PARAMS NAMES)                               \
    {                                                               \
        int (*real) (PARAMS NAMES) = mpireal (MPIROW_##NAME, FORM); \
        struct mpimeet m;                                           \
        int rc;                                                     \
                                                                    \
        if (!real)                                                  \
            return MPI_ERROR;                                       \
        mpimeet_begin (&m);                                         \
        rc = real NAMES;                                            \
        mpimeet_end (&m, #NAME);                                    \
        return rc;                                                  \
    }
#define MEETS_F(SYMBOL, NAME, FORM, NAMES)                              \
    MPIWRAP void SYMBOL (PARAMS NAMES, W ierr)                          \
    {                                                                   \
        void (*real) (PARAMS NAMES, W) = mpireal (MPIROW_##NAME, FORM); \
        int own = 0;                                                    \
        struct mpimeet m;                                               \
                                                                        \
        if (!real) {                                                    \
            *wrapmpi_error (ierr, &own) = MPI_ERROR;                    \
            return;                                                     \
        }                                                               \
        mpimeet_begin (&m);                                             \
        real (NAMES_OF NAMES, ierr);                                    \
        mpimeet_end (&m, #NAME);                                        \
    }
#define MEETS(NAME, LOWER, N)                          \
    MEETS_C (NAME, NAME, MPIFORM_C, NAMES_##N)         \
    MEETS_C (NAME##_c, NAME, MPIFORM_LARGE, NAMES_##N) \
    FORTRAN (MEETS_F, LOWER, NAME, NAMES_##N)
#define TRANSFER(NAME, FORTRAN, SHAPE)
#define OTHER(NAME, FORTRAN)
#include "preload/mpi/mpicalls.def"
