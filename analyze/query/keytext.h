/* SPDX-License-Identifier: MIT
 *
 * keytext.h - an event -> its text under a key that is no number (for column.c)
 */
#ifndef DFT_ANALYZE_KEYTEXT_H
#define DFT_ANALYZE_KEYTEXT_H

#include "analyze/query/column.h"
#include "lib/format/event.h"

enum { KEYTEXT_MAX = EVENT_NAME_MAX + 1 };

/* Of event i of the batch at hand. buf has room for KEYTEXT_MAX; the result
 * may be it. */
const char *keytext_of (enum group_key key,
                        const struct column_source *s,
                        size_t i,
                        char *buf);

#endif
