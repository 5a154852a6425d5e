/* SPDX-License-Identifier: MIT
 *
 * chart_time.c - kinds of figures whose axis is the time of a job
 *
 * In:  bins and dots
 * Out: SVG, to a stream; a lane or line is one path
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/chart/chart.h"
#include "lib/chart/html.h"
#include "lib/util/xalloc.h"

enum {
    LANE = 11, /* height of a lane */
    ROW_GAP = 8,
    NAME_MAX_PX = 190,
    LEFT = 64,
    PLOT = 190
};

/* --- timeline --------------------------------------------------------- */

static int timechart_same (float a, float b)
{
    return (a > 0) == (b > 0) && fabsf (a - b) < 0.01F;
}

/* Draw a lane as one path: a block for each run of equal bins. */
static void timechart_put_lane (FILE *out,
                                const char *class,
                                const float *busy,
                                size_t bins,
                                const struct scale *x,
                                double bottom)
{
    double w = (x->r1 - x->r0) / (double)bins;

    svg_path (out, class);
    for (size_t i = 0; i < bins;) {
        size_t k = i + 1;
        double h;

        while (k < bins && timechart_same (busy[k], busy[i]))
            k++;
        if (busy[i] > 0) {
            h = fmax (busy[i] * (LANE - 1), 0.8); /* seen at all */
            svg_to (out, 'M', x->r0 + (double)i * w, bottom);
            html_put (out, "v%fh%fv%fz", -h, (double)(k - i) * w, h);
        }
        i = k;
    }
}

static size_t timechart_lanes_of (const struct lane *lane, size_t lanes)
{
    size_t n = 0;

    for (size_t i = 0; i < lanes; i++)
        n += lane[i].busy != NULL;
    return n ? n : 1;
}

static void timechart_put_row (FILE *out,
                               const struct chart *c,
                               const struct timeline *t,
                               size_t row,
                               const struct scale *x,
                               double y)
{
    const struct lane *lane = t->lane + row * t->lanes;
    const char *name = t->row[row];
    size_t n = timechart_lanes_of (lane, t->lanes), at = 0;

    svg_rect (out, (struct svg_box){x->r0, y, x->r1 - x->r0, (double)n * LANE},
              "frame", &(struct svg_data){NULL, name, NULL, NULL});
    for (size_t i = 0; i < t->lanes; i++) {
        const char *title = t->lane_name[i];
        struct svg_data d = {.metric = c->metric, .point = name};

        if (!lane[i].busy)
            continue;
        d.value = arena_format ("%s %.9g", title, lane[i].seconds);
        d.tip = arena_format ("%s, %s: %s", name, title,
                              value_shown (lane[i].seconds, "s"));
        timechart_put_lane (out, chart_class (c, 'c', title, i), lane[i].busy,
                            t->bins, x, y + (double)++at * LANE);
        svg_path_end (out, &d);
    }
}

static double timechart_row_height (const struct timeline *t, size_t row)
{
    return (double)timechart_lanes_of (t->lane + row * t->lanes, t->lanes) *
               LANE +
           ROW_GAP;
}

void chart_timeline (FILE *out, const struct chart *c, const struct timeline *t)
{
    double label = chart_widest (t->row, t->rows, NAME_MAX_PX) + 12;
    double all = fmax (t->seconds, c->most), top, end, y;
    struct shown_unit u = unit_for ("s", all);
    struct scale x = scale_exact (0, all * u.factor, label, CHART_WIDTH - 10);
    struct scale own = scale_exact (0, t->seconds * u.factor, label,
                                    scale_at (&x, t->seconds * u.factor));
    const char *shown[TIMELINE_LANES_MAX] = {NULL};

    for (size_t i = 0; i < t->rows * t->lanes; i++)
        if (t->lane[i].busy && i % t->lanes < TIMELINE_LANES_MAX)
            shown[i % t->lanes] = t->lane_name[i % t->lanes];
    end = y = top = chart_legend (NULL, c, label, x.r1, shown, t->lanes);
    for (size_t r = 0; r < t->rows; r++)
        end += timechart_row_height (t, r);
    chart_begin (out, c, CHART_WIDTH, end + 42);
    chart_legend (out, c, label, x.r1, shown, t->lanes);
    for (size_t r = 0; r < t->rows; r++) {
        double high = timechart_row_height (t, r);

        chart_label (out, x.r0 - 8, y + (high - ROW_GAP) / 2, SVG_END,
                     t->row[r], NAME_MAX_PX);
        y += high;
    }
    svg_plot (out, (struct svg_box){x.r0, top, x.r1 - x.r0, end - top}, all);
    y = top;
    for (size_t r = 0; r < t->rows; r++) {
        timechart_put_row (out, c, t, r, &own, y);
        y += timechart_row_height (t, r);
    }
    svg_end (out);
    chart_bottom_axis (out, &x, end, "time since the start of the job", u.name);
    svg_end (out);
}

