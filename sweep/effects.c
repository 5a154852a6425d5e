/* SPDX-License-Identifier: MIT
 *
 * effects.c - main effects and the strongest interaction of a metric
 *
 * Caveat: the two values of an effect are those that lie furthest apart, so an
 *      axis that does nothing still shows a small difference; its interval and
 *      its share of the variance say so. Cells of excluded points are left
 *      out of the marginal means.
 */
#include "config.h"

#include <math.h>

#include "sweep/compare.h"

struct level {
    const struct value *value;
    double mean;
};

struct factor {
    struct level *level;
    size_t levels;
    int *of; /* level of every point */
    size_t low, high;
    double squares; /* sum of, between levels */
};

struct effects {
    const struct resultset *results;
    struct arena *arena;
    size_t points, repeats; /* repeats that count */
    double *x;              /* [repeat * points + point] */
    int *shown;             /* points of the grid */
    double mean, squares;   /* of all x */
    struct factor *factor;
    size_t factors;
};

/* -- the numbers ------------------------------------------------------- */

static void collect (struct effects *e, int metric)
{
    const struct resultset *r = e->results;
    size_t repeats = (size_t)r->sweep->spec->repeats;

    e->shown = arena_array (e->arena, r->sweep->grid->count + 1, sizeof (int));
    for (size_t p = 0; p < r->sweep->grid->count; p++)
        if (resultset_has_point (r, (int)p))
            e->shown[e->points++] = (int)p;
    e->x = arena_array (e->arena, e->points * repeats + 1, sizeof (double));
    for (size_t k = 0; k < repeats; k++) {
        size_t n = 0;

        while (n < e->points &&
               resultset_value (r, e->shown[n], (int)k, metric,
                                &e->x[e->repeats * e->points + n]))
            n++;
        e->repeats += n == e->points;
    }
}

