/* SPDX-License-Identifier: MIT
 *
 * chunkskip.h - a condition, and the index of a trace -> which chunks need not
 *               be read
 */
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
