/* SPDX-License-Identifier: MIT
 *
 * page_tables.c - tables of a job -> sections of its page
 *
 * In:  tables/ of the job directory
 * Out: HTML; what not every job has is left out when it has no rows
 */
#include "config.h"

#include "report/job/page_tables.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/fsutil.h"
#include "lib/model/view.h"
#include "report/csv.h"
#include "report/chart/html.h"
#include "report/page.h"
#include "report/chart/words.h"

enum { FILES_MAX = 25, RANKS_MAX = 64, ROWS_ALL = INT_MAX };

enum when { NEVER = 0, IF_ANY, ALWAYS };

static const struct shown {
    const char *name;
    size_t table; /* where struct jobdata has it */
    enum when when;
    size_t most;
} shown_tables[] = {
#define TABLE(NAME, WHEN, MOST) \
    {#NAME, offsetof (struct jobdata, NAME), WHEN, MOST},
#include "report/job/jobtables.def"
#undef TABLE
};

enum { SHOWN = sizeof (shown_tables) / sizeof (shown_tables[0]) };

static const struct csv *csv_of (const struct jobdata *d, const struct shown *s)
{
    return *(const struct csv *const *)((const char *)d + s->table);
}

static size_t rows_shown (const struct jobdata *d, const struct shown *s)
{
    size_t rows = csv_rows (csv_of (d, s));

    return rows > s->most ? s->most : rows;
}

int page_tables_row (const struct jobdata *d, const char *name, size_t row)
{
    for (size_t i = 0; i < SHOWN; i++)
        if (strcmp (shown_tables[i].name, name) == 0)
            return row > 0 && row <= rows_shown (d, &shown_tables[i]);
    return 0;
}

/* The cell of percentiles.csv that belongs to a row of calls.csv or
 * operations.csv. */
static const char *percentile (const struct csv *p,
                               const struct csv *c,
                               size_t row,
                               const char *column)
{
    const char *category = csv_get (c, row, "category");
    const char *name = csv_get (c, row, "name");

    for (size_t i = 0; i < csv_rows (p); i++)
        if (strcmp (csv_get (p, i, "name"), name) == 0 &&
            strcmp (csv_get (p, i, "category"), category) == 0)
            return csv_get (p, i, column);
    return "";
}

static void put_value (FILE *out,
                       const struct jobdata *d,
                       const struct csv *c,
                       size_t row,
                       const struct view_column *col)
{
    static const char *const units[] = {
        [COLUMN_NUMBER] = "",
        [COLUMN_BYTES] = "B",
        [COLUMN_SECONDS] = "s",
        [COLUMN_MICROS] = "s", /* when it is a number, as seconds */
    };
    const char *text = col->joined
                           ? percentile (d->percentiles, c, row, col->name)
                           : csv_get (c, row, col->name);
    char buf[WORDS_MAX];
    double v = cell_number (text);

    if (col->kind < COLUMN_NUMBER) {
        page_td (out, col->kind == COLUMN_PATH ? "path" : "t", text);
        return;
    }
    if (col->kind != COLUMN_MICROS || isnan (v)) {
        page_number (out, text, units[col->kind], NULL);
        return;
    }
    (void)fputs ("<td data-v=\"", out);
    html_text (out, text);
    (void)fprintf (out, "\">%s</td>", value_words (buf, v / 1e6, "s"));
}

/* The columns of a view on the page: what a row is about comes first. */
static size_t columns_of (enum view v, const struct view_column **column)
{
    size_t n = 0;

    for (int path = 1; path >= 0; path--)
        for (const struct view_column *c = NULL;
             (c = view_column_next (v, c)) && n < VIEW_COLUMNS_MAX;)
            if ((c->kind == COLUMN_PATH) == path && *c->heading)
                column[n++] = c;
    return n;
}

static void put_heading (FILE *out, const struct view_column *c)
{
    const char *class = c->kind < COLUMN_NUMBER ? "t" : NULL;
    int own = strcmp (c->heading, "=") != 0;
    char *text =
        own ? strdup (c->heading)
            : text_format ("%s%s%s", c->title,
                           c->kind == COLUMN_NUMBER && *c->unit ? ", " : "",
                           c->kind == COLUMN_NUMBER ? c->unit : "");

    for (char *p = text; p && (p = strchr (p, '\n'));)
        *p = ' ';
    page_th (out, class, text ? text : c->name, NULL);
    free (text);
}

static void
put_table (FILE *out, const struct jobdata *d, const struct shown *s)
{
    const struct view_column *column[VIEW_COLUMNS_MAX];
    int v = view_parse (s->name);
    size_t columns = v < 0 ? 0 : columns_of ((enum view)v, column);
    const struct csv *c = csv_of (d, s);
    size_t rows = csv_rows (c), shown = rows_shown (d, s);

    html_section (out, s->name, v < 0 ? s->name : view_table[v].heading);
    if (shown < rows)
        (void)fprintf (out,
                       "<p class=\"note\">The first %zu of %zu; all are "
                       "in tables/%s.csv.</p>",
                       shown, rows, s->name);
    page_table (out, 1);
    for (size_t i = 0; i < columns; i++)
        put_heading (out, column[i]);
    page_table_body (out);
    for (size_t r = 0; r < shown; r++) {
        (void)fprintf (out, "<tr id=\"%s-%zu\">", s->name, r + 1);
        for (size_t i = 0; i < columns; i++)
            put_value (out, d, c, r, column[i]);
        (void)fputs ("</tr>\n", out);
    }
    page_table_end (out);
    html_section_end (out);
}

void page_tables (FILE *out, const struct jobdata *d)
{
    for (size_t i = 0; i < SHOWN; i++) {
        const struct shown *s = &shown_tables[i];

        if (s->when == ALWAYS || (s->when == IF_ANY && rows_shown (d, s) > 0))
            put_table (out, d, s);
    }
}
