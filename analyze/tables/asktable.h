/* SPDX-License-Identifier: MIT
 *
 * asktable.h - the cells of a query -> rows of --by, --show, --sort, --top
 */
#ifndef DFT_ANALYZE_ASKTABLE_H
#define DFT_ANALYZE_ASKTABLE_H

#include "analyze/query/show.h"
#include "lib/util/textable.h"

void asktable_columns (struct textable *t,
                       const struct query *q,
                       const struct show *s);
/* At most top rows (0: all): by --sort, else by the keys that are numbers and
 * the first measure, with `by_measure` by that alone. */
void asktable_rows (struct textable *t,
                    const struct query *q,
                    const struct show *s,
                    const struct query_answer *a,
                    int by_measure,
                    size_t top);

#endif
