/* SPDX-License-Identifier: MIT
 *
 * ncreal.c - uses a real NetCDF in many ways and prints what it asked for
 *
 *     ncreal FILE
 *
 * A line for each kind of call: its name, the variable, how many, bytes. Built
 * by the tests where NetCDF is installed.
 */
#include <netcdf.h>
#include <stdio.h>

enum { ROWS = 32, COLUMNS = 16, STEPS = 3 };

static double data[ROWS * COLUMNS];
static int ints[ROWS * COLUMNS];
static int failed;

static void check (int rc, const char *what)
{
    if (rc != NC_NOERR) {
        fprintf (stderr, "ncreal: %s: %s\n", what, nc_strerror (rc));
        failed = 1;
    }
}

static void say (const char *call, const char *object, int count, size_t bytes)
{
    printf ("%s %s %d %zu\n", call, object, count, bytes);
}

int main (int argc, char **argv)
{
    int f, dim[2], grid, series, words, group, inside;
    size_t start[2] = {0, 0}, count[2] = {1, COLUMNS};
    ptrdiff_t stride[2] = {1, 2};
    const char *text[] = {"a word"};
    size_t one = 1, zero = 0;

    if (argc != 2)
        return 2;
    check (nc_create (argv[1], NC_NETCDF4 | NC_CLOBBER, &f), "create");
    check (nc_def_dim (f, "time", NC_UNLIMITED, &dim[0]), "time");
    check (nc_def_dim (f, "x", COLUMNS, &dim[1]), "x");
    check (nc_def_var (f, "series", NC_DOUBLE, 2, dim, &series), "series");
    check (nc_def_var (f, "grid", NC_INT, 1, &dim[1], &grid), "grid");
    check (nc_def_var (f, "words", NC_STRING, 1, &dim[0], &words), "words");
    check (nc_def_grp (f, "deep", &group), "group");
    check (nc_def_var (group, "inside", NC_FLOAT, 1, &dim[1], &inside), "in");
    check (nc_enddef (f), "enddef");
    for (int i = 0; i < STEPS; i++) {
        start[0] = (size_t)i;
        check (nc_put_vara_double (f, series, start, count, data), "vara");
    }
    check (nc_put_var_int (f, grid, ints), "var");
    check (nc_put_vara_string (f, words, &zero, &one, text), "string");
    check (nc_put_var1_int (group, inside, &one, ints), "var1");
    check (nc_sync (f), "sync");
    count[1] = COLUMNS / 2;
    check (nc_get_vars_int (f, series, start, count, stride, ints), "vars");
    check (nc_get_var (f, grid, ints), "any");
    check (nc_close (f), "close");
    check (nc_open (argv[1], NC_NOWRITE, &f), "open");
    check (nc_get_var_double (f, series, data), "all");
    check (nc_close (f), "close");
    say ("nc_create", "-", 1, 0);
    say ("nc_open", "-", 1, 0);
    say ("nc_enddef", "-", 1, 0);
    say ("nc_sync", "-", 1, 0);
    say ("nc_close", "-", 2, 0);
    say ("nc_put", "/series", STEPS, STEPS * COLUMNS * sizeof (double));
    say ("nc_put", "/grid", 1, COLUMNS * sizeof (int));
    say ("nc_put", "/words", 1, 0);
    say ("nc_put", "/deep/inside", 1, sizeof (int));
    say ("nc_get", "/series", 2,
         COLUMNS / 2 * sizeof (int) + STEPS * COLUMNS * sizeof (double));
    say ("nc_get", "/grid", 1, COLUMNS * sizeof (int));
    return failed;
}
