/* SPDX-License-Identifier: MIT
 *
 * page.h - whole pages, and pieces of them
 */
#pragma once

#include <stdio.h>

#include "lib/base/text.h"
#include "analyze/trace/find.h"
#include "lib/model/kind.h"

/* -- whole pages, and pieces of them -- */

/* 0, or -1 with err. Errors of the stream stay in it. rules say which files
 * of a job are data. */
int page_sweep (FILE *out, const char *dir, struct errtext *err);
int page_is_sweep (const char *path); /* 1 when it is a sweep directory */
/* 1 when there is DIR/name. */
int page_has (const char *dir, const char *name);
/* DIR/name, JSON or YAML. NULL with err. */
struct ytree *
page_tree (const char *dir, const char *name, struct errtext *err);
int page_job (FILE *out,
              const char *dir,
              const struct kind_rules *rules,
              struct errtext *err);
/* Runs of two sides or two sweeps, before and after; the last `second`
 * directories are of side B. */
int page_compare (FILE *out,
                  char **dir,
                  int count,
                  int second,
                  const struct kind_rules *rules,
                  struct errtext *err);

/* A number next to what it is; value and what are text. */
void page_card (FILE *out, const char *value, const char *what);

/* A warning at the top of the page. */
void page_banner (FILE *out, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));

/* A table: headings, page_table_body, rows, page_table_end. page_table_heads:
 * all of the headings, as page_heads has them. */
void page_table (FILE *out, int sortable);
void page_table_heads (FILE *out, int sortable, const char *heads);
void page_th (FILE *out, const char *class, const char *text, const char *unit);
/* Several headings, divided by '|'; that of a column of text begins with '.'.
 */
void page_heads (FILE *out, const char *heads);
void page_table_body (FILE *out);
void page_table_end (FILE *out);

/* A row; prefix and number (from 1) make its id, prefix NULL: none. */
void page_row (FILE *out, const char *prefix, size_t number);
/* A row about a process, function or file (key): its cells lead to the events
 * of value. */
void page_row_about (FILE *out,
                     const char *prefix,
                     size_t number,
                     const char *key,
                     const char *value);
void page_row_end (FILE *out);

/* Cells of a row: text (class "t", "path": may be long); a number as its table
 * has it, "" n/a, which becomes words with its unit and keeps the exact value
 * for sorting; a number of ours. why: the tooltip of n/a, may be NULL. */
void page_td (FILE *out, const char *class, const char *text);
void page_number (FILE *out,
                  const char *text,
                  const char *unit,
                  const char *why);
/* Add a cell with an estimate: "≈" before the number. */
void page_about (FILE *out, const char *text, const char *unit);
void page_value (FILE *out, double value, const char *unit, const char *why);
/* Add a cell with the caller's text; value is for sorting, NaN: n/a. */
void page_words (FILE *out, double value, const char *words, const char *why);
/* Add a cell for each word of format, whose arguments the compiler checks as
 * those of printf: "%s" a text, "path:%s" with that class, "%f" a value, "B:%f"
 * one with a unit. page_line: in a row of their own. */
void page_cells (FILE *out, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));
void page_line (FILE *out, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));
/* Add a cell with a ratio, "×1.2"; NaN: n/a. */
void page_times (FILE *out, double ratio, const char *why);
/* A ratio with its interval below it (NaN: none) and a tooltip. */
void page_ratio (
    FILE *out, double ratio, double low, double high, const char *tip);

/* -- A and B beside each other -- */

/* The first run of each side is shown, all are compared. 0, or -1 with err. */
int compare_jobs (FILE *out,
                  struct joblist jobs[2],
                  const struct kind_rules *rules,
                  struct errtext *err);

/* Head of the page: directories and names of both. */
void compare_begin (FILE *out,
                    const char *a,
                    const char *b,
                    const char *name_a,
                    const char *name_b);

/* A table with one or two (second not NULL) columns of names; then in each
 * row four cells: A, B, difference and ratio. */
void compare_heads (FILE *out, const char *first, const char *second);
void compare_values (FILE *out, double a, double b, const char *unit);

/* Add a cell with a difference, "+3 s". */
void page_change (FILE *out, double change, const char *unit);

/* A row when a and b differ; *n counts them and begins the table. Then its
 * end and that of the section. */
void compare_change (
    FILE *out, const char *key, const char *a, const char *b, size_t *n);
void compare_end_changes (FILE *out, size_t n);
