/* SPDX-License-Identifier: MIT
 *
 * page_tables.c - tables of a job -> sections of its page
 *
 * In:  the tables of struct jobdata
 * Out: HTML; what not every job has is left out when it has no rows
 */
#include "config.h"

#include "analyze/report/job/page_tables.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/fsutil.h"
#include "lib/model/view.h"
#include "lib/chart/html.h"
#include "analyze/report/page.h"

enum { FILES_MAX = 25, RANKS_MAX = 64, ROWS_ALL = INT_MAX };

enum when { NEVER = 0, IF_ANY, ALWAYS };

static const struct shown {
    enum view view;
    enum when when;
    size_t most;
} shown_tables[] = {
#define TABLE(VIEW, WHEN, MOST) {VIEW_##VIEW, WHEN, MOST},
#include "analyze/report/job/jobtables.def"
#undef TABLE
};

enum { SHOWN = sizeof (shown_tables) / sizeof (shown_tables[0]) };

static size_t tables_rows_shown (const struct jobdata *d, const struct shown *s)
{
    size_t rows = textable_rows (d->table[s->view]);

    return rows > s->most ? s->most : rows;
}

int page_tables_row (const struct jobdata *d, const char *name, size_t row)
{
    for (size_t i = 0; i < SHOWN; i++)
        if (strcmp (view_table[shown_tables[i].view].file, name) == 0)
            return row > 0 && row <= tables_rows_shown (d, &shown_tables[i]);
    return 0;
}

/* The cell of a table by the name of its column. */
static const char *tables_cell_of (const struct textable *t,
                                   size_t row,
                                   const char *column,
                                   char *buf)
{
    return textable_cell (t, row, textable_find (t, column), buf);
}

/* The cell of the percentiles that belongs to a row of calls or operations. */
static const char *tables_percentile (const struct jobdata *d,
                                      enum view view,
                                      size_t row,
                                      const char *column,
                                      char *buf)
{
    const struct textable *p = d->table[VIEW_percentile];
    const struct textable *t = d->table[view];
    int category = textable_find (p, "category");
    int name = textable_find (p, "name");
    char b[4][TEXTABLE_NUMBER_MAX];
    const char *same_category = tables_cell_of (t, row, "category", b[0]);
    const char *same_name = tables_cell_of (t, row, "name", b[1]);

    for (size_t i = 0; i < textable_rows (p); i++)
        if (strcmp (textable_cell (p, i, name, b[2]), same_name) == 0 &&
            strcmp (textable_cell (p, i, category, b[3]), same_category) == 0)
            return tables_cell_of (p, i, column, buf);
    return "";
}

static int tables_is_about (const struct textable *t,
                            size_t row,
                            const struct view_column *col)
{
    char buf[TEXTABLE_NUMBER_MAX];

    return view_column_is_about (col) &&
           strcmp (tables_cell_of (t, row, "exact", buf), "no") == 0;
}

static void tables_put_value (FILE *out,
                              const struct jobdata *d,
                              const struct shown *s,
                              size_t row,
                              const struct view_column *col)
{
    static const char *const units[] = {
        [COLUMN_NUMBER] = "",
        [COLUMN_BYTES] = "B",
        [COLUMN_SECONDS] = "s",
        [COLUMN_MICROS] = "us",
    };
    char buf[TEXTABLE_NUMBER_MAX];
    const char *text =
        col->joined ? tables_percentile (d, s->view, row, col->name, buf)
                    : tables_cell_of (d->table[s->view], row, col->name, buf);

    if (col->kind < COLUMN_NUMBER)
        page_td (out, col->kind == COLUMN_PATH ? "path" : "t", text);
    else if (tables_is_about (d->table[s->view], row, col))
        page_about (out, text, units[col->kind]);
    else
        page_number (out, text, units[col->kind], NULL);
}

/* The columns of a view on the page: what a row is about comes first. */
static size_t tables_columns_of (enum view v, const struct view_column **column)
{
    size_t n = 0;

    for (int path = 1; path >= 0; path--)
        for (const struct view_column *c = NULL;
             (c = view_column_next (v, c)) && n < VIEW_COLUMNS_MAX;)
            if ((c->kind == COLUMN_PATH) == path && *c->heading)
                column[n++] = c;
    return n;
}

/* A title of two lines as one: a word that was broken is whole again. */
static void tables_one_line (char *text)
{
    char *to = text;

    for (const char *p = text; *p; p++)
        if (p[0] == '-' && p[1] == '\n')
            p++;
        else
            *to++ = *p == '\n' ? ' ' : *p;
    *to = '\0';
}

static void tables_put_heading (FILE *out, const struct view_column *c)
{
    const char *class = c->kind < COLUMN_NUMBER ? "t" : NULL;
    int own = strcmp (c->heading, "=") != 0;
    char *text =
        own ? strdup (c->heading)
            : text_format ("%s%s%s", c->title,
                           c->kind == COLUMN_NUMBER && *c->unit ? ", " : "",
                           c->kind == COLUMN_NUMBER ? c->unit : "");

    if (text)
        tables_one_line (text);
    page_th (out, class, text ? text : c->name, NULL);
    free (text);
}

static void
tables_put_table (FILE *out, const struct jobdata *d, const struct shown *s)
{
    const struct view_column *column[VIEW_COLUMNS_MAX];
    const struct view_info *info = &view_table[s->view];
    size_t columns = tables_columns_of (s->view, column);
    size_t rows = textable_rows (d->table[s->view]),
           shown = tables_rows_shown (d, s);

    html_section (out, info->file, info->heading);
    if (shown < rows)
        html_paragraph (out, "note",
                        "The first %zu of %zu; dftrace analyze --view %s has "
                        "all.",
                        shown, rows, info->word);
    page_table (out, 1);
    for (size_t i = 0; i < columns; i++)
        tables_put_heading (out, column[i]);
    page_table_body (out);
    for (size_t r = 0; r < shown; r++) {
        page_row (out, info->file, r + 1);
        for (size_t i = 0; i < columns; i++)
            tables_put_value (out, d, s, r, column[i]);
        page_row_end (out);
    }
    page_table_end (out);
    html_section_end (out);
}

void page_tables (FILE *out, const struct jobdata *d)
{
    for (size_t i = 0; i < SHOWN; i++) {
        const struct shown *s = &shown_tables[i];

        if (s->when == ALWAYS ||
            (s->when == IF_ANY && tables_rows_shown (d, s) > 0))
            tables_put_table (out, d, s);
    }
}
