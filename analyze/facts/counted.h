/* SPDX-License-Identifier: MIT
 *
 * counted.h - JOBDIR/shards/counted.HOST -> what the kernel counted
 *
 * The lines are described in lib/format/countedline.h. Anybody may have
 * written them: what makes no sense is passed over.
 */
#ifndef DFT_ANALYZE_COUNTED_H
#define DFT_ANALYZE_COUNTED_H

#include <stddef.h>
#include <stdint.h>

#include "lib/format/leftout.h"

enum { COUNTED_READ = 0, COUNTED_WRITTEN, COUNTED_SIDES };

/* Bytes read and written, or not known. */
struct counted_pair {
    int known;
    uint64_t n[COUNTED_SIDES];
};

/* A program of a process. */
struct counted_image {
    char *host; /* owned */
    uint32_t pid, ppid, sid;
    uint64_t start, end; /* ns of CLOCK_REALTIME */
    int exec;            /* another program took its place */
    size_t order;        /* of its line */
    struct counted_pair all, own, start_all, start_own, tracer, aio;
    struct counted_pair left[LEFTOUTS];
};

struct counted {
    struct counted_image *image; /* by host, pid and start; owned */
    size_t count, room;
    int cut; /* a file has reached its limit, or there are too many lines */
};

/* Lines of the shards or, where there are none any more, those that
 * counted_keep has kept. *c is zeroed. A directory that is not there has no
 * lines. 0, or -1 (ENOMEM).
 */
int counted_load (struct counted *c, const char *job_dir);
void counted_clear (struct counted *c);

/* Beside the merged trace of a job directory: all lines of its shards, each
 * behind its host, in counted.lines. Nothing where there are none. 0, or -1
 * with errno. */
int counted_keep (const char *job_dir);

/* The image of a process that began at start; NULL: there is none. */
struct counted_image *counted_find (const struct counted *c,
                                    const char *host,
                                    uint32_t pid,
                                    uint64_t start);

/* The last one of a pid that began at time or before; NULL. */
struct counted_image *counted_at (const struct counted *c,
                                  const char *host,
                                  uint32_t pid,
                                  uint64_t time);

#endif
