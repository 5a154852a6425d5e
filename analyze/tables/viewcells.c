/* SPDX-License-Identifier: MIT
 *
 * viewcells.c - cells and the order of rows, for the tables of views.def
 */
#include "config.h"

#include "analyze/tables/viewcells.h"

#include <stdlib.h>
#include <string.h>

/* --- cells ------------------------------------------------------------ */

void cell_seconds (struct textable *t, uint64_t ns)
{
    textable_double (t, (double)ns / 1e9, 6);
}

void cell_micros (struct textable *t, uint64_t ns)
{
    textable_double (t, (double)ns / 1e3, 2);
}

void cell_known (struct textable *t, int known, uint64_t value)
{
    if (known)
        textable_uint (t, value);
    else
        textable_na (t);
}

void cell_known_seconds (struct textable *t, int known, uint64_t ns)
{
    if (known)
        cell_seconds (t, ns);
    else
        textable_na (t);
}

void cell_rate (struct textable *t, uint64_t bytes, uint64_t ns)
{
    if (ns)
        textable_double (t, (double)bytes / 1048576 * 1e9 / (double)ns, 1);
    else
        textable_na (t);
}

void cell_union (struct textable *t, const struct result *r, uint64_t ns)
{
    cell_known_seconds (t, !summary_is_profile (r->summary), ns);
}

void cell_union_rate (struct textable *t,
                      const struct result *r,
                      uint64_t bytes,
                      uint64_t ns)
{
    cell_rate (t, bytes, summary_is_profile (r->summary) ? 0 : ns);
}

void cell_rank (struct textable *t, const struct process *p)
{
    if (p->who->p.rank < 0)
        textable_na (t);
    else
        textable_uint (t, (uint64_t)p->who->p.rank);
}
