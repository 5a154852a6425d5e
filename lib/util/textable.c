/* SPDX-License-Identifier: MIT
 *
 * textable.c - columns, rows, cells -> aligned text, CSV, Markdown, JSON
 */
#include "config.h"

#include <stdarg.h>

#include "lib/base/array.h"
#include "lib/base/text.h"
#include "lib/util/json.h"
#include "lib/util/terminal.h"
#include "lib/util/textable.h"
#include "lib/util/xalloc.h"

int textable_wide = -1;

struct textable *textable_create (void)
{
    return xcalloc (1, sizeof (struct textable));
}

void textable_destroy (struct textable *t)
{
    int saved_errno = errno;

    if (!t)
        return;
    for (size_t i = 0; i < t->columns; i++) {
        free (t->column[i].name);
        free (t->column[i].title);
        free (t->column[i].unit);
    }
    for (size_t i = 0; i < t->rows * t->columns; i++)
        if (t->cell[i].type == CELL_TEXT)
            free (t->cell[i].text);
    free (t->column);
    free (t->cell);
    free (t);
    errno = saved_errno;
}

/* --- filling ---------------------------------------------------------- */

void textable_column (struct textable *t,
                      const char *name,
                      const char *title,
                      const char *unit,
                      int right_aligned)
{
    t->column = xreallocarray (t->column, t->columns + 1, sizeof (*t->column));
    t->column[t->columns++] =
        (struct table_column){.name = xstrdup (name),
                              .title = xstrdup (title ? title : name),
                              .unit = xstrdup (unit ? unit : ""),
                              .right = right_aligned,
                              .digits = -1};
}

void textable_columns (struct textable *t, const char *words)
{
    char name[64];

    for (; *words; words += strspn (words, " #")) {
        size_t n = strcspn (words, " #");

        FORMAT (name, "%.*s", (int)n, words);
        words += n;
        textable_column (t, name, NULL, NULL, *words == '#');
    }
}

void textable_column_digits (struct textable *t, int digits)
{
    if (t->columns)
        t->column[t->columns - 1].digits = digits;
}

void textable_top (struct textable *t, size_t rows, const char *order)
{
    if (!t)
        return;
    t->top = rows;
    t->order = order;
}

void textable_keep (struct textable *t, size_t rows)
{
    t->keep = rows;
}

void textable_row (struct textable *t)
{
    t->next = t->columns; /* cells of a row that is not kept are dropped */
    if (t->keep && t->rows == t->keep) {
        t->left++;
        return;
    }
    GROW (t->cell, t->room, (t->rows + 1) * t->columns);
    if (t->columns > 0)
        memset (&t->cell[t->rows * t->columns], 0,
                t->columns * sizeof (*t->cell));
    t->rows++;
    t->next = 0;
}

static void textable_add_cell (struct textable *t, struct table_cell c)
{
    if (t->rows == 0 || t->next >= t->columns) {
        if (c.type == CELL_TEXT)
            free (c.text);
        return;
    }
    t->cell[(t->rows - 1) * t->columns + t->next++] = c;
}

void textable_text (struct textable *t, const char *value)
{
    textable_add_cell (
        t, (struct table_cell){.type = CELL_TEXT,
                               .text = xstrdup (value ? value : "")});
}

void textable_uint (struct textable *t, uint64_t value)
{
    textable_add_cell (t, (struct table_cell){.type = CELL_UINT, .u = value});
}

void textable_known (struct textable *t, int known, uint64_t value)
{
    if (known)
        textable_uint (t, value);
    else
        textable_na (t);
}

void textable_about (struct textable *t)
{
    if (t->rows > 0 && t->next > 0 && !t->left)
        t->cell[(t->rows - 1) * t->columns + t->next - 1].about = 1;
}

void textable_double (struct textable *t, double value, int digits)
{
    const struct table_column *c =
        t->next < t->columns ? &t->column[t->next] : NULL;
    enum cell_digits rule = DIGITS_GIVEN;

    if (c && (c->unit[0] == '%' || c->digits == 0))
        rule = DIGITS_FIXED;
    else if (c && c->digits >= 0)
        rule = DIGITS_COUNT;
    if (c && c->digits >= 0)
        digits = c->digits;
    if (!isfinite (value))
        textable_na (t);
    else
        textable_add_cell (t, (struct table_cell){.type = CELL_DOUBLE,
                                                  .d = value,
                                                  .digits = digits,
                                                  .rule = rule});
}

