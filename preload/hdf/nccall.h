/* SPDX-License-Identifier: MIT
 *
 * nccall.h - one call of NetCDF or PnetCDF under way
 *
 * Only the outermost call of a thread is recorded, of each of the two: NetCDF
 * hands some files on to PnetCDF.
 */
#ifndef DFT_HDF_NCCALL_H
#define DFT_HDF_NCCALL_H

#include "preload/hdf/ncask.h"
#include "preload/hdf/hdfrecord.h"
#include "lib/format/calls.h"

enum ncwhat { /* nccalls.def, pnccalls.def */
              NCWHAT_OPEN,
              NCWHAT_SHARE,
              NCWHAT_COMM,
              NCWHAT_CLOSE,
              NCWHAT_FILE,
              NCWHAT_ACCESS,
              NCWHAT_VAR,
              NCWHAT_VAR1,
              NCWHAT_VARA,
              NCWHAT_VARN,
              NCWHAT_TYPED,
              NCWHAT_WAIT,
              NCWHAT_CANCEL
};

enum { NC_BUFFER = 255 }; /* bytes */

enum ncmode { NC_ONE = 1, NC_ALL, NC_POST };

struct nccall {
    enum ncrow row;
    struct hdfscope *scope, *outer;
    const struct layerdoor *door; /* NULL: not recorded */
    uint64_t start;
    const hdfword *arg;
    unsigned arguments;
    enum ncwhat what;
    uint8_t bytes, mode; /* of the row */
    int failed;
};

/* This thread is in a call that is recorded. */
extern _Thread_local int nccall_inside
    __attribute__ ((tls_model ("initial-exec"), visibility ("hidden")));

/* The real function, or NULL (the wrapper gives NC_EINVAL). arg must last until
 * the end. */
void *nccall_begin (struct nccall *c,
                    enum ncrow row,
                    const hdfword *arg,
                    const void *caller);
void nccall_end (struct nccall *c, hdfword result);

/* What is known of a file. */
void nccall_file (const struct nccall *c, int ncid, struct hdfobject *o);

/* --- ncdata.c: reads and writes ------------------------------------------ */

void ncdata_access (const struct nccall *c);
void ncdata_transfer (const struct nccall *c, struct record *r);

#endif
