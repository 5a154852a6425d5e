/* SPDX-License-Identifier: MIT
 *
 * page_compare.c - two jobs, or two sweeps -> one page with what changed
 *
 * In:  A, the one before, and B, the one after
 * Out: HTML: tables of values, differences and ratios
 */
#include "config.h"

#include "analyze/report/compare.h"

#include <math.h>
#include <string.h>

#include "lib/chart/html.h"
#include "analyze/report/page.h"
#include "analyze/report/study/sweepdata.h"
#include "lib/chart/scale.h"

static void compare_put_ratio (FILE *out, double a, double b)
{
    char buf[WORDS_MAX], words[WORDS_MAX + 4];
    double ratio = a > 0 && b > 0 ? b / a : NAN;

    (void)snprintf (words, sizeof (words), "\xc3\x97%s",
                    number_words (buf, ratio));
    page_words (out, ratio, words, "one of them is n/a or zero");
}

static void compare_put_delta (FILE *out, double a, double b, const char *unit)
{
    char buf[WORDS_MAX], words[WORDS_MAX + 2];

    (void)snprintf (words, sizeof (words), "%s%s", b > a ? "+" : "",
                    value_words (buf, b - a, unit));
    page_words (out, b - a, words, NULL);
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

void compare_values (FILE *out, double a, double b, const char *unit)
{
    page_value (out, a, unit, NULL);
    page_value (out, b, unit, NULL);
    compare_put_delta (out, a, b, unit);
    compare_put_ratio (out, a, b);
}

static void compare_put_side (FILE *out,
                              const char *side,
                              const char *name,
                              const char *dir)
{
    html_element (out, "dt", NULL, side);
    html_open (out, "dd", NULL);
    html_format (out, "%s ", name);
    html_element (out, "code", NULL, dir);
    html_close (out, "dd");
}

void compare_begin (FILE *out,
                    const char *a,
                    const char *b,
                    const char *name_a,
                    const char *name_b)
{
    html_begin (out, "Comparison");
    html_open (out, "dl", NULL);
    compare_put_side (out, "A", name_a, a);
    compare_put_side (out, "B", name_b, b);
    (void)fputs ("</dl>\n", out);
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
    page_row (out, NULL, 0);
    page_td (out, "t", key);
    page_td (out, "path", a);
    page_td (out, "path", b);
    page_row_end (out);
}

void compare_end_changes (FILE *out, size_t n)
{
    if (n)
        page_table_end (out);
    else
        html_paragraph (out, NULL, "Nothing that was recorded.");
    html_section_end (out);
}

int page_compare (FILE *out,
                  const char *a,
                  const char *b,
                  const struct kind_rules *rules,
                  struct errtext *err)
{
    if (sweepdata_is (a) != sweepdata_is (b))
        return errf (err, "%s, %s: a sweep and a job cannot be compared", a, b);
    return sweepdata_is (a) ? compare_sweeps (out, a, b, err)
                            : compare_jobs (out, a, b, rules, err);
}
