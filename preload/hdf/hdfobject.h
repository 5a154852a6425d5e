/* SPDX-License-Identifier: MIT
 *
 * hdfobject.h - ids of files and of objects in them -> what is known of them
 *
 * Two tables of fixed size, without locks. An id that is not in them (it was
 * opened in a way that is not seen, or pushed out by others) can be put there
 * again when it is used. Entries of closed ids stay until others need the
 * place: an id may be opened again, and those of HDF5 may live on by other
 * references.
 */
#ifndef DFT_HDF_HDFOBJECT_H
#define DFT_HDF_HDFOBJECT_H

#include <stddef.h>
#include <stdint.h>

#include "preload/record/layerdoor.h"

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

/* What a table has of an id; a copy, nobody else's. */
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

/* Of an id of a library (hdfreal_library), never 0 or 1. */
uint64_t hdfobject_key (uintptr_t library, uint64_t id);

/* 1 and *o where the id is known, else 0. path: HDFOBJECT_PATH_MAX bytes, may
 * be NULL. */
int hdfobject_get (uint64_t key, struct hdfobject *o, char *path);

/* Keep *o, whose key is set, with its path ("" where it has none). */
void hdfobject_put (const struct hdfobject *o, const char *path);

/* All are forgotten (H5close): ids may come again for others. */
void hdfobject_forget (void);

/* --- files ------------------------------------------------------------- */

/* What is known of a file. */
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

/* Of o->file, for an event to be recorded now; all 0 where it is not known. */
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

#endif