/* Return the digits after the point, so that three of the number count where
 * the rule says so, or where none would. */
static int textable_digits (const struct table_cell *c)
{
    enum { COUNT = 3, DIGITS_MOST = 12 };
    double size = fabs (c->d);
    int digits;

    if (c->rule == DIGITS_FIXED)
        return c->digits;
    if (size == 0)
        return c->rule == DIGITS_COUNT ? 0 : c->digits;
    if (c->rule == DIGITS_GIVEN && size >= pow (10, -c->digits))
        return c->digits;
    digits = COUNT - 1 - (int)floor (log10 (size) + 1e-9);
    return digits < 0 ? 0 : digits > DIGITS_MOST ? DIGITS_MOST : digits;
}

/* Its number with its digits, in buf. */
static const char *
textable_cell_number (const struct table_cell *c, char *buf, size_t size)
{
    double least = pow (10, -c->digits);
    int below = c->bounded && c->d < least;

    snprintf (buf, size, "%s%s%.*f", c->about ? "\u2248" : "", below ? "<" : "",
              textable_digits (c), below ? least : c->d);
    return buf;
}

void textable_probability (struct textable *t, double p, int digits)
{
    if (!isfinite (p))
        textable_na (t);
    else
        textable_add_cell (t, (struct table_cell){.type = CELL_DOUBLE,
                                                  .d = p,
                                                  .digits = digits,
                                                  .rule = DIGITS_FIXED,
                                                  .bounded = p > 0});
}

void textable_na (struct textable *t)
{
    textable_add_cell (t, (struct table_cell){.type = CELL_NA});
}

/* Take the argument of the format f and add its cell. */
static void textable_cell_of (struct textable *t, const char *f, va_list *ap)
{
    int wide = f[1] == 'j' || f[1] == 'z';
    uint64_t n = f[1] == 'j'   ? va_arg (*ap, uintmax_t)
                 : f[1] == 'z' ? va_arg (*ap, size_t)
                               : va_arg (*ap, unsigned);

    if (f[2 + wide] == 's')
        textable_double (t, n / 1e9, 6);
    else if (f[2 + wide] == 'u')
        textable_double (t, n / 1e3, 2);
    else
        textable_uint (t, n);
}

static void textable_put (struct textable *t, const char *f, va_list *ap)
{
    for (; *f; f += strcspn (f, " "), f += *f == ' ') {
        size_t next = t->next;
        int known = 1;

        if (strncmp (f, "%d?", 3) == 0) {
            known = va_arg (*ap, int);
            f += 3;
        }
        if (f[0] == '-')
            textable_na (t);
        else if (f[1] == 's')
            textable_text (t, va_arg (*ap, const char *));
        else if (f[1] == '.')
            textable_double (t, va_arg (*ap, double), f[2] - '0');
        else
            textable_cell_of (t, f, ap);
        if (!known && t->next > next) { /* a text has no "?" */
            t->next = next;
            textable_na (t);
        }
    }
}

void textable_cells (struct textable *t, const char *format, ...)
{
    va_list ap;

    va_start (ap, format);
    textable_put (t, format, &ap);
    va_end (ap);
}

void textable_line (struct textable *t, const char *format, ...)
{
    va_list ap;

    textable_row (t);
    va_start (ap, format);
    textable_put (t, format, &ap);
    va_end (ap);
}

void textable_append (struct textable *to,
                      struct textable *from,
                      const char *name,
                      const char *label)
{
    if (to->columns == 0) {
        textable_column (to, name, name, "", 0);
        for (size_t i = 0; i < from->columns; i++)
            textable_column (to, from->column[i].name, from->column[i].title,
                             from->column[i].unit, from->column[i].right);
    }
    for (size_t r = 0; r < from->rows; r++) {
        textable_row (to);
        textable_text (to, label);
        for (size_t i = 0; i < from->columns; i++) {
            struct table_cell *c = &from->cell[r * from->columns + i];

            textable_add_cell (to, *c);
            c->type = CELL_NA; /* has moved */
        }
    }
    textable_destroy (from);
}

int table_format_parse (const char *word)
{
    static const char *const words[] = {"text", "csv", "markdown", "json"};

    for (int i = 0; i < 4; i++)
        if (strcmp (word, words[i]) == 0)
            return i;
    return -1;
}

/* ---- a table -> its cells, for who shows them elsewhere ---- */

