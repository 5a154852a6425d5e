/* SPDX-License-Identifier: MIT
 *
 * page.c - pieces of pages: cards and tables
 *
 * In:  texts and numbers
 * Out: HTML, to a stream
 */
#include "config.h"

#include "report/page.h"

#include <math.h>

#include "report/csv.h"
#include "report/chart/html.h"
#include "report/chart/words.h"

void page_card (FILE *out, const char *value, const char *what)
{
    (void)fputs ("<div class=\"card\"><b>", out);
    html_text (out, value);
    (void)fputs ("</b><span>", out);
    html_text (out, what);
    (void)fputs ("</span></div>\n", out);
}

void page_table (FILE *out, int sortable)
{
    (void)fprintf (out, "<div class=\"scroll\"><table%s><thead><tr>",
                   sortable ? " class=\"sort\"" : "");
}

void page_table_body (FILE *out)
{
    (void)fputs ("</tr></thead><tbody>\n", out);
}

void page_table_end (FILE *out)
{
    (void)fputs ("</tbody></table></div>\n", out);
}

void page_th (FILE *out, const char *class, const char *text, const char *unit)
{
    (void)fprintf (out, "<th%s%s%s>", class ? " class=\"" : "",
                   class ? class : "", class ? "\"" : "");
    html_text (out, text);
    if (unit && unit[0]) {
        (void)fputs ("<br>", out);
        html_text (out, unit);
    }
    (void)fputs ("</th>", out);
}

void page_td (FILE *out, const char *class, const char *text)
{
    (void)fprintf (out, "<td class=\"%s\">", class);
    html_text (out, text);
    (void)fputs ("</td>", out);
}

void page_number (FILE *out,
                  const char *text,
                  const char *unit,
                  const char *why)
{
    double v = cell_number (text);
    char buf[WORDS_MAX];

    if (isnan (v)) {
        (void)fputs ("<td class=\"none\" data-v=\"\"", out);
        if (why) {
            (void)fputs (" title=\"", out);
            html_text (out, why);
            (void)fputs ("\"", out);
        }
        (void)fputs (">n/a</td>", out);
        return;
    }
    (void)fputs ("<td data-v=\"", out);
    html_text (out, text);
    (void)fputs ("\">", out);
    html_text (out, value_words (buf, v, unit));
    (void)fputs ("</td>", out);
}
