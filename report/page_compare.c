/* SPDX-License-Identifier: MIT
 *
 * page_compare.c - two jobs, or two sweeps -> one page with what changed
 *
 * In:  A, the one before, and B, the one after
 * Out: HTML: tables of values, differences and ratios
 */
#include "config.h"

#include "report/compare.h"

#include <math.h>
#include <string.h>

#include "report/csv.h"
#include "report/chart/html.h"
#include "report/page.h"
#include "report/study/sweepdata.h"
#include "report/chart/words.h"

static void put_ratio (FILE *out, double a, double b)
{
    char buf[WORDS_MAX];

    if (!(a > 0) || !(b > 0)) {
        (void)fputs (
            "<td class=\"none\" data-v=\"\" title=\"one of them is n/a "
            "or zero\">n/a</td>",
            out);
        return;
    }
    (void)fprintf (out, "<td data-v=\"%.17g\">\xc3\x97%s</td>", b / a,
                   number_words (buf, b / a));
}

static void put_delta (FILE *out, double a, double b, const char *unit)
{
    char buf[WORDS_MAX];

    if (isnan (a) || isnan (b)) {
        (void)fputs ("<td class=\"none\" data-v=\"\">n/a</td>", out);
        return;
    }
    (void)fprintf (out, "<td data-v=\"%.17g\">%s", b - a, b > a ? "+" : "");
    html_text (out, value_words (buf, b - a, unit));
    (void)fputs ("</td>", out);
}

void compare_heads (FILE *out, const char *first, const char *second)
{
    page_table (out, 1);
    page_th (out, "t", first, NULL);
    if (second)
        page_th (out, "t", second, NULL);
    page_th (out, NULL, "A", NULL);
    page_th (out, NULL, "B", NULL);
    page_th (out, NULL, "B \xe2\x88\x92 A", NULL);
    page_th (out, NULL, "B / A", NULL);
    page_table_body (out);
}

void compare_values (FILE *out, const char *a, const char *b, const char *unit)
{
    page_number (out, a, unit, NULL);
    page_number (out, b, unit, NULL);
    put_delta (out, cell_number (a), cell_number (b), unit);
    put_ratio (out, cell_number (a), cell_number (b));
}

void compare_begin (FILE *out,
                    const char *a,
                    const char *b,
                    const char *name_a,
                    const char *name_b)
{
    html_begin (out, "Comparison");
    (void)fputs ("<dl><dt>A</dt><dd>", out);
    html_text (out, name_a);
    (void)fputs (" <code>", out);
    html_text (out, a);
    (void)fputs ("</code></dd><dt>B</dt><dd>", out);
    html_text (out, name_b);
    (void)fputs (" <code>", out);
    html_text (out, b);
    (void)fputs ("</code></dd></dl>\n", out);
}

void compare_change (
    FILE *out, const char *key, const char *a, const char *b, size_t *n)
{
    if (strcmp (a, b) == 0)
        return;
    if (!(*n)++) {
        page_table (out, 0);
        page_th (out, "t", "what", NULL);
        page_th (out, "t", "A", NULL);
        page_th (out, "t", "B", NULL);
        page_table_body (out);
    }
    (void)fputs ("<tr>", out);
    page_td (out, "t", key);
    page_td (out, "path", a);
    page_td (out, "path", b);
    (void)fputs ("</tr>\n", out);
}

void compare_end_changes (FILE *out, size_t n)
{
    if (n)
        page_table_end (out);
    else
        (void)fputs ("<p>Nothing that was recorded.</p>\n", out);
    html_section_end (out);
}

int page_compare (FILE *out, const char *a, const char *b, struct errtext *err)
{
    if (sweepdata_is (a) != sweepdata_is (b))
        return errf (err, "%s, %s: a sweep and a job cannot be compared", a, b);
    return sweepdata_is (a) ? compare_sweeps (out, a, b, err)
                            : compare_jobs (out, a, b, err);
}
