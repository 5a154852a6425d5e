/* SPDX-License-Identifier: MIT
 *
 * page_tables.c - tables of a job, of its directories and patterns -> sections
 *                 of its page
 *
 * In:  the tables of struct jobdata
 * Out: HTML; what not every job has is left out when it has no rows
 */
#include "config.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/report/job/jobdata.h"
#include "analyze/report/page.h"
#include "lib/chart/html.h"
#include "lib/model/view.h"
#include "lib/util/fsutil.h"
#include "lib/util/strmap.h"

static size_t tables_rows_shown (const struct jobdata *d,
                                 const struct jobtable *s)
{
    size_t rows = textable_rows (d->table[s->view]);

    return rows > s->most ? s->most : rows;
}

int page_tables_row (const struct jobdata *d, const char *name, size_t row)
{
    for (size_t i = 0; i < JOBTABLES; i++)
        if (strcmp (view_table[jobtables[i].view].file, name) == 0)
            return row > 0 && row <= tables_rows_shown (d, &jobtables[i]);
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

static int tables_is_estimate (const struct textable *t,
                               size_t row,
                               const struct view_column *col)
{
    char buf[TEXTABLE_NUMBER_MAX];

    return col->estimate &&
           strcmp (tables_cell_of (t, row, "exact", buf), "no") == 0;
}

static void tables_put_value (FILE *out,
                              const struct jobdata *d,
                              const struct jobtable *s,
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
    else if (tables_is_estimate (d->table[s->view], row, col))
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
tables_put_table (FILE *out, const struct jobdata *d, const struct jobtable *s)
{
    const struct view_column *column[VIEW_COLUMNS_MAX];
    const struct view_info *info = &view_table[s->view];
    size_t columns = tables_columns_of (s->view, column);
    size_t rows = textable_rows (d->table[s->view]),
           shown = tables_rows_shown (d, s);

    html_section (out, info->file,
                  s->view == VIEW_bill && !jobdata_ranked (d)
                      ? "Where the time of the processes went"
                      : info->heading);
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
    for (size_t i = 0; i < JOBTABLES; i++) {
        const struct jobtable *s = &jobtables[i];

        if (s->section == JOBTABLE_ALWAYS ||
            (s->section == JOBTABLE_IF_ANY && tables_rows_shown (d, s) > 0))
            tables_put_table (out, d, s);
    }
}

/* --- files of a job -> tables of their directories and patterns -------------
 */

enum { DIRS_SHOWN = 25 };

/* Files with the same name, as this table sees names. */
struct family {
    const char *name;
    double files, bytes[2], seconds;
};

struct families {
    struct strmap *map; /* name -> struct family, owned */
};

/* --- names ------------------------------------------------------------ */

/* Length of the name of file in buf, which has room for all of file. */
typedef size_t name_fn (const char *file, char *buf);

static size_t dirs_directory_name (const char *file, char *buf)
{
    const char *slash = strrchr (file, '/');
    size_t n = slash ? (size_t)(slash - file) : 0;

    if (n == 0)
        buf[n++] = '/';
    else
        memcpy (buf, file, n);
    return n;
}

/* "shard-0012.bin" -> "shard-N.bin" */
static size_t dirs_pattern_name (const char *file, char *buf)
{
    size_t n = 0;

    for (const char *p = file; *p; p++)
        if (!isdigit ((unsigned char)*p))
            buf[n++] = *p;
        else if (p == file || !isdigit ((unsigned char)p[-1]))
            buf[n++] = 'N';
    return n;
}

/* --- sums ------------------------------------------------------------- */

static struct family *
dirs_family_of (struct families *fs, const char *file, name_fn *name)
{
    char *buf = malloc (strlen (file) + 1);
    struct family *f;
    int64_t at = -1;

    if (buf)
        at = strmap_intern (fs->map, buf, name (file, buf), NULL);
    free (buf);
    if (at < 0)
        return NULL;
    if ((f = strmap_value (fs->map, (size_t)at)))
        return f;
    if ((f = calloc (1, sizeof (*f)))) {
        f->name = strmap_key (fs->map, (size_t)at, NULL);
        strmap_set (fs->map, (size_t)at, f);
    }
    return f;
}

static int dirs_add_files (struct families *fs,
                           const struct textable *files,
                           name_fn *name)
{
    const int class = textable_find (files, "class");
    const int file = textable_find (files, "file");
    const int bytes[2] = {textable_find (files, "read_bytes"),
                          textable_find (files, "write_bytes")};
    const int seconds[2] = {textable_find (files, "read_sum_s"),
                            textable_find (files, "write_sum_s")};
    char buf[TEXTABLE_NUMBER_MAX];

    for (size_t r = 0; r < textable_rows (files); r++) {
        struct family *f;

        if (strcmp (textable_cell (files, r, class, buf), "storage") != 0)
            continue;
        if (!(f = dirs_family_of (fs, textable_cell (files, r, file, buf),
                                  name)))
            return -1;
        f->files++;
        for (int way = 0; way < 2; way++) {
            f->bytes[way] += textable_number (files, r, bytes[way]);
            f->seconds += textable_number (files, r, seconds[way]);
        }
    }
    return 0;
}

static int dirs_by_bytes (const void *a, const void *b)
{
    const struct family *x = *(const struct family *const *)a;
    const struct family *y = *(const struct family *const *)b;
    double p = x->bytes[0] + x->bytes[1], q = y->bytes[0] + y->bytes[1];

    return q != p ? (q > p) - (q < p) : strcmp (x->name, y->name);
}

/* --- tables ------------------------------------------------------------ */

static void dirs_put_family (FILE *out, const struct family *f)
{
    page_row (out, NULL, 0);
    page_td (out, "path", f->name);
    page_value (out, f->files, "", NULL);
    page_value (out, f->bytes[0], "B", NULL);
    page_value (out, f->bytes[1], "B", NULL);
    page_value (out, f->seconds, "s", NULL);
    page_row_end (out);
}

static void dirs_put_families (FILE *out,
                               const char *id,
                               const char *heading,
                               const char *what,
                               const struct family *const *row,
                               size_t n)
{
    html_section (out, id, heading);
    if (n > DIRS_SHOWN)
        html_paragraph (out, "note", "The %d of %zu with the most bytes.",
                        DIRS_SHOWN, n);
    page_table (out, 1);
    page_th (out, "t", what, NULL);
    page_th (out, NULL, "files", NULL);
    page_th (out, NULL, "read", NULL);
    page_th (out, NULL, "written", NULL);
    page_th (out, NULL, "time in both", NULL);
    page_table_body (out);
    for (size_t i = 0; i < n && i < DIRS_SHOWN; i++)
        dirs_put_family (out, row[i]);
    page_table_end (out);
    html_section_end (out);
}

static int dirs_families (FILE *out,
                          const struct textable *files,
                          name_fn *name,
                          const char *id,
                          const char *heading,
                          const char *what)
{
    struct families fs = {strmap_create ()};
    const struct family **row = NULL;
    size_t n = 0;
    int rc = fs.map ? dirs_add_files (&fs, files, name) : -1;

    if (fs.map)
        n = strmap_count (fs.map);
    if (rc == 0 && !(row = calloc (n + 1, sizeof (*row))))
        rc = -1;
    if (rc == 0) {
        for (size_t i = 0; i < n; i++)
            row[i] = strmap_value (fs.map, i);
        qsort (row, n, sizeof (*row), dirs_by_bytes);
        dirs_put_families (out, id, heading, what, row, n);
    }
    for (size_t i = 0; i < n; i++)
        free (strmap_value (fs.map, i));
    strmap_destroy (fs.map);
    free (row);
    return rc;
}

int page_directories (FILE *out, const struct jobdata *d)
{
    if (dirs_families (out, d->table[VIEW_file], dirs_directory_name,
                       "directories", "Directories", "directory") < 0)
        return -1;
    return dirs_families (out, d->table[VIEW_file], dirs_pattern_name,
                          "patterns", "File patterns: numbers as N", "pattern");
}
