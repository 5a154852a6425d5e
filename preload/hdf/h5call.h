/* SPDX-License-Identifier: MIT
 *
 * h5call.h - one call of HDF5 under way
 *
 * Only the outermost call of a thread is recorded: HDF5 may call itself
 * (connectors, filters, the functions of callbacks).
 */
#ifndef DFT_HDF_H5CALL_H
#define DFT_HDF_H5CALL_H

#include "preload/hdf/h5ask.h"
#include "preload/hdf/hdfrecord.h"
#include "lib/format/calls.h"

enum h5what { /* h5calls.def */
              H5WHAT_FILE,
              H5WHAT_SAME,
              H5WHAT_OPEN,
              H5WHAT_ANON,
              H5WHAT_REF,
              H5WHAT_ATTR,
              H5WHAT_ATTR_BY,
              H5WHAT_LINK,
              H5WHAT_CLOSE,
              H5WHAT_FLUSH,
              H5WHAT_UNREF,
              H5WHAT_DATA,
              H5WHAT_MULTI,
              H5WHAT_VALUE,
              H5WHAT_CHUNK,
              H5WHAT_PIECE,
              H5WHAT_END
};

struct h5call {
    enum h5row row;
    struct hdfscope *scope, *outer;
    const struct layerdoor *door; /* NULL: not recorded */
    uint64_t start;
    /* filled by h5call_end: */
    enum h5what what;
    const hdfword *arg; /* from the first that counts */
    int posted;         /* into an event set */
    int failed;
    uint64_t id; /* that the call gave, or was given */
};

/* This thread is in a call that is recorded. */
extern _Thread_local int h5call_inside
    __attribute__ ((tls_model ("initial-exec"), visibility ("hidden")));

/* The real function, or NULL (the wrapper gives -1). */
void *h5call_begin (struct h5call *c, enum h5row row, const void *caller);

/* all: its arguments as they came; result: the register. */
void h5call_end (struct h5call *c, const hdfword *all, hdfword result);

/* --- h5end.c, h5data.c: what a call did, by what it does ------------------ */

/* *r as every call has it. */
void h5call_result (const struct h5call *c, struct record *r, enum call call);

/* What is known of an id, found out if need be. */
void h5call_object (const struct h5call *c,
                    uint64_t id,
                    struct hdfobject *o,
                    char *path);

/* The file of an id that was just used. */
void h5call_learn (const struct h5call *c, struct hdfobject *o, uint64_t id);

void h5end_file (struct h5call *c, struct record *r);
void h5end_same (struct h5call *c, struct record *r);
void h5end_ref (struct h5call *c, struct record *r);
void h5end_open (struct h5call *c, struct record *r);
void h5end_link (const struct h5call *c);
void h5end_close (struct h5call *c, struct record *r, int known_only);
void h5end_flush (struct h5call *c, struct record *r);
void h5data_transfer (struct h5call *c, struct record *r);
void h5data_multi (struct h5call *c, struct record *r);

#endif
