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

#include "analyze/report/job/jobdata.h"
#include "analyze/report/page.h"
#include "analyze/tables/eventprint.h"
#include "lib/base/array.h"
#include "lib/chart/html.h"
#include "lib/model/view.h"
#include "lib/util/fsutil.h"
#include "lib/util/strmap.h"
#include "lib/util/xalloc.h"

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

    size_t rows = textable_rows (p), all = textable_rows (t);
    size_t first =
        row + (view == VIEW_operation && rows > all ? rows - all : 0);

    /* Operations are the last rows, in the order of their own table. */
    for (size_t n = 0; n < rows; n++) {
        size_t i = (first + n) % rows;

        if (strcmp (textable_cell (p, i, name, b[2]), same_name) == 0 &&
            strcmp (textable_cell (p, i, category, b[3]), same_category) == 0)
            return tables_cell_of (p, i, column, buf);
    }
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
        own ? xstrdup (c->heading)
            : xasprintf ("%s%s%s", c->title,
                         c->kind == COLUMN_NUMBER && *c->unit ? ", " : "",
                         c->kind == COLUMN_NUMBER ? c->unit : "");

    tables_one_line (text);
    page_th (out, class, text, NULL);
    free (text);
}

/* Begin a row; it says which events are in it where --where can. */
static void tables_begin_row (FILE *out,
                              const struct textable *t,
                              const char *file,
                              size_t row)
{
    static const struct {
        const char *key, *column, *second, *between;
    } about[] = {{"file", "file", NULL, ""},
                 {"process", "host", "pid", ":"},
                 {"function", "category", "name", "/"}};
    char buf[2][TEXTABLE_NUMBER_MAX];

    for (size_t i = 0; i < ITEMS (about); i++) {
        const char *second = about[i].second;
        char *value;

        if (textable_find (t, about[i].column) < 0 ||
            (second && textable_find (t, second) < 0))
            continue;
        value = xasprintf (
            "%s%s%s", tables_cell_of (t, row, about[i].column, buf[0]),
            about[i].between,
            second ? tables_cell_of (t, row, second, buf[1]) : "");
        page_row_about (out, file, row + 1, about[i].key, value);
        free (value);
        return;
    }
    page_row (out, file, row + 1);
}

/* --- the longest calls ------------------------------------------------------
 */

/* The longest calls of each part of the job's time, of those so many. */
enum { EVENTS_PARTS = 40, EVENTS_PART = 3, EVENTS_READ = 20000 };

static void events_put_row (FILE *out, const struct textable *t, size_t row)
{
    static const char *const number[] = {"time_s", "dur_us"};
    char buf[2][TEXTABLE_NUMBER_MAX], *process, *function;

    page_row (out, NULL, 0);
    for (int i = 0; i < 2; i++)
        page_value (out,
                    textable_number (t, row, textable_find (t, number[i])) *
                        (i ? 1e-6 : 1),
                    "s", NULL);
    process = xasprintf ("%s:%s", tables_cell_of (t, row, "host", buf[0]),
                         tables_cell_of (t, row, "pid", buf[1]));
    function = xasprintf ("%s/%s", tables_cell_of (t, row, "cat", buf[0]),
                          tables_cell_of (t, row, "name", buf[1]));
    page_td (out, "t", process);
    page_td (out, "t", function);
    page_number (out, tables_cell_of (t, row, "bytes", buf[0]), "B", NULL);
    page_td (out, "path", tables_cell_of (t, row, "file", buf[0]));
    page_row_end (out);
    free (function);
    free (process);
}

/* Put the selection, the command that lists all of it, and those of the longest
 * calls that belong to it; the page's script fills and filters. */
static void
events_put (FILE *out, const struct jobdata *d, const struct textable *t)
{
    static const char *const heads[] = {"began",    "took",  "process",
                                        "function", "bytes", "file"};
    size_t shown[EVENTS_PARTS] = {0};

    html_section (out, "events", "Longest calls");
    html_open_id (out, "p", NULL, "selection");
    html_close (out, "p");
    html_open (out, "p", "note");
    html_text (out,
               "A selection in a figure over time, or a click on a cell of "
               "a table, leaves the calls that belong to it here. All "
               "events of it: ");
    fputs ("<code id=\"command\" data-dir=\"", out);
    html_text (out, d->dir);
    fputs ("\"></code></p>\n", out);
    page_table (out, 1);
    for (size_t i = 0; i < ITEMS (heads); i++)
        page_th (out, i == 2 || i == 3 || i == 5 ? "t" : NULL, heads[i], NULL);
    page_table_body (out);
    for (size_t r = 0; r < textable_rows (t); r++) {
        double at = textable_number (t, r, textable_find (t, "time_s")) /
                    bins_seconds (&d->scan->bins) * EVENTS_PARTS;
        size_t part = at < 0               ? 0
                      : at >= EVENTS_PARTS ? EVENTS_PARTS - 1
                                           : (size_t)at;

        if (shown[part]++ < EVENTS_PART)
            events_put_row (out, t, r);
    }
    page_table_end (out);
    html_section_end (out);
}

int page_events (FILE *out,
                 const struct jobdata *d,
                 const struct kind_rules *rules,
                 struct errtext *err)
{
    struct where where = {0};
    struct eventtable e = {.where = &where, .top = EVENTS_READ};
    struct textable *t;
    int rc = -1;

