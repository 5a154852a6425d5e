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

/* Return the key of an id in the library of a scope, never 0 or 1. */
struct hdfscope;
uint64_t hdfobject_key (const struct hdfscope *scope, uint64_t id);

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
    HDFREAL_NOTES = 65
};

/* The loaded object that a call comes from; all 0 for code made at run time. */
struct hdfloaded {
    const struct link_map *map;
    uintptr_t start, end; /* end 0: not known */
};

/* A caller, and what is known of the library that it calls. All but the notes
 * is of hdf.c alone. */
struct hdfscope {
    void **functions; /* by row */
    unsigned state;
    struct hdfloaded caller;
    struct hdfloaded library; /* of the first function that was found */
    /* of the layer: 0 until they are set, and again when the library has gone;
     * read and written atomically */
    uint8_t notes[HDFREAL_NOTES];
};

/* The function of a row; NULL: there is none. scope may be NULL. */
void *hdfreal (struct hdfscope *scope, size_t row);

/* Call the function of a row with machine words; it takes as many of them as
 * it has arguments, HDFASK_MAX at most. Return the register of its result; -1:
 * there is no such function. */
enum { HDFASK_MAX = 7 };
int64_t hdfask (struct hdfscope *scope, size_t row, const hdfword *arg);

/* -- a call of a function that is wrapped -- */

struct hdfcall {
    size_t row;
    struct hdfscope *scope, *outer; /* scope NULL: there are too many */
    const struct layerdoor *door;   /* NULL: not recorded */
    uint64_t start;
    const hdfword *arg;
    /* of the layer: */
    unsigned what;
    int failed;
    int posted;  /* into an event set */
    uint64_t id; /* that the call gave, or was given */
};

/* Return the real function, or NULL. A library that ends one function with a
 * jump to another one comes back to us: the scope is then that of the call
 * around this one. arg must last until the end. */
void *hdfcall_begin (struct hdfcall *c,
                     size_t row,
                     const hdfword *arg,
                     const void *caller);
void hdfcall_end (struct hdfcall *c, hdfword result);

/* -- given by the source of a layer -- */

/* Its names by row. A function that is not found is looked for each time that
 * it is asked for. */
extern const struct hdflayer {
    enum layer layer;
    size_t rows;
    const char (*names)[HDFREAL_NAME_MAX];
    void **found; /* [HDFREAL_SCOPES][rows] */
} hdflayer __attribute__ ((visibility ("hidden")));
#define HDFLAYER(LAYER, NAMES, ROWS)                     \
    static void *found[HDFREAL_SCOPES * (size_t)(ROWS)]; \
    const struct hdflayer hdflayer = {LAYER, ROWS, NAMES, found};

/* A call that is recorded begins; it has ended, with this result. */
void hdflayer_begins (struct hdfcall *c);
void hdflayer_ended (struct hdfcall *c, hdfword result);

/* -- an event of a call of HDF5, NetCDF or PnetCDF -- */

/* *r as every call has it, ended now. A call that failed has the result -1 and
 * the errno EIO. */
void hdfrecord_start (struct record *r,
                      const struct hdfcall *c,
                      enum call call);

/* Put file and object of *o into *r and record it, unless filters leave the
 * file out. path as hdfobject_get gave it; NULL: the recorder knows o->name. */
void hdfrecord_end (struct record *r,
                    const struct hdfcall *c,
                    const struct hdfobject *o,
                    const char *path);

/* -- wrappers of functions of so many machine words -- */

/* none: the result where there is no such function */
#define HDFWRAP(SYMBOL, ARGUMENTS, ROW, NONE)                              \
    __attribute__ ((visibility ("default")))                               \
    hdfword SYMBOL (HDFWRAP_PARAMS_##ARGUMENTS);                           \
    hdfword SYMBOL (HDFWRAP_PARAMS_##ARGUMENTS)                            \
    {                                                                      \
        const hdfword all[ARGUMENTS + !ARGUMENTS] = {                      \
            HDFWRAP_ARGS_##ARGUMENTS};                                     \
        struct hdfcall call;                                               \
        hdfword (*real) (HDFWRAP_PARAMS_##ARGUMENTS) =                     \
            hdfcall_begin (&call, ROW, all, __builtin_return_address (0)); \
        hdfword result =                                                   \
            real ? real (HDFWRAP_ARGS_##ARGUMENTS) : (hdfword)(NONE);      \
                                                                           \
        hdfcall_end (&call, result);                                       \
        return result;                                                     \
    }

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
