/* SPDX-License-Identifier: MIT
 *
 * mpicalls.c - calls each function that layer mpiio takes over, on a stub MPI,
 *              and prints a line for each event that there should be
 *
 *     mpicalls FILE    prints: name size result offset
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/victims/mpi/mpistub.h"

static MPI_File fh;
static int f_fh, count = 10, ierr;
static MPI_Offset at = 4096;
static char buf[1 << 16];
static MPI_Status status;
static int f_status[6];

static int int_type = STUB_INT, world = STUB_WORLD, no_info = STUB_NO_INFO;
#ifdef MPISTUB_MPICH
#define F_INT_TYPE ((int)MPI_INT)
#else
#define F_INT_TYPE STUB_INT
#endif

static void
say (const char *name, long long size, long long ret, long long offset)
{
    printf ("%s %lld %lld %lld\n", name, size, ret, offset);
}

static void check (int rc, const char *name)
{
    if (rc == 0)
        return;
    fprintf (stderr, "%s: %d\n", name, rc);
    exit (1);
}

/* Each call has another count, every other one no status. */
static MPI_Status *next_status (void)
{
    count++;
    return count % 2 ? &status : MPI_STATUS_IGNORE;
}

static int *next_f_status (void)
{
    count++;
    return count % 2 ? f_status : stub_ignored;
}

static void done (const char *post, long long offset)
{
    long long size = 4LL * count;

    say (strstr (post, "read") ? "MPI_iread_done" : "MPI_iwrite_done", size,
         size - 4, offset);
    say ("MPI_Wait", 1, 0, -1);
}

static void c_wait (const char *post, MPI_Request r, long long offset)
{
    check (MPI_Wait (&r, next_status () ? MPI_STATUS_IGNORE : &status), post);
    count--;
    done (post, offset);
}

static void f_wait (const char *post, int r, long long offset)
{
    mpi_wait_ (&r, count % 2 ? f_status : stub_ignored, &ierr);
    check (ierr, post);
    done (post, offset);
}

#define ASKED (4LL * count)
#define MOVED (ASKED - 4)

