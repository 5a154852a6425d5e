/* SPDX-License-Identifier: MIT
 *
 * textable_cells.h - what a table holds; for textable and for those who
 *                    write tables in another form
 */
#ifndef DFT_UTIL_TEXTABLE_CELLS_H
#define DFT_UTIL_TEXTABLE_CELLS_H

#include <stddef.h>
#include <stdint.h>

enum cell_type { CELL_NA = 0, CELL_TEXT, CELL_UINT, CELL_DOUBLE };

struct cell {
    enum cell_type type;
    int digits;
    int about;    /* an estimate */
    double least; /* what is smaller is below what the digits can say: the
                     text says so; 0: no bound */
    char *text;
    uint64_t u;
    double d;
};

/* Its number with its digits, in buf. */
const char *textable_cell_number (const struct cell *c, char *buf, size_t size);

struct column {
    char *name, *title, *unit;
    int right, digits;
};

struct textable {
    struct column *column;
    size_t columns;
    struct cell *cell;       /* rows * columns, row by row */
    size_t rows, room, next; /* next: column of the next cell */
    int dropped;
};

#endif
