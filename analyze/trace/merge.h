/* SPDX-License-Identifier: MIT
 *
 * merge.h - traces of a job -> one trace
 */
#ifndef DFT_ANALYZE_MERGE_H
#define DFT_ANALYZE_MERGE_H

#include "analyze/trace/parts.h"

struct merge_report {
    uint64_t processes, chunks, events, bytes;
    uint64_t lost; /* events not copied, and those missing before */
    uint64_t chunks_bad;
};

enum merge_pack {
    MERGE_DENSE = 0, /* in columns of few bits (lib/format/dense.h) */
    MERGE_PLAIN      /* as in the shards: larger, written faster */
};

/* Write all parts as one trace: the process blocks, then the chunks of all
 * threads in the order of time, without unused space. Chunks are copied whole,
 * or up to the last whole event; what is left behind is added to lost_space of
 * its process. The same parts give the same bytes. The file appears
 * atomically, mode 0600; when strict, only if nothing is missing. 0, or -1
 * with err. */
int merge_write (const struct parts *parts,
                 const char *path,
                 int strict,
                 enum merge_pack pack,
                 struct merge_report *report,
                 struct errtext *err);

#endif
