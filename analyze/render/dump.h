/* SPDX-License-Identifier: MIT
 *
 * dump.h - events of a process -> lines
 */
#ifndef DFT_ANALYZE_DUMP_H
#define DFT_ANALYZE_DUMP_H

#include <stdio.h>

#include "analyze/trace/parts.h"

/* One line per event; tab-separated columns or JSON. *bad gets the events of
 * chunks that cannot be decoded added. 0, or -1 (ENOMEM). Errors of out stay
 * in it. */
int dump_events (const struct part *part,
                 int as_json,
                 FILE *out,
                 uint64_t *bad);

#endif
