/* SPDX-License-Identifier: MIT
 *
 * leftover.h - jobs of which this node still has staged shards
 *
 * <state_dir>/<job id>.<host>.left[N]: the marker of such a job, N the number
 * of epilogs that ran out of time over it.
 */
#ifndef DFT_EPILOG_LEFTOVER_H
#define DFT_EPILOG_LEFTOVER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Keep the marker of a job for a later epilog. 0 or -1. */
int leftover_keep (const char *state_dir, uint32_t job_id, const char *host);

enum { LEFTOVER_TRIES = 3 }; /* that ran out of time; then it is given up */

struct leftover {
    uint32_t job_id;
    int tries;
    uid_t owner; /* of leftover_turns */
};

/* Select the jobs for this epilog: one of each owner, at most max, in turn[].
 * Chance decides the order of owners, and whether the oldest or the newest job
 * of an owner is taken, so that nobody gains by having more. Jobs without a
 * line about their owner are skipped; jobs older than a week are forgotten.
 * Return their number. */
size_t leftover_turns (const char *state_dir,
                       const char *host,
                       uint64_t chance,
                       struct leftover *turn,
                       size_t max);

/* Until when the first of `owners` may work: an equal part of the time for
 * each, at least least_ms, never after end_ms. Pure. */
uint64_t leftover_until (uint64_t now_ms,
                         uint64_t end_ms,
                         size_t owners,
                         uint64_t least_ms);

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
