/* SPDX-License-Identifier: MIT
 *
 * group.c - results over some axes -> rows or a matrix; effects of axes
 */
#include "config.h"

#include "sweep/plan/plan.h"
#include "sweep/results/restable.h"

/* Digits that the largest mean deserves. */
static int group_digits_of (const struct balanced *s, size_t n)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        if (s[i].n)
            most = fmax (most, fabs (s[i].mean));
    return statistics_digits (most);
}

struct textable *group_table (const struct resultset *r,
                              const int *axis,
                              size_t axes,
                              int metric)
{
    struct textable *t = textable_create ();
    const char *unit = r->metric[metric].unit;
    struct cells c = cells_make (r, axis, axes);
    const struct balanced *s = cells_balanced (r, &c, axis, axes, metric);
    int digits = group_digits_of (s, c.count);

    for (size_t i = 0; i < axes; i++)
        resultset_axis (t, r, axis[i]);
    textable_column (t, "mean", "mean", unit, 1);
    textable_column (t, "half", "+-", unit, 1);
    textable_column (t, "min", "min", unit, 1);
    textable_column (t, "max", "max", unit, 1);
    textable_columns (t, "n#");
    for (size_t k = 0; k < c.count; k++) {
        textable_row (t);
        for (size_t i = 0; i < axes; i++)
            plan_cell (t, resultset_value_of (r, c.first[k], axis[i]));
        textable_double (t, s[k].mean, digits);
        textable_double (t, s[k].half, digits);
        textable_double (t, s[k].n ? s[k].min : NAN, digits);
        textable_double (t, s[k].n ? s[k].max : NAN, digits);
        textable_uint (t, s[k].n);
    }
    return t;
}

/* The cell of each row and column; -1 none. */
static int *group_matrix (const struct resultset *r,
                          const struct cells *all,
                          const struct cells *down,
                          const struct cells *across)
{
    size_t n = down->count * across->count;
    int *cell_at = arena_array (n + 1, sizeof (*cell_at));

    for (size_t i = 0; i < n; i++)
        cell_at[i] = -1;
    for (int p = -1; (p = resultset_next (r, p)) >= 0;)
        cell_at[(size_t)down->of[p] * across->count + (size_t)across->of[p]] =
            all->of[p];
    return cell_at;
}

struct textable *pivot_table (const struct resultset *r,
                              const int *axis,
                              size_t axes,
                              int metric)
{
    struct textable *t = textable_create ();
    int last = axis[axes - 1];
    struct cells down = cells_make (r, axis, axes - 1);
    struct cells across = cells_make (r, &last, 1);
    struct cells all = cells_make (r, axis, axes);
    const int *at = group_matrix (r, &all, &down, &across);
    const struct balanced *s = cells_balanced (r, &all, axis, axes, metric);
    int digits = group_digits_of (s, all.count);

    for (size_t i = 0; i + 1 < axes; i++)
        resultset_axis (t, r, axis[i]);
    for (size_t k = 0; k < across.count; k++) {
        const char *value =
            value_text (resultset_value_of (r, across.first[k], last));

        textable_column (
            t, arena_format ("%s=%s", r->sweep->spec->column[last], value),
            value, r->metric[metric].unit, 1);
        textable_column (
            t, arena_format ("%s=%s_n", r->sweep->spec->column[last], value),
            "n", NULL, 1);
    }
    for (size_t i = 0; i < down.count; i++) {
        textable_row (t);
        for (size_t k = 0; k + 1 < axes; k++)
            plan_cell (t, resultset_value_of (r, down.first[i], axis[k]));
        for (size_t k = 0; k < across.count; k++) {
            int one = at[i * across.count + k];

            textable_double (t, one >= 0 ? s[one].mean : NAN, digits);
            textable_uint (t, one >= 0 ? s[one].n : 0);
        }
    }
    return t;
}

/* ---- main effects and the strongest interaction of a metric ---- */

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
    int *at;        /* [setting of the other axes][level]: point, -1 none */
    size_t settings;
    size_t pairs; /* settings with a point at low and one at high */
};

struct effects {
    const struct resultset *results;
    size_t points, repeats; /* repeats that count */
    double *x;              /* [repeat * points + point] */
    int *shown;             /* points of the grid */
    double mean, squares;   /* of all x */
    int whole;              /* every combination of values is there */
    struct factor *factor;
    size_t factors;
    const char *metric; /* in a column of its own, or NULL */
};

/* ---- points that differ in one axis alone -> what it does ---- */

