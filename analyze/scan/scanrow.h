/* SPDX-License-Identifier: MIT
 *
 * scanrow.h - rows of a profile -> tally and unit, as if they were events
 */
#ifndef DFT_ANALYZE_SCANROW_H
#define DFT_ANALYZE_SCANROW_H

#include "analyze/scan/tally.h"
#include "analyze/trace/profrows.h"

/* The names of a source as numbers of the scanner's dictionary. */
struct scanrow_names {
    const struct profrows *rows;
    uint32_t *number; /* of name 1 …; owned; [0] is 0 */
};

/* 0, or -1 (ENOMEM). */
int scanrow_names (struct scanrow_names *n,
                   struct dict *dict,
                   const struct profrows *rows);
void scanrow_names_clear (struct scanrow_names *n);

/* Count what one row, place or group says of the thread of u. What needs the
 * time of each call (sets of time, marks, what is inside what) is left out. 0,
 * or -1 (ENOMEM). */
int scanrow_row (struct scanner *s,
                 struct unit *u,
                 const struct scanrow_names *names,
                 const struct profrow *row);
int scanrow_place (struct scanner *s,
                   const struct scanrow_names *names,
                   const struct profplace *place);
int scanrow_group (struct scanner *s,
                   const struct scanrow_names *names,
                   const struct profgroup *group);
int scanrow_bin (struct scanner *s,
                 const struct trace_process *who,
                 const struct profbin *bin);

#endif
