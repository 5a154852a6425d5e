/* SPDX-License-Identifier: MIT
 *
 * ncask.h - what the NetCDF or PnetCDF at hand says of files and variables
 *
 * The same sources make both libraries: NC_PNETCDF is defined for the second.
 * Only for arguments of calls that have succeeded.
 */
#ifndef DFT_HDF_NCASK_H
#define DFT_HDF_NCASK_H

#include "preload/hdf/hdfobject.h"
#include "preload/hdf/hdfreal.h"

#ifdef NC_PNETCDF
#define NC_CALLS      "preload/hdf/pnccalls.def"
#define NC_NAME(NAME) "ncmpi_" #NAME
#define NC_LAYER      LAYER_PNETCDF
#else
#define NC_CALLS      "preload/hdf/nccalls.def"
#define NC_NAME(NAME) "nc_" #NAME
#define NC_LAYER      LAYER_NETCDF
#endif

enum ncrow {
#define NCCALL(SYMBOL, ARGUMENTS, WHAT, CALL, BYTES, MODE) NCROW_##SYMBOL,
#include NC_CALLS
#undef NCCALL
    NCROW_CALLS,
    NCROW_BEFORE = NCROW_CALLS - 1,
#define NCASK(NAME) NCROW_##NAME,
#include "preload/hdf/ncasks.def"
#undef NCASK
    NCROW_PMPI_Type_size,
    NCROW_COUNT
};

/* The path of a file; "": not known. */
void ncask_file (struct hdfscope *s, int ncid, char *path, size_t size);

/* The variable's name with its group; "": not known. */
void ncask_name (struct hdfscope *s,
                 int ncid,
                 int varid,
                 char path[HDFOBJECT_PATH_MAX]);

/* Fill in dims and size. */
void ncask_variable (struct hdfscope *s,
                     int ncid,
                     int varid,
                     struct hdfobject *o);

/* Elements of all of it; -1: not known. */
int64_t ncask_elements (struct hdfscope *s, int ncid, int varid, unsigned dims);

/* Bytes of a type of MPI; 0: not known. */
uint64_t ncask_mpi_size (struct hdfscope *s, hdfword type);

#endif
