/* SPDX-License-Identifier: MIT
 *
 * page.c - elements of pages: cards, tables, rows and cells
 *
 * In:  texts and numbers
 * Out: HTML, to a stream
 */
#include "config.h"

#include "analyze/report/csv.h"
#include "analyze/report/page.h"
#include "lib/base/array.h"
#include "lib/chart/html.h"
#include "lib/chart/scale.h"
#include "lib/util/fsutil.h"
#include "lib/util/json.h"
#include "lib/util/ytree.h"

int page_has (const char *dir, const char *name)
{
    char *path = path_join (dir, name);
    int yes = access (path, F_OK) == 0;

    free (path);
    return yes;
}

struct ytree *page_tree (const char *dir, const char *name, struct errtext *err)
{
    char *path = path_join (dir, name);
    struct ytree *t = ytree_load (path, err);

    free (path);
    return t;
}

void page_card (FILE *out, const char *value, const char *what)
{
    html_open (out, "div", "card");
    html_element (out, "b", NULL, value);
    html_element (out, "span", NULL, what);
    fputs ("</div>\n", out);
}

void page_banner (FILE *out)
{
    html_open (out, "div", "banner");
}

void page_banner_end (FILE *out)
{
    fputs ("</div>\n", out);
}

/* --- tables -----------------------------------------------------------------
 */

void page_table (FILE *out, int sortable)
{
    html_open (out, "div", "scroll");
    html_open (out, "table", sortable ? "sort" : NULL);
    fputs ("<thead><tr>", out);
}

void page_table_body (FILE *out)
{
    fputs ("</tr></thead><tbody>\n", out);
}

void page_table_end (FILE *out)
{
    fputs ("</tbody></table></div>\n", out);
}

void page_th (FILE *out, const char *class, const char *text, const char *unit)
{
    html_open (out, "th", class);
    html_text (out, text);
    if (unit && unit[0]) {
        fputs ("<br>", out);
        html_text (out, unit);
    }
    html_close (out, "th");
}

void page_heads (FILE *out, const char *heads)
{
    char head[WORDS_MAX];

    for (const char *p = heads; *p; p += p[0] == '|') {
        const char *class = *p == '.' ? p++, "t" : NULL;
        size_t n = strcspn (p, "|");

        FORMAT (head, "%.*s", (int)n, p);
        page_th (out, class, head, NULL);
        p += n;
    }
}

void page_row (FILE *out, const char *prefix, size_t number)
{
    char id[160];

    FORMAT (id, "%s-%zu", prefix ? prefix : "", number);
    html_open_id (out, "tr", NULL, prefix ? id : NULL);
}

void page_row_about (FILE *out,
                     const char *prefix,
                     size_t number,
                     const char *key,
                     const char *value)
{
    fprintf (out, "<tr id=\"%s-%zu\" data-k=\"%s\" data-q=\"", prefix, number,
             key);
    html_text (out, value);
    fputs ("\">", out);
}

void page_row_named (FILE *out, const char *prefix, const char *name)
{
    char id[160];

    FORMAT (id, "%s-%s", prefix, name);
    html_open_id (out, "tr", NULL, id);
}

void page_row_end (FILE *out)
{
    fputs ("</tr>\n", out);
}

/* --- cells ------------------------------------------------------------------
 */

void page_td (FILE *out, const char *class, const char *text)
{
    html_element (out, "td", class, text);
}

/* exact is what the table has, words what is shown. */
static void page_cell (FILE *out, const char *exact, const char *words)
{
    fputs ("<td data-v=\"", out);
    html_text (out, exact);
    fputs ("\">", out);
    html_text (out, words);
    html_close (out, "td");
}

static void page_na (FILE *out, const char *why)
{
    fputs ("<td class=\"none\" data-v=\"\"", out);
    if (why && *why) {
        fputs (" title=\"", out);
        html_text (out, why);
        fputc ('"', out);
    }
    fputs (">n/a</td>", out);
}

void page_number (FILE *out,
                  const char *text,
                  const char *unit,
                  const char *why)
{
    double v = cell_number (text);
    char buf[WORDS_MAX];

    if (isnan (v))
        page_na (out, why);
    else
        page_cell (out, text, value_words (buf, v, unit));
}

void page_about (FILE *out, const char *text, const char *unit)
{
    static const char mark[] = "\u2248";
    double v = cell_number (text);
    char buf[sizeof (mark) + WORDS_MAX], words[WORDS_MAX];

    if (isnan (v)) {
        page_na (out, NULL);
        return;
    }
    FORMAT (buf, "%s%s", mark, value_words (words, v, unit));
    page_cell (out, text, buf);
}

void page_words (FILE *out, double value, const char *words, const char *why)
{
    char exact[40];

    if (isfinite (value))
        page_cell (out, json_number (exact, sizeof (exact), value), words);
    else
        page_na (out, why);
}

void page_value (FILE *out, double value, const char *unit, const char *why)
{
    char buf[WORDS_MAX];

    page_words (out, value, value_words (buf, value, unit), why);
}

void page_times (FILE *out, double ratio, const char *why)
{
    char buf[WORDS_MAX], words[WORDS_MAX + 4];

    FORMAT (words, "\xc3\x97%s", number_words (buf, ratio));
    page_words (out, ratio, words, why);
}

void page_ratio (
    FILE *out, double ratio, double low, double high, const char *tip)
{
    char exact[40], a[WORDS_MAX], b[WORDS_MAX];

    fprintf (out, "<td data-v=\"%s\" title=\"",
             json_number (exact, sizeof (exact), ratio));
    html_text (out, tip);
    fputs ("\">", out);
    html_format (out, "\xc3\x97%s", number_words (a, ratio));
    if (!isnan (low)) {
        fputs ("<br>", out);
        html_open (out, "span", "note");
        html_format (out, "%s\xe2\x80\xa6%s", number_words (a, low),
                     number_words (b, high));
        html_close (out, "span");
    }
    html_close (out, "td");
}

/* --- two jobs, or two sweeps -> one page with what changed ------------------
 */

void page_change (FILE *out, double change, const char *unit)
{
    char buf[WORDS_MAX], words[WORDS_MAX + 2];

    FORMAT (words, "%s%s", change > 0 ? "+" : "",
            value_words (buf, change, unit));
    page_words (out, change, words, NULL);
}

void compare_heads (FILE *out, const char *first, const char *second)
{
    page_table (out, 1);
    page_th (out, "t", first, NULL);
    if (second)
        page_th (out, "t", second, NULL);
    page_heads (out, "A|B|B \xe2\x88\x92 A|B / A");
    page_table_body (out);
}

void compare_values (FILE *out, double a, double b, const char *unit)
{
    page_value (out, a, unit, NULL);
    page_value (out, b, unit, NULL);
    page_change (out, b - a, unit);
    page_times (out, a > 0 && b > 0 ? b / a : NAN,
                "one of them is n/a or zero");
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
    fputs ("</dl>\n", out);
}

void compare_change (
    FILE *out, const char *key, const char *a, const char *b, size_t *n)
{
    if (strcmp (a, b) == 0)
        return;
    if (!(*n)++) {
        page_table (out, 0);
        page_heads (out, ".what|.A|.B");
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
