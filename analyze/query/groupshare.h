/* SPDX-License-Identifier: MIT
 *
 * groupshare.h - the groups of a share of a job <-> a file
 */
#ifndef DFT_ANALYZE_GROUPSHARE_H
#define DFT_ANALYZE_GROUPSHARE_H

#include "analyze/query/groupframe.h"
#include "analyze/query/shares/partial.h"

/* Read the share, which is open, and write its groups, whole or not at all.
 * 0, or -1 with err. */
int groupshare_write (const char *path,
                      const struct partial_head *head,
                      const struct job *job,
                      const struct grouping *by,
                      const struct group_frame *frame,
                      struct errtext *err);

/* All shares of a job together, as groups_make would have made them. 0, or -1
 * with err. */
int groupshare_read_all (struct groups *gs,
                         const struct job *job,
                         const struct grouping *by,
                         const struct group_frame *frame,
                         unsigned shares,
                         struct errtext *err);

#endif
