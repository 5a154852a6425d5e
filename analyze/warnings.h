/* SPDX-License-Identifier: MIT
 *
 * warnings.h - a job that was read -> warnings about its trace
 */
#pragma once

#include "analyze/tables/analyzeopts.h"
#include "analyze/facts/summary.h"

/* Log what is missing. Return 1 if anything is. */
int warn_damage (const struct result *r);

/* Log what is odd, but not missing: copies, times and sizes that cannot be. */
void warn_doubts (const struct result *r);

/* Log that a question about single events has no answer in a profile: an error
 * (return 1), or a warning (return 0) if there are events, too, which alone
 * answer. */
int warn_profile (const struct result *r);

/* Log trace points that do not work. */
void warn_points (const struct result *r);

/* Log what limits the trace: settings that were refused, sandboxes in which a
 * system call of ours would end the program. job.json has the whole list, if it
 * can be written; another user's job directory keeps the one it has. The first
 * screen of a job names the programs itself. */
enum warn_untraced { WARN_ANSWER, WARN_ROW, WARN_PAGE };
void warn_untraced (const struct job *job,
                    const struct analyze_options *o,
                    enum warn_untraced before);

/* Return 1 if warn_damage and warn_doubts have nothing to log. */
int warn_is_quiet (const struct result *r);

/* Write the end of an open job to its job.json, unless it is known. */
void warnings_note_end (const struct job *job,
                        const struct analyze_options *o,
                        int known);
