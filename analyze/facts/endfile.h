/* SPDX-License-Identifier: MIT
 *
 * endfile.h - how a job and those of its processes that failed ended
 *             -> job.json
 */
#ifndef DFT_ANALYZE_ENDFILE_H
#define DFT_ANALYZE_ENDFILE_H

#include "analyze/trace/find.h"
#include "lib/base/errtext.h"

/* Write it into the job.json of an open job, as "ended", in place of an older
 * one; atomically, and not at all where it says so already, where nothing is
 * known, or where job.json is not there or another user's. 0, or -1 with err.
 */
int endfile_write (const struct job *job, struct errtext *err);

/* Write the end of a job directory whose command has ended now, with the status
 * of wait. Its processes are looked for if the command has failed. */
int endfile_write_run (const char *dir, int status, struct errtext *err);

#endif