#define C_DATA(F, NAME)                                        \
    check (F (fh, buf, count, MPI_INT, next_status_kept), #F); \
    say (#NAME, ASKED, MOVED, -1);
#define C_DATA_AT(F, NAME)                                         \
    check (F (fh, at, buf, count, MPI_INT, next_status_kept), #F); \
    say (#NAME, ASKED, MOVED, at);
#define C_POST(F, NAME)                          \
    check (F (fh, buf, count, MPI_INT, &r), #F); \
    say (#NAME, ASKED, 0, -1);                   \
    c_wait (#NAME, r, -1);
#define C_POST_AT(F, NAME)                           \
    check (F (fh, at, buf, count, MPI_INT, &r), #F); \
    say (#NAME, ASKED, 0, at);                       \
    c_wait (#NAME, r, at);
#define C_BEGIN(F, NAME)                     \
    check (F (fh, buf, count, MPI_INT), #F); \
    say (#NAME, ASKED, 0, -1);
#define C_BEGIN_AT(F, NAME)                      \
    check (F (fh, at, buf, count, MPI_INT), #F); \
    say (#NAME, ASKED, 0, at);
#define C_END(F, NAME)                                                  \
    check (MPI_File_write (fh, buf, count, MPI_INT, MPI_STATUS_IGNORE), \
           "write");                                                    \
    say ("MPI_File_write", ASKED, MOVED, -1);                           \
    check (F (fh, buf, next_status_kept), #F);                          \
    say (#NAME, MOVED, MOVED, -1);

#define F_DATA(F, NAME)                               \
    F (&f_fh, buf, &count, &int_type, f_last, &ierr); \
    check (ierr, #F);                                 \
    say (#NAME, ASKED, MOVED, -1);
#define F_DATA_AT(F, NAME)                                 \
    F (&f_fh, &at, buf, &count, &int_type, f_last, &ierr); \
    check (ierr, #F);                                      \
    say (#NAME, ASKED, MOVED, at);
#define F_POST(F, NAME)                             \
    F (&f_fh, buf, &count, &int_type, &f_r, &ierr); \
    check (ierr, #F);                               \
    say (#NAME, ASKED, 0, -1);                      \
    f_wait (#NAME, f_r, -1);
#define F_POST_AT(F, NAME)                               \
    F (&f_fh, &at, buf, &count, &int_type, &f_r, &ierr); \
    check (ierr, #F);                                    \
    say (#NAME, ASKED, 0, at);                           \
    f_wait (#NAME, f_r, at);
#define F_BEGIN(F, NAME)                      \
    F (&f_fh, buf, &count, &int_type, &ierr); \
    check (ierr, #F);                         \
    say (#NAME, ASKED, 0, -1);
#define F_BEGIN_AT(F, NAME)                        \
    F (&f_fh, &at, buf, &count, &int_type, &ierr); \
    check (ierr, #F);                              \
    say (#NAME, ASKED, 0, at);
#define F_END(F, NAME)                                                  \
    check (MPI_File_write (fh, buf, count, MPI_INT, MPI_STATUS_IGNORE), \
           "write");                                                    \
    say ("MPI_File_write", ASKED, MOVED, -1);                           \
    F (&f_fh, buf, f_last, &ierr);                                      \
    check (ierr, #F);                                                   \
    say (#NAME, MOVED, MOVED, -1);

#define LARGE_DATA     C_DATA
#define LARGE_DATA_AT  C_DATA_AT
#define LARGE_POST     C_POST
#define LARGE_POST_AT  C_POST_AT
#define LARGE_BEGIN    C_BEGIN
#define LARGE_BEGIN_AT C_BEGIN_AT
#define LARGE_END(F, NAME)

static void all_transfers (void)
{
    MPI_Status *next_status_kept;
    MPI_Request r;
    int *f_last, f_r;

#define TRANSFER(NAME, FORTRAN, SHAPE) \
    next_status_kept = next_status (); \
    C_##SHAPE (NAME, NAME);            \
    next_status_kept = next_status (); \
    LARGE_##SHAPE (NAME##_c, NAME);    \
    f_last = next_f_status ();         \
    F_##SHAPE (FORTRAN##_, NAME);      \
    f_last = next_f_status ();         \
    F_##SHAPE (FTN_OTHER (FORTRAN), NAME);
#define OTHER(NAME, FORTRAN)
#include "preload/mpi/mpicalls.def"
#undef TRANSFER
#undef OTHER
}

/* --- requests --------------------------------------------------------------
 */

static MPI_Request r[3];

static void post (int n)
{
    for (int i = 0; i < n; i++) {
        check (MPI_File_iwrite_at (fh, i, buf, 20 + i, MPI_BYTE, &r[i]),
               "post");
        say ("MPI_File_iwrite_at", 20 + i, 0, i);
    }
}

static void ended (int i)
{
    say ("MPI_iwrite_done", 20 + i, 19 + i, i);
}

static void all_waits (void)
{
    MPI_Status s[3];
    int flag, index, out, indices[3], f_r[2] = {0, 0}, n = 2;

    post (1);
    for (flag = 0; !flag;)
        check (MPI_Test (&r[0], &flag, MPI_STATUS_IGNORE), "MPI_Test");
    ended (0);
    say ("MPI_Wait", 1, 0, -1);
    post (3);
    check (MPI_Waitall (3, r, s), "MPI_Waitall");
    for (int i = 0; i < 3; i++)
        ended (i);
    say ("MPI_Wait", 3, 0, -1);
    post (3);
    check (MPI_Testall (3, r, &flag, MPI_STATUS_IGNORE), "MPI_Testall");
    for (int i = 0; i < 3; i++)
        ended (i);
    say ("MPI_Wait", 3, 0, -1);
    post (3);
    check (MPI_Waitany (3, r, &index, MPI_STATUS_IGNORE), "MPI_Waitany");
    ended (2);
    say ("MPI_Wait", 1, 0, -1);
    check (MPI_Testany (2, r, &index, &flag, s), "MPI_Testany");
    ended (1);
    say ("MPI_Wait", 1, 0, -1);
    check (MPI_Wait (r, s), "MPI_Wait");
    ended (0);
    say ("MPI_Wait", 1, 0, -1);
    for (int tests = 0; tests < 2; tests++) {
        post (3);
        if (tests)
            check (MPI_Testsome (3, r, &out, indices, MPI_STATUS_IGNORE),
                   "some");
        else
            check (MPI_Waitsome (3, r, &out, indices, s), "some");
        for (int i = 1; i < 3; i++)
            ended (i);
        say ("MPI_Wait", 2, 0, -1);
        check (MPI_Wait (r, s), "MPI_Wait");
        ended (0);
        say ("MPI_Wait", 1, 0, -1);
    }
    count = 50;
    for (int i = 0; i < 2; i++) {
        mpi_file_iwrite_ (&f_fh, buf, &count, &int_type, &f_r[i], &ierr);
        say ("MPI_File_iwrite", ASKED, 0, -1);
    }
    mpi_waitall_ (&n, f_r, stub_ignored, &ierr);
    say ("MPI_iwrite_done", ASKED, MOVED, -1);
    say ("MPI_iwrite_done", ASKED, MOVED, -1);
    say ("MPI_Wait", 2, 0, -1);
}

/* --- files ------------------------------------------------------------------
 */

static void c_file (const char *path)
{
    check (MPI_File_open (MPI_COMM_WORLD, path, 1, stub_hints, &fh), "open");
    say ("MPI_File_open", 0, 0, -1);
    f_fh = PMPI_File_c2f (fh);
    check (MPI_File_set_size (fh, 1 << 20), "set_size");
    say ("MPI_File_set_size", 1 << 20, 0, -1);
    check (MPI_File_preallocate (fh, 1 << 16), "preallocate");
    say ("MPI_File_preallocate", 1 << 16, 0, -1);
    check (MPI_File_seek (fh, 100, SEEK_SET), "seek");
    say ("MPI_File_seek", 0, 0, 100);
    check (MPI_File_seek_shared (fh, 200, SEEK_SET), "seek_shared");
    say ("MPI_File_seek_shared", 0, 0, 200);
    all_transfers ();
    all_waits ();
    check (MPI_File_sync (fh), "sync");
    say ("MPI_File_sync", 0, 0, -1);
    check (
        MPI_File_set_view (fh, 1000, MPI_INT, MPI_INT, "native", MPI_INFO_NULL),
        "set_view");
    say ("MPI_File_set_view", 0, 0, 1000);
    check (MPI_File_write_at (fh, 5, buf, 7, MPI_INT, &status), "write_at");
    say ("MPI_File_write_at", 28, 24, 1000 + 5 * 4);
    check (MPI_File_close (&fh), "close");
    say ("MPI_File_close", 0, 0, -1);
}

static void f_file (const char *path)
{
    MPI_Offset where = 64;
    int mode = 1, whence = SEEK_SET;
    char padded[4096], native[] = "native";

    memset (padded, ' ', sizeof (padded));
    memcpy (padded, path, strlen (path));
    mpi_file_open_ (&world, padded, &mode, &no_info, &f_fh, &ierr,
                    strlen (path) + 20);
    check (ierr, "mpi_file_open");
    say ("MPI_File_open", 0, 0, -1);
    mpi_file_seek_ (&f_fh, &where, &whence, &ierr);
    say ("MPI_File_seek", 0, 0, 64);
    mpi_file_set_view_ (&f_fh, &where, &int_type, &int_type, native, &no_info,
                        &ierr, sizeof (native) - 1);
    say ("MPI_File_set_view", 0, 0, 64);
    mpi_file_close_ (&f_fh, &ierr);
    say ("MPI_File_close", 0, 0, -1);
}

int main (int argc, char **argv)
{
    char prefixed[4096];
    int provided;

    if (argc != 2)
        return 2;
#ifdef MPISTUB_MPICH
    int_type = F_INT_TYPE;
    no_info = MPI_INFO_NULL;
    world = MPI_COMM_WORLD;
#endif
    (void)MPI_Init (&argc, &argv);
    (void)MPI_Init_thread (&argc, &argv, 0, &provided);
    say ("MPI_Init", 0, 0, -1);
    (void)snprintf (prefixed, sizeof (prefixed), "ufs:%s", argv[1]);
    c_file (argv[1]);
    f_file (prefixed);
    check (MPI_File_open (MPI_COMM_WORLD, "/nowhere/f", 0, MPI_INFO_NULL,
                          &fh) != 37,
           "open of no file");
    say ("MPI_File_open", 0, -1, -1);
    check (MPI_File_delete (argv[1], MPI_INFO_NULL), "delete");
    say ("MPI_File_delete", 0, 0, -1);
    return 0;
}
