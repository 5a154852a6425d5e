/* SPDX-License-Identifier: MIT
 *
 * sitetable.c - a table as HTML, or as OpenMetrics text
 */
#include "config.h"

#include <math.h>

#include "cli/site/sitepage.h"
#include "lib/model/summary.h"
#include "analyze/report/page.h"

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

static void site_family (FILE *out, const struct textable *t, size_t column)
{
    const struct column *m = &t->column[column];
    char name[64], buf[TEXTABLE_NUMBER_MAX];

    (void)snprintf (name, sizeof (name), "dftrace_%s", m->name);
    openmetrics_family (out, name, "of the traced jobs", m->unit);
    for (size_t r = 0; r < t->rows; r++) {
        double v = textable_number (t, r, (int)column);
        struct openmetrics sample;

        if (isnan (v))
            continue;
        sample = openmetrics_sample (out, name);
        for (size_t c = 0; c < t->columns && !t->column[c].right; c++)
            openmetrics_label (&sample, t->column[c].name,
                               textable_cell (t, r, (int)c, buf));
        openmetrics_value (&sample, v);
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
            site_family (out, t, c);
    openmetrics_end (out);
    textable_destroy (t);
    return 0;
}
