/* SPDX-License-Identifier: MIT
 *
 * otf.h - a job as an archive of OTF2
 */
#pragma once

#ifdef HAVE_OTF2
#include <otf2/otf2.h>
#endif

#include "analyze/export/otfread.h"
#include "analyze/scan/where.h"
#include "analyze/trace/parts.h"
#include "lib/util/strmap.h"

#ifdef HAVE_OTF2
/* --- OTF2, loaded when an archive is written: otf2.NAME is OTF2_NAME --- */

/* clang-format off */
#define OTF_FUNCTIONS(F) \
    F (Archive_Close) F (Archive_CloseDefFiles) F (Archive_CloseDefWriter) \
    F (Archive_CloseEvtFiles) F (Archive_CloseEvtWriter) \
    F (Archive_CloseGlobalDefWriter) F (Archive_GetDefWriter) \
    F (Archive_GetEvtWriter) F (Archive_GetGlobalDefWriter) F (Archive_Open) \
    F (Archive_OpenDefFiles) F (Archive_OpenEvtFiles) F (Archive_SetCreator) \
    F (Archive_SetFlushCallbacks) F (Archive_SetSerialCollectiveCallbacks) \
    F (AttributeList_AddDouble) F (AttributeList_AddInt64) \
    F (AttributeList_AddStringRef) F (AttributeList_Delete) \
    F (AttributeList_GetNumberOfElements) F (AttributeList_New) \
    F (AttributeList_RemoveAllAttributes) \
    F (AttributeList_TestAttributeByID) F (Error_GetDescription) \
    F (Error_RegisterCallback) F (EvtWriter_Enter) \
    F (EvtWriter_GetNumberOfEvents) F (EvtWriter_IoCreateHandle) \
    F (EvtWriter_IoDeleteFile) F (EvtWriter_IoDestroyHandle) \
    F (EvtWriter_IoDuplicateHandle) F (EvtWriter_IoOperationBegin) \
    F (EvtWriter_IoOperationComplete) F (EvtWriter_IoOperationIssued) \
    F (EvtWriter_IoSeek) F (EvtWriter_Leave) \
    F (GlobalDefWriter_WriteAttribute) \
    F (GlobalDefWriter_WriteClockProperties) F (GlobalDefWriter_WriteGroup) \
    F (GlobalDefWriter_WriteIoHandle) F (GlobalDefWriter_WriteIoParadigm) \
    F (GlobalDefWriter_WriteIoPreCreatedHandleState) \
    F (GlobalDefWriter_WriteIoRegularFile) F (GlobalDefWriter_WriteLocation) \
    F (GlobalDefWriter_WriteLocationGroup) F (GlobalDefWriter_WriteRegion) \
    F (GlobalDefWriter_WriteString) F (GlobalDefWriter_WriteSystemTreeNode) \
    F (GlobalDefWriter_WriteSystemTreeNodeDomain)
/* clang-format on */

extern struct otf_functions {
#define F(NAME) __typeof__ (OTF2_##NAME) *NAME;
    OTF_FUNCTIONS (F)
#undef F
} otf2;

/* Call a function of OTF2 for o, which keeps its first error. */
#define OTF(O, NAME, ...) otf_wrote (&(O)->failed, otf2.NAME (__VA_ARGS__))
void otf_wrote (OTF2_ErrorCode *failed, OTF2_ErrorCode rc);

/* Further arguments that functions of OTF2 have since version 3. */
#if OTF2_VERSION_MAJOR >= 3
#define OTF_SINCE_3(...) , __VA_ARGS__
#else
#define OTF_SINCE_3(...)
#endif

/* --- otfdefs.c: names and descriptors of a trace <-> numbers of OTF2's
 * definitions ---
 */

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

void otfdefs_open (struct otfdefs *d);
void otfdefs_clear (struct otfdefs *d); /* keeps errno */

/* The definition of a text, which is written where it is new: made UTF-8 with
 * no control characters. */
uint32_t otfdefs_string (struct otfdefs *d, const char *text);
uint32_t otfdefs_region (struct otfdefs *d, unsigned call, uint32_t name);
uint32_t otfdefs_file (struct otfdefs *d, uint32_t name);
uint32_t otfdefs_handle (struct otfdefs *d, const struct otfhandle *h);
uint32_t
otfdefs_attribute (struct otfdefs *d, const char *name, OTF2_Type type);
size_t
otfdefs_location (struct otfdefs *d, size_t part, uint32_t tid, uint32_t lane);

/* Write everything but strings. */
void otfdefs_write (struct otfdefs *d);

/* Return the row of a category in the table of paradigms; -1 if it has none. */
int otfdefs_paradigm (enum call_category category);

/* --- otfio.c: what an event does to files, in the words of OTF2 --- */

enum otfact {
    OTFACT_NONE = 0,
    OTFACT_CREATE,    /* a handle of a file becomes active */
    OTFACT_DESTROY,   /* it ends to be active */
    OTFACT_DUPLICATE, /* a second handle, which the result names */
    OTFACT_SEEK,
    OTFACT_DELETE, /* a file, by its name */
    OTFACT_LATER   /* the transfer of a request */
};

/* A transfer of bytes, or that they be on storage. */
struct otfop {
    uint32_t handle;
    OTF2_IoOperationMode mode;
    OTF2_IoOperationFlag flags;
    uint64_t asked, moved; /* bytes */
    uint64_t id;           /* of this operation, in all of the trace */
};

enum { OTFIO_OPS = 2 /* a copy reads one file and writes another */ };

/* The effect of an event at its end. */
struct otfdone {
    enum otfact act;
    uint32_t handle, other; /* DELETE: paradigm, file */
    OTF2_IoAccessMode mode;
    OTF2_IoCreationFlag creation;
    OTF2_IoStatusFlag status;
    uint64_t offset;
};

/* -- events of a thread -> records of OTF2, of one location each or of several
 * where they overlap -- */

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
};

/* -- events of a thread by their starts -> locations in which they are properly
 * inside each other -- */

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

/* --- otf2.c: events of a job -> an archive of the Open Trace Format 2 --- */

struct otf2_report {
    uint64_t events;   /* written */
    uint64_t bad;      /* in chunks that cannot be decoded */
    uint64_t left_out; /* more at a time than a thread may have locations */
};

/* Write directory path with traces.otf2, traces.def and traces/, atomically:
 * the events that where lets through. 0, or -1 with err; also where this build
 * has no OTF2. */
int otf2_write (const struct parts *parts,
                const struct where *where,
                const char *path,
                struct otf2_report *report,
                struct errtext *err);
