/* SPDX-License-Identifier: MIT
 *
 * end_side.h - a job that left no trace -> one line of its output, why
 */
#ifndef DFT_SPANK_END_SIDE_H
#define DFT_SPANK_END_SIDE_H

#include <sys/types.h>

#include "spank/letter.h"
#include "spank/spank_api.h"

/* In slurmstepd, as root, when the last task of the step here has ended and
 * its stage is collected. Looks into the job directory as the user, through
 * dirfd when that is no -1, for a few seconds at most. */
void end_side_say (const struct letter *letter,
                   int dirfd,
                   uid_t uid,
                   gid_t gid);

/* In slurmstepd: before there are tasks of a step, and as each one has ended.
 * end_side_say writes the lines of those that failed. */
void end_side_start (void);
void end_side_task_ended (spank_t sp);

#endif
