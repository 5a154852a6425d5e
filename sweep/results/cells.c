/* SPDX-License-Identifier: MIT
 *
 * cells.c - points -> groups by the values of some axes, in one pass
 */
#include "config.h"

#include "lib/util/strmap.h"
#include "sweep/results/restable.h"

/* As in a point's id: values are the same when type and text are. */
static const char *cells_key_of (const struct resultset *r,
                                 int point,
                                 const int *axis,
                                 size_t axes)
{
    const char *key = "";

    for (size_t i = 0; i < axes; i++) {
        const struct value *v = resultset_value_of (r, point, axis[i]);

        key = arena_format ("%s%s:%s\n", key, value_type_word (v->type),
                            value_text (v));
    }
    return key;
}

struct cells
cells_make (const struct resultset *r, const int *axis, size_t axes)
{
    size_t points = r->sweep->grid->count;
    struct strmap *seen = strmap_create ();
    struct cells c = {.of = arena_array (points + 1, sizeof (int)),
                      .first = arena_array (points + 1, sizeof (int))};

    for (size_t p = 0; p < points; p++)
        c.of[p] = -1;
    for (int p = -1; (p = resultset_next (r, p)) >= 0;) {
        const char *key = cells_key_of (r, p, axis, axes);
        int isnew = 0;

        c.of[p] = (int)strmap_intern (seen, key, strlen (key), &isnew);
        if (isnew)
            c.first[c.count++] = p;
    }
    strmap_destroy (seen);
    return c;
}

struct statistics *
cells_statistics (const struct resultset *r, const struct cells *c, int metric)
{
    struct statistics *s = arena_array (c->count + 1, sizeof (*s));
    double x;

    for (size_t p = 0; p < r->sweep->grid->count; p++)
        for (int k = 0; c->of[p] >= 0 && k < r->sweep->spec->repeats; k++)
            if (resultset_value (r, (int)p, k, metric, &x))
                statistics_add (&s[c->of[p]], x);
    for (size_t i = 0; i < c->count; i++)
        statistics_end (&s[i]);
    return s;
}

int *cells_axes_but (const struct resultset *r,
                     const int *but,
                     size_t buts,
                     size_t *count)
{
    int axes = (int)r->sweep->spec->axes;
    int *axis = arena_array (axes + 1, sizeof (*axis));

    *count = 0;
    for (int i = 0; i < axes; i++) {
        size_t k = 0;

        while (k < buts && but[k] != i)
            k++;
        if (k == buts)
            axis[(*count)++] = i;
    }
    return axis;
}

/* ---- cells of a grid -> means that can be compared ---- */

static const double interval = 0.95;

/* Cells and the settings of the other axes: a point each, or none. */
struct balance {
    const struct cells *cells;
    struct cells rest;
    struct statistics *point; /* [cell][setting] */
};

/* The points of a cell and a setting are a cell of both. */
static void
balance_collect (struct balance *b, const struct resultset *r, int metric)
{
    size_t points = r->sweep->grid->count;
    struct cells both = {.of = arena_array (points + 1, sizeof (int)),
                         .count = b->cells->count * b->rest.count};

    for (size_t p = 0; p < points; p++)
        both.of[p] = b->cells->of[p] < 0
                         ? -1
                         : b->cells->of[p] * (int)b->rest.count + b->rest.of[p];
    b->point = cells_statistics (r, &both, metric);
}

static int balance_any (const struct balance *b, size_t cell)
{
    for (size_t s = 0; s < b->rest.count; s++)
        if (b->point[cell * b->rest.count + s].n)
            return 1;
    return 0;
}

/* Does every cell with any number have one in the setting? */
static int balance_common (const struct balance *b, size_t setting)
{
    for (size_t i = 0; i < b->cells->count; i++)
        if (!b->point[i * b->rest.count + setting].n && balance_any (b, i))
            return 0;
    return 1;
}

static struct balanced
balance_cell (const struct balance *b, size_t cell, const char *common)
{
    struct balanced x = {.mean = 0, .min = INFINITY, .max = -INFINITY};
    double squares = 0, share = 0;
    size_t settings = 0, freedom = 0;

    for (size_t s = 0; s < b->rest.count; s++) {
        const struct statistics *p = &b->point[cell * b->rest.count + s];

        if (!common[s] || !p->n)
            continue;
        settings++;
        x.n += p->n;
        x.mean += p->mean;
        x.min = fmin (x.min, p->min);
        x.max = fmax (x.max, p->max);
        squares += p->sd * p->sd * (double)(p->n - 1);
        freedom += p->n - 1;
        share += 1 / (double)p->n;
    }
    x.mean = settings ? x.mean / (double)settings : NAN;
    x.half = freedom ? student_t (interval, freedom) *
                           sqrt (squares / (double)freedom * share) /
                           (double)settings
                     : NAN;
    return x;
}

struct balanced *cells_balanced (const struct resultset *r,
                                 const struct cells *c,
                                 const int *axis,
                                 size_t axes,
                                 int metric)
{
    size_t others;
    const int *other = cells_axes_but (r, axis, axes, &others);
    struct balance b = {.cells = c, .rest = cells_make (r, other, others)};
    struct balanced *out = arena_array (c->count + 1, sizeof (*out));
    char *common = arena_array (b.rest.count + 1, 1);

    balance_collect (&b, r, metric);
    for (size_t s = 0; s < b.rest.count; s++)
        common[s] = (char)balance_common (&b, s);
    for (size_t i = 0; i < c->count; i++)
        out[i] = balance_cell (&b, i, common);
    return out;
}
