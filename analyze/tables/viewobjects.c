/* SPDX-License-Identifier: MIT
 *
 * viewobjects.c - the tables of datasets and variables
 *
 * In:  objects of the tally
 * Out: a row for each, longest first
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/scan/tally.h"
#include "analyze/tables/viewcells.h"
#include "lib/format/calls.h"

static uint64_t viewobjects_weight (const void *value)
{
    return ((const struct object_total *)value)->ns;
}

static void viewobjects_layout (struct textable *t, uint64_t layout)
{
    const char *name = layout & CALL_ABOVE_CHUNKED      ? "chunked"
                       : layout & CALL_ABOVE_CONTIGUOUS ? "contiguous"
                       : layout & CALL_ABOVE_COMPACT    ? "compact"
                       : layout & CALL_ABOVE_VIRTUAL    ? "virtual"
                                                        : "";

    textable_text (t,
                   layout & CALL_ABOVE_FILTERED ? "chunked, filtered" : name);
}

static void viewobjects_row (struct textable *t,
                             const struct object_name *name,
                             const struct object_total *o,
                             enum call_category layer,
                             int nested)
{
    int sized = !o->unsized;
    /* Logs of Darshan have sums only, of HDF5 not by these kinds. */
    int kinds = nested || layer != CALL_CATEGORY_HDF5;

    textable_row (t);
    textable_text (t, name->object);
    textable_uint (t, o->calls);
    if (layer == CALL_CATEGORY_HDF5)
        cell_known (t, nested, o->attributes);
    textable_uint (t, o->reads);
    cell_known (t, sized, o->read_bytes);
    textable_uint (t, o->writes);
    cell_known (t, sized, o->write_bytes);
    cell_known (t, kinds, o->collective);
    cell_known (t, kinds, o->independent);
    cell_seconds (t, o->ns);
    cell_known_seconds (t, nested, o->own_ns);
    cell_known (t, nested, o->posix_calls);
    cell_known (t, nested, o->posix_bytes);
    cell_known_seconds (t, nested, o->posix_ns);
    cell_known (t, nested, o->meta_calls);
    cell_known (t, nested, o->mpiio_calls);
    if (layer == CALL_CATEGORY_HDF5) {
        if (nested)
            viewobjects_layout (t, o->layout);
        else
            textable_na (t);
        cell_known (t, nested, o->chunk);
    } else
        cell_known (t, nested, o->hdf5_calls);
    textable_text (t, name->file);
}

static void viewobjects_fill (struct textable *t,
                              const struct result *r,
                              size_t top,
                              enum call_category layer)
{
    const struct strmap *m = r->totals->tally.objects;
    size_t *order = rows_sorted (m, viewobjects_weight), rows = 0;

    for (size_t i = 0; order && i < strmap_count (m) && (!top || rows < top);
         i++) {
        struct object_name name;
        size_t length;
        const char *key = strmap_key (m, order[i], &length);

        if (object_name_of (key, length, &name) < 0 ||
            strcmp (name.layer, call_category_name (layer)) != 0)
            continue;
        viewobjects_row (t, &name, strmap_value (m, order[i]), layer,
                         !summary_is_profile (r->summary));
        rows++;
    }
    free (order);
}

void fill_hdf5 (struct textable *t, const struct result *r, size_t top)
{
    viewobjects_fill (t, r, top, CALL_CATEGORY_HDF5);
}

void fill_netcdf (struct textable *t, const struct result *r, size_t top)
{
    viewobjects_fill (t, r, top, CALL_CATEGORY_NETCDF);
}

void fill_pnetcdf (struct textable *t, const struct result *r, size_t top)
{
    viewobjects_fill (t, r, top, CALL_CATEGORY_PNETCDF);
}
