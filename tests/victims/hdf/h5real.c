/* SPDX-License-Identifier: MIT
 *
 * h5real.c - uses a real HDF5 in many ways and prints what it asked for
 *
 *     h5real FILE
 *
 * A line for each kind of call: its name, the object, how many, bytes. Built by
 * the tests where an HDF5 is installed; with -DPARALLEL all ranks of an MPI
 * write one file together and each prints its own lines, with its rank before.
 */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PARALLEL
#include <mpi.h>
#endif

enum { ROWS = 64, COLUMNS = 32, STEPS = 4 };

static int rank, ranks = 1;
static double data[ROWS * COLUMNS];
static int failed;

static void say (const char *call, const char *object, int count, size_t bytes)
{
    printf ("%d %s %s %d %zu\n", rank, call, object, count, bytes);
}

static void check (int good, const char *what)
{
    if (!good) {
        fprintf (stderr, "h5real: %s failed\n", what);
        failed = 1;
    }
}

static hid_t properties (void)
{
    hid_t p = H5Pcreate (H5P_FILE_ACCESS);

#ifdef PARALLEL
    check (H5Pset_fapl_mpio (p, MPI_COMM_WORLD, MPI_INFO_NULL) >= 0, "mpio");
#endif
    return p;
}

static hid_t transfer (int collective)
{
    hid_t p = H5Pcreate (H5P_DATASET_XFER);

#ifdef PARALLEL
    (void)H5Pset_dxpl_mpio (p, collective ? H5FD_MPIO_COLLECTIVE
                                          : H5FD_MPIO_INDEPENDENT);
#else
    (void)collective;
#endif
    return p;
}

/* Each rank has ROWS rows. */
static hid_t make (hid_t place, const char *name, int chunked)
{
    hsize_t dims[2] = {(hsize_t)(ROWS * ranks), COLUMNS},
            chunk[2] = {16, COLUMNS};
    hid_t space = H5Screate_simple (2, dims, NULL);
    hid_t plist = H5Pcreate (H5P_DATASET_CREATE), set;

    if (chunked)
        (void)H5Pset_chunk (plist, 2, chunk);
    if (chunked > 1)
        (void)H5Pset_deflate (plist, 1);
    set = H5Dcreate2 (place, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, plist,
                      H5P_DEFAULT);
    check (set >= 0, name);
    (void)H5Pclose (plist);
    (void)H5Sclose (space);
    return set;
}

static void move (hid_t set, int write, int collective, int rows)
{
    hsize_t start[2] = {(hsize_t)(rank * ROWS), 0},
            count[2] = {(hsize_t)rows, COLUMNS};
    hid_t file = H5Dget_space (set), mem = H5Screate_simple (2, count, NULL);
    hid_t p = transfer (collective);
    herr_t rc;

    (void)H5Sselect_hyperslab (file, H5S_SELECT_SET, start, NULL, count, NULL);
    rc = write ? H5Dwrite (set, H5T_NATIVE_DOUBLE, mem, file, p, data)
               : H5Dread (set, H5T_NATIVE_DOUBLE, mem, file, p, data);
    check (rc >= 0, write ? "write" : "read");
    (void)H5Pclose (p);
    (void)H5Sclose (mem);
    (void)H5Sclose (file);
}

