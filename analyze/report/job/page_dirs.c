/* SPDX-License-Identifier: MIT
 *
 * page_dirs.c - files of a job -> tables of their directories and patterns
 *
 * In:  the table of files
 * Out: HTML, to a stream
 */
#include "config.h"

#include "analyze/report/job/page_dirs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/strmap.h"
#include "lib/chart/html.h"
#include "analyze/report/page.h"

enum { SHOWN = 25 };

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
    if (n > SHOWN)
        html_paragraph (out, "note", "The %d of %zu with the most bytes.",
                        SHOWN, n);
    page_table (out, 1);
    page_th (out, "t", what, NULL);
    page_th (out, NULL, "files", NULL);
    page_th (out, NULL, "read", NULL);
    page_th (out, NULL, "written", NULL);
    page_th (out, NULL, "time in both", NULL);
    page_table_body (out);
    for (size_t i = 0; i < n && i < SHOWN; i++)
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
