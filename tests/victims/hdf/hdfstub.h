/* SPDX-License-Identifier: MIT
 *
 * hdfstub.h - a stub of HDF5, NetCDF and PnetCDF with what the tests call
 *
 * Ids of spaces and types say what they are: SPACE + elements, TYPE + bytes.
 */
#ifndef DFT_TESTS_HDFSTUB_H
#define DFT_TESTS_HDFSTUB_H

#include <stddef.h>
#include <stdint.h>

#ifdef HDFSTUB_NARROW
typedef int hid_t; /* as in HDF5 1.8 */
#else
typedef int64_t hid_t;
#endif

enum { SPACE = 100000, TYPE = 200000, TEXTS = 300000 };
enum { DXPL_ONE = 500000, DXPL_ALL = 500001, FAPL_SHARED = 600001 };

/* Inside the stub: whether it gave an id, the path of its file, errors. */
int stub_has (hid_t);
const char *stub_path (hid_t);
extern int stub_errors;

hid_t H5Fcreate (const char *, unsigned, hid_t, hid_t);
int H5Fflush (hid_t, int);
int H5Fclose (hid_t);
hid_t H5Gcreate2 (hid_t, const char *, hid_t, hid_t, hid_t);
int H5Gclose (hid_t);
hid_t H5Dcreate2 (hid_t, const char *, hid_t, hid_t, hid_t, hid_t, hid_t);
hid_t H5Dcreate_anon (hid_t, hid_t, hid_t, hid_t, hid_t);
int H5Olink (hid_t, hid_t, const char *, hid_t, hid_t);
hid_t H5Dopen2 (hid_t, const char *, hid_t);
int H5Dwrite (hid_t, hid_t, hid_t, hid_t, hid_t, const void *);
int H5Dread (hid_t, hid_t, hid_t, hid_t, hid_t, void *);
int H5Dclose (hid_t);
int H5Idec_ref (hid_t);
hid_t H5Aopen (hid_t, const char *, hid_t);
int H5Aread (hid_t, hid_t, void *);
int H5Aclose (hid_t);
hid_t H5Rdereference2 (hid_t, hid_t, int, const void *);
int H5Dwrite_multi (
    size_t, hid_t *, hid_t *, hid_t *, hid_t *, hid_t, const void **);
int H5Dwrite_async (const char *,
                    const char *,
                    unsigned,
                    hid_t,
                    hid_t,
                    hid_t,
                    hid_t,
                    hid_t,
                    const void *,
                    hid_t);
int64_t H5Eget_num (hid_t);
int H5close (void);

int nc_create (const char *, int, int *);
int nc_put_vara_double (
    int, int, const size_t *, const size_t *, const double *);
int nc_close (int);
int ncmpi_create (void *, const char *, int, void *, int *);
int ncmpi_iput_vara_double (
    int, int, const int64_t *, const int64_t *, const double *, int *);
int ncmpi_wait_all (int, int, int *, int *);
int ncmpi_close (int);

#endif
