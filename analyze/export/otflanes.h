/* SPDX-License-Identifier: MIT
 *
 * otflanes.h - events of a thread by their starts -> locations in which they
 * are properly inside each other (only where HAVE_OTF2)
 */
#ifndef DFT_ANALYZE_OTFLANES_H
#define DFT_ANALYZE_OTFLANES_H

#include "analyze/export/otfput.h"

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
