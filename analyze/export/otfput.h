/* SPDX-License-Identifier: MIT
 *
 * otfput.h - events of a thread -> records of OTF2, of one location each or of
 *            several where they overlap (only where HAVE_OTF2)
 */
#ifndef DFT_ANALYZE_OTFPUT_H
#define DFT_ANALYZE_OTFPUT_H

#include "analyze/export/otfio.h"

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

#endif
