/* SPDX-License-Identifier: MIT
 *
 * textable.c - columns, rows, cells -> aligned text, CSV, Markdown, JSON
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/base/text.h"
#include "lib/util/json.h"
#include "lib/util/textable.h"

enum term_style {
    TERM_PLAIN = 0,
    TERM_HEAD,   /* of a table */
    TERM_FAINT,  /* what is there for order only */
    TERM_NOTICE, /* worth a look */
    TERM_ALARM   /* wrong */
};

struct textable *textable_create (void)
{
    return calloc (1, sizeof (struct textable));
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
    struct table_column *more =
        realloc (t->column, (t->columns + 1) * sizeof (*more));
    struct table_column *c;

    if (!more) {
        t->dropped = 1;
        return;
    }
    t->column = more;
    c = &more[t->columns];
    *c = (struct table_column){.name = strdup (name),
                               .title = strdup (title ? title : name),
                               .unit = strdup (unit ? unit : ""),
                               .right = right_aligned,
                               .digits = -1};
    if (c->name && c->title && c->unit) {
        t->columns++;
        return;
    }
    free (c->name);
    free (c->title);
    free (c->unit);
    t->dropped = 1;
}

void textable_column_digits (struct textable *t, int digits)
{
    if (t->columns)
        t->column[t->columns - 1].digits = digits;
}

void textable_row (struct textable *t)
{
    size_t need = (t->rows + 1) * t->columns;

    t->next = t->columns; /* cells of a row that did not fit are dropped */
    if (need > t->room) {
        size_t room = need * 2;
        struct table_cell *more = realloc (t->cell, room * sizeof (*more));

        if (!more) {
            t->dropped = 1;
            return;
        }
        t->cell = more;
        t->room = room;
    }
    if (t->columns > 0)
        memset (&t->cell[t->rows * t->columns], 0,
                t->columns * sizeof (*t->cell));
    t->rows++;
    t->next = 0;
}

static void textable_add_cell (struct textable *t, struct table_cell c)
{
    if (t->rows == 0 || t->next >= t->columns) {
        t->dropped = 1;
        free (c.text);
        return;
    }
    t->cell[(t->rows - 1) * t->columns + t->next++] = c;
}

void textable_text (struct textable *t, const char *value)
{
    char *copy = strdup (value ? value : "");

    if (!copy)
        t->dropped = 1;
    textable_add_cell (t, (struct table_cell){.type = CELL_TEXT, .text = copy});
}

void textable_uint (struct textable *t, uint64_t value)
{
    textable_add_cell (t, (struct table_cell){.type = CELL_UINT, .u = value});
}

void textable_about (struct textable *t)
{
    if (t->rows > 0 && t->next > 0)
        t->cell[(t->rows - 1) * t->columns + t->next - 1].about = 1;
}

void textable_double (struct textable *t, double value, int digits)
{
    if (t->next < t->columns && t->column[t->next].digits >= 0)
        digits = t->column[t->next].digits;
    if (!isfinite (value))
        textable_na (t);
    else
        textable_add_cell (t, (struct table_cell){.type = CELL_DOUBLE,
                                                  .d = value,
                                                  .digits = digits});
}

/* Its number with its digits, in buf. */
static const char *
textable_cell_number (const struct table_cell *c, char *buf, size_t size)
{
    int below = c->least > 0 && c->d < c->least;

    (void)snprintf (buf, size, "%s%s%.*f", c->about ? "\u2248" : "",
                    below ? "<" : "", c->digits, below ? c->least : c->d);
    return buf;
}

void textable_probability (struct textable *t, double p, int digits)
{
    struct table_cell c = {.type = CELL_DOUBLE, .d = p, .digits = digits};

    if (p > 0)
        c.least = pow (10, -digits);
    if (!isfinite (p))
        textable_na (t);
    else
        textable_add_cell (t, c);
}

void textable_na (struct textable *t)
{
    textable_add_cell (t, (struct table_cell){.type = CELL_NA});
}

int textable_append (struct textable *to,
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
            c->text = NULL; /* has moved */
        }
    }
    to->dropped |= from->dropped;
    textable_destroy (from);
    if (!to->dropped)
        return 0;
    errno = ENOMEM;
    return -1;
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
        return c->text ? c->text : buf;
    if (c->type == CELL_DOUBLE)
        return json_number (buf, TEXTABLE_NUMBER_MAX, c->d);
    if (c->type == CELL_UINT)
        (void)snprintf (buf, TEXTABLE_NUMBER_MAX, "%" PRIu64, c->u);
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
        return (double)c->u;
    if (c->type == CELL_DOUBLE)
        return c->d;
    v = strtod (c->text ? c->text : "", &end);
    return !c->text || end == c->text || *end ? NAN : v;
}

/* ---- cells -> aligned text, CSV, Markdown, JSON rows ---- */

/* ---- words of tables -> how a terminal shows them ---- */

