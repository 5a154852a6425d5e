/* SPDX-License-Identifier: MIT
 *
 * copies.h - a process that several sources of a job have -> the longest one
 */
#ifndef DFT_ANALYZE_COPIES_H
#define DFT_ANALYZE_COPIES_H

#include "analyze/trace/parts.h"

/* Keep of each process the part with most events, and count in p->copies what
 * the others have, and what of it differs; p->item is in its order. What the
 * job's own trace.dft has besides its shards is no copy to be told of. */
void parts_drop_copies (struct parts *p, const struct job *job);

#endif
