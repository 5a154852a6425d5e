/* SPDX-License-Identifier: MIT
 *
 * h5ask.h - what the HDF5 at hand says of arguments
 *
 * Only for arguments of calls that have succeeded: see h5asks.def.
 */
#ifndef DFT_HDF_H5ASK_H
#define DFT_HDF_H5ASK_H

#include "preload/hdf/hdfobject.h"
#include "preload/hdf/hdfreal.h"

enum h5row {
#define H5CALL(SYMBOL, ARGUMENTS, FIRST, WHAT, CALL) H5ROW_##SYMBOL,
#include "preload/hdf/h5calls.def"
#undef H5CALL
    H5ROW_CALLS,
    H5ROW_BEFORE = H5ROW_CALLS - 1,
#define H5ASK(SYMBOL) H5ROW_##SYMBOL,
#include "preload/hdf/h5asks.def"
#undef H5ASK
    H5ROW_COUNT
};

enum { H5ASK_KNOWN = 1, H5ASK_NARROW = 2 }; /* hdfreal_keep */

/* What to keep of a library: how wide its ids are. */
unsigned h5ask_learn (struct hdfscope *s);

static inline int h5ask_narrow (struct hdfscope *s)
{
    unsigned kept = hdfreal_kept (s);

    return ((kept ? kept : h5ask_learn (s)) & H5ASK_NARROW) != 0;
}

/* An id as its library means it: those of 1.8 are ints. */
static inline uint64_t h5ask_id (struct hdfscope *s, hdfword id)
{
    return h5ask_narrow (s) ? (uint64_t)(int64_t)(int)id : (uint64_t)id;
}

/* The file of any object; "": not known. */
void h5ask_file (struct hdfscope *s, uint64_t id, char *path, size_t size);

/* The name of an object that was opened by its place in a group with a name;
 * "": not known. */
void h5ask_name (struct hdfscope *s, uint64_t id, char *path, size_t size);

/* Properties of opening say that several processes share the file. */
int h5ask_is_parallel (struct hdfscope *s, uint64_t properties);

/* enum call_above of a transfer of a shared file. */
unsigned h5ask_mode (struct hdfscope *s, uint64_t properties);

/* Bytes of one element; 0: of no fixed length. */
uint64_t h5ask_size (struct hdfscope *s, uint64_t type);

/* Elements of a transfer; -1: not known. *whole: all of the dataset. */
int64_t h5ask_elements (struct hdfscope *s,
                        uint64_t dataset,
                        uint64_t in_memory,
                        uint64_t in_file,
                        int *whole);
int64_t h5ask_attribute (struct hdfscope *s, uint64_t attribute);

/* Fill in flags and chunk of a dataset. */
void h5ask_layout (struct hdfscope *s, uint64_t dataset, struct hdfobject *o);

#endif
