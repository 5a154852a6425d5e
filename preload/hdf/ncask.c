/* SPDX-License-Identifier: MIT
 *
 * ncask.c - questions to NetCDF and PnetCDF
 *
 * In:  ids of calls that have succeeded
 * Out: names, numbers
 * Caveat: constants are those of netcdf.h and pnetcdf.h.
 */
#include "config.h"

#include <string.h>

#include "preload/hdf/ncask.h"

enum {
    NAME_BYTES = 256 + 1, /* NC_MAX_NAME */
    DIMS_MAX = 1024,      /* NC_MAX_VAR_DIMS */
    TYPE_STRING = 12,
    TYPE_USER = 32, /* the first one */
    CLASS_VLEN = 13
};

/* Of NC_BYTE, … NC_UINT64. */
static const uint8_t sizes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};

typedef int (*ask_var_f) (int, int, int *);

void ncask_file (struct hdfscope *s, int ncid, char *path, size_t size)
{
    int (*ask) (int, void *, char *) =
        (__typeof__ (ask))hdfreal (s, NCROW_inq_path);
    uint64_t length = 0; /* a size_t, or an int */

    path[0] = '\0';
    if (!ask || ask (ncid, &length, NULL) != 0 || length >= size)
        return;
    if (ask (ncid, &length, path) != 0)
        path[0] = '\0';
    path[size - 1] = '\0';
}

void ncask_name (struct hdfscope *s,
                 int ncid,
                 int varid,
                 char path[HDFOBJECT_PATH_MAX])
{
    int (*name) (int, int, char *) =
        (__typeof__ (name))hdfreal (s, NCROW_inq_varname);
    int (*group) (int, size_t *, char *) =
        (__typeof__ (group))hdfreal (s, NCROW_inq_grpname_full);
    char text[NAME_BYTES] = "", parent[HDFOBJECT_PATH_MAX] = "/";
    size_t n = 0;

    path[0] = '\0';
    if (!name || name (ncid, varid, text) != 0)
        return;
    text[NAME_BYTES - 1] = '\0';
    if ((ncid & 0xffff) && group && group (ncid, &n, NULL) == 0 &&
        n < sizeof (parent) && group (ncid, &n, parent) != 0)
        return;
    hdfobject_join (parent, text, path);
}

#ifdef NC_PNETCDF
static uint32_t ncask_type_size (struct hdfscope *s, int ncid, int type)
{
    (void)s;
    (void)ncid;
    return type > 0 && (size_t)type < sizeof (sizes) ? sizes[type] : 0;
}
#else
static uint32_t ncask_user_size (struct hdfscope *s, int ncid, int type)
{
    int (*ask) (int, int, char *, size_t *, int *, size_t *, int *) =
        (__typeof__ (ask))hdfreal (s, NCROW_inq_user_type);
    size_t size = 0;
    int class = CLASS_VLEN;

    if (!ask || ask (ncid, type, NULL, &size, NULL, NULL, &class) != 0 ||
        class == CLASS_VLEN || size > UINT32_MAX)
        return 0;
    return (uint32_t)size;
}

static uint32_t ncask_type_size (struct hdfscope *s, int ncid, int type)
{
    if (type >= TYPE_USER)
        return ncask_user_size (s, ncid, type);
    return type > 0 && (size_t)type < sizeof (sizes) ? sizes[type] : 0;
}
#endif

void ncask_variable (struct hdfscope *s,
                     int ncid,
                     int varid,
                     struct hdfobject *o)
{
    ask_var_f dims = (ask_var_f)hdfreal (s, NCROW_inq_varndims);
    ask_var_f type = (ask_var_f)hdfreal (s, NCROW_inq_vartype);
    int n = -1, t = 0;

    if (!dims || !type || dims (ncid, varid, &n) != 0 || n < 0 ||
        n > DIMS_MAX || type (ncid, varid, &t) != 0)
        return;
    o->dims = (uint16_t)n;
    o->size = ncask_type_size (s, ncid, t);
    o->learnt = 1;
}

int64_t ncask_elements (struct hdfscope *s, int ncid, int varid, unsigned dims)
{
    ask_var_f ids = (ask_var_f)hdfreal (s, NCROW_inq_vardimid);
    int (*length) (int, int, size_t *) =
        (__typeof__ (length))hdfreal (s, NCROW_inq_dimlen);
    int id[DIMS_MAX];
    int64_t elements = 1;

    if (!ids || !length || dims > DIMS_MAX || ids (ncid, varid, id) != 0)
        return -1;
    for (unsigned i = 0; i < dims; i++) {
        size_t n = 0;

        if (length (ncid, id[i], &n) != 0)
            return -1;
        elements *= (int64_t)n;
    }
    return elements;
}

uint64_t ncask_mpi_size (struct hdfscope *s, hdfword type)
{
    int (*size) (hdfword, int *) =
        (__typeof__ (size))hdfreal (s, NCROW_PMPI_Type_size);
    int n = 0;

    return type && size && size (type, &n) == 0 && n > 0 ? (uint64_t)n : 0;
}
