/* SPDX-License-Identifier: MIT
 *
 * calls.h - calls and their layers
 */
#pragma once

#include <stdint.h>

#include "lib/base/text.h"

/* --- calls.c: recorded calls, and reasons why others are not --- */

/* --- calls.c: the calls of calls.def: numbers, names, what they carry --- */

enum call_field {
    F_FD = 1,     /* descriptor */
    F_FILE = 2,   /* path, or category and name of an application event */
    F_SIZE = 4,   /* bytes asked for */
    F_OFFSET = 8, /* bytes from the start of the file; -1 not known */
    F_FLAGS = 16, /* open flags, mode, whence, prot, advice: as the call */
    F_FILE2 = 32  /* second path */
};

enum { MAP_FLAGS_SHIFT = 8 }; /* flags of mmap, above its protection */

/* Bytes of the smallest page of all machines: reads and writes that begin at
 * no multiple of it are not aligned; a page fault brings as many at least. */
enum { CALL_PAGE = 4096 };

enum call_class {
    CALL_CLASS_NONE = 0,
    CALL_CLASS_READ,
    CALL_CLASS_WRITE,
    CALL_CLASS_META,
    CALL_CLASS_SYNC,
    CALL_CLASS_MAP,
    CALL_CLASS_APP,
    CALL_CLASS_COPY,  /* reads file, writes file2 */
    CALL_CLASS_ASYNC, /* submits requests, fetches results */
    CALL_CLASS_WAIT,  /* how a thread spent its time: no call */
    CALL_CLASS_LAST = CALL_CLASS_WAIT
};

enum call_category {
    CALL_CATEGORY_NONE = 0,
    CALL_CATEGORY_POSIX,
    CALL_CATEGORY_STDIO,
    CALL_CATEGORY_APP,
    CALL_CATEGORY_MMAP,   /* seen beside the program, not called by it */
    CALL_CATEGORY_KERNEL, /* what became of calls, as the kernel tells it */
    CALL_CATEGORY_WAIT,   /* how a thread spent its time (WAIT_ESTIMATE) */
    CALL_CATEGORY_NET,    /* calls on sockets */
    /* Asked of a library, which asks the others; all from here on. */
    CALL_CATEGORY_MPIIO,
    CALL_CATEGORY_HDF5,
    CALL_CATEGORY_NETCDF,
    CALL_CATEGORY_PNETCDF,
    CALL_CATEGORY_COUNT
};

static inline int call_category_is_above (enum call_category category)
{
    return category >= CALL_CATEGORY_MPIIO;
}

/* Flags of reads and writes of HDF5, NetCDF and PnetCDF. */
enum call_above {
    CALL_ABOVE_COLLECTIVE = 1,
    CALL_ABOVE_INDEPENDENT = 2, /* neither: not a file of several processes */
    CALL_ABOVE_NO_SIZE = 4,     /* of a type whose size is not known */
    CALL_ABOVE_POSTED = 8,      /* its end is not seen */
    CALL_ABOVE_COMPACT = 16,    /* layout of a dataset; none: not known */
    CALL_ABOVE_CONTIGUOUS = 32,
    CALL_ABOVE_CHUNKED = 64,
    CALL_ABOVE_VIRTUAL = 128,
    CALL_ABOVE_FILTERED = 256, /* compressed, or other filters */
    CALL_ABOVE_WHOLE = 512     /* all of a variable or dataset */
};

/* Flags of waits. The sampler writes for other threads. */
enum {
    WAIT_ESTIMATE = 1,  /* divided by samples; else it was seen to its ends */
    WAIT_TID_SHIFT = 1, /* the thread, 0: the one whose chunk it is in */
};

static inline uint32_t wait_tid (uint64_t flags, uint32_t tid)
{
    return flags >> WAIT_TID_SHIFT ? (uint32_t)(flags >> WAIT_TID_SHIFT) : tid;
}

enum call_ret {
    CALL_RET_ZERO = 0,
    CALL_RET_SIZE,
    CALL_RET_FD,
    CALL_RET_OFFSET
};

enum call {
    CALL_NONE = 0,
#define CALL(NUMBER, NAME, CATEGORY, CLASS, FIELDS, RET) CALL_##NAME = NUMBER,
#include "lib/format/calls.def"
#undef CALL
    CALL_MAX = 240 /* first byte values from here on are other records */
};

