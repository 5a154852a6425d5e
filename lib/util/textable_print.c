/* SPDX-License-Identifier: MIT
 *
 * textable_print.c - cells -> aligned text, CSV, Markdown, JSON rows
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/escape.h"
#include "lib/util/json.h"
#include "lib/util/termcolor.h"
#include "lib/util/textable.h"
#include "lib/util/textable_cells.h"

/* --- text ------------------------------------------------------------- */

static const struct cell *cell_at (const struct textable *t, size_t r, size_t c)
{
    return &t->cell[r * t->columns + c];
}

/* What people read; buf is for numbers. */
static const char *cell_text (const struct cell *c, char *buf, size_t size)
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

/* The same bytes; control characters and marks of direction cannot move the
 * cursor or turn what follows. */
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

/* One cell in its column. */
static void put_aligned (const struct textable *t,
                         FILE *out,
                         size_t c,
                         size_t width,
                         enum term_style style,
                         const char *s,
                         size_t bytes)
{
    size_t w = textable_print_width_of (s, bytes);
    size_t pad = width > w ? width - w : 0;

    if (t->column[c].right)
        (void)fprintf (out, "%*s", (int)pad, "");
    (void)fputs (term_begin (style), out);
    textable_print_shown (out, s, bytes);
    (void)fputs (term_end (style), out);
    if (!t->column[c].right && c + 1 < t->columns)
        (void)fprintf (out, "%*s", (int)pad, "");
}

/* Where the columns stand: on lines of at most `most` places (0: one line),
 * those behind the first one indented. */
struct text_layout {
    size_t *width; /* of each column; owned */
    size_t most, total;
};

enum { TEXT_GAP = 2, TEXT_INDENT = 4 };

/* What stands before a column, on a new line where it does not fit; *at: the
 * places used. */
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
    const struct column *col = &t->column[c];
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
            const struct column *col = &t->column[c];
            size_t above = high - lines_in (col->title), bytes = 0;
            const char *s = "";

            if (l == high)
                bytes = strlen (s = col->unit);
            else if (l >= above)
                s = textable_print_line_of (col->title, l - above, &bytes);
            textable_print_begin (at, out, c, &places);
            put_aligned (t, out, c, at->width[c], bytes ? style : TERM_PLAIN, s,
                         bytes);
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
            put_aligned (t, out, c, l.width[c],
                         colors ? term_style_of (s) : TERM_PLAIN, s,
                         strlen (s));
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
            const struct cell *cell = cell_at (t, r, c);

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

static void
textable_print_put_json (struct json *j, const char *name, const struct cell *c)
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