size_t textable_rows (const struct textable *t)
{
    return t ? t->rows : 0;
}

size_t textable_left (const struct textable *t)
{
    return t ? t->left : 0;
}

int textable_find (const struct textable *t, const char *name)
{
    for (size_t i = 0; t && i < t->columns; i++)
        if (strcmp (t->column[i].name, name) == 0)
            return (int)i;
    return TEXTABLE_NO_COLUMN;
}

static const struct table_cell *
textable_at (const struct textable *t, size_t row, int column)
{
    return t && row < t->rows && column >= 0 && (size_t)column < t->columns
               ? &t->cell[row * t->columns + (size_t)column]
               : NULL;
}

const char *textable_cell (const struct textable *t,
                           size_t row,
                           int column,
                           char buf[TEXTABLE_NUMBER_MAX])
{
    const struct table_cell *c = textable_at (t, row, column);

    buf[0] = '\0';
    if (!c)
        return buf;
    if (c->type == CELL_TEXT)
        return c->text;
    if (c->type == CELL_DOUBLE)
        return json_number (buf, TEXTABLE_NUMBER_MAX, c->d);
    if (c->type == CELL_UINT)
        snprintf (buf, TEXTABLE_NUMBER_MAX, "%" PRIu64, c->u);
    return buf;
}

double textable_number (const struct textable *t, size_t row, int column)
{
    const struct table_cell *c = textable_at (t, row, column);
    char *end;
    double v;

    if (!c || c->type == CELL_NA)
        return NAN;
    if (c->type == CELL_UINT)
        return c->u;
    if (c->type == CELL_DOUBLE)
        return c->d;
    v = strtod (c->text, &end);
    return end == c->text || *end ? NAN : v;
}

/* ---- cells -> aligned text, CSV, Markdown, JSON rows ---- */

/* --- text ------------------------------------------------------------- */

/* Text is for people, who look at the first rows. */
static size_t textable_shown_rows (const struct textable *t)
{
    return t->top && t->top < t->rows ? t->top : t->rows;
}

static const struct table_cell *
cell_at (const struct textable *t, size_t r, size_t c)
{
    return &t->cell[r * t->columns + c];
}

/* Return the text of a cell; buf is for numbers. */
static const char *
cell_text (const struct table_cell *c, char *buf, size_t size)
{
    switch (c->type) {
    case CELL_TEXT:
        return c->text;
    case CELL_UINT:
        (void)snprintf (buf, size, "%s%" PRIu64, c->about ? "\u2248" : "",
                        c->u);
        return buf;
    case CELL_DOUBLE:
        return textable_cell_number (c, buf, size);
    default:
        return "n/a";
    }
}

/* Text to a terminal or a Markdown table: a byte that is no UTF-8, or of a
 * character that does not show what it is, becomes \\xNN, and so does a
 * backslash that begins what looks like that. The first character of s to text;
 * *taken gets how many bytes of s it has. Returns how many are in text. */
enum { SHOWN_BYTES_MAX = 4 * ESCAPE_BYTES_MAX + 1 };
static size_t shown_char (char text[SHOWN_BYTES_MAX],
                          const char *s,
                          size_t bytes,
                          size_t *taken)
{
    uint32_t c;
    size_t n = escape_char (s, bytes, &c);

    if (n == 0 || escape_is_plain (c))
        return escape_bytes (text, s, bytes, taken);
    *taken = n;
    for (size_t i = 0; i < n; i++)
        snprintf (text + i * ESCAPE_BYTES_MAX, ESCAPE_BYTES_MAX + 1, "\\x%02x",
                  (unsigned char)s[i]);
    return n * ESCAPE_BYTES_MAX;
}

/* Places of a character on the terminal: one each, but for escapes. */
static size_t shown_places (const char *text, size_t n)
{
    return (unsigned char)*text < 0x80 ? n : 1;
}

static size_t textable_print_width_of (const char *s, size_t bytes)
{
    char text[SHOWN_BYTES_MAX];
    size_t places = 0, taken;

    for (; bytes > 0; s += taken, bytes -= taken) {
        size_t n = shown_char (text, s, bytes, &taken);

        places += shown_places (text, n);
    }
    return places;
}

/* Print at most `most` places of the text; what is longer is cut with "...", a
 * path at its begin. */
