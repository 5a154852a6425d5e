/* SPDX-License-Identifier: MIT
 *
 * leftover.h - jobs of which this node still has staged shards
 *
 * <state_dir>/<job id>.<host>.left[N]: the marker of such a job, N the number
 * of epilogs that ran out of time over it.
 */
#ifndef DFT_EPILOG_LEFTOVER_H
#define DFT_EPILOG_LEFTOVER_H

#include <stdint.h>

/* Keep the marker of a job for a later epilog. 0 or -1. */
int leftover_keep (const char *state_dir, uint32_t job_id, const char *host);

enum { LEFTOVER_TRIES = 3 }; /* that ran out of time; then it is given up */

struct leftover {
    uint32_t job_id;
    int tries;
};

/* A job that was kept on this host and not yet returned in this process: the
 * oldest, or the newest. 0 when there is none. Those over a week old are
 * forgotten. */
int leftover_next (const char *state_dir,
                   const char *host,
                   int newest,
                   struct leftover *l);

/* Before its turn: as if time will run out, so that an epilog that is killed
 * counts, too; the last such turn removes the marker, whose text the caller
 * has. After a turn that ended by itself: take that back. */
void leftover_count (const char *state_dir,
                     const char *host,
                     struct leftover *l);
void leftover_uncount (const char *state_dir,
                       const char *host,
                       struct leftover *l);

/* The host under which its marker is read and removed. */
void leftover_host (const char *host,
                    const struct leftover *l,
                    char *buf,
                    unsigned long size);

#endif