/* Which point has each level in each setting of the other axes. */
static void
effectpairs_settings (struct effects *e, struct factor *f, size_t axis)
{
    const int one = (int)axis;
    size_t axes;
    const int *others = cells_axes_but (e->results, &one, 1, &axes);
    struct cells c = cells_make (e->results, others, axes);

    f->settings = c.count;
    f->at = arena_array (c.count * f->levels + 1, sizeof (*f->at));
    for (size_t i = 0; i < c.count * f->levels; i++)
        f->at[i] = -1;
    for (size_t p = 0; p < e->points; p++)
        f->at[(size_t)c.of[e->shown[p]] * f->levels + (size_t)f->of[p]] =
            (int)p;
}

/* Return the mean over the pairs of one repeat of high less low, in % of the
 * mean of both; NaN without pairs. */
static double pairs_change (const struct effects *e,
                            const struct factor *f,
                            size_t low,
                            size_t high,
                            size_t repeat,
                            size_t *pairs)
{
    const double *x = e->x + repeat * e->points;
    double difference = 0, sum = 0;

    *pairs = 0;
    for (size_t s = 0; s < f->settings; s++) {
        int a = f->at[s * f->levels + low], b = f->at[s * f->levels + high];

        if (a < 0 || b < 0)
            continue;
        difference += x[b] - x[a];
        sum += x[a] + x[b];
        ++*pairs;
    }
    return *pairs && sum != 0 ? difference / (sum / 2) * 100 : NAN;
}

/* Per repeat: high less low in % of the mean of both, over all pairs; f->pairs
 * of them. */
static struct statistics effectpairs_changes (const struct effects *e,
                                              struct factor *f,
                                              size_t low,
                                              size_t high)
{
    struct statistics s = {.n = 0};

    for (size_t k = 0; k < e->repeats; k++) {
        double x = pairs_change (e, f, low, high, k, &f->pairs);

        if (isfinite (x))
            statistics_add (&s, x);
    }
    statistics_end (&s);
    return s;
}

/* The two levels that pairs set furthest apart. */
static void effectpairs_ends (struct effects *e, struct factor *f)
{
    size_t low = 0, high = 0;
    double most = -1;

    for (size_t i = 0; i < f->levels; i++)
        for (size_t j = i + 1; j < f->levels; j++) {
            struct statistics s = effectpairs_changes (e, f, i, j);

            if (!s.n || fabs (s.mean) <= most)
                continue;
            most = fabs (s.mean);
            low = s.mean < 0 ? j : i;
            high = s.mean < 0 ? i : j;
        }
    f->low = low;
    f->high = high;
    effectpairs_changes (e, f, low, high);
    if (most < 0)
        f->pairs = 0;
}

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
    size_t used = 0;

    e->shown = arena_array (r->sweep->grid->count + 1, sizeof (int));
    for (int p = -1; (p = resultset_next (r, p)) >= 0;)
        e->shown[e->points++] = p;
    e->x = arena_array (e->points * (size_t)r->sweep->spec->repeats + 1,
                        sizeof (double));
    collect_repeats (e, metric);
    if (e->repeats)
        return;
    for (size_t i = 0; i < e->points; i++)
        if (has_all_repeats (e, e->shown[i], metric))
            e->shown[used++] = e->shown[i];
    e->points = used;
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

    s.sum = arena_array (cells + 1, sizeof (*s.sum));
    s.n = arena_array (cells + 1, sizeof (*s.n));
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

    f->of = arena_array (e->points + 1, sizeof (int));
    f->level = arena_array (c.count + 1, sizeof (*f->level));
    f->levels = c.count;
    for (size_t i = 0; i < c.count; i++)
        f->level[i].value = resultset_value_of (r, c.first[i], column);
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

    e->factor = arena_array (axes + 1, sizeof (*e->factor));
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

/* Return the effect of two axes together beyond the effects of each; NaN with
 * an empty cell. */
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
    textable_cells (t, "%s %s %s %.2f %.2f %.2f %.2f %zu %zu", name,
                    value_text (a->level[a->low].value),
                    value_text (a->level[a->high].value), s.n ? s.mean : NAN,
                    s.mean - half, s.mean + half,
                    e->whole && e->squares > 0 ? squares / e->squares * 100
                                               : NAN,
                    e->repeats, a->pairs);
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
        effect_row (t, e, arena_format ("%s x %s", name[x], name[y]),
                    &e->factor[x], &e->factor[y], most);
}

/* Names of what was varied, then numbers; with name a column says of which
 * metric. */
static void effect_columns (struct textable *t, int named)
{
    if (named)
        textable_columns (t, "metric");
    textable_column (t, "effect", "effect of", NULL, 0);
    textable_columns (t, "from to");
    textable_column (t, "change", "change", "%", 1);
    textable_column (t, "low", "95 %\nfrom", "%", 1);
    textable_column (t, "high", "to", "%", 1);
    textable_column (t, "share", "of the\nvariance", "%", 1);
    textable_columns (t, "repeats# pairs#");
}

static void add_effects (struct textable *t,
                         const struct resultset *r,
                         const char *name,
                         int metric)
{
    struct effects e = {.results = r, .metric = name};

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