static void
textable_print_shown (FILE *out, const char *s, size_t bytes, size_t most)
{
    static const char cut[] = "...";
    size_t places = textable_print_width_of (s, bytes), taken, at = 0, skip = 0;
    char text[SHOWN_BYTES_MAX];

    if (places > most && memchr (s, '/', bytes)) {
        skip = places - most + sizeof (cut) - 1;
        fputs (cut, out);
    }
    for (; bytes > 0; s += taken, bytes -= taken) {
        size_t n = shown_char (text, s, bytes, &taken);

        if (places > most && !skip &&
            at + shown_places (text, n) > most - (sizeof (cut) - 1)) {
            fputs (cut, out);
            return;
        }
        if (at >= skip)
            (void)fwrite (text, 1, n, out);
        at += shown_places (text, n);
    }
}

/* The line'th of the newline-separated lines of s, NULL past the last. */
static const char *
textable_print_line_of (const char *s, size_t line, size_t *bytes)
{
    while (line-- > 0) {
        if (!(s = strchr (s, '\n')))
            return NULL;
        s++;
    }
    *bytes = strcspn (s, "\n");
    return s;
}

static size_t lines_in (const char *s)
{
    size_t n = 1;

    while ((s = strchr (s, '\n')) && s++)
        n++;
    return n;
}

/* A line of a cell. */
struct cell_line {
    const char *s;
    size_t bytes;
    enum term_style style;
};

/* Places of the columns that are shown. */
struct text_layout {
    size_t *width; /* of each column, 0: it has no room; owned */
    size_t total, last, left_out;
};

enum { TEXT_GAP = 2, TEXT_LEAST = 20 /* of a text that is cut */ };

static void put_aligned (const struct textable *t,
                         FILE *out,
                         size_t c,
                         const struct text_layout *at,
                         struct cell_line l)
{
    size_t width = at->width[c], w = textable_print_width_of (l.s, l.bytes);
    size_t pad = width > w ? width - w : 0;

    if (!width && at->left_out)
        return;
    if (c > 0)
        fprintf (out, "%*s", TEXT_GAP, "");
    if (t->column[c].right)
        fprintf (out, "%*s", (int)pad, "");
    fputs (terminal_begin (l.style), out);
    textable_print_shown (out, l.s, l.bytes, width);
    fputs (terminal_end (l.style), out);
    if (!t->column[c].right && c < at->last)
        fprintf (out, "%*s", (int)pad, "");
}

static size_t column_width (const struct textable *t, size_t c)
{
    const struct table_column *col = &t->column[c];
    size_t width = textable_print_width_of (col->unit, strlen (col->unit)),
           bytes, w;
    const char *s;
    char buf[400];

    for (size_t i = 0; (s = textable_print_line_of (col->title, i, &bytes));
         i++)
        if ((w = textable_print_width_of (s, bytes)) > width)
            width = w;
    for (size_t r = 0; r < textable_shown_rows (t); r++) {
        s = cell_text (cell_at (t, r, c), buf, sizeof (buf));
        if ((w = textable_print_width_of (s, strlen (s))) > width)
            width = w;
    }
    return width;
}

/* Titles end on the same line; the unit stands below them. */
static void textable_print_print_head (const struct textable *t,
                                       FILE *out,
                                       const struct text_layout *at,
                                       enum term_style style)
{
    size_t high = 0, units = 0, n;

    for (size_t c = 0; c < t->columns; c++) {
        if ((n = lines_in (t->column[c].title)) > high)
            high = n;
        units |= t->column[c].unit[0] != '\0';
    }
    for (size_t l = 0; l < high + units; l++) {
        for (size_t c = 0; c < t->columns; c++) {
            const struct table_column *col = &t->column[c];
            size_t above = high - lines_in (col->title), bytes = 0;
            const char *s = "";

            if (l == high)
                bytes = strlen (s = col->unit);
            else if (l >= above)
                s = textable_print_line_of (col->title, l - above, &bytes);
            put_aligned (
                t, out, c, at,
                (struct cell_line){s, bytes, bytes ? style : TERM_PLAIN});
        }
        fputc ('\n', out);
    }
}

/* --- columns that have room ---------------------------------------------- */

static int column_is_in (const char *name, const char *const *list)
{
    while (*list && strcmp (*list, name) != 0)
        list++;
    return *list != NULL;
}

/* Return how much the column matters: what a row is, then times, the largest
 * sum first, then shares, bytes and counts, then others. */
