/* SPDX-License-Identifier: MIT
 *
 * page.c - elements of pages: cards, tables, rows and cells
 *
 * In:  texts and numbers
 * Out: HTML, to a stream
 */
#include "config.h"

#include <stdarg.h>

#include "analyze/report/csv.h"
#include "analyze/report/page.h"
#include "lib/base/array.h"
#include "lib/chart/html.h"
#include "lib/chart/scale.h"
#include "lib/util/fsutil.h"
#include "lib/util/json.h"
#include "lib/util/xalloc.h"
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
    html_put (out, "<div class=\"card\"><b>%s</b><span>%s</span></div>\n",
              value, what);
}

void page_banner (FILE *out, const char *format, ...)
{
    va_list args;
    char *text;

    va_start (args, format);
    text = xvasprintf (format, args);
    va_end (args);
    html_put (out, "<div class=\"banner\">%s</div>\n", text);
    free (text);
}

/* --- tables -----------------------------------------------------------------
 */

void page_table (FILE *out, int sortable)
{
    fprintf (out, "<div class=\"scroll\"><table%s><thead><tr>",
             sortable ? " class=\"sort\"" : "");
}

void page_table_heads (FILE *out, int sortable, const char *heads)
{
    page_table (out, sortable);
    page_heads (out, heads);
    page_table_body (out);
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
    html_put (out, class ? "<th class=\"%s\">" : "<th>", class);
    html_put (out, unit && *unit ? "%s<br>%s</th>" : "%s%s</th>", text,
              unit ? unit : "");
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
    if (prefix)
        html_put (out, "<tr id=\"%s-%zu\">", prefix, number);
    else
        fputs ("<tr>", out);
}

void page_row_about (FILE *out,
                     const char *prefix,
                     size_t number,
                     const char *key,
                     const char *value)
{
    html_put (out, "<tr id=\"%s-%zu\" data-k=\"%s\" data-q=\"%s\">", prefix,
              number, key, value);
}

void page_row_end (FILE *out)
{
    fputs ("</tr>\n", out);
}

/* --- cells ------------------------------------------------------------------
 */

void page_td (FILE *out, const char *class, const char *text)
{
    html_put (out, class ? "<td class=\"%s\">" : "<td>", class);
    html_put (out, "%s</td>", text);
}

/* exact is what the table has, words what is shown. */
static void page_cell (FILE *out, const char *exact, const char *words)
{
    html_put (out, "<td data-v=\"%s\">%s</td>", exact, words);
}

static void page_na (FILE *out, const char *why)
{
    fputs ("<td class=\"none\" data-v=\"\"", out);
    if (why && *why)
        html_put (out, " title=\"%s\"", why);
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
    double v = cell_number (text);

    if (isnan (v))
        page_na (out, NULL);
    else
        page_cell (out, text, arena_format ("\u2248%s", value_shown (v, unit)));
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
    page_words (out, ratio, arena_format ("\xc3\x97%s", number_shown (ratio)),
                why);
}

void page_ratio (
    FILE *out, double ratio, double low, double high, const char *tip)
{
    char exact[40];

    html_put (out, "<td data-v=\"%s\" title=\"%s\">\xc3\x97%s",
              json_number (exact, sizeof (exact), ratio), tip,
              number_shown (ratio));
    if (!isnan (low))
        html_put (out, "<br><span class=\"note\">%s\xe2\x80\xa6%s</span>",
                  number_shown (low), number_shown (high));
    fputs ("</td>", out);
}

static void page_vcells (FILE *out, const char *format, va_list *args)
{
    for (const char *p = format; *p; p += *p == ' ') {
        size_t n = strcspn (p, "%");
        const char *kind = n ? arena_copy (p, n - 1) : "";

        p += n + 2;
        if (p[-1] == 's')
            page_td (out, n ? kind : "t", va_arg (*args, const char *));
        else
            page_value (out, va_arg (*args, double), kind, NULL);
    }
}

void page_cells (FILE *out, const char *format, ...)
{
    va_list args;

    va_start (args, format);
    page_vcells (out, format, &args);
    va_end (args);
}

void page_line (FILE *out, const char *format, ...)
{
    va_list args;

    page_row (out, NULL, 0);
    va_start (args, format);
    page_vcells (out, format, &args);
    va_end (args);
    page_row_end (out);
}

/* --- two jobs, or two sweeps -> one page with what changed ------------------
 */

void page_change (FILE *out, double change, const char *unit)
{
    page_words (out, change,
                arena_format ("%s%s", change > 0 ? "+" : "",
                              value_shown (change, unit)),
                NULL);
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

void compare_begin (FILE *out,
                    const char *a,
                    const char *b,
                    const char *name_a,
                    const char *name_b)
{
    html_begin (out, "Comparison");
    html_put (out,
              "<dl><dt>A</dt><dd>%s <code>%s</code></dd><dt>B</dt><dd>%s "
              "<code>%s</code></dd></dl>\n",
              name_a, a, name_b, b);
}

void compare_change (
    FILE *out, const char *key, const char *a, const char *b, size_t *n)
{
    if (strcmp (a, b) == 0)
        return;
    if (!(*n)++)
        page_table_heads (out, 0, ".what|.A|.B");
    page_line (out, "%s path:%s path:%s", key, a, b);
}

void compare_end_changes (FILE *out, size_t n)
{
    if (n)
        page_table_end (out);
    else
        html_paragraph (out, NULL, "Nothing that was recorded.");
    html_section_end (out);
}
