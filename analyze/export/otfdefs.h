/* SPDX-License-Identifier: MIT
 *
 * otfdefs.h - names and descriptors of a trace <-> numbers of OTF2's
 * definitions (only where HAVE_OTF2)
 */
#ifndef DFT_EXPORT_OTFDEFS_H
#define DFT_EXPORT_OTFDEFS_H

#include <otf2/otf2.h>

#include "analyze/export/otfread.h"
#include "lib/util/strmap.h"

/* Numbers below some limit -> ordinals, in the order they were met. */
struct otfrefs {
    uint32_t *of; /* number -> ordinal + 1; owned */
    size_t room;
    uint32_t *item; /* ordinal -> number; owned */
    size_t count, items_room;
};

/* A file as a process has opened it in a layer: definitions of handles. */
struct otfhandle {
    uint64_t process; /* index of parts */
    uint32_t name;    /* of the dictionary; 0: not known */
    int32_t fd;       /* -1: none, or not known */
    int64_t paradigm; /* of the table of paradigms */
};

/* When a handle was first made and first used; UINT64_MAX: never. */
struct otflife {
    uint64_t made, used;
};

/* A stream of events: a thread, or what overlaps in it. */
struct otflocation {
    size_t part;
    uint32_t tid, lane;
    uint64_t events;
};

/* Zero but for out, dict, parts. */
struct otfdefs {
    OTF2_GlobalDefWriter *out;
    const struct dict *dict;
    const struct parts *parts;
    struct strmap *strings, *handles, *attributes; /* owned */
    struct otfrefs regions, files;
    struct otflife *life; /* of each handle; owned */
    size_t life_room;
    struct otflocation *location; /* owned */
    size_t locations, locations_room;
    uint64_t first, last;  /* time of all events */
    OTF2_ErrorCode failed; /* a definition could not be written */
};

/* All return -1 when memory is short. */
int otfdefs_open (struct otfdefs *d);
void otfdefs_clear (struct otfdefs *d); /* keeps errno */

/* The definition of a text, which is written where it is new: made UTF-8 with
 * no control characters. */
int64_t otfdefs_string (struct otfdefs *d, const char *text);
int64_t otfdefs_region (struct otfdefs *d, unsigned call, uint32_t name);
int64_t otfdefs_file (struct otfdefs *d, uint32_t name);
int64_t otfdefs_handle (struct otfdefs *d, const struct otfhandle *h);
int64_t otfdefs_attribute (struct otfdefs *d, const char *name, OTF2_Type type);
int64_t
otfdefs_location (struct otfdefs *d, size_t part, uint32_t tid, uint32_t lane);

/* Write everything but strings. 0, or -1. */
int otfdefs_write (struct otfdefs *d);

/* Return the row of a category in the table of paradigms; -1 if it has none. */
int otfdefs_paradigm (enum call_category category);

#endif
