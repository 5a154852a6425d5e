/* SPDX-License-Identifier: MIT
 *
 * ncparallel.c - ranks write and read one file by NetCDF together and print
 * what they asked for
 *
 *     ncparallel FILE
 *
 * A line for each kind of call: the rank, its name, the variable, how many,
 * bytes; then how many transfers were collective and independent.
 */
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <stdio.h>

enum { ROWS = 64, STEPS = 3 };

static double data[ROWS];
static int failed, rank;

static void check (int rc, const char *what)
{
    if (rc != NC_NOERR) {
        fprintf (stderr, "ncparallel: %s: %s\n", what, nc_strerror (rc));
        failed = 1;
    }
}

static void say (const char *call, const char *object, int count, size_t bytes)
{
    printf ("%d %s %s %d %zu\n", rank, call, object, count, bytes);
}

int main (int argc, char **argv)
{
    int ranks, f, dim[2], together, alone;
    size_t start[2] = {0, 0}, count[2] = {1, ROWS};

    if (argc != 2)
        return 2;
    MPI_Init (&argc, &argv);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    MPI_Comm_size (MPI_COMM_WORLD, &ranks);
    check (nc_create_par (argv[1], NC_NETCDF4 | NC_CLOBBER, MPI_COMM_WORLD,
                          MPI_INFO_NULL, &f),
           "create");
    check (nc_def_dim (f, "step", STEPS, &dim[0]), "step");
    check (nc_def_dim (f, "x", (size_t)(ROWS * ranks), &dim[1]), "x");
    check (nc_def_var (f, "together", NC_DOUBLE, 2, dim, &together), "var");
    check (nc_def_var (f, "alone", NC_DOUBLE, 2, dim, &alone), "var");
    check (nc_enddef (f), "enddef");
    check (nc_var_par_access (f, together, NC_COLLECTIVE), "collective");
    check (nc_var_par_access (f, alone, NC_INDEPENDENT), "independent");
    start[1] = (size_t)(rank * ROWS);
    for (int i = 0; i < STEPS; i++) {
        start[0] = (size_t)i;
        check (nc_put_vara_double (f, together, start, count, data), "put");
        check (nc_put_vara_double (f, alone, start, count, data), "put");
        check (nc_get_vara_double (f, together, start, count, data), "get");
    }
    check (nc_close (f), "close");
    say ("nc_put", "/together", STEPS, STEPS * sizeof (data));
    say ("nc_put", "/alone", STEPS, STEPS * sizeof (data));
    say ("nc_get", "/together", STEPS, STEPS * sizeof (data));
    MPI_Finalize ();
    return failed;
}
