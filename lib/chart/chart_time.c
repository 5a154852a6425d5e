/* SPDX-License-Identifier: MIT
 *
 * chart_time.c - kinds of figures whose axis is the time of a job
 *
 * In:  bins and dots
 * Out: SVG, to a stream; a lane or line is one path
 */
#include "config.h"

#include "lib/chart/chart_time.h"

#include <math.h>

#include "lib/chart/style.h"
#include "lib/chart/svg.h"

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

/* The lane as one path: a block for each run of equal bins. */
static void timechart_put_lane (FILE *out,
                                const char *class,
                                const struct lane *lane,
                                size_t bins,
                                const struct scale *x,
                                double bottom,
                                const struct svg_data *d)
{
    double w = (x->r1 - x->r0) / (double)bins;

    svg_path (out, class);
    for (size_t i = 0; i < bins;) {
        size_t k = i + 1;
        double h;

        while (k < bins && timechart_same (lane->busy[k], lane->busy[i]))
            k++;
        if (lane->busy[i] > 0) {
            h = fmax (lane->busy[i] * (LANE - 1), 0.8); /* seen at all */
            svg_to (out, 'M', x->r0 + (double)i * w, bottom);
            (void)fputc ('v', out);
            svg_number (out, -h);
            (void)fputc ('h', out);
            svg_number (out, (double)(k - i) * w);
            (void)fputc ('v', out);
            svg_number (out, h);
            (void)fputc ('z', out);
        }
        i = k;
    }
    svg_path_end (out, d);
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
                               const char *row,
                               size_t bins,
                               size_t lanes,
                               const char *const *lane_name,
                               const struct lane *lane,
                               const struct scale *x,
                               double y)
{
    size_t n = timechart_lanes_of (lane, lanes), at = 0;
    char class[24], exact[40], tip[200], words[WORDS_MAX], buf[256];

    svg_rect (out, x->r0, y, x->r1 - x->r0, (double)n * LANE, "frame", NULL);
    text_fit (buf, sizeof (buf), row, NAME_MAX_PX, SVG_FONT);
    svg_text (out, x->r0 - 8, y + (double)n * LANE / 2, SVG_END, NULL, buf);
    for (size_t i = 0; i < lanes; i++) {
        struct svg_data d = {c->metric, row, exact, tip};

        if (!lane[i].busy)
            continue;
        (void)snprintf (exact, sizeof (exact), "%s %.9g", lane_name[i],
                        lane[i].seconds);
        (void)snprintf (tip, sizeof (tip), "%s, %s: %s", row, lane_name[i],
                        value_words (words, lane[i].seconds, "s"));
        timechart_put_lane (out, chart_class ('c', i, class), &lane[i], bins, x,
                            y + (double)++at * LANE, &d);
    }
}

void chart_timeline (FILE *out,
                     const struct chart *c,
                     double seconds,
                     size_t bins,
                     size_t rows,
                     const char *const *row,
                     size_t lanes,
                     const char *const *lane_name,
                     const struct lane *lane)
{
    double label = fmin (chart_widest (row, rows), NAME_MAX_PX) + 12;
    double all = fmax (seconds, c->most);
    struct shown_unit u = unit_for ("s", all);
    struct scale x = scale_exact (0, all * u.factor, label, CHART_WIDTH - 10);
    struct scale own = scale_exact (0, seconds * u.factor, label,
                                    scale_at (&x, seconds * u.factor));
    const char *shown[TIMELINE_LANES_MAX] = {NULL};
    double top, end;

    for (size_t i = 0; i < rows * lanes; i++)
        if (lane[i].busy && i % lanes < TIMELINE_LANES_MAX)
            shown[i % lanes] = lane_name[i % lanes];
    top = chart_legend (out, label, x.r1, 8, shown, lanes, 0);

    end = top;
    for (size_t r = 0; r < rows; r++)
        end += (double)timechart_lanes_of (lane + r * lanes, lanes) * LANE +
               ROW_GAP;
    svg_begin (out, CHART_WIDTH, end + 42, c->title, c->text);
    chart_legend (out, label, x.r1, 8, shown, lanes, 1);
    end = top;
    for (size_t r = 0; r < rows; r++) {
        timechart_put_row (out, c, row[r], bins, lanes, lane_name,
                           lane + r * lanes, &own, end);
        end += (double)timechart_lanes_of (lane + r * lanes, lanes) * LANE +
               ROW_GAP;
    }
    chart_bottom_axis (out, &x, end, "time since the start of the job", u.name);
    svg_end (out);
}

