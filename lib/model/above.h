/* SPDX-License-Identifier: MIT
 *
 * above.h - layers above POSIX by their height; which of their events are calls
 *
 * All of it is constant; any thread may use it.
 */
#ifndef DFT_MODEL_ABOVE_H
#define DFT_MODEL_ABOVE_H

#include "lib/format/calls.h"

/* What may be inside a call of a layer above POSIX. */
enum above {
    ABOVE_DATA, /* POSIX reads and writes of storage */
    ABOVE_META, /* other POSIX calls on storage */
    ABOVE_MPIIO,
    ABOVE_HDF5,
    ABOVE_NETCDF,
    ABOVE_PNETCDF,
    ABOVE_COUNT
};

/* Of a category that is above POSIX. */
static inline enum above above_of_category (enum call_category category)
{
    return (enum above) (ABOVE_MPIIO + (category - CALL_CATEGORY_MPIIO));
}

/* It lasts from the post of a request to its end: nobody is in a call. */
static inline int above_is_request (enum call call)
{
    return call == CALL_MPI_iread_done || call == CALL_MPI_iwrite_done ||
           call == CALL_ncmpi_iget_done || call == CALL_ncmpi_iput_done;
}

/* A read or write of a dataset or variable; of an attribute it is none. */
static inline int above_is_transfer (enum call call)
{
    return call == CALL_H5Dread || call == CALL_H5Dwrite ||
           call == CALL_nc_get || call == CALL_nc_put ||
           call == CALL_ncmpi_get || call == CALL_ncmpi_put;
}

#endif
