/* SPDX-License-Identifier: MIT
 *
 * counted.h - JOBDIR/shards/processes.HOST -> what the kernel counted
 */
#ifndef DFT_ANALYZE_COUNTED_H
#define DFT_ANALYZE_COUNTED_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/trace/find.h"
#include "lib/format/proclines.h"

struct counted {
    struct procrecord *image; /* programs of processes, by host, pid and start,
                                 with their hosts; owned */
    size_t count, room;
    int cut; /* a file has reached its limit, or there are too many lines */
};

/* Lines `traced` with a count, of the shards of a job or, where there are none
 * any more, those that its merged trace has kept. *c is zeroed. 0, or -1
 * (ENOMEM). */
int counted_load (struct counted *c, const struct job *job);
void counted_clear (struct counted *c);

/* The image of a process that began at start; NULL: there is none. */
struct procrecord *counted_find (const struct counted *c,
                                 const char *host,
                                 uint32_t pid,
                                 uint64_t start);

/* The last one of a pid that began at time or before; NULL. */
struct procrecord *counted_at (const struct counted *c,
                               const char *host,
                               uint32_t pid,
                               uint64_t time);

#endif
