/* SPDX-License-Identifier: MIT
 *
 * merge.h - traces of a job -> one trace
 */
#ifndef DFT_ANALYZE_MERGE_H
#define DFT_ANALYZE_MERGE_H

#include "analyze/parts.h"

struct merge_report {
    uint64_t processes, chunks, events, bytes;
    uint64_t lost; /* events not copied, and those missing before */
    uint64_t chunks_bad;
};

/* Write all parts as one trace: each process block, then its chunks, without
 * unused space. Chunks are copied as they are when they are whole, up to the
 * last whole event when they are not; what is left behind is added to
 * lost_space of its process. The same parts give the same bytes. The file
 * appears atomically, mode 0600; when strict, only if nothing is missing.
 * 0, or -1 with err. */
int merge_write (const struct parts *parts,
                 const char *path,
                 int strict,
                 struct merge_report *report,
                 struct errtext *err);

#endif
