/* SPDX-License-Identifier: MIT
 *
 * page_dirs.c - files of a job -> a table of their directories
 *
 * In:  tables/files.csv
 * Out: HTML, to a stream
 */
#include "config.h"

#include "report/page_dirs.h"

#include <stdlib.h>
#include <string.h>

#include "report/csv.h"
#include "report/html.h"
#include "report/page.h"

enum { SHOWN = 25, DIRECTORIES_SCAN = 2000 };

struct directory {
    char *name;
    double files, bytes[2], seconds;
};

static struct directory *
directory_of (struct directory *list, size_t *n, const char *file)
{
    const char *slash = strrchr (file, '/');
    size_t length = slash ? (size_t)(slash - file) : 0;

    for (size_t i = 0; i < *n; i++)
        if (strlen (list[i].name) == length &&
            memcmp (list[i].name, file, length) == 0)
            return &list[i];
    list[*n].name = strndup (file, length);
    return list[*n].name ? &list[(*n)++] : NULL;
}

static int by_bytes (const void *a, const void *b)
{
    const struct directory *x = a, *y = b;
    double p = x->bytes[0] + x->bytes[1], q = y->bytes[0] + y->bytes[1];

    return (q > p) - (q < p);
}

static void put_directory (FILE *out, const struct directory *d)
{
    const struct {
        double v;
        const char *unit;
    } cells[] = {{d->files, ""},
                 {d->bytes[0], "B"},
                 {d->bytes[1], "B"},
                 {d->seconds, "s"}};
    char exact[40];

    (void)fputs ("<tr>", out);
    page_td (out, "path", d->name[0] ? d->name : "/");
    for (size_t i = 0; i < sizeof (cells) / sizeof (cells[0]); i++) {
        (void)snprintf (exact, sizeof (exact), "%.12g", cells[i].v);
        page_number (out, exact, cells[i].unit, NULL);
    }
    (void)fputs ("</tr>\n", out);
}

int page_directories (FILE *out, const struct jobdata *d)
{
    size_t rows = csv_rows (d->files), n = 0, most = rows;
    struct directory *list;
    int rc = 0;

    most = most < DIRECTORIES_SCAN ? most : DIRECTORIES_SCAN;
    if (!(list = calloc (most + 1, sizeof (*list))))
        return -1;
    for (size_t r = 0; rc == 0 && r < most; r++) {
        struct directory *at;

        if (strcmp (csv_get (d->files, r, "class"), "storage") != 0)
            continue;
        if (!(at = directory_of (list, &n, csv_get (d->files, r, "file")))) {
            rc = -1;
            break;
        }
        at->files++;
        at->bytes[0] += csv_number (d->files, r, "read_bytes");
        at->bytes[1] += csv_number (d->files, r, "write_bytes");
        at->seconds += csv_number (d->files, r, "read_s") +
                       csv_number (d->files, r, "write_s");
    }
    qsort (list, n, sizeof (*list), by_bytes);
    html_section (out, "directories", "Directories");
    (void)fprintf (out,
                   "<p class=\"note\">Of the first %zu files; the %d with "
                   "the most bytes.</p>",
                   most, SHOWN);
    page_table (out, 1);
    page_th (out, "t", "directory", NULL);
    page_th (out, NULL, "files", NULL);
    page_th (out, NULL, "read", NULL);
    page_th (out, NULL, "written", NULL);
    page_th (out, NULL, "time in both", NULL);
    page_table_body (out);
    for (size_t i = 0; i < n; i++) {
        if (i < SHOWN)
            put_directory (out, &list[i]);
        free (list[i].name);
    }
    page_table_end (out);
    html_section_end (out);
    free (list);
    return rc;
}
