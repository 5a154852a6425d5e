/* SPDX-License-Identifier: MIT
 *
 * mpireal.c - for a real MPI (mpicc): every way to write and read a file, by
 * all ranks; each prints what it did
 *
 *     mpirun -n N mpireal FILE    prints: RANK name calls bytes
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 3000, BLOCKS = 8 };

static int rank, ranks;
static int buf[N];
static MPI_File fh;

static void did (const char *name, int calls, long long bytes)
{
    printf ("%d %s %d %lld\n", rank, name, calls, bytes);
}

static long long bytes_of (MPI_Status *s)
{
    int n;

    MPI_Get_count (s, MPI_INT, &n);
    return n * (long long)sizeof (int);
}

static void whole (void)
{
    MPI_Offset at = (MPI_Offset)rank * N * (MPI_Offset)sizeof (int);
    long long bytes = 0;
    MPI_Status s;

    for (int i = 0; i < 3; i++) {
        MPI_File_write_at_all (fh, at, buf, N, MPI_INT, &s);
        bytes += bytes_of (&s);
    }
    did ("MPI_File_write_at_all", 3, bytes);
    MPI_File_read_at_all (fh, at, buf, N, MPI_INT, &s);
    did ("MPI_File_read_at_all", 1, bytes_of (&s));
    MPI_File_write_at (fh, at, buf, N / 2, MPI_INT, &s);
    did ("MPI_File_write_at", 1, bytes_of (&s));
    MPI_File_read_at (fh, at, buf, N / 2, MPI_INT, MPI_STATUS_IGNORE);
    did ("MPI_File_read_at", 1, N / 2 * (long long)sizeof (int));
    MPI_File_seek (fh, at, MPI_SEEK_SET);
    MPI_File_write (fh, buf, 100, MPI_INT, &s);
    did ("MPI_File_write", 1, bytes_of (&s));
    MPI_File_seek (fh, at, MPI_SEEK_SET);
    MPI_File_read (fh, buf, 100, MPI_INT, &s);
    did ("MPI_File_read", 1, bytes_of (&s));
}

/* Blocks of all ranks in turn: what collective buffering is for. */
static void strided (void)
{
    MPI_Datatype type;
    MPI_Status s;

    MPI_Type_vector (BLOCKS, 10, 10 * ranks, MPI_INT, &type);
    MPI_Type_commit (&type);
    MPI_File_set_view (fh, rank * 10 * (MPI_Offset)sizeof (int), MPI_INT, type,
                       "native", MPI_INFO_NULL);
    did ("MPI_File_set_view", 2, 0);
    MPI_File_write_all (fh, buf, BLOCKS * 10, MPI_INT, &s);
    did ("MPI_File_write_all", 1, bytes_of (&s));
    MPI_File_write_all_begin (fh, buf, BLOCKS * 10, MPI_INT);
    MPI_File_write_all_end (fh, buf, &s);
    did ("MPI_File_write_all_end", 1, bytes_of (&s));
    MPI_File_seek (fh, 0, MPI_SEEK_SET);
    MPI_File_read_all (fh, buf, BLOCKS * 10, MPI_INT, &s);
    did ("MPI_File_read_all", 1, bytes_of (&s));
    MPI_File_set_view (fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_Type_free (&type);
}

static void posted (void)
{
    MPI_Offset at = (MPI_Offset)rank * N * (MPI_Offset)sizeof (int);
    MPI_Request r[2];
    MPI_Status s[2];
    int flag = 0;

    MPI_File_iwrite_at (fh, at, buf, 500, MPI_INT, &r[0]);
    MPI_File_iwrite_at (fh, at + 2000, buf, 250, MPI_INT, &r[1]);
    MPI_Waitall (2, r, s);
    did ("MPI_iwrite_done", 2, 3000);
    MPI_File_iread_at (fh, at, buf, 500, MPI_INT, &r[0]);
    while (!flag)
        MPI_Test (&r[0], &flag, &s[0]);
    did ("MPI_iread_done", 1, 2000);
}

int main (int argc, char **argv)
{
    MPI_Info info;

    MPI_Init (&argc, &argv);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    MPI_Comm_size (MPI_COMM_WORLD, &ranks);
    MPI_Info_create (&info);
    MPI_Info_set (info, "cb_nodes", "2");
    if (argc != 2 || MPI_File_open (MPI_COMM_WORLD, argv[1],
                                    MPI_MODE_CREATE | MPI_MODE_RDWR, info, &fh))
        MPI_Abort (MPI_COMM_WORLD, 1);
    MPI_Info_free (&info);
    did ("MPI_File_open", 1, 0);
    whole ();
    strided ();
    posted ();
    MPI_File_sync (fh);
    MPI_File_close (&fh);
    did ("MPI_File_close", 1, 0);
    MPI_Finalize ();
    return 0;
}
