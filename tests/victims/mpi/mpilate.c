/* SPDX-License-Identifier: MIT
 *
 * mpilate.c - ranks that meet in each round, by a collective, a window or a
 *             message; the last one comes later
 *
 *     mpilate ROUNDS MS
 *
 * Out: a line for each rank: its number and the seconds that it was in MPI
 *
 * Built by mpicc of the MPI that is there.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main (int argc, char **argv)
{
    int rank, size, one = 1, all, window;
    MPI_Win win;
    double in = 0;

    MPI_Init (&argc, &argv);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    MPI_Comm_size (MPI_COMM_WORLD, &size);
    MPI_Win_create (&window, sizeof (window), sizeof (window), MPI_INFO_NULL,
                    MPI_COMM_WORLD, &win);
    MPI_Barrier (MPI_COMM_WORLD);
    for (int i = 0; i < atoi (argv[1]); i++) {
        double begin;

        if (rank == size - 1)
            usleep ((useconds_t)(1000 * atoi (argv[2])));
        begin = MPI_Wtime ();
        if (i % 4 == 1)
            MPI_Barrier (MPI_COMM_WORLD);
        else if (i % 4 == 2)
            MPI_Win_fence (0, win);
        else if (i % 4 == 3)
            MPI_Sendrecv (&one, 1, MPI_INT, size - 1 - rank, 0, &all, 1,
                          MPI_INT, size - 1 - rank, 0, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE);
        else
            MPI_Allreduce (&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        in += MPI_Wtime () - begin;
    }
    printf ("%d %.6f\n", rank, in);
    MPI_Win_free (&win);
    MPI_Finalize ();
    return 0;
}
