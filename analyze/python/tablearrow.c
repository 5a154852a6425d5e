/* SPDX-License-Identifier: MIT
 *
 * tablearrow.c - a table -> typed values, and a stream of one record batch
 *
 * In:  struct textable
 * Out: columns of one type each
 */
#include "config.h"

#include "analyze/python/tablearrow.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/textable.h"

static const struct table_cell *
tablearrow_cell (const struct textable *t, size_t row, size_t column)
{
    return &t->cell[row * t->columns + column];
}

static int tablearrow_nothing (const struct table_cell *c, int number)
{
    return c->type == CELL_NA ||
           (c->type == CELL_TEXT &&
            (!c->text || (number && strcmp (c->text, "-") == 0)));
}

/* Is a text a number, and which? */
static int tablearrow_number (const struct table_cell *c, double *value, int *whole)
{
    char *end;

    *value = strtod (c->text, &end);
    *whole = strspn (c->text, "-0123456789") == strlen (c->text) &&
             fabs (*value) < 0x1p53;
    return end != c->text && *end == '\0' && isfinite (*value);
}

/* The type that a cell needs. */
static enum arrowcol_type tablearrow_cell_type (const struct table_cell *c,
                                                int number)
{
    double value;
    int whole;

    if (tablearrow_nothing (c, number))
        return ARROWCOL_NONE;
    if (c->type == CELL_UINT)
        return c->u <= INT64_MAX ? ARROWCOL_INT64 : ARROWCOL_DOUBLE;
    if (c->type == CELL_DOUBLE)
        return ARROWCOL_DOUBLE;
    if (!number || !tablearrow_number (c, &value, &whole))
        return ARROWCOL_TEXT;
    return whole ? ARROWCOL_INT64 : ARROWCOL_DOUBLE;
}

enum arrowcol_type tablearrow_type (const struct textable *t, size_t column)
{
    int number = t->column[column].right;
    enum arrowcol_type type = ARROWCOL_NONE;

    for (size_t r = 0; r < t->rows; r++) {
        enum arrowcol_type one =
            tablearrow_cell_type (tablearrow_cell (t, r, column), number);

        type = one > type ? one : type;
    }
    if (type != ARROWCOL_NONE)
        return type;
    return number ? ARROWCOL_DOUBLE : ARROWCOL_TEXT;
}

/* A cell as a number. */
static double tablearrow_value (const struct table_cell *c)
{
    double value;
    int whole;

    if (c->type == CELL_UINT)
        return (double)c->u;
    if (c->type == CELL_DOUBLE)
        return c->d;
    (void)tablearrow_number (c, &value, &whole);
    return value;
}

static int tablearrow_put_text (struct arrowcol *to,
                                const struct textable *t,
                                size_t row,
                                size_t column)
{
    char buf[TEXTABLE_NUMBER_MAX];
    const char *text = textable_cell (t, row, (int)column, buf);

    return arrowcol_text (to, text, strlen (text));
}

int tablearrow_put (struct arrowcol *to,
                    const struct textable *t,
                    size_t row,
                    size_t column)
{
    const struct table_cell *c = tablearrow_cell (t, row, column);

    if (tablearrow_nothing (c, t->column[column].right))
        arrowcol_null (to);
    else if (to->type == ARROWCOL_TEXT)
        return tablearrow_put_text (to, t, row, column);
    else if (to->type == ARROWCOL_DOUBLE)
        arrowcol_double (to, tablearrow_value (c));
    else
        arrowcol_int (to, c->type == CELL_UINT ? (int64_t)c->u
                                               : (int64_t)tablearrow_value (c));
    return 0;
}

/* --- the stream -------------------------------------------------------------
 */

struct tablearrow {
    struct ArrowSchema schema; /* moved out when it is asked for */
    struct ArrowArray array;   /* the same */
};

static int tablearrow_schema (struct ArrowArrayStream *s,
                              struct ArrowSchema *out)
{
    struct tablearrow *h = s->private_data;
    struct arrowcol_field *field;
    size_t n = (size_t)h->schema.n_children;
    int rc;

    if (!(field = calloc (n + 1, sizeof (*field))))
        return ENOMEM;
    for (size_t i = 0; i < n; i++) {
        const struct ArrowSchema *c = h->schema.children[i];

        field[i].name = c->name;
        field[i].type = *c->format == 'l'   ? ARROWCOL_INT64
                        : *c->format == 'g' ? ARROWCOL_DOUBLE
                                            : ARROWCOL_TEXT;
    }
    rc = arrowcol_schema (out, field, n);
    free (field);
    return rc < 0 ? ENOMEM : 0;
}

static int tablearrow_next (struct ArrowArrayStream *s, struct ArrowArray *out)
{
    struct tablearrow *h = s->private_data;

    *out = h->array;
    h->array.release = NULL;
    return 0;
}

static const char *tablearrow_error (struct ArrowArrayStream *s)
{
    (void)s;
    return "out of memory";
}

static void tablearrow_release (struct ArrowArrayStream *s)
{
    struct tablearrow *h = s->private_data;

    if (h->array.release)
        h->array.release (&h->array);
    if (h->schema.release)
        h->schema.release (&h->schema);
    free (h);
    s->release = NULL;
}

static int tablearrow_fill (struct tablearrow *h,
                            const struct textable *t,
                            struct arrowcol_field *field,
                            struct arrowcol *column)
{
    int rc = 0;

    for (size_t c = 0; rc == 0 && c < t->columns; c++) {
        field[c].name = t->column[c].name;
        field[c].type = tablearrow_type (t, c);
        rc = arrowcol_init (&column[c], field[c].type, t->rows);
        for (size_t r = 0; rc == 0 && r < t->rows; r++)
            rc = tablearrow_put (&column[c], t, r, c);
    }
    if (rc == 0 && arrowcol_schema (&h->schema, field, t->columns) == 0)
        return arrowcol_array (&h->array, column, t->columns);
    for (size_t c = 0; c < t->columns; c++)
        arrowcol_clear (&column[c]);
    return -1;
}

int tablearrow_stream (struct ArrowArrayStream *out, const struct textable *t)
{
    struct tablearrow *h = calloc (1, sizeof (*h));
    struct arrowcol_field *field = calloc (t->columns + 1, sizeof (*field));
    struct arrowcol *column = calloc (t->columns + 1, sizeof (*column));
    int rc = h && field && column ? tablearrow_fill (h, t, field, column) : -1;

    free (field);
    free (column);
    *out = (struct ArrowArrayStream){.get_schema = tablearrow_schema,
                                     .get_next = tablearrow_next,
                                     .get_last_error = tablearrow_error,
                                     .release = tablearrow_release,
                                     .private_data = h};
    if (rc == 0)
        return 0;
    if (h)
        tablearrow_release (out);
    out->release = NULL;
    errno = ENOMEM;
    return -1;
}
