/* SPDX-License-Identifier: MIT
 *
 * tell.h - what a reader of a job's numbers must know of them -> warnings
 */
#ifndef DFT_ANALYZE_TELL_H
#define DFT_ANALYZE_TELL_H

#include "analyze/analyzeopts.h"
#include "analyze/facts/summary.h"

/* Log what is missing. Return 1 if anything is. */
int tell_damage (const struct result *r);

/* Log what is odd, but not missing: copies, times and sizes that cannot be. */
void tell_doubts (const struct result *r);

/* The question is about single events, and there is a profile: an error (1), or
 * a warning (0) where there are events, too, which alone answer. */
int tell_profile (const struct result *r);

/* Trace points that do not work. */
void tell_points (const struct result *r);

/* Log what limits the trace: settings that were refused, sandboxes in which a
 * system call of ours would end the program. job.json has the whole list, if it
 * can be written; another user's job directory keeps the one it has. The first
 * screen of a job names the programs itself. */
enum tell_untraced { TELL_ANSWER, TELL_ROW, TELL_PAGE };
void tell_untraced (const struct job *job,
                    const struct analyze_options *o,
                    enum tell_untraced before);

/* Is there nothing that the first two would say? */
int tell_nothing (const struct result *r);

/* How an open job has ended, to its job.json, unless that is known. */
void tell_end (const struct job *job,
               const struct analyze_options *o,
               int known);

#endif
