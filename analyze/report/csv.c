/* SPDX-License-Identifier: MIT
 *
 * csv.c - a CSV file with a header row -> cells
 *
 * In:  files that `dftrace analyze` and `dftrace sweep results` wrote
 * Out: cells by row and column name; one allocation for all of the text
 */
#include "config.h"

#include "analyze/report/csv.h"

#include "lib/base/array.h"
#include "lib/util/fsutil.h"
#include "lib/util/strmap.h"
#include "lib/util/xalloc.h"

enum { CSV_MAX = 64 << 20 };

struct csv {
    char *text;
    char **cell; /* all of them, row after row */
    size_t cells, room;
    size_t *row; /* index of the first cell; one more than there are rows */
    size_t rows, row_room;
    struct strmap *heads; /* name -> index of its first column, plus 1 */
};

static void csv_mark_row (struct csv *c)
{
    GROW (c->row, c->row_room, c->rows + 1);
    c->row[c->rows++] = c->cells;
}

/* Cut one cell out of the text at *p; returns what ended it. */
static char csv_take_cell (char **p, char **cell)
{
    char *in = *p, *out = *p, end;

    *cell = out;
    if (*in == '"') {
        for (in++; *in && (*in != '"' || in[1] == '"'); in++) {
            in += *in == '"';
            *out++ = *in;
        }
        in += *in == '"';
    }
    while (*in && *in != ',' && *in != '\n' && *in != '\r')
        *out++ = *in++;
    in += *in == '\r' && in[1] == '\n';
    end = *in;
    *p = in + (end != '\0');
    *out = '\0';
    return end == '\r' ? '\n' : end;
}

static void csv_index_heads (struct csv *c)
{
    c->heads = strmap_create ();
    for (size_t i = 0; i < csv_columns (c); i++) {
        int isnew;
        int64_t at =
            strmap_intern (c->heads, c->cell[i], strlen (c->cell[i]), &isnew);

        if (isnew)
            strmap_set (c->heads, at, (void *)(uintptr_t)(i + 1));
    }
}

struct csv *csv_parse (char *text, size_t length)
{
    struct csv *c = ZEROED (c, 1);
    char *p = text;

    c->text = text;
    while (p < text + length && *p) {
        csv_mark_row (c);
        do
            GROW (c->cell, c->room, c->cells + 1);
        while (csv_take_cell (&p, &c->cell[c->cells++]) == ',');
    }
    csv_mark_row (c);
    csv_index_heads (c);
    return c;
}

struct csv *csv_load (const char *dir, const char *name, struct errtext *err)
{
    char *path = path_join (dir, name);
    size_t length = 0;
    char *text = read_user_file (path, CSV_MAX, &length, err);

    free (path);
    return text ? csv_parse (text, length) : NULL;
}

void csv_destroy (struct csv *c)
{
    int saved = errno;

    if (c) {
        free (c->text);
        free (c->cell);
        free (c->row);
        strmap_destroy (c->heads);
        free (c);
    }
    errno = saved;
}

size_t csv_columns (const struct csv *c)
{
    return c && c->rows > 1 ? c->row[1] : 0;
}

size_t csv_rows (const struct csv *c)
{
    return c && c->rows > 2 ? c->rows - 2 : 0;
}

const char *csv_head (const struct csv *c, size_t column)
{
    return column < csv_columns (c) ? c->cell[column] : "";
}

int csv_find (const struct csv *c, const char *name)
{
    int64_t at = c ? strmap_find (c->heads, name, strlen (name)) : -1;

    return at < 0 ? CSV_NO_COLUMN
                  : (int)(uintptr_t)strmap_value (c->heads, at) - 1;
}

const char *csv_cell (const struct csv *c, size_t row, int column)
{
    size_t at;

    if (column < 0 || row >= csv_rows (c) || (size_t)column >= csv_columns (c))
        return "";
    at = c->row[row + 1] + (size_t)column;
    return at < c->row[row + 2] ? c->cell[at] : "";
}

const char *csv_get (const struct csv *c, size_t row, const char *name)
{
    return csv_cell (c, row, csv_find (c, name));
}

double cell_number (const char *text)
{
    char *end;
    double v = strtod (text, &end);

    return end == text || *end ? NAN : v;
}

double csv_number (const struct csv *c, size_t row, const char *name)
{
    return cell_number (csv_get (c, row, name));
}