    if (!d->live || !d->scan)
        return 0;
    t = textable_create ();
    eventrow_columns (t);
    if (eventtable_parse_sort (&e, "dur", err) == 0 &&
        where_add (&where, "class != app and cat != WAIT", err) == 0 &&
        eventtable_rows (t, &e, &d->result, rules, err) == 0) {
        events_put (out, d, t);
        rc = 0;
    }
    where_clear (&where);
    textable_destroy (t);
    return rc;
}

/* In a job without ranks a heading speaks of processes. */
static void
tables_begin_section (FILE *out, const struct jobdata *d, enum view view)
{
    const struct view_info *info = &view_table[view];
    const char *ranks = strstr (info->heading, "ranks");
    char heading[128];

    FORMAT (heading, "%s", info->heading);
    if (!jobdata_ranked (d) && view == VIEW_rank)
        FORMAT (heading, "Processes with all they started");
    else if (!jobdata_ranked (d) && ranks)
        FORMAT (heading, "%.*sprocesses%s", (int)(ranks - info->heading),
                info->heading, ranks + strlen ("ranks"));
    html_section (out, info->file, heading);
}

static void
tables_put_table (FILE *out, const struct jobdata *d, const struct jobtable *s)
{
    const struct view_column *column[VIEW_COLUMNS_MAX];
    const struct view_info *info = &view_table[s->view];
    size_t columns = tables_columns_of (s->view, column);
    size_t shown = tables_rows_shown (d, s),
           rows = textable_rows (d->table[s->view]) +
                  textable_left (d->table[s->view]);

    tables_begin_section (out, d, s->view);
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
        tables_begin_row (out, d->table[s->view], info->file, r);
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

/* --- names ------------------------------------------------------------ */

/* Length of the name of file in buf, which has room for all of file. */
typedef size_t name_fn (const char *file, char *buf);

static size_t dirs_directory_name (const char *file, char *buf)
{
    const char *slash = strrchr (file, '/');
    size_t n = slash ? (slash - file) : 0;

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

/* families: name -> struct family, owned. */
static struct family *
dirs_family_of (struct strmap *families, const char *file, name_fn *name)
{
    char *buf = xmalloc (strlen (file) + 1);
    int64_t at = strmap_intern (families, buf, name (file, buf), NULL);
    struct family *f = strmap_value (families, at);

    free (buf);
    if (!f) {
        NEW (f, 1);
        f->name = strmap_key (families, at, NULL);
        strmap_set (families, at, f);
    }
    return f;
}

/* Add a file: bytes and seconds that were read and written. */
static void dirs_add_file (struct strmap *families,
                           const char *file,
                           name_fn *name,
                           const double bytes[2],
                           const double seconds[2])
{
    struct family *f = dirs_family_of (families, file, name);

    f->files++;
    for (int way = 0; way < 2; way++) {
        f->bytes[way] += bytes[way];
        f->seconds += seconds[way];
    }
}

/* The table that an earlier analysis left. */
static void dirs_add_table (struct strmap *families,
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

    for (size_t r = 0; r < textable_rows (files); r++)
        if (strcmp (textable_cell (files, r, class, buf), "storage") == 0)
            dirs_add_file (families, textable_cell (files, r, file, buf), name,
                           (double[]){textable_number (files, r, bytes[0]),
                                      textable_number (files, r, bytes[1])},
                           (double[]){textable_number (files, r, seconds[0]),
                                      textable_number (files, r, seconds[1])});
}

/* The totals themselves: the table has the first files only. */
static void dirs_add_totals (struct strmap *families,
                             const struct tally *tally,
                             name_fn *name)
{
    size_t *order = files_sorted (tally);

    for (size_t i = 0; i < strmap_count (tally->files); i++) {
        const struct file_total *f = strmap_value (tally->files, order[i]);

        if (f->class == FILE_CLASS_STORAGE)
            dirs_add_file (families, strmap_key (tally->files, order[i], NULL),
                           name, (double[]){f->read_bytes, f->write_bytes},
                           (double[]){f->read_ns / 1e9, f->write_ns / 1e9});
    }
    free (order);
}

static int dirs_by_bytes (const void *a, const void *b)
{
    const struct family *x = *(const struct family *const *)a;
    const struct family *y = *(const struct family *const *)b;
    double p = x->bytes[0] + x->bytes[1], q = y->bytes[0] + y->bytes[1];

    return q != p ? ORDER (q, p) : strcmp (x->name, y->name);
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
    page_heads (out, "files|read|written|time in both");
    page_table_body (out);
    for (size_t i = 0; i < n && i < DIRS_SHOWN; i++)
        dirs_put_family (out, row[i]);
    page_table_end (out);
    html_section_end (out);
}

static void dirs_families (FILE *out,
                           const struct jobdata *d,
                           name_fn *name,
                           const char *id,
                           const char *heading,
                           const char *what)
{
    struct strmap *families = strmap_create ();
    const struct family **row;
    size_t n;

    if (d->live)
        dirs_add_totals (families, &d->totals.tally, name);
    else
        dirs_add_table (families, d->table[VIEW_file], name);
    n = strmap_count (families);
    NEW (row, n);
    for (size_t i = 0; i < n; i++)
        row[i] = strmap_value (families, i);
    SORT (row, n, dirs_by_bytes);
    dirs_put_families (out, id, heading, what, row, n);
    for (size_t i = 0; i < n; i++)
        free (strmap_value (families, i));
    strmap_destroy (families);
    free (row);
}

void page_directories (FILE *out, const struct jobdata *d)
{
    dirs_families (out, d, dirs_directory_name, "directories", "Directories",
                   "directory");
    dirs_families (out, d, dirs_pattern_name, "patterns",
                   "File patterns: numbers as N", "pattern");
}
