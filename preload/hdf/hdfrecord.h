/* SPDX-License-Identifier: MIT
 *
 * hdfrecord.h - an event of a call of HDF5, NetCDF or PnetCDF
 */
#ifndef DFT_HDF_HDFRECORD_H
#define DFT_HDF_HDFRECORD_H

#include "preload/hdf/hdfobject.h"
#include "lib/format/event.h"

/* *r as every call has it, ended now; start: a tick. A call that failed has the
 * result -1 and the errno EIO. */
void hdfrecord_start (struct record *r,
                      const struct layerdoor *door,
                      uint64_t start,
                      int failed,
                      enum call call);

/* Put file and object of *o into *r and record it, unless filters leave the
 * file out. path as hdfobject_get gave it; NULL: the recorder knows o->name. */
void hdfrecord_end (struct record *r,
                    const struct layerdoor *door,
                    const struct hdfobject *o,
                    const char *path);

#endif
