/* SPDX-License-Identifier: MIT
 *
 * textable.h - cells -> aligned text, CSV, Markdown, JSON rows
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* -- cells -> aligned text, CSV, Markdown, JSON rows -- */

enum table_format { TABLE_TEXT, TABLE_CSV, TABLE_MARKDOWN, TABLE_JSON };

struct json;
struct textable;

/* 1: on a terminal a text has all columns, however wide they are (--wide); 0:
 * those that it has room for, and --wide is named; -1, at the start: the verb
 * has no such option. */
extern int textable_wide;
#define TEXTABLE_OPTION_WIDE                                            \
    {                                                                   \
        "wide", 0, OPT_FLAG, &textable_wide, NULL,                      \
            "all columns, also where the terminal has no room for them" \
    }

struct textable *textable_create (void);
void textable_destroy (struct textable *t);

/* Columns first. name is the key of CSV and JSON; title (may hold a newline:
 * two header lines) and unit head the text form, e.g. "read bw", "MiB/s". */
void textable_column (struct textable *t,
                      const char *name,
                      const char *title,
                      const char *unit,
                      int right_aligned);

/* A column for each word, which is its title, too; "rank# host": numbers are
 * right aligned. */
void textable_columns (struct textable *t, const char *words);

/* Set the digits of the last column's numbers in text: 0 or more: three that
 * count, of a percentage so many after the point; -1, the default, leaves them
 * to textable_double (). */
void textable_column_digits (struct textable *t, int digits);

/* Text and Markdown have so many rows, 0: all; order: by what they are sorted,
 * "by time", or NULL. */
void textable_top (struct textable *t, size_t rows, const char *order);

/* Keep so many rows, 0: all; further ones are only counted (textable_left). */
void textable_keep (struct textable *t, size_t rows);

/* Then row by row, cell by cell. Numbers are kept exactly for CSV and JSON
 * and printed with `digits` after the point in text. */
void textable_row (struct textable *t);
void textable_text (struct textable *t, const char *value);
void textable_uint (struct textable *t, uint64_t value);
void textable_known (struct textable *t,
                     int known,
                     uint64_t value); /* or n/a */
/* n/a where the value is not finite. */
void textable_double (struct textable *t, double value, int digits);
/* The number that was added last is an estimate: with "≈" before it in text. */
void textable_about (struct textable *t);
/* A cell for each word of format, whose arguments the compiler checks as those
 * of printf: "%s" a text; "%ju", "%zu", "%u", "%d" a number that is not
 * negative;
 * "%jus", "%juus" ns as seconds and microseconds; "%.3f" textable_double with 3
 * digits; "-" n/a. "%d?" before a number: n/a if this argument is 0. */
void textable_cells (struct textable *t, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));
/* Begin a row first. */
void textable_line (struct textable *t, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));
/* A probability with so many digits: "<0.001" in text when there is one and all
 * of them are 0. */
void textable_probability (struct textable *t, double p, int digits);
/* "n/a" in text, empty in CSV, null in JSON. */
void textable_na (struct textable *t);

/* Move the rows of `from`, which is destroyed, behind those of `to`, under a
 * first column `name` that says `label`. The first one brings its columns; the
 * others have the same. */
void textable_append (struct textable *to,
                      struct textable *from,
                      const char *name,
                      const char *label);

/* --- reading, where a table is not printed but shown ---------------------- */

enum { TEXTABLE_NO_COLUMN = -1, TEXTABLE_NUMBER_MAX = 40 };

size_t textable_rows (const struct textable *t); /* NULL: 0 */
size_t textable_left (const struct textable *t); /* rows not kept; NULL: 0 */
/* Index of a column by its name, or TEXTABLE_NO_COLUMN. */
int textable_find (const struct textable *t, const char *name);
/* A cell as CSV has it, "" for n/a and for what is not there; numbers are
 * written into buf, texts are the table's. */
const char *textable_cell (const struct textable *t,
                           size_t row,
                           int column,
                           char buf[TEXTABLE_NUMBER_MAX]);
/* NaN when it is n/a, not there, or a text that is no number. */
double textable_number (const struct textable *t, size_t row, int column);

/* --- printing ------------------------------------------------------------- */

/* "text", "csv", "markdown", "json" -> format; -1 when unknown. */
int table_format_parse (const char *word);

/* One cell of CSV, in quotes where it has to be; bytes as escape_bytes. */
void textable_csv (FILE *out, const char *s);

/* An error of out stays in it (ferror). */
void textable_print (const struct textable *t,
                     FILE *out,
                     enum table_format format);

/* The rows as an array of objects, member `key` of what is open in j. */
void textable_json (const struct textable *t, struct json *j, const char *key);

/* A cell as the member of what is open in j that has the column's name. */
void textable_json_cell (const struct textable *t,
                         struct json *j,
                         size_t row,
                         size_t column);

/* -- what a table holds; for textable and for those who write tables in another
 * form -- */

enum cell_type { CELL_NA = 0, CELL_TEXT, CELL_UINT, CELL_DOUBLE };

/* Digits in text: as given, but three where they would show none; as given;
 * three that count. */
enum cell_digits { DIGITS_GIVEN = 0, DIGITS_FIXED, DIGITS_COUNT };

/* Small, since a table of a million files has thirty of them for each. */
struct table_cell {
    union {
        char *text; /* CELL_TEXT: malloc'd */
        uint64_t u; /* CELL_UINT */
        double d;   /* CELL_DOUBLE */
    };
    enum cell_type type : 8;
    enum cell_digits rule : 8;
    int digits : 8;
    unsigned about : 1;   /* an estimate */
    unsigned bounded : 1; /* a number smaller than what the digits can say is
                             told as "<0.001" */
};

struct table_column {
    char *name, *title, *unit;
    int right, digits;
};

struct textable {
    struct table_column *column;
    size_t columns;
    struct table_cell *cell; /* rows * columns, row by row */
    size_t rows, room, next; /* next: column of the next cell */
    size_t keep, left;       /* rows at most, 0: all; those beyond */
    size_t top;              /* rows of a text; 0: all */
    const char *order;       /* of rows: "by time"; NULL: not said */
};
