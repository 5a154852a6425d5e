/* SPDX-License-Identifier: MIT
 *
 * columns.c - every number that a run can have: metrics.def, columns.def
 */
#include "config.h"

#include "sweep/results/columns.h"

#include <string.h>

#include "lib/util/optparse.h"

static const struct column columns_own[COLUMNS_OWN] = {
#define COLUMN(NAME, TITLE, UNIT, DIGITS, HELP) \
    {#NAME, TITLE, UNIT, DIGITS, METRIC_SECTION_NONE},
#include "sweep/results/columns.def"
#undef COLUMN
};

struct column column_at (size_t at)
{
    const struct metric_info *m;

    if (at >= METRIC_COUNT)
        return columns_own[at - METRIC_COUNT];
    m = &metric_table[at];
    return (struct column){.name = m->name,
                           .title = m->title,
                           .unit = m->unit,
                           .digits = m->digits,
                           .section = m->section};
}

int column_find (const char *name)
{
    for (int i = 0; i < COLUMNS_OWN; i++)
        if (strcmp (columns_own[i].name, name) == 0)
            return METRIC_COUNT + i;
    return metric_parse (name);
}

const char *column_name (const char *name)
{
    int at = column_find (name);

    return at < 0 ? name : column_at ((size_t)at).name;
}

const char *column_near (const char *name)
{
    const char *names[COLUMNS + 1] = {NULL};

    for (size_t i = 0; i < COLUMNS; i++)
        names[i] = column_at (i).name;
    return nearest_word (name, names);
}
