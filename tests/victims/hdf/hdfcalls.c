/* SPDX-License-Identifier: MIT
 *
 * hdfcalls.c - calls of the stub, with what an event of each should say
 *
 *     hdfcalls FILE
 *
 * "call object size result flags" for each, in the order of their ends.
 */
#include "config.h"

#include <stdio.h>

#include "tests/victims/hdf/hdfstub.h"

static double data[4096];

#define SAY(...) (void)printf (__VA_ARGS__)

static void sets (const char *path)
{
    hid_t f = H5Fcreate (path, 2, 0, FAPL_SHARED), g, d, a, r;

    SAY ("H5Fcreate - - 0 2\n");
    g = H5Gcreate2 (f, "g", 0, 0, 0);
    SAY ("H5Gcreate /g - 0 -\n");
    d = H5Dcreate2 (g, "./set", TYPE + 8, SPACE + 10, 0, 0, 0);
    SAY ("H5Dcreate /g/set - 0 -\n");
    (void)H5Dwrite (d, TYPE + 8, SPACE + 5, SPACE + 5, DXPL_ALL, data);
    SAY ("H5Dwrite /g/set 40 40 %d\n", 1 + 64 + 256);
    (void)H5Dwrite (d, TYPE + 4, 0, 0, 0, data);
    SAY ("H5Dwrite /g/set 40 40 %d\n", 2 + 64 + 256 + 512);
    (void)H5Dread (d, TYPE + 4, SPACE + 7, 0, DXPL_ONE, data);
    SAY ("H5Dread /g/set 28 28 %d\n", 2 + 64 + 256 + 512);
    (void)H5Dwrite (d, TEXTS, SPACE + 1, SPACE + 1, 0, data);
    SAY ("H5Dwrite /g/set 0 0 %d\n", 2 + 4 + 64 + 256);
    (void)H5Dread (d, TYPE + 4, SPACE, SPACE, DXPL_ALL, data);
    SAY ("H5Dread /g/set 0 0 %d\n", 1 + 64 + 256);
    a = H5Aopen (d, "units", 0);
    SAY ("H5Aopen /g/set - 0 -\n");
    (void)H5Aread (a, TYPE + 4, data);
    SAY ("H5Aread /g/set 12 12 0\n");
    (void)H5Aclose (a);
    SAY ("H5Aclose /g/set - 0 -\n");
    (void)H5Idec_ref (d);
    SAY ("H5Dclose /g/set - 0 -\n");
    d = H5Dcreate_anon (f, TYPE + 8, SPACE + 10, 0, 0);
    SAY ("H5Dcreate - - 0 -\n");
    (void)H5Olink (d, g, "late", 0, 0);
    (void)H5Dclose (d);
    SAY ("H5Dclose /g/late - 0 -\n");
    r = H5Rdereference2 (f, 0, 0, NULL);
    SAY ("H5Oopen - - 0 -\n");
    (void)H5Dwrite (r, TYPE + 1, SPACE + 3, SPACE + 3, 0, data);
    SAY ("H5Dwrite - 3 3 %d\n", 64 + 256);
    (void)H5Gclose (g);
    SAY ("H5Gclose /g - 0 -\n");
    (void)H5Fflush (f, 0);
    SAY ("H5Fflush - - 0 -\n");
    if (H5Dopen2 (f, "nowhere", 0) >= 0 || H5Eget_num (0) != 1)
        SAY ("the list of errors is not what it was\n");
    SAY ("H5Dopen /nowhere - -1 -\n");
    (void)H5Fclose (f);
    SAY ("H5Fclose - - 0 -\n");
    if (H5Eget_num (0) != 0)
        SAY ("there are errors\n");
}

