/* SPDX-License-Identifier: MIT
 *
 * chunkskip.h - a condition, and the index of a trace -> which chunks need not
 *               be read
 */

/* Design. Chunks that cannot matter are not read (query/chunkindex.c,
 * chunkskip.c): the merge leaves an index beside the trace, with what is in
 * each chunk. Of each term of a condition two things follow for a chunk: may
 * it hold for an event of it, and may it fail for one; "and", "or" and "not"
 * are worked out with these two. What the index does not know may do both. A
 * pass then has chunks that it skips (pass_piece.skip); who needs all events
 * (totals, learning, the time of the job) skips none. */

#ifndef DFT_ANALYZE_CHUNKSKIP_H
#define DFT_ANALYZE_CHUNKSKIP_H

#include "analyze/scan/context.h"
#include "analyze/scan/pass.h"
#include "analyze/scan/where.h"

/* Leave out of the pass, which is open and has not run, the chunks in which no
 * event fulfils w according to an index; their names are in its dictionary all
 * the same. Traces without an index are read as a whole. context: as for the
 * query. 0, or -1 (ENOMEM). */
int chunkskip (struct pass *p,
               const struct where *w,
               const struct query_context *context);

#endif
