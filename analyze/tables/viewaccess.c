/* SPDX-License-Identifier: MIT
 *
 * viewaccess.c - how the accesses to a file follow each other, a row each file
 *
 * In:  struct file_total, of tally.h
 * Out: a row for each file that was read or written, in the order of the files
 */
#include "config.h"

#include <stdlib.h>

#include "analyze/tables/viewcells.h"

_Static_assert(CALL_PAGE == 4096, "so viewcolumns.def says");

static void viewaccess_put (struct textable *t,
                            const char *path,
                            const struct file_total *f)
{
    uint64_t rest = f->reads + f->writes;

    textable_row (t);
    textable_text (t, kind_name (f->kind));
    textable_uint (t, rest);
    for (int p = PLACED_CONSECUTIVE; p < PLACED_COUNT; p++) {
        textable_uint (t, f->placed[p]);
        rest -= f->placed[p] < rest ? f->placed[p] : rest;
    }
    textable_uint (t, rest);
    textable_uint (t, f->switches);
    textable_uint (t, f->unaligned);
    textable_text (t, path);
}

void fill_accesspattern (struct textable *t, const struct result *r, size_t top)
{
    const struct strmap *files = r->totals->tally.files;
    size_t *order = files_sorted (&r->totals->tally), rows = 0;

    for (size_t i = 0; order && i < strmap_count (files); i++) {
        const struct file_total *f = strmap_value (files, order[i]);

        if (f->reads + f->writes == 0)
            continue;
        if (top && rows++ == top)
            break;
        viewaccess_put (t, strmap_key (files, order[i], NULL), f);
    }
    free (order);
}
