/* SPDX-License-Identifier: MIT
 *
 * sitetable.c - a table as HTML, or as OpenMetrics text
 */
#include "config.h"

#include <math.h>

#include "cli/site/sitepage.h"
#include "lib/util/json.h"
#include "lib/util/textable_cells.h"
#include "report/page.h"

void sitepage_table (FILE *out, const struct textable *t)
{
    page_table (out, 1);
    for (size_t c = 0; c < t->columns; c++)
        page_th (out, t->column[c].right ? NULL : "t", t->column[c].title,
                 t->column[c].unit);
    page_table_body (out);
    for (size_t r = 0; r < t->rows; r++) {
        page_row (out, NULL, 0);
        for (size_t c = 0; c < t->columns; c++) {
            char buf[TEXTABLE_NUMBER_MAX];
            const char *text = textable_cell (t, r, (int)c, buf);

            if (t->column[c].right)
                page_number (out, text, t->column[c].unit, "not measured");
            else
                page_td (out, "t", text);
        }
        page_row_end (out);
    }
    page_table_end (out);
}

/* Within quotes of a label: backslash, quote and line feed. */
static void openmetrics_label (FILE *out, const char *name, const char *value)
{
    (void)fprintf (out, "%s=\"", name);
    for (const char *p = value; *p; p++) {
        if (*p == '\n')
            (void)fputs ("\\n", out);
        else if (*p == '"' || *p == '\\')
            (void)fprintf (out, "\\%c", *p);
        else
            (void)putc (*p, out);
    }
    (void)putc ('"', out);
}

static void
openmetrics_family (FILE *out, const struct textable *t, size_t column)
{
    const struct column *m = &t->column[column];
    char number[32], buf[TEXTABLE_NUMBER_MAX];

    (void)fprintf (out, "# TYPE dftrace_%s gauge\n# HELP dftrace_%s %s%s%s\n",
                   m->name, m->name, "of the traced jobs",
                   *m->unit ? ", unit " : "", m->unit);
    for (size_t r = 0; r < t->rows; r++) {
        double v = textable_number (t, r, (int)column);

        if (isnan (v))
            continue;
        (void)fprintf (out, "dftrace_%s{", m->name);
        for (size_t c = 0; c < t->columns && !t->column[c].right; c++) {
            if (c)
                (void)putc (',', out);
            openmetrics_label (out, t->column[c].name,
                               textable_cell (t, r, (int)c, buf));
        }
        (void)fprintf (out, "} %s\n", json_number (number, sizeof (number), v));
    }
}

int sitepage_openmetrics (FILE *out,
                          struct sitedb *db,
                          const struct siteask *q,
                          struct errtext *err)
{
    struct textable *t = siteask_top (db, q, err);

    if (!t)
        return -1;
    for (size_t c = 0; c < t->columns; c++)
        if (t->column[c].right)
            openmetrics_family (out, t, c);
    (void)fputs ("# EOF\n", out);
    textable_destroy (t);
    return 0;
}
