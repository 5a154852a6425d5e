/* SPDX-License-Identifier: MIT
 *
 * effects.c - main effects and the strongest interaction of a metric
 *
 * Caveat: the two values of an effect are those that lie furthest apart, so an
 *      axis that does nothing still shows a small difference; its interval and
 *      its share of the variance say so. Where points were excluded, or not
 *      enough of them is done, means over the rest would compare different
 *      settings: then an effect is of pairs of points that differ in its axis
 *      alone, and shares and interactions are not known.
 */
#include "config.h"

#include <math.h>

#include "sweep/results/effectpairs.h"
#include "sweep/results/group.h"

/* -- the numbers ------------------------------------------------------- */

/* The repeats in which every point of e->shown is done. */
static void collect_repeats (struct effects *e, int metric)
{
    const struct resultset *r = e->results;

    e->repeats = 0;
    for (int k = 0; k < r->sweep->spec->repeats; k++) {
        size_t n = 0;

        while (n < e->points &&
               resultset_value (r, e->shown[n], k, metric,
                                &e->x[e->repeats * e->points + n]))
            n++;
        e->repeats += e->points && n == e->points;
    }
}

static int has_all_repeats (const struct effects *e, int point, int metric)
{
    double x;

    for (int k = 0; k < e->results->sweep->spec->repeats; k++)
        if (!resultset_value (e->results, point, k, metric, &x))
            return 0;
    return 1;
}

/* Whole repeats; when there is none, the points that all repeats have. */
static void effects_collect (struct effects *e, int metric)
{
    const struct resultset *r = e->results;
    size_t kept = 0;

    e->shown = arena_array (e->arena, r->sweep->grid->count + 1, sizeof (int));
    for (size_t p = 0; p < r->sweep->grid->count; p++)
        if (resultset_has_point (r, (int)p))
            e->shown[e->points++] = (int)p;
    e->x =
        arena_array (e->arena, e->points * (size_t)r->sweep->spec->repeats + 1,
                     sizeof (double));
    collect_repeats (e, metric);
    if (e->repeats)
        return;
    for (size_t i = 0; i < e->points; i++)
        if (has_all_repeats (e, e->shown[i], metric))
            e->shown[kept++] = e->shown[i];
    e->points = kept;
    collect_repeats (e, metric);
}

