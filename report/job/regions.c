/* SPDX-License-Identifier: MIT
 *
 * regions.c - category and name of a region -> what it stands for
 *
 * In:  names from traces and metrics.json
 * Out: roles, to the timeline and the stacked bars; pure
 */
#include "config.h"

#include "report/job/regions.h"

#include <fnmatch.h>
#include <stddef.h>

static const struct {
    enum region_role role;
    const char *category, *name;
} rows[] = {
    {REGION_OTHER, "*", "*.init"},
    {REGION_OTHER, "*", "init"},
    {REGION_STALL, "dataloader", "fetch"},
    {REGION_STALL, "dataloader", "fetch.*"},
    {REGION_STALL, "data_loader", "fetch"},
    {REGION_STALL, "data_loader", "fetch.*"},
    {REGION_LOADER, "data", "*"},
    {REGION_LOADER, "dataloader", "*"},
    {REGION_LOADER, "data_loader", "*"},
    {REGION_LOADER, "reader", "*"},
    {REGION_OTHER, "checkpoint", "restart"},
    {REGION_OTHER, "checkpoint", "restore"},
    {REGION_OTHER, "checkpoint", "load"},
    {REGION_CHECKPOINT, "checkpoint", "*"},
    {REGION_COMPUTE, "compute", "*"},
};

static int match (const char *pattern, const char *text)
{
    return fnmatch (pattern, text, FNM_CASEFOLD | FNM_NOESCAPE) == 0;
}

enum region_role region_role (const char *category, const char *name)
{
    for (size_t i = 0; i < sizeof (rows) / sizeof (rows[0]); i++)
        if (match (rows[i].category, category) && match (rows[i].name, name))
            return rows[i].role;
    return REGION_OTHER;
}
