/* SPDX-License-Identifier: MIT
 *
 * hdfstub_ask.c - questions to the stub, and its NetCDF and PnetCDF
 */
#include "config.h"

#include <string.h>

#include "tests/victims/hdf/hdfstub.h"

int nc__create (const char *, int, size_t, size_t *, int *);
int nc_inq_varname (int, int, char *);
int nc_inq_varndims (int, int, int *);
int nc_inq_vartype (int, int, int *);
int ncmpi_inq_varname (int, int, char *);
int ncmpi_inq_varndims (int, int, int *);
int ncmpi_inq_vartype (int, int, int *);
hid_t H5Dget_space (hid_t);
hid_t H5Aget_space (hid_t);
int64_t H5Sget_simple_extent_npoints (hid_t);
int64_t H5Sget_select_npoints (hid_t);
int H5Sclose (hid_t);
int H5Tget_class (hid_t);
size_t H5Tget_size (hid_t);
int H5Tclose (hid_t);
hid_t H5Dget_type (hid_t);
hid_t H5Dget_create_plist (hid_t);
int H5Pget_layout (hid_t);
int H5Pget_nfilters (hid_t);
int H5Pget_chunk (hid_t, int, uint64_t *);
int H5Pclose (hid_t);
hid_t H5Pget_driver (hid_t);
hid_t H5FD_mpio_init (void);
int H5Pget_dxpl_mpio (hid_t, int *);
ptrdiff_t H5Fget_name (hid_t, char *, size_t);
int H5Fstart_swmr_write (hid_t);

/* --- questions: a wrong one is an error, as it is in HDF5 --------------------
 */

static int stub_ask (int good)
{
    stub_errors = !good;
    return good;
}

#ifndef HDFSTUB_NARROW
int H5Fstart_swmr_write (hid_t f)
{
    (void)f;
    return -1;
}
#endif

ptrdiff_t H5Fget_name (hid_t id, char *name, size_t size)
{
    const char *path = stub_path (id);

    if (!path)
        return -1;
    (void)strncpy (name, path, size);
    return (ptrdiff_t)strlen (name);
}

hid_t H5Dget_space (hid_t d)
{
    return stub_has (d) ? SPACE + 10 : -1;
}

hid_t H5Aget_space (hid_t a)
{
    return stub_has (a) ? SPACE + 3 : -1;
}

int64_t H5Sget_simple_extent_npoints (hid_t s)
{
    return stub_ask (s >= SPACE && s < TYPE) ? s - SPACE : -1;
}

int64_t H5Sget_select_npoints (hid_t s)
{
    return H5Sget_simple_extent_npoints (s);
}

int H5Sclose (hid_t s)
{
    return stub_ask (s >= SPACE && s < TYPE) ? 0 : -1;
}

int H5Tget_class (hid_t t)
{
    return stub_ask (t > TYPE && t <= TEXTS) ? (t == TEXTS ? 9 : 0) : -1;
}

size_t H5Tget_size (hid_t t)
{
    return stub_ask (t > TYPE && t <= TEXTS) ? (size_t)(t - TYPE) : 0;
}

int H5Tclose (hid_t t)
{
    return stub_ask (t > TYPE && t <= TEXTS) ? 0 : -1;
}

hid_t H5Dget_type (hid_t d)
{
    return stub_has (d) ? TYPE + 8 : -1;
}

hid_t H5Dget_create_plist (hid_t d)
{
    return stub_has (d) ? 400000 : -1;
}

int H5Pget_layout (hid_t p)
{
    return stub_ask (p == 400000) ? 2 : -1;
}

int H5Pget_nfilters (hid_t p)
{
    return stub_ask (p == 400000) ? 1 : -1;
}

int H5Pget_chunk (hid_t p, int n, uint64_t *dims)
{
    if (!stub_ask (p == 400000 && n >= 2))
        return -1;
    dims[0] = 4;
    dims[1] = 16;
    return 2;
}

int H5Pclose (hid_t p)
{
    return stub_ask (p == 400000) ? 0 : -1;
}

hid_t H5Pget_driver (hid_t p)
{
    return stub_ask (p > 0) ? p - 1 : -1;
}

hid_t H5FD_mpio_init (void)
{
    return FAPL_SHARED - 1;
}

int H5Pget_dxpl_mpio (hid_t p, int *mode)
{
    *mode = p == DXPL_ALL;
    return stub_ask (p == DXPL_ONE || p == DXPL_ALL) ? 0 : -1;
}

/* --- NetCDF, on HDF5 --------------------------------------------------------
 */

static hid_t nc_set;

int nc__create (const char *path, int mode, size_t a, size_t *b, int *id)
{
    hid_t f = H5Fcreate (path, 0, 0, 0);

    (void)mode, (void)a, (void)b;
    nc_set = H5Dcreate2 (f, "v", TYPE + 8, SPACE + 10, 0, 0, 0);
    *id = 1 << 16;
    return f < 0 ? -1 : 0;
}

/* May end with a jump to the other one. */
int nc_create (const char *path, int mode, int *id)
{
    return nc__create (path, mode, 0, NULL, id);
}

int nc_put_vara_double (
    int id, int v, const size_t *start, const size_t *count, const double *data)
{
    (void)id, (void)v, (void)start;
    return H5Dwrite (nc_set, TYPE + 8, 0, SPACE + (hid_t)(count[0] * count[1]),
                     0, data);
}

int nc_close (int id)
{
    (void)id;
    return H5Dclose (nc_set);
}

int nc_inq_varname (int id, int v, char *name)
{
    (void)id, (void)v;
    return strcpy (name, "v") ? 0 : -1;
}

int nc_inq_varndims (int id, int v, int *n)
{
    (void)id, (void)v;
    *n = 2;
    return 0;
}

int nc_inq_vartype (int id, int v, int *type)
{
    (void)id, (void)v;
    *type = 6;
    return 0;
}

int ncmpi_create (void *comm, const char *path, int mode, void *info, int *id)
{
    (void)comm, (void)path, (void)mode, (void)info;
    *id = 0;
    return 0;
}

int ncmpi_iput_vara_double (int id,
                            int v,
                            const int64_t *start,
                            const int64_t *count,
                            const double *data,
                            int *request)
{
    static int last;

    (void)id, (void)v, (void)start, (void)count, (void)data;
    *request = last++;
    return 0;
}

int ncmpi_wait_all (int id, int n, int *request, int *status)
{
    (void)id, (void)status;
    for (int i = 0; i < n; i++)
        request[i] = -1;
    return 0;
}

int ncmpi_close (int id)
{
    (void)id;
    return 0;
}

int ncmpi_inq_varname (int id, int v, char *name)
{
    return nc_inq_varname (id, v, name);
}

int ncmpi_inq_varndims (int id, int v, int *n)
{
    return nc_inq_varndims (id, v, n);
}

int ncmpi_inq_vartype (int id, int v, int *type)
{
    return nc_inq_vartype (id, v, type);
}
