/* SPDX-License-Identifier: MIT
 *
 * viewshared.c - files that several ranks used, a row each
 *
 * In:  struct sharedfile, of sharedfiles.h
 * Out: a row for each, those that took most time first
 */
#include "config.h"

#include "analyze/facts/sharedfiles.h"
#include "analyze/tables/viewcells.h"

static void viewshared_rank (struct textable *t,
                             const struct result *r,
                             const struct sharedfile_rank *k)
{
    cell_rank (t, r->summary->rank[k->rank].first);
    cell_seconds (t, k->ns);
    textable_uint (t, k->bytes);
}

static void viewshared_put (struct textable *t,
                            const struct result *r,
                            const struct sharedfile *f)
{
    textable_row (t);
    textable_text (t, kind_name (f->total->kind));
    textable_uint (t, f->ranks);
    textable_uint (t, f->readers);
    textable_uint (t, f->writers);
    textable_uint (t, f->reads);
    textable_uint (t, f->read_bytes);
    textable_uint (t, f->writes);
    textable_uint (t, f->write_bytes);
    cell_seconds (t, f->ns);
    viewshared_rank (t, r, &f->slowest);
    viewshared_rank (t, r, &f->fastest);
    textable_double (t, f->ns_deviation / 1e9, 6);
    textable_double (t, f->bytes_deviation, 1);
    cell_known (t, f->total->stripes > 0, f->total->stripes);
    textable_text (t, f->path);
}

void fill_shared (struct textable *t, const struct result *r, size_t top)
{
    struct sharedfiles s;

    if (sharedfiles_make (&s, r->totals, 2) < 0)
        return;
    for (size_t i = 0; i < s.count && (!top || i < top); i++)
        viewshared_put (t, r, &s.item[i]);
    sharedfiles_clear (&s);
}
