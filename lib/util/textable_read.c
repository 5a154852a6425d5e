/* SPDX-License-Identifier: MIT
 *
 * textable_read.c - a table -> its cells, for who shows them elsewhere
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/json.h"
#include "lib/util/textable.h"
#include "lib/util/textable_cells.h"

size_t textable_rows (const struct textable *t)
{
    return t ? t->rows : 0;
}

int textable_find (const struct textable *t, const char *name)
{
    for (size_t i = 0; t && i < t->columns; i++)
        if (strcmp (t->column[i].name, name) == 0)
            return (int)i;
    return TEXTABLE_NO_COLUMN;
}

static const struct cell *
textable_at (const struct textable *t, size_t row, int column)
{
    return t && row < t->rows && column >= 0 && (size_t)column < t->columns
               ? &t->cell[row * t->columns + (size_t)column]
               : NULL;
}

const char *textable_cell (const struct textable *t,
                           size_t row,
                           int column,
                           char buf[TEXTABLE_NUMBER_MAX])
{
    const struct cell *c = textable_at (t, row, column);

    buf[0] = '\0';
    if (!c)
        return buf;
    if (c->type == CELL_TEXT)
        return c->text ? c->text : buf;
    if (c->type == CELL_DOUBLE)
        return json_number (buf, TEXTABLE_NUMBER_MAX, c->d);
    if (c->type == CELL_UINT)
        (void)snprintf (buf, TEXTABLE_NUMBER_MAX, "%" PRIu64, c->u);
    return buf;
}

double textable_number (const struct textable *t, size_t row, int column)
{
    const struct cell *c = textable_at (t, row, column);
    char *end;
    double v;

    if (!c || c->type == CELL_NA)
        return NAN;
    if (c->type == CELL_UINT)
        return (double)c->u;
    if (c->type == CELL_DOUBLE)
        return c->d;
    v = strtod (c->text ? c->text : "", &end);
    return !c->text || end == c->text || *end ? NAN : v;
}