/* Without pointers, which the loader would have to set in each program that is
 * traced. */
struct call_info {
    char name[32];    /* "": no such call */
    uint8_t category; /* enum call_category */
    uint8_t class;    /* enum call_class */
    uint8_t fields;   /* sum of enum call_field */
    uint8_t ret;      /* enum call_ret */
};

/* Indexed by enum call; rows that no call uses are all zero. */
extern const struct call_info call_table[CALL_MAX];

static inline int call_is_wait (unsigned call)
{
    return call - CALL_wait_run <= CALL_wait_blocked - CALL_wait_run;
}

/* A wait whose end is in the hands of another thread or process. */
static inline int call_waits_for_others (unsigned call)
{
    return call == CALL_wait_lock || call == CALL_wait_gil ||
           call == CALL_wait_pipe || call == CALL_wait_net ||
           call == CALL_wait_poll || call == CALL_wait_child;
}

/* Sides of a POSIX call whose bytes are in rchar and wchar of /proc/self/io, by
 * its result. Not those of libaio, io_uring and splice, nor of libc's aio,
 * which cannot be told from libaio by the call. */
enum call_sides { CALL_READS = 1, CALL_WRITES = 2 };

#define CALL_SIDES(NUMBER, CATEGORY, CLASS)                          \
    ((CATEGORY) != CALL_CATEGORY_POSIX || (NUMBER) == CALL_splice || \
             (NUMBER) == CALL_aio_read || (NUMBER) == CALL_aio_write \
         ? 0                                                         \
     : (CLASS) == CALL_CLASS_READ  ? CALL_READS                      \
     : (CLASS) == CALL_CLASS_WRITE ? CALL_WRITES                     \
     : (CLASS) == CALL_CLASS_COPY  ? CALL_READS | CALL_WRITES        \
                                   : 0)

/* "POSIX", "STDIO", "APP", "MMAP", "KERNEL", "WAIT", "MPIIO", "HDF5", …;
 * "read", "write", "meta", "sync", "map", "app", "copy", "async", "wait"; never
 * NULL. */
const char *call_category_name (enum call_category category);
const char *call_class_name (enum call_class class);

/* Colon lists of names of calls and classes. True when call is in the list;
 * -1, EINVAL and err when a word is neither. */
int calls_has (const char *list, enum call call);
int calls_check (const char *list, struct errtext *err);

/* --- why bytes are not recorded --- */

enum leftout {
#define LEFTOUT(WORD, TITLE, HELP) LEFTOUT_##WORD,
#include "lib/format/leftout.def"
#undef LEFTOUT
    LEFTOUTS
};

/* --- layers.c: "posix,app" <-> set of layers --- */

enum layer_index {
#define LAYER(NAME, WORD, HELP) LAYER_INDEX_##NAME,
#include "lib/format/layers.def"
#undef LAYER
    LAYER_COUNT
};

enum layer {
    LAYER_NONE = 0,
#define LAYER(NAME, WORD, HELP) LAYER_##NAME = 1 << LAYER_INDEX_##NAME,
#include "lib/format/layers.def"
#undef LAYER
};

/* Layers above POSIX, each with its own preloaded library (enum preload); their
 * calls enclose calls of other layers. */
enum { LAYERS_ABOVE = LAYER_MPIIO | LAYER_HDF5 | LAYER_NETCDF | LAYER_PNETCDF };

/* Parse a comma list into *layers. posix brings stdio unless nostdio is
 * there; off clears all others; batch is the default and leaves no trace in
 * the set. NULL, "" and "(null)" (what Slurm makes of a
 * missing argument) are errors. On error -1, *layers unchanged, and err names
 * the word and the known ones. No allocation.
 */
int layers_parse (const char *text, unsigned *layers, struct errtext *err);

/* Write the canonical comma list (at most size bytes with the NUL); returns
 * buf. LAYER_NONE and LAYER_OFF give "off". */
char *layers_format (unsigned layers, char *buf, size_t size);

/* Word and help of one layer, 0 <= index < LAYER_COUNT. */
const char *layer_word (enum layer_index index);
const char *layer_help (enum layer_index index);