static double column_weight (const struct textable *t, size_t c)
{
    static const char *const whose[] = {"name",  "file", "title",  "subject",
                                        "value", "rule", "metric", "program",
                                        "label", "unit", "peer",   NULL};
    const char *name = t->column[c].name;
    size_t n = strlen (name);
    double sum = 0, v;

    for (size_t r = 0; r < t->rows; r++)
        if (isfinite (v = textable_number (t, r, (int)c)))
            sum += fabs (v);
    if (c == 0 || column_is_in (name, whose))
        return 1e6;
    if (!t->column[c].right)
        return 10;
    if (sum == 0)
        return 1;
    if (n > 2 && strcmp (name + n - 2, "_s") == 0)
        return 1e5 * (1 + sum / (1 + sum));
    return strstr (name, "percent") || strstr (name, "bytes") ||
                   strcmp (name, "count") == 0
               ? 1e4
               : 1e3;
}

/* Take the column that matters most of those that have no room yet, until a
 * column does not fit. */
static void text_layout_choose (struct text_layout *l,
                                const struct textable *t,
                                size_t most)
{
    char *taken = ZEROED (taken, t->columns);
    size_t total = 0, n;

    for (n = 0; n < t->columns; n++) {
        size_t best = 0, gap = n ? TEXT_GAP : 0, left;
        double weight = -1;

        for (size_t c = 0; c < t->columns; c++)
            if (!taken[c] && column_weight (t, c) > weight)
                weight = column_weight (t, best = c);
        left = most > total + gap ? most - total - gap : 0;
        if (!t->column[best].right && l->width[best] > most / 2 &&
            most / 2 >= TEXT_LEAST)
            l->width[best] = most / 2;
        if (l->width[best] > left && !t->column[best].right &&
            left >= TEXT_LEAST)
            l->width[best] = left;
        if (l->width[best] > left && n)
            break;
        taken[best] = 1;
        total += gap + l->width[best];
    }
    for (size_t c = 0; c < t->columns; c++)
        if (!taken[c])
            l->width[c] = 0;
    l->left_out = t->columns - n;
    l->total = total;
    free (taken);
}

static void
text_layout_make (struct text_layout *l, const struct textable *t, FILE *out)
{
    size_t most = textable_wide > 0 ? 0 : (size_t)terminal_columns (out);

    ZERO (l);
    NEW (l->width, t->columns);
    for (size_t c = 0; c < t->columns; c++) {
        l->width[c] = column_width (t, c);
        l->total += l->width[c] + (c > 0 ? TEXT_GAP : 0);
    }
    if (most && l->total > most)
        text_layout_choose (l, t, most);
    for (size_t c = 0; c < t->columns; c++)
        if (l->width[c])
            l->last = c;
}

/* Say to people what they do not see. */
static void print_left_out (const struct textable *t,
                            FILE *out,
                            const struct text_layout *l,
                            int colors)
{
    enum term_style style = colors ? TERM_FAINT : TERM_PLAIN;
    size_t rows = textable_shown_rows (t);

    if (!terminal_columns (out) || (!l->left_out && rows == t->rows))
        return;
    fputs (terminal_begin (style), out);
    if (rows < t->rows)
        fprintf (out, "the first %zu rows%s%s; all: --top 0%s", rows,
                 t->order ? " " : "", t->order ? t->order : "",
                 l->left_out ? "; " : "");
    if (l->left_out)
        fprintf (out, "%zu more column%s: %s", l->left_out,
                 l->left_out == 1 ? "" : "s",
                 textable_wide < 0 ? "| cat has all" : "--wide");
    fprintf (out, "%s\n", terminal_end (style));
}

static void print_text (const struct textable *t, FILE *out)
{
    int colors = terminal_colors (out);
    struct text_layout l;
    char buf[400];

    text_layout_make (&l, t, out);
    textable_print_print_head (t, out, &l, colors ? TERM_HEAD : TERM_PLAIN);
    for (size_t i = 0; i < l.total; i++)
        fputc ('-', out);
    fputc ('\n', out);
    for (size_t r = 0; r < textable_shown_rows (t); r++) {
        for (size_t c = 0; c < t->columns; c++) {
            const char *s = cell_text (cell_at (t, r, c), buf, sizeof (buf));

            put_aligned (
                t, out, c, &l,
                (struct cell_line){s, strlen (s),
                                   colors ? terminal_style (s) : TERM_PLAIN});
        }
        fputc ('\n', out);
    }
    print_left_out (t, out, &l, colors);
    free (l.width);
}

