/* SPDX-License-Identifier: MIT
 *
 * mpiio.c - ranks that read and write one file, built by the tests (mpicc)
 *
 * mpiio FILE: each rank writes its blocks through MPI-IO, independently and
 * collectively, reads its neighbour's, then a part of FILE.posix by itself.
 * Rank 0 shows the sums.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 4096, BLOCKS = 8 };

static char buf[BLOCK];

static long sum (void)
{
    long n = 0;

    for (int i = 0; i < BLOCK; i++)
        n += buf[i];
    return n;
}

static MPI_Offset place (int rank, int ranks, int i)
{
    return (MPI_Offset)BLOCK * (i * ranks + rank);
}

static long through_mpi (const char *path, int rank, int ranks)
{
    MPI_File f;
    long n = 0;

    if (MPI_File_open (MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR,
                       MPI_INFO_NULL, &f) != MPI_SUCCESS)
        return -1;
    for (int i = 0; i < BLOCKS; i++) {
        memset (buf, rank + i, sizeof (buf));
        if (i % 2)
            MPI_File_write_at (f, place (rank, ranks, i), buf, BLOCK, MPI_CHAR,
                               MPI_STATUS_IGNORE);
        else
            MPI_File_write_at_all (f, place (rank, ranks, i), buf, BLOCK,
                                   MPI_CHAR, MPI_STATUS_IGNORE);
    }
    MPI_File_sync (f);
    MPI_Barrier (MPI_COMM_WORLD);
    for (int i = 0; i < BLOCKS; i++) {
        MPI_File_read_at (f, place ((rank + 1) % ranks, ranks, i), buf, BLOCK,
                          MPI_CHAR, MPI_STATUS_IGNORE);
        n += sum ();
    }
    MPI_File_close (&f);
    return n;
}

static void alone (const char *path, int rank)
{
    char name[4200];
    int fd;

    (void)snprintf (name, sizeof (name), "%s.posix", path);
    fd = open (name, O_RDWR | O_CREAT, 0600);
    for (int i = 0; i < BLOCKS; i++)
        (void)!pwrite (fd, buf, BLOCK, (off_t)BLOCK * (rank * BLOCKS + i));
    (void)close (fd);
}

int main (int argc, char **argv)
{
    int rank, ranks;
    long mine, all = 0;

    MPI_Init (&argc, &argv);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    MPI_Comm_size (MPI_COMM_WORLD, &ranks);
    mine = through_mpi (argv[1], rank, ranks);
    alone (argv[1], rank);
    MPI_Reduce (&mine, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        (void)printf ("%d ranks, sum %ld\n", ranks, all);
    MPI_Finalize ();
    return 0;
}
