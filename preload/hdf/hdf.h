/* SPDX-License-Identifier: MIT
 *
 * hdf.h - ids of files and of objects in them -> what is known of them
 *
 * Two tables of fixed size, without locks. An id that is not in them (it was
 * opened in a way that is not seen, or pushed out by others) can be put there
 * again when it is used. Entries of closed ids stay until others need the
 * place: an id may be opened again, and those of HDF5 may live on by other
 * references.
 */
#pragma once

#include <link.h>
#include <stddef.h>

#include "lib/format/event.h"
#include "preload/record/layerdoor.h"

/* -- ids of files and of objects in them -> what is known of them -- */

enum {
    HDFOBJECT_PATH_MAX = 512, /* of an object in its file, with its NUL */
    HDFOBJECT_NAME_UNKNOWN = 0
};

enum hdfkind {
    HDFKIND_NONE, /* not known */
    HDFKIND_FILE,
    HDFKIND_GROUP,
    HDFKIND_DATASET, /* or variable */
    HDFKIND_OBJECT,  /* one of the two */
    HDFKIND_ATTRIBUTE
};

/* Record of an object in the table; callers get a copy. */
struct hdfobject {
    uint64_t key;   /* hdfobject_key */
    uint64_t chunk; /* bytes of a chunk of a dataset; 0: none, not known */
    uint32_t file;  /* place of its file + 1; 0: not known */
    uint32_t turn;  /* of the file that had the place then */
    uint32_t flags; /* enum call_above, once it is learnt */
    uint32_t name;  /* of its path; 0: not known */
    uint32_t size;  /* bytes of its type; 0: not known */
    uint16_t dims;  /* of a variable */
    uint8_t kind;   /* enum hdfkind */
    uint8_t learnt; /* flags, chunk, dims and size are */
    uint8_t closed;
    uint8_t collective; /* of a variable: 0 not said, else enum call_above */
};

/* Return the key of an id in a library (hdfreal_library), never 0 or 1. */
uint64_t hdfobject_key (uintptr_t library, uint64_t id);

/* 1 and *o where the id is known, else 0. path: HDFOBJECT_PATH_MAX bytes, may
 * be NULL. */
int hdfobject_get (uint64_t key, struct hdfobject *o, char *path);

/* Keep *o, whose key is set, with its path ("" where it has none). */
void hdfobject_put (const struct hdfobject *o, const char *path);

/* All are forgotten (H5close): ids may come again for others. */
void hdfobject_forget (void);

/* --- files ------------------------------------------------------------- */

/* Record of an open file. */
struct hdffile {
    uint32_t name;    /* id, of layerdoor; 0: not known */
    uint8_t ignored;  /* filters leave it out */
    uint8_t parallel; /* several processes have it open together */
};

/* o->file and o->turn are set to a file that was opened by this path; o->file
 * is 0 where there is no place, which takes 256 threads that open files at
 * once. Of more than 256 files those that are held keep their names. */
void hdfobject_open (const struct layerdoor *door,
                     struct hdfobject *o,
                     const char *path,
                     int parallel);

/* An id of o->file is open; it was closed. */
void hdfobject_hold (const struct hdfobject *o);
void hdfobject_release (const struct hdfobject *o);

/* Return the record of o->file for an event to be recorded now; all 0 if it is
 * not known. */
struct hdffile hdfobject_file (const struct layerdoor *door,
                               const struct hdfobject *o);

/* Several processes have o->file open together; 0 where it is not known. */
int hdfobject_parallel (const struct hdfobject *o);

/* Id of a path in a file; path NULL: o->name is known to be valid. */
uint32_t hdfobject_name (const struct layerdoor *door,
                         const struct hdfobject *o,
                         const char *path);

/* parent's path and name -> path; what does not fit is "". */
void hdfobject_join (const char *parent, const char *name, char *path);

/* -- the functions that a caller would have reached without us -- */

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

/* The loaded object that a call comes from; all 0 for code made at run time. */
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

/* Return the number that a layer keeps with a scope; 0 until it is set. */
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

/* -- an event of a call of HDF5, NetCDF or PnetCDF -- */

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

/* -- parameters of functions of so many machine words -- */

#define HDFWRAP __attribute__ ((visibility ("default")))

/* As parameters, and as arguments. */
#define HDFWRAP_PARAMS_0  void
#define HDFWRAP_PARAMS_1  hdfword a
#define HDFWRAP_PARAMS_2  HDFWRAP_PARAMS_1, hdfword b
#define HDFWRAP_PARAMS_3  HDFWRAP_PARAMS_2, hdfword c
#define HDFWRAP_PARAMS_4  HDFWRAP_PARAMS_3, hdfword d
#define HDFWRAP_PARAMS_5  HDFWRAP_PARAMS_4, hdfword e
#define HDFWRAP_PARAMS_6  HDFWRAP_PARAMS_5, hdfword f
#define HDFWRAP_PARAMS_7  HDFWRAP_PARAMS_6, hdfword g
#define HDFWRAP_PARAMS_8  HDFWRAP_PARAMS_7, hdfword h
#define HDFWRAP_PARAMS_9  HDFWRAP_PARAMS_8, hdfword i
#define HDFWRAP_PARAMS_10 HDFWRAP_PARAMS_9, hdfword j
#define HDFWRAP_PARAMS_11 HDFWRAP_PARAMS_10, hdfword k
#define HDFWRAP_PARAMS_12 HDFWRAP_PARAMS_11, hdfword l
#define HDFWRAP_ARGS_0
#define HDFWRAP_ARGS_1  a
#define HDFWRAP_ARGS_2  HDFWRAP_ARGS_1, b
#define HDFWRAP_ARGS_3  HDFWRAP_ARGS_2, c
#define HDFWRAP_ARGS_4  HDFWRAP_ARGS_3, d
#define HDFWRAP_ARGS_5  HDFWRAP_ARGS_4, e
#define HDFWRAP_ARGS_6  HDFWRAP_ARGS_5, f
#define HDFWRAP_ARGS_7  HDFWRAP_ARGS_6, g
#define HDFWRAP_ARGS_8  HDFWRAP_ARGS_7, h
#define HDFWRAP_ARGS_9  HDFWRAP_ARGS_8, i
#define HDFWRAP_ARGS_10 HDFWRAP_ARGS_9, j
#define HDFWRAP_ARGS_11 HDFWRAP_ARGS_10, k
#define HDFWRAP_ARGS_12 HDFWRAP_ARGS_11, l