static void effects_total (struct effects *e)
{
    size_t n = e->points * e->repeats;

    for (size_t i = 0; i < n; i++)
        e->mean += e->x[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        e->squares += (e->x[i] - e->mean) * (e->x[i] - e->mean);
}

/* Sums over the points of each level of a, or of each pair of levels: of one
 * repeat, or of all when it is e->repeats. */
struct sums {
    double *sum;
    size_t *n;
    size_t columns; /* levels of b, or 1 */
};

static struct sums sums_of (const struct effects *e,
                            const struct factor *a,
                            const struct factor *b,
                            size_t repeat)
{
    size_t first = repeat == e->repeats ? 0 : repeat;
    size_t end = repeat == e->repeats ? e->repeats : repeat + 1;
    struct sums s = {.columns = b ? b->levels : 1};
    size_t cells = a->levels * s.columns;

    s.sum = arena_array (e->arena, cells + 1, sizeof (*s.sum));
    s.n = arena_array (e->arena, cells + 1, sizeof (*s.n));
    for (size_t k = first; k < end; k++)
        for (size_t p = 0; p < e->points; p++) {
            size_t cell =
                (size_t)a->of[p] * s.columns + (b ? (size_t)b->of[p] : 0);

            s.sum[cell] += e->x[k * e->points + p];
            s.n[cell]++;
        }
    return s;
}

/* NaN when no point has the levels. */
static double mean_at (const struct sums *s, size_t i, size_t j)
{
    size_t cell = i * s->columns + j;

    return s->n[cell] ? s->sum[cell] / (double)s->n[cell] : NAN;
}

static double mean_of_repeat (const struct effects *e, size_t repeat)
{
    double sum = 0;

    for (size_t p = 0; p < e->points; p++)
        sum += e->x[repeat * e->points + p];
    return sum / (double)e->points;
}

static void factor_levels (struct effects *e, struct factor *f, size_t axis)
{
    const struct resultset *r = e->results;

    int column = (int)axis;
    struct cells c = cells_make (r, &column, 1);

    f->of = arena_array (e->arena, e->points + 1, sizeof (int));
    f->level = arena_array (e->arena, c.count + 1, sizeof (*f->level));
    f->levels = c.count;
    for (size_t i = 0; i < c.count; i++)
        f->level[i].value = &r->sweep->grid->point[c.first[i]].column[axis];
    for (size_t p = 0; p < e->points; p++)
        f->of[p] = c.of[e->shown[p]];
}

static void factor_means (const struct effects *e, struct factor *f)
{
    struct sums s = sums_of (e, f, NULL, e->repeats);

    for (size_t i = 0; i < f->levels; i++) {
        struct level *l = &f->level[i];
        double off;

        l->mean = mean_at (&s, i, 0);
        off = l->mean - e->mean;
        f->squares += (double)s.n[i] * off * off;
        if (l->mean < f->level[f->low].mean)
            f->low = i;
        if (l->mean > f->level[f->high].mean)
            f->high = i;
    }
}

static void add_factors (struct effects *e)
{
    size_t all = 1;
    size_t axes = e->results->sweep->spec->axes;

    e->factor = arena_array (e->arena, axes + 1, sizeof (*e->factor));
    for (size_t i = 0; i < axes; i++) {
        factor_levels (e, &e->factor[i], i);
        factor_means (e, &e->factor[i]);
        effectpairs_settings (e, &e->factor[i], i);
        all *= e->factor[i].levels;
    }
    e->factors = axes;
    e->whole = all == e->points;
    for (size_t i = 0; i < axes; i++) {
        e->factor[i].pairs = e->factor[i].settings;
        if (!e->whole)
            effectpairs_ends (e, &e->factor[i]);
    }
}

/* What two axes do together beyond what each does; NaN with an empty cell. */
static double interaction (const struct effects *e,
                           const struct factor *a,
                           const struct factor *b)
{
    struct sums s = sums_of (e, a, b, e->repeats);
    double squares = 0;

    for (size_t i = 0; i < a->levels; i++)
        for (size_t j = 0; j < b->levels; j++) {
            double off = mean_at (&s, i, j) - a->level[i].mean -
                         b->level[j].mean + e->mean;

            squares += (double)s.n[i * s.columns + j] * off * off;
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
        struct sums at = sums_of (e, a, b, k);
        double mean = mean_of_repeat (e, k), x;

        if (b)
            x = mean_at (&at, a->high, b->high) -
                mean_at (&at, a->low, b->high) -
                mean_at (&at, a->high, b->low) + mean_at (&at, a->low, b->low);
        else
            x = mean_at (&at, a->high, 0) - mean_at (&at, a->low, 0);
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
                        struct factor *a,
                        const struct factor *b,
                        double squares)
{
    struct statistics s = e->whole
                              ? contrasts (e, a, b)
                              : effectpairs_changes (e, a, a->low, a->high);
    double half = statistics_half (&s);

    textable_row (t);
    if (e->metric)
        textable_text (t, e->metric);
    textable_text (t, name);
    textable_text (t, value_text (e->arena, a->level[a->low].value));
    textable_text (t, value_text (e->arena, a->level[a->high].value));
    percent (t, s.n ? s.mean : NAN);
    percent (t, s.mean - half);
    percent (t, s.mean + half);
    percent (t, e->whole && e->squares > 0 ? squares / e->squares * 100 : NAN);
    textable_uint (t, e->repeats);
    textable_uint (t, a->pairs);
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

/* Names of what was varied, then numbers; with name a column says of which
 * metric. */
static void effect_columns (struct textable *t, int named)
{
    if (named)
        textable_column (t, "metric", "metric", NULL, 0);
    textable_column (t, "effect", "effect of", NULL, 0);
    textable_column (t, "from", "from", NULL, 0);
    textable_column (t, "to", "to", NULL, 0);
    textable_column (t, "change", "change", "%", 1);
    textable_column (t, "low", "95 %\nfrom", "%", 1);
    textable_column (t, "high", "to", "%", 1);
    textable_column (t, "share", "of the\nvariance", "%", 1);
    textable_column (t, "repeats", "repeats", NULL, 1);
    textable_column (t, "pairs", "pairs", NULL, 1);
}

static void add_effects (struct textable *t,
                         const struct resultset *r,
                         const char *name,
                         int metric)
{
    struct effects e = {.results = r, .arena = r->sweep->arena, .metric = name};

    effects_collect (&e, metric);
    if (!e.repeats)
        return;
    effects_total (&e);
    add_factors (&e);
    for (size_t i = 0; i < e.factors; i++)
        if (e.factor[i].levels > 1 && e.factor[i].pairs)
            effect_row (t, &e, r->sweep->spec->column[i], &e.factor[i], NULL,
                        e.factor[i].squares);
    if (e.whole)
        strongest_interaction (t, &e);
}

struct textable *effects_table (const struct resultset *r, int metric)
{
    struct textable *t = textable_create ();

    effect_columns (t, 0);
    add_effects (t, r, NULL, metric);
    return t;
}

struct textable *effects_all (const struct resultset *r)
{
    struct textable *t = textable_create ();

    effect_columns (t, 1);
    for (size_t m = 0; m < r->metrics; m++)
        add_effects (t, r, r->metric[m].name, (int)m);
    return t;
}