static void datasets (hid_t f)
{
    hid_t group =
        H5Gcreate2 (f, "fields", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t plain = make (group, "plain", 0),
          chunked = make (f, "/fields/chunks", 1);

    for (int i = 0; i < STEPS; i++) {
        move (plain, 1, 0, ROWS);
        move (chunked, 1, 1, ROWS / 2);
    }
    move (plain, 0, 1, ROWS);
    check (H5Fflush (f, H5F_SCOPE_GLOBAL) >= 0, "flush");
    (void)H5Dclose (chunked);
    (void)H5Dclose (plain);
    (void)H5Gclose (group);
    say ("H5Gcreate", "/fields", 1, 0);
    say ("H5Dcreate", "/fields/plain", 1, 0);
    say ("H5Dcreate", "/fields/chunks", 1, 0);
    say ("H5Dwrite", "/fields/plain", STEPS,
         STEPS * ROWS * COLUMNS * sizeof (double));
    say ("H5Dwrite", "/fields/chunks", STEPS,
         STEPS * ROWS / 2 * COLUMNS * sizeof (double));
    say ("H5Dread", "/fields/plain", 1, ROWS * COLUMNS * sizeof (double));
    say ("H5Dclose", "/fields/plain", 2, 0);
    say ("H5Gclose", "/fields", 1, 0);
}

static void attributes (hid_t f)
{
    hid_t set = H5Dopen2 (f, "fields/plain", H5P_DEFAULT);
    hid_t space = H5Screate (H5S_SCALAR);
    int value = 7;

    for (int i = 0; i < STEPS; i++) {
        char name[16];
        hid_t a;

        (void)snprintf (name, sizeof (name), "a%d", i);
        a = H5Acreate2 (set, name, H5T_NATIVE_INT, space, H5P_DEFAULT,
                        H5P_DEFAULT);
        check (H5Awrite (a, H5T_NATIVE_INT, &value) >= 0, "attribute");
        (void)H5Aclose (a);
    }
    (void)H5Sclose (space);
    (void)H5Dclose (set);
    say ("H5Acreate", "/fields/plain", STEPS, 0);
    say ("H5Awrite", "/fields/plain", STEPS, STEPS * sizeof (int));
    say ("H5Aclose", "/fields/plain", STEPS, 0);
    say ("H5Dopen", "/fields/plain", 1, 0);
}

#ifndef PARALLEL
/* Whole datasets, types without a fixed size, compression, references. */
static void others (hid_t f)
{
    hid_t set = make (f, "small", 2), text = H5Tcopy (H5T_C_S1), words, space;
    hsize_t two = 2;
    const char *both[] = {"one", "two and more"};

    check (H5Dwrite (set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                     data) >= 0,
           "whole");
    say ("H5Dwrite", "/small", 1, ROWS * COLUMNS * sizeof (double));
    (void)H5Dclose (set);
    (void)H5Tset_size (text, H5T_VARIABLE);
    space = H5Screate_simple (1, &two, NULL);
    words = H5Dcreate2 (f, "words", text, space, H5P_DEFAULT, H5P_DEFAULT,
                        H5P_DEFAULT);
    check (H5Dwrite (words, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, both) >= 0,
           "words");
    say ("H5Dwrite", "/words", 1, 0);
    (void)H5Dclose (words);
    (void)H5Sclose (space);
    (void)H5Tclose (text);
}

/* Ids that stay, of what changes: the size of a set, what of it is meant. */
static void changes (hid_t f)
{
    hsize_t few = 4, more = 10, most = H5S_UNLIMITED, at[] = {1, 3, 8};
    hid_t space = H5Screate_simple (1, &few, &most),
          plist = H5Pcreate (H5P_DATASET_CREATE), set, mem;
    herr_t rc;

    (void)H5Pset_chunk (plist, 1, &few);
    set = H5Dcreate2 (f, "grows", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, plist,
                      H5P_DEFAULT);
    rc = H5Dwrite (set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    check (rc >= 0 && H5Dset_extent (set, &more) >= 0, "extent");
    rc = H5Dwrite (set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    check (rc >= 0, "all of more");
    say ("H5Dwrite", "/grows", 2, (few + more) * sizeof (double));
    (void)H5Sclose (space);
    space = H5Dget_space (set);
    for (hsize_t n = 1; n <= 3; n++) {
        (void)H5Sselect_elements (space, H5S_SELECT_SET, n, at);
        mem = H5Screate_simple (1, &n, NULL);
        rc = H5Dread (set, n == 2 ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE, mem,
                      space, H5P_DEFAULT, data);
        check (rc >= 0, "elements");
        (void)H5Sclose (mem);
    }
    say ("H5Dread", "/grows", 3, 4 * sizeof (double) + 2 * sizeof (int));
    (void)H5Sclose (space);
    (void)H5Pclose (plist);
    (void)H5Dclose (set);
}

static hid_t first (const char *path, const char *name)
{
    hid_t f = H5Fopen (path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t set = H5Dopen2 (f, name, H5P_DEFAULT);

    check (H5Dread (set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                    data) >= 0,
           name);
    check (H5close () >= 0, "close all");
    return set;
}

/* One id, of one set and later of another. */
static void again (const char *path)
{
    hid_t one, other;

    check (H5close () >= 0, "close all");
    one = first (path, "small");
    other = first (path, "/fields/chunks");
    check (one == other, "an id that comes again");
    say ("H5Dread", "/small", 1, ROWS * COLUMNS * sizeof (double));
    say ("H5Dread", "/fields/chunks", 1, ROWS * COLUMNS * sizeof (double));
}

/* The list of errors stays what it is without us. */
static void errors (hid_t f)
{
    hid_t set;

    H5E_BEGIN_TRY
    {
        set = H5Dopen2 (f, "nowhere", H5P_DEFAULT);
    }
    H5E_END_TRY
    check (set < 0 && H5Eget_num (H5E_DEFAULT) > 0, "errors");
    printf ("%d errors %s %d 0\n", rank, "-", (int)H5Eget_num (H5E_DEFAULT));
}

/* In an exit handler, after which HDF5 closes itself. */
static hid_t last;
static void at_exit (void)
{
    int value = 1;
    hid_t space = H5Screate (H5S_SCALAR);
    hid_t a = H5Acreate2 (last, "late", H5T_NATIVE_INT, space, H5P_DEFAULT,
                          H5P_DEFAULT);

    (void)H5Awrite (a, H5T_NATIVE_INT, &value);
}
#endif

int main (int argc, char **argv)
{
    hid_t p, f;

#ifdef PARALLEL
    MPI_Init (&argc, &argv);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    MPI_Comm_size (MPI_COMM_WORLD, &ranks);
#endif
    if (argc != 2)
        return 2;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        data[i] = i;
    p = properties ();
    f = H5Fcreate (argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, p);
    check (f >= 0, "create");
    datasets (f);
    attributes (f);
    (void)H5Fclose (f);
    f = H5Fopen (argv[1], H5F_ACC_RDWR, p);
#ifdef PARALLEL
    say ("H5Fopen", "-", 1, 0);
#else
    say ("H5Fopen", "-", 4, 0);
#endif
    say ("H5Fcreate", "-", 1, 0);
    say ("H5Fflush", "-", 1, 0);
    (void)H5Pclose (p);
#ifdef PARALLEL
    say ("H5Fclose", "-", 2, 0);
    (void)H5Fclose (f);
    MPI_Finalize ();
#else
    others (f);
    changes (f);
    errors (f);
    (void)H5Fclose (f);
    again (argv[1]);
    say ("H5Fclose", "-", 2, 0);
    last = H5Fopen (argv[1], H5F_ACC_RDWR, H5P_DEFAULT);
    atexit (at_exit);
#endif
    return failed;
}