static void total (struct effects *e)
{
    size_t n = e->points * e->repeats;

    for (size_t i = 0; i < n; i++)
        e->mean += e->x[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        e->squares += (e->x[i] - e->mean) * (e->x[i] - e->mean);
}

/* Mean over the points where both factors (b may be NULL) have a level; one
 * repeat, or all when it is e->repeats. NaN when there is none. */
static double mean_at (const struct effects *e,
                       const struct factor *a,
                       size_t i,
                       const struct factor *b,
                       size_t j,
                       size_t repeat)
{
    size_t first = repeat == e->repeats ? 0 : repeat;
    size_t end = repeat == e->repeats ? e->repeats : repeat + 1;
    double sum = 0;
    size_t n = 0;

    for (size_t k = first; k < end; k++)
        for (size_t p = 0; p < e->points; p++)
            if ((!a || a->of[p] == (int)i) && (!b || b->of[p] == (int)j)) {
                sum += e->x[k * e->points + p];
                n++;
            }
    return n ? sum / (double)n : NAN;
}

static size_t count_at (const struct effects *e,
                        const struct factor *a,
                        size_t i,
                        const struct factor *b,
                        size_t j)
{
    size_t n = 0;

    for (size_t p = 0; p < e->points; p++)
        n += a->of[p] == (int)i && (!b || b->of[p] == (int)j);
    return n * e->repeats;
}

static void factor_levels (struct effects *e, struct factor *f, size_t axis)
{
    const struct resultset *r = e->results;

    f->of = arena_array (e->arena, e->points + 1, sizeof (int));
    f->level = arena_array (e->arena, e->points + 1, sizeof (*f->level));
    for (size_t p = 0; p < e->points; p++) {
        const struct value *v =
            &r->sweep->grid->point[e->shown[p]].column[axis];
        size_t i = 0;

        while (i < f->levels && !value_same (e->arena, v, f->level[i].value))
            i++;
        if (i == f->levels)
            f->level[f->levels++].value = v;
        f->of[p] = (int)i;
    }
}

static void factor_means (const struct effects *e, struct factor *f)
{
    for (size_t i = 0; i < f->levels; i++) {
        struct level *l = &f->level[i];
        double off;

        l->mean = mean_at (e, f, i, NULL, 0, e->repeats);
        off = l->mean - e->mean;
        f->squares += (double)count_at (e, f, i, NULL, 0) * off * off;
        if (l->mean < f->level[f->low].mean)
            f->low = i;
        if (l->mean > f->level[f->high].mean)
            f->high = i;
    }
}

static void add_factors (struct effects *e)
{
    size_t axes = e->results->sweep->spec->axes;

    e->factor = arena_array (e->arena, axes + 1, sizeof (*e->factor));
    for (size_t i = 0; i < axes; i++) {
        factor_levels (e, &e->factor[i], i);
        factor_means (e, &e->factor[i]);
    }
    e->factors = axes;
}

/* What two axes do together beyond what each does; NaN with an empty cell. */
static double interaction (const struct effects *e,
                           const struct factor *a,
                           const struct factor *b)
{
    double squares = 0;

    for (size_t i = 0; i < a->levels; i++)
        for (size_t j = 0; j < b->levels; j++) {
            double off = mean_at (e, a, i, b, j, e->repeats) -
                         a->level[i].mean - b->level[j].mean + e->mean;

            squares += (double)count_at (e, a, i, b, j) * off * off;
        }
    return squares;
}

/* -- the table --------------------------------------------------------- */

static struct statistics contrasts (const struct effects *e,
                                    const struct factor *a,
                                    const struct factor *b)
{
    struct statistics s = {.n = 0};

    for (size_t k = 0; k < e->repeats; k++) {
        double mean = mean_at (e, NULL, 0, NULL, 0, k), x;

        if (b)
            x = mean_at (e, a, a->high, b, b->high, k) -
                mean_at (e, a, a->low, b, b->high, k) -
                mean_at (e, a, a->high, b, b->low, k) +
                mean_at (e, a, a->low, b, b->low, k);
        else
            x = mean_at (e, a, a->high, NULL, 0, k) -
                mean_at (e, a, a->low, NULL, 0, k);
        if (mean != 0)
            statistics_add (&s, x / mean * 100);
    }
    statistics_end (&s);
    return s;
}

static void percent (struct textable *t, double x)
{
    if (isfinite (x))
        textable_double (t, x, 2);
    else
        textable_na (t);
}

static void effect_row (struct textable *t,
                        const struct effects *e,
                        const char *name,
                        const struct factor *a,
                        const struct factor *b,
                        double squares)
{
    struct statistics s = contrasts (e, a, b);
    double half = statistics_half (&s);

    textable_row (t);
    textable_text (t, name);
    textable_text (t, value_text (e->arena, a->level[a->low].value));
    textable_text (t, value_text (e->arena, a->level[a->high].value));
    percent (t, s.n ? s.mean : NAN);
    percent (t, s.mean - half);
    percent (t, s.mean + half);
    percent (t, e->squares > 0 ? squares / e->squares * 100 : NAN);
    textable_uint (t, e->repeats);
}

static void strongest_interaction (struct textable *t, const struct effects *e)
{
    const char *const *name = e->results->sweep->spec->column;
    size_t x = 0, y = 0;
    double most = -1;

    for (size_t i = 0; i < e->factors; i++)
        for (size_t j = i + 1; j < e->factors; j++) {
            double squares;

            if (e->factor[i].levels < 2 || e->factor[j].levels < 2)
                continue;
            squares = interaction (e, &e->factor[i], &e->factor[j]);
            if (squares > most) {
                most = squares;
                x = i;
                y = j;
            }
        }
    if (most >= 0)
        effect_row (t, e, arena_format (e->arena, "%s x %s", name[x], name[y]),
                    &e->factor[x], &e->factor[y], most);
}

struct textable *effects_table (const struct resultset *r, int metric)
{
    struct textable *t = textable_create ();
    struct effects e = {.results = r, .arena = r->sweep->arena};

    textable_column (t, "effect", "effect of", NULL, 0);
    textable_column (t, "from", "from", NULL, 0);
    textable_column (t, "to", "to", NULL, 0);
    textable_column (t, "change", "change", "%", 1);
    textable_column (t, "low", "95 %\nfrom", "%", 1);
    textable_column (t, "high", "to", "%", 1);
    textable_column (t, "share", "of the\nvariance", "%", 1);
    textable_column (t, "repeats", "repeats", NULL, 1);
    collect (&e, metric);
    if (!e.repeats)
        return t;
    total (&e);
    add_factors (&e);
    for (size_t i = 0; i < e.factors; i++)
        if (e.factor[i].levels > 1)
            effect_row (t, &e, r->sweep->spec->column[i], &e.factor[i], NULL,
                        e.factor[i].squares);
    strongest_interaction (t, &e);
    return t;
}
