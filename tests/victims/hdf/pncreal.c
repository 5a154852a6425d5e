/* SPDX-License-Identifier: MIT
 *
 * pncreal.c - ranks write one file by PnetCDF and print what they asked for
 *
 *     mpirun -n 4 pncreal FILE
 *
 * A line for each kind of call: rank, its name, the variable, how many, bytes.
 */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>

enum { COLUMNS = 64, STEPS = 3 };

static int rank, failed;
static double data[COLUMNS];

static void check (int rc, const char *what)
{
    if (rc != NC_NOERR) {
        fprintf (stderr, "pncreal: %s: %s\n", what, ncmpi_strerror (rc));
        failed = 1;
    }
}

static void say (const char *call, const char *object, int count, size_t bytes)
{
    printf ("%d %s %s %d %zu\n", rank, call, object, count, bytes);
}

int main (int argc, char **argv)
{
    int ranks, f, dim[2], grid, list, request[2], status[2];
    MPI_Offset start[2], count[2] = {1, COLUMNS};
    size_t row = COLUMNS * sizeof (double);

    MPI_Init (&argc, &argv);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    MPI_Comm_size (MPI_COMM_WORLD, &ranks);
    check (
        ncmpi_create (MPI_COMM_WORLD, argv[1], NC_CLOBBER, MPI_INFO_NULL, &f),
        "create");
    check (ncmpi_def_dim (f, "rank", ranks, &dim[0]), "rank");
    check (ncmpi_def_dim (f, "x", COLUMNS, &dim[1]), "x");
    check (ncmpi_def_var (f, "grid", NC_DOUBLE, 2, dim, &grid), "grid");
    check (ncmpi_def_var (f, "list", NC_INT, 2, dim, &list), "list");
    check (ncmpi_enddef (f), "enddef");
    start[0] = rank;
    start[1] = 0;
    for (int i = 0; i < STEPS; i++)
        check (ncmpi_put_vara_double_all (f, grid, start, count, data), "all");
    check (ncmpi_iput_vara_double (f, grid, start, count, data, &request[0]),
           "iput");
    check (ncmpi_iget_vara_double (f, grid, start, count, data, &request[1]),
           "iget");
    check (ncmpi_wait_all (f, 2, request, status), "wait");
    check (ncmpi_begin_indep_data (f), "begin");
    check (ncmpi_put_vara (f, grid, start, count, data, COLUMNS, MPI_DOUBLE),
           "any");
    check (ncmpi_get_var1_double (f, grid, start, data), "one");
    check (ncmpi_end_indep_data (f), "end");
    check (ncmpi_sync (f), "sync");
    check (ncmpi_close (f), "close");
    say ("ncmpi_create", "-", 1, 0);
    say ("ncmpi_enddef", "-", 1, 0);
    say ("ncmpi_put", "/grid", STEPS + 1, (STEPS + 1) * row);
    say ("ncmpi_get", "/grid", 1, sizeof (double));
    say ("ncmpi_iput", "/grid", 1, row);
    say ("ncmpi_iget", "/grid", 1, row);
    say ("ncmpi_iput_done", "/grid", 1, row);
    say ("ncmpi_iget_done", "/grid", 1, row);
    say ("ncmpi_wait", "-", 1, 0);
    say ("ncmpi_sync", "-", 1, 0);
    say ("ncmpi_close", "-", 1, 0);
    MPI_Finalize ();
    return failed;
}
