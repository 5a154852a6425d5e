/* SPDX-License-Identifier: MIT
 *
 * rowbars.c - rows of bars, put together value by value
 *
 * In:  names and values
 * Out: series for chart_rows
 */
#include "config.h"

#include "lib/chart/rowbars.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rowbars {
    size_t parts, rows, room;
    const char *const *part;
    char **name;                        /* owned, each too */
    double (*value)[ROWBARS_PARTS_MAX]; /* by row; owned */
};

struct rowbars *rowbars_create (size_t parts, const char *const *part)
{
    struct rowbars *b = calloc (1, sizeof (*b));

    if (b) {
        b->parts = parts < ROWBARS_PARTS_MAX ? parts : ROWBARS_PARTS_MAX;
        b->part = part;
    }
    return b;
}

void rowbars_destroy (struct rowbars *b)
{
    if (!b)
        return;
    for (size_t i = 0; i < b->rows; i++)
        free (b->name[i]);
    free (b->name);
    free (b->value);
    free (b);
}

static int rowbars_grow (struct rowbars *b)
{
    size_t room = b->room ? 2 * b->room : 16;
    char **name = reallocarray (b->name, room, sizeof (*name));
    double (*value)[ROWBARS_PARTS_MAX];

    if (!name)
        return -1;
    b->name = name;
    if (!(value = reallocarray (b->value, room, sizeof (*value))))
        return -1;
    b->value = value;
    b->room = room;
    return 0;
}

int rowbars_row (struct rowbars *b, const char *name)
{
    if (b->rows == b->room && rowbars_grow (b) < 0)
        return -1;
    if (!(b->name[b->rows] = strdup (name)))
        return -1;
    memset (b->value[b->rows++], 0, sizeof (*b->value));
    return 0;
}

void rowbars_value (struct rowbars *b, size_t part, double value)
{
    if (b->rows && part < b->parts)
        b->value[b->rows - 1][part] = isnan (value) ? 0 : value;
}

size_t rowbars_rows (const struct rowbars *b)
{
    return b->rows;
}

double rowbars_longest (const struct rowbars *b)
{
    double most = 0;

    for (size_t r = 0; r < b->rows; r++) {
        double sum = 0;

        for (size_t i = 0; i < b->parts; i++)
            sum += b->value[r][i];
        most = fmax (most, sum);
    }
    return most;
}

int rowbars_draw (FILE *out,
                  const struct chart *c,
                  const struct rowbars *b,
                  double full)
{
    struct cell *cell = calloc (b->parts * b->rows + 1, sizeof (*cell));
    char (*text)[24] = calloc (b->parts * b->rows + 1, sizeof (*text));
    struct series series[ROWBARS_PARTS_MAX];
    double longest = rowbars_longest (b);

    for (size_t i = 0; cell && text && i < b->parts; i++) {
        series[i] = (struct series){b->part[i], cell + i * b->rows};
        for (size_t r = 0; r < b->rows; r++) {
            size_t at = i * b->rows + r;

            (void)snprintf (text[at], sizeof (text[at]), "%.9g",
                            b->value[r][i]);
            cell[at] = (struct cell){.v = b->value[r][i],
                                     .lo = NAN,
                                     .hi = NAN,
                                     .text = text[at],
                                     .name = b->name[r]};
        }
    }
    if (cell && text)
        chart_rows (out, c, b->rows, (const char *const *)b->name, series,
                    b->parts,
                    full > 0      ? full
                    : longest > 0 ? longest
                                  : 1);
    free (cell);
    free (text);
    errno = ENOMEM;
    return cell && text ? 0 : -1;
}