/* What came with 1.14. */
static void newer (const char *path)
{
#ifndef HDFSTUB_NARROW
    hid_t f = H5Fcreate (path, 2, 0, 0), d[2], type[2] = {TYPE + 8, TYPE + 4},
          space[2] = {SPACE + 2, SPACE + 3};
    const void *buffers[2] = {data, data};

    SAY ("H5Fcreate - - 0 2\n");
    d[0] = H5Dcreate2 (f, "/one", TYPE + 8, SPACE + 10, 0, 0, 0);
    SAY ("H5Dcreate /one - 0 -\n");
    d[1] = H5Dcreate2 (f, "/two", TYPE + 8, SPACE + 10, 0, 0, 0);
    SAY ("H5Dcreate /two - 0 -\n");
    (void)H5Dwrite_multi (2, d, type, space, space, 0, buffers);
    SAY ("H5Dwrite_multi - 2 0 0\nH5Dwrite /one 16 16 %d\n"
         "H5Dwrite /two 12 12 %d\n",
         64 + 256, 64 + 256);
    (void)H5Dwrite_async ("f.c", "f", 7, d[0], TYPE + 8, SPACE + 4, SPACE + 4,
                          0, data, 77);
    SAY ("H5Dwrite /one 32 32 %d\n", 8 + 64 + 256);
    (void)H5Dwrite_async ("f.c", "f", 8, d[0], TYPE + 8, SPACE + 4, SPACE + 4,
                          0, data, 0);
    SAY ("H5Dwrite /one 32 32 %d\n", 64 + 256);
    (void)H5Fclose (f);
    SAY ("H5Fclose - - 0 -\n");
    (void)H5close ();
    f = H5Fcreate (path, 2, 0, 0); /* an id that stood for another file */
    SAY ("H5Fcreate - - 0 2\n");
    (void)H5Fclose (f);
    SAY ("H5Fclose - - 0 -\n");
#else
    (void)path;
#endif
}

/* A file that stays open while many others are opened one after the other, as
 * where they are joined to one: its name is known to the end. */
static void many (const char *path)
{
    enum { FILES = 300 };
    hid_t kept = H5Fcreate (path, 2, 0, 0), idle = H5Fcreate (path, 2, 0, 0), d;

    SAY ("H5Fcreate - - 0 2\nH5Fcreate - - 0 2\n");
    d = H5Dcreate2 (kept, "/kept", TYPE + 8, SPACE + 10, 0, 0, 0);
    SAY ("H5Dcreate /kept - 0 -\n");
    for (int i = 0; i < FILES; i++) {
        (void)H5Fclose (H5Fcreate (path, 2, 0, 0));
        SAY ("H5Fcreate - - 0 2\nH5Fclose - - 0 -\n");
        if (i % 100 == 0) {
            (void)H5Dwrite (d, TYPE + 8, SPACE + 1, SPACE + 1, 0, data);
            SAY ("H5Dwrite /kept 8 8 %d\n", 64 + 256);
        }
    }
    (void)H5Dclose (d);
    (void)H5Fclose (kept);
    (void)H5Fflush (idle, 0);
    (void)H5Fclose (idle);
    SAY ("H5Dclose /kept - 0 -\nH5Fclose - - 0 -\nH5Fflush - - 0 -\n"
         "H5Fclose - - 0 -\n");
}

static void others (const char *path)
{
    size_t start[2] = {0, 0}, count[2] = {2, 3};
    int64_t begin[2] = {0, 0}, many[2] = {2, 4};
    int id, request[2], status[2];

    (void)nc_create (path, 0, &id);
    SAY ("H5Fcreate - - 0 0\nH5Dcreate /v - 0 -\nnc_create - - 0 0\n");
    (void)nc_put_vara_double (id, 0, start, count, data);
    SAY ("H5Dwrite /v 48 48 %d\nnc_put /v 48 48 0\n", 64 + 256);
    (void)nc_close (id);
    SAY ("H5Dclose /v - 0 -\nnc_close - - 0 -\n");
    (void)ncmpi_create (NULL, path, 0, NULL, &id);
    SAY ("ncmpi_create - - 0 0\n");
    for (int i = 0; i < 2; i++) {
        (void)ncmpi_iput_vara_double (id, 0, begin, many, data, &request[i]);
        SAY ("ncmpi_iput /v 64 0 8\n");
    }
    (void)ncmpi_wait_all (id, 2, request, status);
    SAY ("ncmpi_iput_done /v 64 64 1\nncmpi_iput_done /v 64 64 1\n"
         "ncmpi_wait - 2 0 1\n");
    (void)ncmpi_close (id);
    SAY ("ncmpi_close - - 0 -\n");
}

/* Ids that are none, as NetCDF closes some. */
static int wrong (const char *path)
{
    hid_t f = H5Fcreate (path, 2, 0, 0);
    int failed = 0;

    failed += H5Aclose (-1) < 0;
    failed += H5Aclose (0) < 0;
    failed += H5Dclose (12345) < 0;
    failed += H5Fclose (12345) < 0;
    failed += H5Dread (12345, TYPE + 8, SPACE + 1, SPACE + 1, 0, data) < 0;
    (void)H5Fclose (f);
    printf ("%d\n", failed);
    return 0;
}

int main (int argc, char **argv)
{
    if (argc == 3)
        return wrong (argv[1]);
    if (argc != 2)
        return 2;
    sets (argv[1]);
    newer (argv[1]);
    many (argv[1]);
    others (argv[1]);
    return 0;
}