/* Does out want colours: a terminal that has them, and NO_COLOR is not set? */
static int term_colors (FILE *out)
{
    const char *term = getenv ("TERM"), *none = getenv ("NO_COLOR");

    return (!none || !*none) && term && strcmp (term, "dumb") != 0 &&
           isatty (fileno (out));
}

/* How a cell is shown: severities and words of the same rank. */
static enum term_style term_style_of (const char *word)
{
    static const struct {
        const char *word;
        enum term_style style;
    } words[] = {
        {"critical", TERM_ALARM},   {"failed", TERM_ALARM},
        {"warning", TERM_NOTICE},   {"unknown", TERM_NOTICE},
        {"straggler", TERM_NOTICE}, {"n/a", TERM_FAINT},
        {"-", TERM_FAINT},
    };

    for (size_t i = 0; i < sizeof (words) / sizeof (words[0]); i++)
        if (strcmp (word, words[i].word) == 0)
            return words[i].style;
    return TERM_PLAIN;
}

/* Return the escape sequence that begins a style. */
static const char *term_begin (enum term_style style)
{
    static const char *const begin[] = {
        [TERM_PLAIN] = "",           [TERM_HEAD] = "\033[1m",
        [TERM_FAINT] = "\033[2m",    [TERM_NOTICE] = "\033[33m",
        [TERM_ALARM] = "\033[1;31m",
    };

    return begin[style];
}

static const char *term_end (enum term_style style)
{
    return style == TERM_PLAIN ? "" : "\033[0m";
}

/* Columns of the terminal that out is; 0: it is none, or does not say. */
static int term_columns (FILE *out)
{
    struct winsize w;
    int fd = fileno (out);

    return fd >= 0 && ioctl (fd, TIOCGWINSZ, &w) == 0 ? w.ws_col : 0;
}

/* --- text ------------------------------------------------------------- */

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
        return c->text ? c->text : "";
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

/* Places on the terminal: characters, not bytes; what is none shows as '?'. */
static size_t textable_print_width_of (const char *s, size_t bytes)
{
    size_t n = 0, taken;
    uint32_t c;

    for (; bytes > 0; s += taken, bytes -= taken, n++) {
        taken = escape_char (s, bytes, &c);
        if (taken == 0)
            taken = 1;
    }
    return n;
}

/* Print text with control characters and marks of direction made harmless; the
 * number of bytes stays. */
