/* SPDX-License-Identifier: MIT
 *
 * cells.c - points -> groups by the values of some axes, in one pass
 */
#include "config.h"

#include <string.h>

#include "lib/util/strmap.h"
#include "sweep/results/cells.h"

/* As in a point's id: values are the same when type and text are. */
static const char *cells_key_of (const struct resultset *r,
                                 size_t point,
                                 const int *axis,
                                 size_t axes)
{
    struct arena *a = r->sweep->arena;
    const char *key = "";

    for (size_t i = 0; i < axes; i++) {
        const struct value *v = &r->sweep->grid->point[point].column[axis[i]];

        key = arena_format (a, "%s%s:%s\n", key, value_type_word (v->type),
                            value_text (a, v));
    }
    return key;
}

struct cells
cells_make (const struct resultset *r, const int *axis, size_t axes)
{
    struct arena *a = r->sweep->arena;
    size_t points = r->sweep->grid->count;
    struct strmap *seen = strmap_create ();
    struct cells c = {.of = arena_array (a, points + 1, sizeof (int)),
                      .first = arena_array (a, points + 1, sizeof (int))};

    for (size_t p = 0; p < points; p++) {
        const char *key;
        int isnew = 0;

        c.of[p] = -1;
        if (!resultset_has_point (r, (int)p))
            continue;
        key = cells_key_of (r, p, axis, axes);
        c.of[p] = (int)strmap_intern (seen, key, strlen (key), &isnew);
        if (isnew)
            c.first[c.count++] = (int)p;
    }
    strmap_destroy (seen);
    return c;
}

struct statistics *
cells_statistics (const struct resultset *r, const struct cells *c, int metric)
{
    struct statistics *s =
        arena_array (r->sweep->arena, c->count + 1, sizeof (*s));
    double x;

    for (size_t p = 0; p < r->sweep->grid->count; p++)
        for (int k = 0; c->of[p] >= 0 && k < r->sweep->spec->repeats; k++)
            if (resultset_value (r, (int)p, k, metric, &x))
                statistics_add (&s[c->of[p]], x);
    for (size_t i = 0; i < c->count; i++)
        statistics_end (&s[i]);
    return s;
}

int *cells_axes_but (const struct resultset *r, int but, size_t *count)
{
    size_t axes = r->sweep->spec->axes;
    int *axis = arena_array (r->sweep->arena, axes + 1, sizeof (*axis));

    *count = 0;
    for (size_t i = 0; i < axes; i++)
        if ((int)i != but)
            axis[(*count)++] = (int)i;
    return axis;
}
