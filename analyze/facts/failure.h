/* SPDX-License-Identifier: MIT
 *
 * failure.h - which program of a job failed, and how
 */
#pragma once

#include "analyze/facts/summary.h"
#include "analyze/trace/find.h"
#include "lib/base/text.h"

/* -- which program of a job failed, and how -- */

enum { FAILURE_TEXT_MAX = 256, FAILURE_SENTENCE_MAX = 320 };

struct failure {
    const struct process *process; /* NULL: none is known to have failed */
    size_t more;                   /* others that a signal has ended */
};

enum failed { FAILED_NONE, FAILED_STATUS, FAILED_OTHERWISE };

/* Write how the process that failed has ended, and how many others failed. */
enum failed failure_sentence (char buf[FAILURE_SENTENCE_MAX],
                              const struct job *job,
                              const struct totals *t,
                              const struct summary *s);

/* The call that the process was in, "flock /tmp/lock"; and how long until its
 * end, or that of the job, ns. 0: none is known. */
int failure_doing (char buf[FAILURE_TEXT_MAX],
                   const struct job *job,
                   const struct process *p);
uint64_t failure_doing_ns (const struct job *job,
                           const struct summary *s,
                           const struct process *p);

/* -- how a job and those of its processes that failed ended -> job.json -- */

/* Write it into the job.json of an open job, as "ended", in place of an older
 * one; atomically, and not at all where it says so already, where nothing is
 * known, or where job.json is not there or another user's. 0, or -1 with err.
 */
int endfile_write (const struct job *job, struct errtext *err);

/* Write the end of a job directory whose command has ended now, with the status
 * of wait. Its processes are looked for if the command has failed. */
int endfile_write_run (const char *dir, int status, struct errtext *err);

/* Write how long a job's cgroup was throttled since job.json was made, added up
 * over processors, and in how many periods: where job.json has the counts of
 * then, and this process is in a cgroup with the same limit. 0, or -1 with err.
 */
int endfile_write_throttled (const char *dir, struct errtext *err);
