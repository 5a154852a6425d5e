/* SPDX-License-Identifier: MIT
 *
 * mpiio.c - what a call of MPI-IO or HDF5 costs: the least of many rounds
 *
 * mpiio CALL FILE ROUNDS: prints ns of CPU time a call; CALL is write_at,
 * write_at_all, read_at, of 8 bytes; iwrite_at with its wait; with WITH_HDF5
 * H5Dwrite of one double. It is built by mpiio.sh, with the MPI at hand.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef WITH_HDF5
#include <hdf5.h>
#endif

enum { CALLS = 2000, SLOTS = 512 };

static double cpu_ns (void)
{
    struct timespec t;

    (void)clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static MPI_File file;

static void write_at (int i)
{
    double d = i;
    MPI_Status status;

    MPI_File_write_at (file, i % SLOTS * 8, &d, 1, MPI_DOUBLE, &status);
}

static void write_at_all (int i)
{
    double d = i;
    MPI_Status status;

    MPI_File_write_at_all (file, i % SLOTS * 8, &d, 1, MPI_DOUBLE, &status);
}

static void read_at (int i)
{
    double d = i;
    MPI_Status status;

    MPI_File_read_at (file, i % SLOTS * 8, &d, 1, MPI_DOUBLE, &status);
}

#ifdef WITH_HDF5
static hid_t dataset, one, place;

static void h5_open (const char *path)
{
    hsize_t size = SLOTS;
    hid_t f = H5Fcreate (path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);

    place = H5Screate_simple (1, &size, NULL);
    dataset = H5Dcreate2 (f, "data", H5T_NATIVE_DOUBLE, place, H5P_DEFAULT,
                          H5P_DEFAULT, H5P_DEFAULT);
    size = 1;
    one = H5Screate_simple (1, &size, NULL);
    size = 3;
    H5Sselect_elements (place, H5S_SELECT_SET, 1, &size);
}

static void h5_write (int i)
{
    double d = i;

    H5Dwrite (dataset, H5T_NATIVE_DOUBLE, one, place, H5P_DEFAULT, &d);
}
#endif

static const struct {
    const char *name;
    void (*call) (int);
} calls[] = {
    {"write_at", write_at},
    {"write_at_all", write_at_all},
    {"read_at", read_at},
#ifdef WITH_HDF5
    {"H5Dwrite", h5_write},
#endif
};

int main (int argc, char **argv)
{
    void (*call) (int) = NULL;
    double least = 0;

    for (size_t i = 0; argc > 3 && i < sizeof (calls) / sizeof (calls[0]); i++)
        if (strcmp (argv[1], calls[i].name) == 0)
            call = calls[i].call;
    if (!call)
        return 2;
    MPI_Init (&argc, &argv);
#ifdef WITH_HDF5
    h5_open (argv[2]);
#else
    MPI_File_open (MPI_COMM_WORLD, argv[2], MPI_MODE_CREATE | MPI_MODE_RDWR,
                   MPI_INFO_NULL, &file);
    for (int i = 0; i < SLOTS; i++)
        write_at (i);
#endif
    for (int round = 0; round < atoi (argv[3]); round++) {
        double start = cpu_ns (), ns;

        for (int i = 0; i < CALLS; i++)
            call (i);
        ns = (cpu_ns () - start) / CALLS;
        least = round == 0 || ns < least ? ns : least;
    }
    printf ("%.1f\n", least);
#ifndef WITH_HDF5
    MPI_File_close (&file);
#endif
    MPI_Finalize ();
    return 0;
}
