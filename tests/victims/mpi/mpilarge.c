/* SPDX-License-Identifier: MIT
 *
 * mpilarge.c - a program that uses functions with large counts where its MPI
 *              has them, as mpi4py does, and others where it has none
 *
 * mpilarge FILE: prints "bytes N"; the bytes that its statuses had, of all
 * ranks
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#if MPI_VERSION < 4
typedef int
large_function (MPI_File, MPI_Offset, void *, MPI_Count, MPI_Datatype, void *);
large_function MPI_File_write_at_c, MPI_File_read_at_all_c,
    MPI_File_iwrite_at_c;
#endif
#pragma weak MPI_File_write_at_c
#pragma weak MPI_File_read_at_all_c
#pragma weak MPI_File_iwrite_at_c

enum { COUNT = 1000 };

static long long moved (MPI_Status *status)
{
    int n = -1;

    MPI_Get_count (status, MPI_BYTE, &n);
    return n;
}

/* More elements than an int has, of a type of no bytes, of a function that the
 * MPI itself does not have. MPICH 4.0 has it and takes no such count. */
static void many (MPI_File file, int *data, MPI_Status *status)
{
    const long long count = 5LL << 31;
    MPI_Datatype nothing;

    MPI_Type_contiguous (0, MPI_INT, &nothing);
    MPI_Type_commit (&nothing);
    if (MPI_VERSION < 4 && MPI_File_write_at_c &&
        MPI_File_write_at_c (file, 0, data, count, nothing, status) != 0)
        abort ();
    MPI_Type_free (&nothing);
}

int main (int argc, char **argv)
{
    static int data[COUNT];
    MPI_File file;
    MPI_Status status;
    MPI_Request request;
    MPI_Offset at;
    int rank, bad = argc < 2;
    long long sum, all;

    MPI_Init (&argc, &argv);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    at = (MPI_Offset)rank * 2 * (MPI_Offset)sizeof (data);
    for (int i = 0; i < COUNT; i++)
        data[i] = rank * COUNT + i;
    bad |=
        MPI_File_open (MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                       MPI_INFO_NULL, &file);
    many (file, data, &status);
    bad |= MPI_File_write_at_c
               ? MPI_File_write_at_c (file, at, data, COUNT, MPI_INT, &status)
               : MPI_File_write_at (file, at, data, COUNT, MPI_INT, &status);
    sum = moved (&status);
    at += (MPI_Offset)sizeof (data);
    bad |= MPI_File_iwrite_at_c
               ? MPI_File_iwrite_at_c (file, at, data, COUNT, MPI_INT, &request)
               : MPI_File_iwrite_at (file, at, data, COUNT, MPI_INT, &request);
    MPI_Wait (&request, &status);
    sum += moved (&status);
    for (int i = 0; i < COUNT; i++)
        data[i] = -1;
    bad |=
        MPI_File_read_at_all_c
            ? MPI_File_read_at_all_c (file, at, data, COUNT, MPI_INT, &status)
            : MPI_File_read_at_all (file, at, data, COUNT, MPI_INT, &status);
    sum += moved (&status);
    for (int i = 0; i < COUNT; i++)
        bad |= data[i] != rank * COUNT + i;
    MPI_File_close (&file);
    MPI_Reduce (&sum, &all, 1, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf ("bytes %lld\n", all);
    MPI_Finalize ();
    return bad;
}
