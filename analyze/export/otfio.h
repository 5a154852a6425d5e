/* SPDX-License-Identifier: MIT
 *
 * otfio.h - what an event does to files, in the words of OTF2
 *           (only where HAVE_OTF2)
 */
#ifndef DFT_EXPORT_OTFIO_H
#define DFT_EXPORT_OTFIO_H

#include "analyze/export/otfdefs.h"

/* -- what an event does to files, in the words of OTF2 (only where HAVE_OTF2)
 * -- */

enum otfact {
    OTFACT_NONE = 0,
    OTFACT_CREATE,    /* a handle of a file becomes active */
    OTFACT_DESTROY,   /* it ends to be active */
    OTFACT_DUPLICATE, /* a second handle, which the result names */
    OTFACT_SEEK,
    OTFACT_DELETE, /* a file, by its name */
    OTFACT_LATER   /* the transfer of a request */
};

enum otfact otfio_act (unsigned call);

/* A transfer of bytes, or that they be on storage. */
struct otfop {
    uint32_t handle;
    OTF2_IoOperationMode mode;
    OTF2_IoOperationFlag flags;
    uint64_t asked, moved; /* bytes */
    uint64_t id;           /* of this operation, in all of the trace */
};

enum { OTFIO_OPS = 2 /* a copy reads one file and writes another */ };

/* The operations of an event; the number of them, -1 when memory is short. */
int otfio_ops (struct otfdefs *d,
               size_t process,
               const struct otfevent *e,
               struct otfop op[OTFIO_OPS]);

/* The effect of an event at its end. */
struct otfdone {
    enum otfact act;
    uint32_t handle, other; /* DELETE: paradigm, file */
    OTF2_IoAccessMode mode;
    OTF2_IoCreationFlag creation;
    OTF2_IoStatusFlag status;
    uint64_t offset;
};

/* 0, or -1 when memory is short; act is OTFACT_NONE where there is nothing. */
int otfio_done (struct otfdefs *d,
                size_t process,
                const struct otfevent *e,
                struct otfdone *done);

/* -- events of a thread -> records of OTF2, of one location each or of several
 * where they overlap (only where HAVE_OTF2) -- */

/* An event that has begun. */
struct otfopen {
    uint64_t end;
    uint32_t region;
    int32_t error;
    int ops;
    struct otfop op[OTFIO_OPS];
    struct otfdone done;
};

/* Zero but for defs, archive, list. */
struct otfput {
    struct otfdefs *defs;
    OTF2_Archive *archive;
    OTF2_AttributeList *list;
    uint64_t op_id;
    OTF2_ErrorCode failed; /* a record could not be written */
    int short_of_memory;
};

/* Begin an event of the process in a location; *open is for its end. With
 * region: Enter and, at its end, Leave; else operations that do not block. */
void otfput_begin (struct otfput *o,
                   OTF2_EvtWriter *writer,
                   size_t process,
                   const struct otfevent *e,
                   int region,
                   struct otfopen *open);
void otfput_end (struct otfput *o,
                 OTF2_EvtWriter *writer,
                 const struct otfopen *open,
                 int region);

/* OTF2 said this. */
void otfput_wrote (struct otfput *o, OTF2_ErrorCode rc);

/* -- events of a thread by their starts -> locations in which they are properly
 * inside each other (only where HAVE_OTF2) -- */

enum {
    OTFLANES_MAX = 64,        /* locations of a thread */
    OTFLANES_DEPTH = 1 << 14, /* events inside each other */
    OTFLANES_LATER = 1 << 16  /* requests of a thread at a time */
};

/* Regions that are inside each other, the innermost last. */
struct otflane {
    OTF2_EvtWriter *writer;
    size_t location;      /* of otfdefs */
    struct otfopen *open; /* owned */
    size_t depth, room;
};

/* Zero but for put; process and tid for each thread. */
struct otflanes {
    struct otfput *put;
    size_t process;
    uint32_t tid;
    struct otflane lane[OTFLANES_MAX];
    size_t lanes;
    struct otfopen
        *later; /* requests: a heap, the first to end on top; owned */
    size_t laters, laters_room;
    uint64_t left_out; /* events beyond the limits above */
};

/* Begin a thread, which has a location of its own. */
void otflanes_begin (struct otflanes *l, size_t process, uint32_t tid);
/* The next event by starts. */
void otflanes_take (struct otflanes *l, const struct otfevent *e);
/* End all that has begun; the locations are written. */
void otflanes_end (struct otflanes *l);
void otflanes_clear (struct otflanes *l);

#endif