static void textable_print_shown (FILE *out, const char *s, size_t bytes)
{
    size_t taken;
    uint32_t c;

    for (; bytes > 0; s += taken, bytes -= taken) {
        taken = escape_char (s, bytes, &c);
        if (taken == 0 || !escape_is_plain (c))
            (void)fputc ('?', out);
        else
            (void)fwrite (s, 1, taken, out);
        if (taken == 0)
            taken = 1;
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

static void put_aligned (const struct textable *t,
                         FILE *out,
                         size_t c,
                         size_t width,
                         struct cell_line l)
{
    size_t w = textable_print_width_of (l.s, l.bytes);
    size_t pad = width > w ? width - w : 0;

    if (t->column[c].right)
        (void)fprintf (out, "%*s", (int)pad, "");
    (void)fputs (term_begin (l.style), out);
    textable_print_shown (out, l.s, l.bytes);
    (void)fputs (term_end (l.style), out);
    if (!t->column[c].right && c + 1 < t->columns)
        (void)fprintf (out, "%*s", (int)pad, "");
}

/* Places of the columns: lines of at most `most` characters (0: one line), the
 * second and later ones indented. */
struct text_layout {
    size_t *width; /* of each column; owned */
    size_t most, total;
};

enum { TEXT_GAP = 2, TEXT_INDENT = 4 };

/* Print the space before a column, or a new line if it does not fit; *at counts
 * the characters used. */
static void textable_print_begin (const struct text_layout *l,
                                  FILE *out,
                                  size_t c,
                                  size_t *at)
{
    if (c == 0)
        *at = 0;
    else if (l->most && *at + TEXT_GAP + l->width[c] > l->most) {
        (void)fputc ('\n', out);
        (void)fprintf (out, "%*s", TEXT_INDENT, "");
        *at = TEXT_INDENT;
    } else {
        (void)fprintf (out, "%*s", TEXT_GAP, "");
        *at += TEXT_GAP;
    }
    *at += l->width[c];
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
    for (size_t r = 0; r < t->rows; r++) {
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
    size_t high = 0, units = 0, n, places = 0;

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
            textable_print_begin (at, out, c, &places);
            put_aligned (
                t, out, c, at->width[c],
                (struct cell_line){s, bytes, bytes ? style : TERM_PLAIN});
        }
        (void)fputc ('\n', out);
    }
}

static int
text_layout_make (struct text_layout *l, const struct textable *t, FILE *out)
{
    *l = (struct text_layout){calloc (t->columns + 1, sizeof (*l->width)),
                              (size_t)term_columns (out), 0};
    for (size_t c = 0; l->width && c < t->columns; c++) {
        l->width[c] = column_width (t, c);
        l->total += l->width[c] + (c > 0 ? TEXT_GAP : 0);
    }
    if (l->total <= l->most)
        l->most = 0;
    return l->width ? 0 : -1;
}

static void print_text (const struct textable *t, FILE *out)
{
    int colors = term_colors (out);
    size_t places = 0;
    struct text_layout l;
    char buf[400];

    if (text_layout_make (&l, t, out) < 0)
        return;
    textable_print_print_head (t, out, &l, colors ? TERM_HEAD : TERM_PLAIN);
    for (size_t i = 0; i < (l.most ? l.most : l.total); i++)
        (void)fputc ('-', out);
    (void)fputc ('\n', out);
    for (size_t r = 0; r < t->rows; r++) {
        for (size_t c = 0; c < t->columns; c++) {
            const char *s = cell_text (cell_at (t, r, c), buf, sizeof (buf));

            textable_print_begin (&l, out, c, &places);
            put_aligned (
                t, out, c, l.width[c],
                (struct cell_line){s, strlen (s),
                                   colors ? term_style_of (s) : TERM_PLAIN});
        }
        (void)fputc ('\n', out);
    }
    free (l.width);
}

/* --- CSV -------------------------------------------------------------- */

static size_t textable_print_csv_char (FILE *out, const char *s)
{
    char text[ESCAPE_BYTES_MAX];
    size_t taken, n = escape_bytes (text, s, strnlen (s, 4), &taken);

    (void)fwrite (text, 1, n, out);
    return taken;
}

void textable_csv (FILE *out, const char *s)
{
    int quoted = strpbrk (s, ",\"\n\r") != NULL;

    if (quoted)
        (void)fputc ('"', out);
    while (*s) {
        if (*s == '"')
            (void)fputc ('"', out);
        s += textable_print_csv_char (out, s);
    }
    if (quoted)
        (void)fputc ('"', out);
}

static void print_csv (const struct textable *t, FILE *out)
{
    char buf[400];

    for (size_t c = 0; c < t->columns; c++) {
        if (c > 0)
            (void)fputc (',', out);
        textable_csv (out, t->column[c].name);
    }
    (void)fputc ('\n', out);
    for (size_t r = 0; r < t->rows; r++) {
        for (size_t c = 0; c < t->columns; c++) {
            const struct table_cell *cell = cell_at (t, r, c);

            (void)fputs (c > 0 ? "," : "", out);
            if (cell->type == CELL_DOUBLE)
                (void)fputs (json_number (buf, sizeof (buf), cell->d), out);
            else if (cell->type == CELL_UINT)
                (void)fprintf (out, "%" PRIu64, cell->u);
            else if (cell->type != CELL_NA)
                textable_csv (out, cell_text (cell, buf, sizeof (buf)));
        }
        (void)fputc ('\n', out);
    }
}

/* --- Markdown, JSON --------------------------------------------------- */

static void put_markdown (FILE *out, const char *s)
{
    while (*s) {
        uint32_t c;
        size_t n = escape_char (s, strnlen (s, 4), &c);

        if (*s == '|')
            (void)fputs ("\\|", out);
        else if (n == 0 || !escape_is_plain (c))
            (void)fputc ((unsigned char)*s < 0x20 ? ' ' : '?', out);
        else
            (void)fwrite (s, 1, n, out);
        s += n ? n : 1;
    }
}

static void print_markdown (const struct textable *t, FILE *out)
{
    char buf[400];

    for (size_t c = 0; c < t->columns; c++) {
        (void)fputs ("| ", out);
        put_markdown (out, t->column[c].title);
        if (t->column[c].unit[0]) {
            (void)fputs (" (", out);
            put_markdown (out, t->column[c].unit);
            (void)fputc (')', out);
        }
        (void)fputc (' ', out);
    }
    (void)fputs ("|\n", out);
    for (size_t c = 0; c < t->columns; c++)
        (void)fputs (t->column[c].right ? "| ---: " : "| --- ", out);
    (void)fputs ("|\n", out);
    for (size_t r = 0; r < t->rows; r++) {
        for (size_t c = 0; c < t->columns; c++) {
            (void)fputs ("| ", out);
            put_markdown (out,
                          cell_text (cell_at (t, r, c), buf, sizeof (buf)));
            (void)fputc (' ', out);
        }
        (void)fputs ("|\n", out);
    }
}

static void textable_print_put_json (struct json *j,
                                     const char *name,
                                     const struct table_cell *c)
{
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
            textable_print_put_json (j, t->column[c].name, cell_at (t, r, c));
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

int textable_print (const struct textable *t,
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
    if (t->dropped)
        errno = ENOMEM;
    else if (ferror (out))
        errno = EIO;
    else
        return 0;
    return -1;
}
