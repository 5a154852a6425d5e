/* SPDX-License-Identifier: MIT
 *
 * otfio.h - what an event does to files, in the words of OTF2
 *           (only where HAVE_OTF2)
 */
#ifndef DFT_ANALYZE_OTFIO_H
#define DFT_ANALYZE_OTFIO_H

#include "analyze/export/otfdefs.h"

enum otfact {
    OTFACT_NONE = 0,
    OTFACT_CREATE,
    OTFACT_DESTROY,
    OTFACT_DUPLICATE,
    OTFACT_SEEK,
    OTFACT_DELETE,
    OTFACT_LATER
};

/* Of a call, by otfcalls.def. */
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

/* What an event has done when it ended. */
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

#endif
