/* SPDX-License-Identifier: MIT
 *
 * siteline.h - a line that an epilog kept (spank/epilog/keep.h) -> a job
 *
 * Not by ytree, which takes 60 us for such a line of 1.6 KB; with this one,
 * collecting takes 45 us a line in all.
 */
#ifndef DFT_CLI_SITELINE_H
#define DFT_CLI_SITELINE_H

#include "lib/model/summary.h"

/* An object of texts and numbers without anything nested. Members that are not
 * known are left out. 0; -1 when the line is none, is cut, or lacks job or
 * ended. line is not changed. Pure. */
int siteline_read (const char *line, struct job_summary *s);

#endif
