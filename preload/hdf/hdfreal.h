/* SPDX-License-Identifier: MIT
 *
 * hdfreal.h - the functions that a caller would have reached without us
 *
 * A process may have several copies of a library: h5py and netCDF4 from wheels
 * bring an HDF5 each. The loader binds a caller to what is in front of all,
 * else to what the caller itself has brought. Ours is in front of all, so it
 * does the same by hand: a scope is an object of the loader from which calls
 * come, with the functions that it means.
 *
 * Safe in any thread, not in a signal handler; errno is kept. Of a library that
 * is unloaded nothing is used any more.
 */
#ifndef DFT_HDF_HDFREAL_H
#define DFT_HDF_HDFREAL_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/record/layerdoor.h"

typedef uintptr_t hdfword;

enum {
    HDFREAL_NAME_MAX = 40, /* of a function, with its NUL */
    HDFREAL_SCOPES = 16,
    HDFREAL_NOTES = 64
};

/* Names by row, given by the library of a layer; not found functions cost a
 * look-up each time that they are asked for. */
extern const char (*hdfreal_names)[HDFREAL_NAME_MAX]
    __attribute__ ((visibility ("hidden")));
/* [HDFREAL_SCOPES][rows] */
extern void **hdfreal_found __attribute__ ((visibility ("hidden")));
extern size_t hdfreal_rows __attribute__ ((visibility ("hidden")));

/* Of the loader; all 0: none (code that was made at run time). */
struct hdfloaded {
    const struct link_map *map;
    uintptr_t start, end; /* end 0: not known */
};

/* Private, but for the functions below. */
struct hdfscope {
    void **functions; /* by row */
    unsigned state;
    unsigned kept;
    struct hdfloaded caller;
    struct hdfloaded library; /* of the first function that was found */
    uint8_t notes[HDFREAL_NOTES];
};

/* The scope of a return address; NULL: there are too many. A library that ends
 * one function with a jump to another one comes back to us: then it is the
 * scope of the call around this one. *outer is to be given back at the end. */
struct hdfscope *hdfreal_enter (const void *caller, struct hdfscope **outer);
void hdfreal_leave (struct hdfscope *outer);

/* Look for it, and keep it. */
void *hdfreal_look (struct hdfscope *scope, size_t row);

/* The function of a row; NULL: there is none. scope may be NULL. */
static inline void *hdfreal (struct hdfscope *scope, size_t row)
{
    void *f = scope ? __atomic_load_n (&scope->functions[row], __ATOMIC_RELAXED)
                    : NULL;

    return __builtin_expect (f != NULL, 1) ? f : hdfreal_look (scope, row);
}

/* A number that tells libraries apart; 0: nothing was found yet. */
static inline uintptr_t hdfreal_library (const struct hdfscope *scope)
{
    return scope ? scope->library.start : 0;
}

/* What a layer wants to keep with a scope: 0 until it is set. */
static inline unsigned hdfreal_kept (const struct hdfscope *scope)
{
    return scope ? __atomic_load_n (&scope->kept, __ATOMIC_RELAXED) : 0;
}

static inline void hdfreal_keep (struct hdfscope *scope, unsigned value)
{
    if (scope)
        __atomic_store_n (&scope->kept, value, __ATOMIC_RELAXED);
}

/* HDFREAL_NOTES bytes of a layer with a scope: 0 until they are set, and again
 * when the library has gone. NULL: no scope. Bytes are read and written
 * atomically. */
static inline uint8_t *hdfreal_notes (struct hdfscope *scope)
{
    return scope ? scope->notes : NULL;
}

/* The recorder, whatever it wants; NULL: there is none. */
const struct layerdoor *hdfreal_door (void);

#endif