/* --- CSV -------------------------------------------------------------- */

static size_t textable_print_csv_char (FILE *out, const char *s)
{
    char text[ESCAPE_BYTES_MAX];
    size_t taken, n = escape_bytes (text, s, strnlen (s, 4), &taken);

    fwrite (text, 1, n, out);
    return taken;
}

void textable_csv (FILE *out, const char *s)
{
    int quoted = strpbrk (s, ",\"\n\r") != NULL;

    if (quoted)
        fputc ('"', out);
    while (*s) {
        if (*s == '"')
            fputc ('"', out);
        s += textable_print_csv_char (out, s);
    }
    if (quoted)
        fputc ('"', out);
}

static void print_csv (const struct textable *t, FILE *out)
{
    char buf[400];

    for (size_t c = 0; c < t->columns; c++) {
        if (c > 0)
            fputc (',', out);
        textable_csv (out, t->column[c].name);
    }
    fputc ('\n', out);
    for (size_t r = 0; r < t->rows; r++) {
        for (size_t c = 0; c < t->columns; c++) {
            const struct table_cell *cell = cell_at (t, r, c);

            fputs (c > 0 ? "," : "", out);
            if (cell->type == CELL_DOUBLE)
                fputs (json_number (buf, sizeof (buf), cell->d), out);
            else if (cell->type == CELL_UINT)
                fprintf (out, "%" PRIu64, cell->u);
            else if (cell->type != CELL_NA)
                textable_csv (out, cell_text (cell, buf, sizeof (buf)));
        }
        fputc ('\n', out);
    }
}

/* --- Markdown, JSON --------------------------------------------------- */

static void put_markdown (FILE *out, const char *s)
{
    char text[SHOWN_BYTES_MAX];
    size_t taken;

    for (; *s; s += taken) {
        size_t n = shown_char (text, s, strnlen (s, 4), &taken);

        if (*s == '|')
            fputs ("\\|", out);
        else if (*s == '\n')
            fputc (' ', out); /* of a title */
        else
            (void)fwrite (text, 1, n, out);
    }
}

static void print_markdown (const struct textable *t, FILE *out)
{
    char buf[400];

    for (size_t c = 0; c < t->columns; c++) {
        fputs ("| ", out);
        put_markdown (out, t->column[c].title);
        if (t->column[c].unit[0]) {
            fputs (" (", out);
            put_markdown (out, t->column[c].unit);
            fputc (')', out);
        }
        fputc (' ', out);
    }
    fputs ("|\n", out);
    for (size_t c = 0; c < t->columns; c++)
        fputs (t->column[c].right ? "| ---: " : "| --- ", out);
    fputs ("|\n", out);
    for (size_t r = 0; r < textable_shown_rows (t); r++) {
        for (size_t c = 0; c < t->columns; c++) {
            fputs ("| ", out);
            put_markdown (out,
                          cell_text (cell_at (t, r, c), buf, sizeof (buf)));
            fputc (' ', out);
        }
        fputs ("|\n", out);
    }
}

void textable_json_cell (const struct textable *t,
                         struct json *j,
                         size_t row,
                         size_t column)
{
    const struct table_cell *c = cell_at (t, row, column);
    const char *name = t->column[column].name;

    if (c->type == CELL_TEXT)
        json_text (j, name, c->text);
    else if (c->type == CELL_UINT)
        json_uint (j, name, c->u);
    else if (c->type == CELL_DOUBLE)
        json_double (j, name, c->d);
    else
        json_null (j, name);
}

void textable_json (const struct textable *t, struct json *j, const char *key)
{
    json_open (j, key, '[');
    for (size_t r = 0; r < t->rows; r++) {
        json_open (j, NULL, '{');
        for (size_t c = 0; c < t->columns; c++)
            textable_json_cell (t, j, r, c);
        json_close (j, '}');
    }
    json_close (j, ']');
}

static void print_json (const struct textable *t, FILE *out)
{
    struct json j;

    json_init (&j, out, 0);
    textable_json (t, &j, NULL);
}

void textable_print (const struct textable *t,
                     FILE *out,
                     enum table_format format)
{
    switch (format) {
    case TABLE_CSV:
        print_csv (t, out);
        break;
    case TABLE_MARKDOWN:
        print_markdown (t, out);
        break;
    case TABLE_JSON:
        print_json (t, out);
        break;
    default:
        print_text (t, out);
    }
}
