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

/* The cell of the percentiles that belongs to a row of calls or operations. */
static const char *tables_percentile (const struct jobdata *d,
                                      enum view view,
                                      size_t row,
                                      const char *column)
{
    const struct textable *p = d->table[VIEW_percentile];
    const struct textable *t = d->table[view];
    int category = textable_find (p, "category"),
        name = textable_find (p, "name");
    const char *same_category = jobdata_cell (t, row, "category");
    const char *same_name = jobdata_cell (t, row, "name");
    size_t rows = textable_rows (p), all = textable_rows (t);
    size_t first =
        row + (view == VIEW_operation && rows > all ? rows - all : 0);
    char buf[TEXTABLE_NUMBER_MAX];

    /* Operations are the last rows, in the order of their own table. */
    for (size_t n = 0; n < rows; n++) {
        size_t i = (first + n) % rows;

        if (strcmp (textable_cell (p, i, name, buf), same_name) == 0 &&
            strcmp (textable_cell (p, i, category, buf), same_category) == 0)
            return jobdata_cell (p, i, column);
    }
    return "";
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
    const struct textable *t = d->table[s->view];
    const char *text = col->joined
                           ? tables_percentile (d, s->view, row, col->name)
                           : jobdata_cell (t, row, col->name);

    if (col->kind < COLUMN_NUMBER)
        page_td (out, col->kind == COLUMN_PATH ? "path" : "t", text);
    else if (col->estimate &&
             strcmp (jobdata_cell (t, row, "exact"), "no") == 0)
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

/* A title of two lines becomes one: a word that was broken is whole again. */
static void tables_put_heading (FILE *out, const struct view_column *c)
{
    int own = strcmp (c->heading, "=") != 0;
    int unit = !own && c->kind == COLUMN_NUMBER && *c->unit;
    char *text = arena_format ("%s%s%s", own ? c->heading : c->title,
                               unit ? ", " : "", unit ? c->unit : "");
    char *to = text;

    for (const char *p = text; *p; p++)
        if (p[0] == '-' && p[1] == '\n')
            p++;
        else
            *to++ = *p == '\n' ? ' ' : *p;
    *to = '\0';
    page_th (out, c->kind < COLUMN_NUMBER ? "t" : NULL, text, NULL);
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

    for (size_t i = 0; i < ITEMS (about); i++) {
        const char *second = about[i].second;

        if (textable_find (t, about[i].column) < 0 ||
            (second && textable_find (t, second) < 0))
            continue;
        page_row_about (
            out, file, row + 1, about[i].key,
            arena_format ("%s%s%s", jobdata_cell (t, row, about[i].column),
                          about[i].between,
                          second ? jobdata_cell (t, row, second) : ""));
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
    page_row (out, NULL, 0);
    page_cells (out, "s:%f s:%f %s %s",
                textable_number (t, row, textable_find (t, "time_s")),
                textable_number (t, row, textable_find (t, "dur_us")) * 1e-6,
                arena_format ("%s:%s", jobdata_cell (t, row, "host"),
                              jobdata_cell (t, row, "pid")),
                arena_format ("%s/%s", jobdata_cell (t, row, "cat"),
                              jobdata_cell (t, row, "name")));
    page_number (out, jobdata_cell (t, row, "bytes"), "B", NULL);
    page_td (out, "path", jobdata_cell (t, row, "file"));
    page_row_end (out);
}

/* Put the selection, the command that lists all of it, and those of the longest
 * calls that belong to it; the page's script fills and filters. */
static void
events_put (FILE *out, const struct jobdata *d, const struct textable *t)
{
    size_t shown[EVENTS_PARTS] = {0};

    html_section (out, "events", "Longest calls");
    html_put (
        out,
        "<p id=\"selection\"></p><p class=\"note\">"
        "A selection in a figure over time, or a click on a cell of "
        "a table, leaves the calls that belong to it here. All "
        "events of it: <code id=\"command\" data-dir=\"%s\"></code></p>\n",
        d->dir);
    page_table_heads (out, 1, "began|took|.process|.function|bytes|.file");
    for (size_t r = 0; r < textable_rows (t); r++) {
        double at = textable_number (t, r, textable_find (t, "time_s")) /
                    bins_seconds (&d->scan->bins) * EVENTS_PARTS;
        size_t part = at > 0 ? (size_t)fmin (at, EVENTS_PARTS - 1) : 0;

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
    const char *heading = info->heading, *ranks = strstr (heading, "ranks");

    if (!jobdata_ranked (d) && view == VIEW_rank)
        heading = "Processes with all they started";
    else if (!jobdata_ranked (d) && ranks)
        heading = arena_format ("%.*sprocesses%s", (int)(ranks - heading),
                                heading, ranks + strlen ("ranks"));
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

/* The name of a file in a table, new in the arena. */
typedef char *name_fn (const char *file);

static char *dirs_directory_name (const char *file)
{
    const char *slash = strrchr (file, '/');

    return slash > file ? arena_copy (file, slash - file) : arena_text ("/");
}

/* "shard-0012.bin" -> "shard-N.bin" */
static char *dirs_pattern_name (const char *file)
{
    char *name = arena_text (file), *to = name;

    for (const char *p = file; *p; p++)
        if (!isdigit ((unsigned char)*p))
            *to++ = *p;
        else if (p == file || !isdigit ((unsigned char)p[-1]))
            *to++ = 'N';
    *to = '\0';
    return name;
}

/* --- sums ------------------------------------------------------------- */

/* Add a file to its family; name is the newest of the arena, and stays there
 * if it is that of a new family. */
static void dirs_add_file (struct strmap *families,
                           char *name,
                           const double bytes[2],
                           const double seconds[2])
{
    int64_t at = strmap_intern (families, name, strlen (name), NULL);
    struct family *f = strmap_value (families, at);

    if (f) {
        arena_free (name);
    } else {
        f = arena_alloc (sizeof (*f));
        f->name = name;
        strmap_set (families, at, f);
    }
    f->files++;
    for (int way = 0; way < 2; way++) {
        f->bytes[way] += bytes[way];
        f->seconds += seconds[way];
    }
}

/* The table that an earlier analysis left. */
static void
dirs_add_table (struct strmap *families, const struct jobdata *d, name_fn *name)
{
    const struct textable *t = d->table[VIEW_file];

    for (size_t r = 0; r < textable_rows (t); r++)
        if (strcmp (jobdata_cell (t, r, "class"), "storage") == 0)
            dirs_add_file (
                families, name (jobdata_cell (t, r, "file")),
                (double[]){jobdata_number (d, VIEW_file, r, "read_bytes"),
                           jobdata_number (d, VIEW_file, r, "write_bytes")},
                (double[]){jobdata_number (d, VIEW_file, r, "read_sum_s"),
                           jobdata_number (d, VIEW_file, r, "write_sum_s")});
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
            dirs_add_file (families,
                           name (strmap_key (tally->files, order[i], NULL)),
                           (double[]){f->read_bytes, f->write_bytes},
                           (double[]){f->read_ns / 1e9, f->write_ns / 1e9});
    }
    free (order);
}

static int dirs_by_bytes (const void *a, const void *b)
{
    const struct family *x = *(const struct family *const *)a;
    const struct family *y = *(const struct family *const *)b;

    return ORDER (y->bytes[0] + y->bytes[1], x->bytes[0] + x->bytes[1])
               ?: strcmp (x->name, y->name);
}

/* --- tables ------------------------------------------------------------ */

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
        dirs_add_table (families, d, name);
    n = strmap_count (families);
    row = arena_array (n, sizeof (*row));
    for (size_t i = 0; i < n; i++)
        row[i] = strmap_value (families, i);
    strmap_destroy (families);
    SORT (row, n, dirs_by_bytes);
    html_section (out, id, heading);
    if (n > DIRS_SHOWN)
        html_paragraph (out, "note", "The %d of %zu with the most bytes.",
                        DIRS_SHOWN, n);
    page_table_heads (
        out, 1, arena_format (".%s|files|read|written|time in both", what));
    for (size_t i = 0; i < n && i < DIRS_SHOWN; i++)
        page_line (out, "path:%s %f B:%f B:%f s:%f", row[i]->name,
                   row[i]->files, row[i]->bytes[0], row[i]->bytes[1],
                   row[i]->seconds);
    page_table_end (out);
    html_section_end (out);
}

void page_directories (FILE *out, const struct jobdata *d)
{
    dirs_families (out, d, dirs_directory_name, "directories", "Directories",
                   "directory");
    dirs_families (out, d, dirs_pattern_name, "patterns",
                   "File patterns: numbers as N", "pattern");
}
