/* SPDX-License-Identifier: MIT
 *
 * textable.c - columns, rows and cells of a table
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/textable.h"
#include "lib/util/textable_cells.h"

struct textable *textable_create (void)
{
    return calloc (1, sizeof (struct textable));
}

void textable_destroy (struct textable *t)
{
    int saved_errno = errno;

    if (!t)
        return;
    for (size_t i = 0; i < t->columns; i++) {
        free (t->column[i].name);
        free (t->column[i].title);
        free (t->column[i].unit);
    }
    for (size_t i = 0; i < t->rows * t->columns; i++)
        free (t->cell[i].text);
    free (t->column);
    free (t->cell);
    free (t);
    errno = saved_errno;
}

/* --- filling ---------------------------------------------------------- */

void textable_column (struct textable *t,
                      const char *name,
                      const char *title,
                      const char *unit,
                      int right_aligned)
{
    struct column *more =
        realloc (t->column, (t->columns + 1) * sizeof (*more));
    struct column *c;

    if (!more) {
        t->dropped = 1;
        return;
    }
    t->column = more;
    c = &more[t->columns];
    *c = (struct column){.name = strdup (name),
                         .title = strdup (title ? title : name),
                         .unit = strdup (unit ? unit : ""),
                         .right = right_aligned,
                         .digits = -1};
    if (c->name && c->title && c->unit) {
        t->columns++;
        return;
    }
    free (c->name);
    free (c->title);
    free (c->unit);
    t->dropped = 1;
}

void textable_column_digits (struct textable *t, int digits)
{
    if (t->columns)
        t->column[t->columns - 1].digits = digits;
}

void textable_row (struct textable *t)
{
    size_t need = (t->rows + 1) * t->columns;

    t->next = t->columns; /* cells of a row that did not fit are dropped */
    if (need > t->room) {
        size_t room = need * 2;
        struct cell *more = realloc (t->cell, room * sizeof (*more));

        if (!more) {
            t->dropped = 1;
            return;
        }
        t->cell = more;
        t->room = room;
    }
    if (t->columns > 0)
        memset (&t->cell[t->rows * t->columns], 0,
                t->columns * sizeof (*t->cell));
    t->rows++;
    t->next = 0;
}

static void textable_add_cell (struct textable *t, struct cell c)
{
    if (t->rows == 0 || t->next >= t->columns) {
        t->dropped = 1;
        free (c.text);
        return;
    }
    t->cell[(t->rows - 1) * t->columns + t->next++] = c;
}

void textable_text (struct textable *t, const char *value)
{
    char *copy = strdup (value ? value : "");

    if (!copy)
        t->dropped = 1;
    textable_add_cell (t, (struct cell){.type = CELL_TEXT, .text = copy});
}

void textable_uint (struct textable *t, uint64_t value)
{
    textable_add_cell (t, (struct cell){.type = CELL_UINT, .u = value});
}

void textable_about (struct textable *t)
{
    if (t->rows > 0 && t->next > 0)
        t->cell[(t->rows - 1) * t->columns + t->next - 1].about = 1;
}

void textable_double (struct textable *t, double value, int digits)
{
    if (t->next < t->columns && t->column[t->next].digits >= 0)
        digits = t->column[t->next].digits;
    if (!isfinite (value))
        textable_na (t);
    else
        textable_add_cell (
            t,
            (struct cell){.type = CELL_DOUBLE, .d = value, .digits = digits});
}

const char *textable_cell_number (const struct cell *c, char *buf, size_t size)
{
    int below = c->least > 0 && c->d < c->least;

    (void)snprintf (buf, size, "%s%s%.*f", c->about ? "\u2248" : "",
                    below ? "<" : "", c->digits, below ? c->least : c->d);
    return buf;
}

void textable_probability (struct textable *t, double p, int digits)
{
    struct cell c = {.type = CELL_DOUBLE, .d = p, .digits = digits};

    if (p > 0)
        c.least = pow (10, -digits);
    if (!isfinite (p))
        textable_na (t);
    else
        textable_add_cell (t, c);
}

void textable_na (struct textable *t)
{
    textable_add_cell (t, (struct cell){.type = CELL_NA});
}

int textable_append (struct textable *to,
                     struct textable *from,
                     const char *name,
                     const char *label)
{
    if (to->columns == 0) {
        textable_column (to, name, name, "", 0);
        for (size_t i = 0; i < from->columns; i++)
            textable_column (to, from->column[i].name, from->column[i].title,
                             from->column[i].unit, from->column[i].right);
    }
    for (size_t r = 0; r < from->rows; r++) {
        textable_row (to);
        textable_text (to, label);
        for (size_t i = 0; i < from->columns; i++) {
            struct cell *c = &from->cell[r * from->columns + i];

            textable_add_cell (to, *c);
            c->text = NULL; /* has moved */
        }
    }
    to->dropped |= from->dropped;
    textable_destroy (from);
    if (!to->dropped)
        return 0;
    errno = ENOMEM;
    return -1;
}

int table_format_parse (const char *word)
{
    static const char *const words[] = {"text", "csv", "markdown", "json"};

    for (int i = 0; i < 4; i++)
        if (strcmp (word, words[i]) == 0)
            return i;
    return -1;
}
