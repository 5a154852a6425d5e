/* SPDX-License-Identifier: MIT
 *
 * column.c - every number that a run can have: those of metrics.def and others
 */
#include "config.h"

#include <string.h>

#include "lib/util/optparse.h"
#include "sweep/spec/column.h"

/* clang-format off */
static const struct column columns_own[COLUMNS_OWN] = {
    [COLUMN_wall_time] = {"wall_time", "wall\ntime", "s", 3, METRIC_SECTION_NONE},
    [COLUMN_ranks] = {"ranks", "ranks", "", 0, METRIC_SECTION_NONE},
    [COLUMN_ranks_started] = {"ranks_started", "ranks\nstarted", "", 0, METRIC_SECTION_NONE},
    [COLUMN_acct_elapsed] = {"acct_elapsed", "elapsed\n(sacct)", "s", 0, METRIC_SECTION_NONE},
    [COLUMN_acct_max_rss] = {"acct_max_rss", "MaxRSS\n(sacct)", "B", 0, METRIC_SECTION_NONE},
    [COLUMN_acct_disk_read] = {"acct_disk_read", "disk read\n(sacct)", "B", 0, METRIC_SECTION_NONE},
};
/* clang-format on */

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
