/* SPDX-License-Identifier: MIT
 *
 * csv.h - a CSV file with a header row -> cells
 */
#pragma once

#include "lib/base/text.h"

struct csv;

enum { CSV_NO_COLUMN = -1 };

/* Read dir/name (at most 64 MiB). Rows may be shorter than the header; cells
 * beyond it are dropped. NULL, errno and err on failure. */
struct csv *csv_load (const char *dir, const char *name, struct errtext *err);
/* Parse text, which must end with a NUL at text[length]; it is freed in any
 * case. */
struct csv *csv_parse (char *text, size_t length);
void csv_destroy (struct csv *c); /* NULL is fine, keeps errno */

size_t csv_rows (const struct csv *c); /* without the header; NULL: 0 */
size_t csv_columns (const struct csv *c);
const char *csv_head (const struct csv *c, size_t column);
/* Index of a column by its name, or CSV_NO_COLUMN. */
int csv_find (const struct csv *c, const char *name);
/* Never NULL; "" for what is not there. */
const char *csv_cell (const struct csv *c, size_t row, int column);
const char *csv_get (const struct csv *c, size_t row, const char *name);
/* NaN when the cell is empty or no number. */
double csv_number (const struct csv *c, size_t row, const char *name);
double cell_number (const char *text);