/* --- lines and dots --------------------------------------------------- */

static double timechart_begin (FILE *out,
                               const struct chart *c,
                               double seconds,
                               double lowest,
                               double highest,
                               size_t count,
                               const char *const *name,
                               struct scale *x,
                               struct scale *y,
                               struct shown_unit *unit)
{
    struct shown_unit u = unit_for ("s", seconds);
    double right = CHART_WIDTH - 10, top = 34;

    if (count > 1)
        top = chart_legend (out, LEFT, right, 8, name, count, 0) + 20;
    *unit = unit_for (c->unit, c->log ? sqrt (lowest * highest) : highest);
    *x = scale_exact (0, seconds * u.factor, LEFT, right);
    *y = c->log ? scale_log (lowest * unit->factor, highest * unit->factor,
                             top + PLOT, top)
                : scale_linear (0, highest * unit->factor, top + PLOT, top);
    svg_begin (out, CHART_WIDTH, top + PLOT + 42, c->title, c->text);
    if (count > 1)
        chart_legend (out, LEFT, right, 8, name, count, 1);
    chart_value_axis (out, y, LEFT, right, unit, c->measure);
    chart_bottom_axis (out, x, top + PLOT, "time since the start of the job",
                       u.name);
    return u.factor;
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
        (void)fputc ('V', out);
        svg_number (out, at);
        (void)fputc ('H', out);
        svg_number (out, x->r0 + (double)next * w);
        k = next;
    }
}

void chart_rates (FILE *out,
                  const struct chart *c,
                  double seconds,
                  size_t bins,
                  size_t count,
                  const char *const *name,
                  double *const *value)
{
    struct scale x, y;
    struct shown_unit u;
    double highest = 0, lowest = INFINITY;
    char class[24];

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < bins; k++) { /* NaN is none */
            highest = fmax (highest, value[i][k]);
            if (value[i][k] > 0)
                lowest = fmin (lowest, value[i][k]);
        }
    (void)timechart_begin (out, c, seconds, lowest < highest ? lowest : highest,
                           highest, count, name, &x, &y, &u);
    for (size_t i = 0; i < count; i++) {
        svg_path (out, chart_class ('l', i, class));
        timechart_put_steps (out, value[i], bins, u.factor, &x, &y);
        svg_path_end (out, NULL);
    }
    svg_end (out);
}

void chart_dots (FILE *out,
                 const struct chart *c,
                 double seconds,
                 const struct dot *dot,
                 size_t dots,
                 size_t groups,
                 const char *const *name)
{
    struct scale x, y;
    struct shown_unit u;
    double highest = 0, factor;
    char class[24], exact[40], tip[160], words[WORDS_MAX];

    for (size_t i = 0; i < dots; i++)
        highest = fmax (highest, dot[i].y);
    factor =
        timechart_begin (out, c, seconds, 0, highest, groups, name, &x, &y, &u);
    for (size_t i = 0; i < dots; i++) {
        const char *group = dot[i].group < groups ? name[dot[i].group] : "";
        struct svg_data d = {c->metric, group, exact, tip};

        (void)snprintf (exact, sizeof (exact), "%.9g", dot[i].y);
        (void)snprintf (tip, sizeof (tip), "%s: %s", group,
                        value_words (words, dot[i].y, c->unit));
        svg_circle (out, scale_at (&x, dot[i].x * factor),
                    scale_at (&y, dot[i].y * u.factor), dots > 400 ? 2 : 3.5,
                    chart_class ('c', dot[i].group, class), &d);
    }
    svg_end (out);
}
