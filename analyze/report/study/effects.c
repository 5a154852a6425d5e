/* SPDX-License-Identifier: MIT
 *
 * effects.c - what changing one axis does, everything else equal
 *
 * In:  points of a sweep
 * Out: paired ratios, to its page; pure
 */
#include "config.h"

#include "analyze/report/study/effects.h"

#include "lib/base/array.h"
#include "lib/util/fsutil.h"
#include "lib/util/strmap.h"
#include "lib/util/xalloc.h"

void effect_begin (struct effect *e)
{
    ZERO (e);
    e->lo = INFINITY;
}

void effect_pair (struct effect *e, double a, double b)
{
    if (!(a > 0) || !(b > 0)) {
        e->without++;
        return;
    }
    statistics_add (&e->logs, log (b / a));
    e->lo = fmin (e->lo, b / a);
    e->hi = fmax (e->hi, b / a);
    e->pairs++;
}

void effect_end (struct effect *e)
{
    double half;

    statistics_end (&e->logs);
    half = statistics_half (&e->logs);
    e->mean = e->pairs ? exp (e->logs.mean) : NAN;
    e->low = exp (e->logs.mean - half);
    e->high = exp (e->logs.mean + half);
}

void effect_of (struct effect *e,
                const struct sweepdata *d,
                size_t axis,
                size_t level,
                const char *metric)
{
    effect_begin (e);
    for (size_t i = 0; i < d->count; i++) {
        long other = d->point[i].level[axis] == 0
                         ? sweepdata_beside (d, i, axis, level)
                         : -1;

        if (other >= 0)
            effect_pair (e, sweepdata_cell (d, i, metric).v,
                         sweepdata_cell (d, other, metric).v);
    }
    effect_end (e);
}

void effect_of_runs (struct effect *e,
                     const struct sweepdata *d,
                     size_t axis,
                     size_t level,
                     const char *metric)
{
    effect_begin (e);
    for (size_t i = 0; i < d->count; i++) {
        const struct sweep_point *p = &d->point[i];
        long base =
            p->level[axis] == level ? sweepdata_beside (d, i, axis, 0) : -1;

        for (size_t k = 0; base >= 0 && k < p->runs; k++) {
            long run = sweepdata_run (d, &d->point[base],
                                      csv_get (d->runs, p->run[k], "repeat"));

            effect_pair (e, run < 0 ? NAN : csv_number (d->runs, run, metric),
                         csv_number (d->runs, p->run[k], metric));
        }
    }
    effect_end (e);
}

const char *effect_verdict (const struct effect *e)
{
    static const double limit = 1.1;

    if (e->pairs < 2)
        return "too few to tell";
    if (e->low * limit >= 1 && e->high <= limit)
        return "the same within 10 %";
    return e->low > 1 ? "higher" : e->high < 1 ? "lower" : "too few to tell";
}

const char *effect_metric (const struct sweepdata *d,
                           const struct study_choice *c)
{
    return sweepdata_has (d, "job_time") ? "job_time"
           : c->columns                  ? c->column[0]
                                         : "elapsed_s";
}

/* The elapsed time of a run that is done, else NaN. */
static double effects_elapsed (const struct csv *c, size_t row, int control)
{
    double time;

    if (strcmp (csv_get (c, row, "state"), "done") != 0 ||
        (csv_number (c, row, "control") > 0) != control)
        return NAN;
    time = csv_number (c, row, "elapsed_s");
    return isnan (time) ? csv_number (c, row, "elapsed") /* until 0.1 */ : time;
}

/* "POINT REPEAT" of a run -> its ordinal in m; -1 when it is not there. */
static int64_t
effects_run_key (struct strmap *m, const struct csv *c, size_t i, int add)
{
    char *key =
        xasprintf ("%s %s", csv_get (c, i, "point"), csv_get (c, i, "repeat"));
    int64_t at = add ? (int64_t)strmap_intern (m, key, strlen (key), NULL)
                     : strmap_find (m, key, strlen (key));

    free (key);
    return at;
}

void effect_tracing_pairs (struct effect *e, const struct csv *runs)
{
    struct strmap *controls = strmap_create ();
    double *time = ZEROED (time, csv_rows (runs) + 1);

    for (size_t i = 0; i < csv_rows (runs); i++) {
        double one = effects_elapsed (runs, i, 1);
        int64_t at = one > 0 ? effects_run_key (controls, runs, i, 1) : -1;

        if (at >= 0)
            time[at] = one;
    }
    for (size_t i = 0; i < csv_rows (runs); i++) {
        double one = effects_elapsed (runs, i, 0);
        int64_t at = one > 0 ? effects_run_key (controls, runs, i, 0) : -1;

        if (at >= 0)
            effect_pair (e, time[at], one);
    }
    free (time);
    strmap_destroy (controls);
}

void effect_of_tracing (struct effect *e, const struct sweepdata *d)
{
    effect_begin (e);
    effect_tracing_pairs (e, d->runs);
    effect_end (e);
}