/* --- lines and dots --------------------------------------------------- */

/* The axes of a figure over time. */
struct time_axes {
    double seconds, lowest, highest; /* of the values */
    struct scale x, y;
    struct shown_unit unit; /* of the values */
    double factor;          /* of seconds in x */
};

static void timechart_begin (FILE *out,
                             const struct chart *c,
                             struct time_axes *a,
                             const char *const *name,
                             size_t count)
{
    struct shown_unit u = unit_for ("s", a->seconds);
    double right = CHART_WIDTH - 10, top = 34;
    double f;

    if (count > 1)
        top = chart_legend (NULL, c, LEFT, right, name, count) + 20;
    a->unit =
        unit_for (c->unit, c->log ? sqrt (a->lowest * a->highest) : a->highest);
    f = a->unit.factor;
    a->factor = u.factor;
    a->x = scale_exact (0, a->seconds * u.factor, LEFT, right);
    a->y = c->log ? scale_log (a->lowest * f, a->highest * f, top + PLOT, top)
                  : scale_linear (0, a->highest * f, top + PLOT, top);
    chart_begin (out, c, CHART_WIDTH, top + PLOT + 42);
    if (count > 1)
        chart_legend (out, c, LEFT, right, name, count);
    chart_value_axis (out, &a->y, LEFT, right, &a->unit, c->measure);
    chart_bottom_axis (out, &a->x, top + PLOT,
                       "time since the start of the job", u.name);
}

/* A line that goes up and down at the edges of bins, and stops where there is
 * no value, or none that the axis can show. */
static void timechart_put_steps (FILE *out,
                                 const double *value,
                                 size_t bins,
                                 double factor,
                                 const struct scale *x,
                                 const struct scale *y)
{
    double w = (x->r1 - x->r0) / (double)bins;
    int drawing = 0;

    svg_to (out, 'M', x->r0, y->r0);
    for (size_t k = 0; k < bins;) {
        double at = scale_at (y, value[k] * factor);
        size_t next = k + 1;

        while (next < bins && value[next] == value[k])
            next++;
        if (isnan (value[k]) || (y->kind == SCALE_LOG && value[k] <= 0)) {
            drawing = 0;
            k = next;
            continue;
        }
        if (!drawing && k > 0)
            svg_to (out, 'M', x->r0 + (double)k * w, at);
        drawing = 1;
        html_put (out, "V%fH%f", at, x->r0 + (double)next * w);
        k = next;
    }
}

void chart_rates (FILE *out, const struct chart *c, const struct rates *r)
{
    struct time_axes a = {.seconds = r->seconds, .lowest = INFINITY};

    for (size_t i = 0; i < r->count; i++)
        for (size_t k = 0; k < r->bins; k++) { /* NaN is none */
            a.highest = fmax (a.highest, r->value[i][k]);
            if (r->value[i][k] > 0)
                a.lowest = fmin (a.lowest, r->value[i][k]);
        }
    a.lowest = fmin (a.lowest, a.highest);
    timechart_begin (out, c, &a, r->name, r->count);
    svg_plot (
        out, (struct svg_box){a.x.r0, a.y.r1, a.x.r1 - a.x.r0, a.y.r0 - a.y.r1},
        r->seconds);
    for (size_t i = 0; i < r->count; i++) {
        svg_path (out, chart_class (c, 'l', r->name[i], i));
        timechart_put_steps (out, r->value[i], r->bins, a.unit.factor, &a.x,
                             &a.y);
        svg_path_end (out, NULL);
    }
    svg_end (out);
    svg_end (out);
}

void chart_dots (FILE *out, const struct chart *c, const struct dots *d)
{
    struct time_axes a = {.seconds = d->seconds};

    for (size_t i = 0; i < d->count; i++)
        a.highest = fmax (a.highest, d->dot[i].y);
    timechart_begin (out, c, &a, d->name, d->groups);
    for (size_t i = 0; i < d->count; i++) {
        const struct dot *dot = &d->dot[i];
        const char *group = dot->group < d->groups ? d->name[dot->group] : "";
        const struct svg_data data = {
            c->metric, group, arena_format ("%.9g", dot->y),
            arena_format ("%s: %s", group, value_shown (dot->y, c->unit))};

        svg_circle (out, scale_at (&a.x, dot->x * a.factor),
                    scale_at (&a.y, dot->y * a.unit.factor),
                    d->count > 400 ? 2 : 3.5,
                    chart_class (c, 'c', group, dot->group), &data);
    }
    svg_end (out);
}
