/* SPDX-License-Identifier: MIT
 *
 * tablearrow.h - a table -> typed values, and a stream of one record batch
 */
#ifndef DFT_READER_TABLEARROW_H
#define DFT_READER_TABLEARROW_H

#include "lib/util/textable.h"
#include "analyze/python/arrowcol.h"

/* Return the type of a column: INT64, DOUBLE, or TEXT. A column that has only
 * whole numbers is INT64, also if the table has them as text; "-" and n/a are
 * null. */
enum arrowcol_type tablearrow_type (const struct textable *t, size_t column);

/* Put a cell into a column of that type. 0, or -1 (ENOMEM). */
int tablearrow_put (struct arrowcol *c,
                    const struct textable *t,
                    size_t row,
                    size_t column);

/* A stream of the whole table, which has its own memory. 0, or -1 (ENOMEM). */
int tablearrow_stream (struct ArrowArrayStream *out, const struct textable *t);

#endif
