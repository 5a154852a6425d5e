/* SPDX-License-Identifier: MIT
 *
 * svg.c - marks of a drawing
 *
 * In:  positions and what they stand for
 * Out: SVG inside HTML, to a stream
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/chart/svg.h"

#include "lib/chart/html.h"

void svg_number (FILE *out, double v)
{
    char buf[48];
    size_t n;

    if (!isfinite (v))
        v = 0;
    n = FORMAT (buf, "%.2f", v);
    if (n >= sizeof (buf))
        n = FORMAT (buf, "0.00");
    while (buf[n - 1] == '0')
        buf[--n] = '\0';
    if (buf[n - 1] == '.')
        buf[--n] = '\0';
    fputs (strcmp (buf, "-0") == 0 ? "0" : buf, out);
}

static void svg_attribute (FILE *out, const char *name, const char *value)
{
    if (value)
        html_put (out, " %s=\"%s\"", name, value);
}

/* Data, then the end of the element with its tooltip. */
static void
svg_put_end (FILE *out, const char *element, const struct svg_data *d)
{
    if (d) {
        svg_attribute (out, "data-m", d->metric);
        svg_attribute (out, "data-p", d->point);
        svg_attribute (out, "data-v", d->value);
    }
    if (d && d->tip)
        html_put (out, "><title>%s</title></%s>\n", d->tip, element);
    else
        fputs ("/>", out);
}

void svg_plot (FILE *out, struct svg_box b, double seconds)
{
    html_put (out,
              "<svg class=\"plot\" tabindex=\"0\" role=\"application\" "
              "aria-label=\"time: + and - zoom, arrows move, Enter selects, "
              "Escape clears\" preserveAspectRatio=\"none\" x=\"%f\" y=\"%f\" "
              "width=\"%f\" height=\"%f\" data-s=\"%.9g\" viewBox=\"%f %f %f "
              "%f\">\n",
              b.x, b.y, b.w, b.h, seconds, b.x, b.y, b.w, b.h);
}

void svg_end (FILE *out)
{
    fputs ("</svg>\n", out);
}

void svg_rect (FILE *out,
               struct svg_box b,
               const char *class,
               const struct svg_data *data)
{
    html_put (out,
              "<rect x=\"%f\" y=\"%f\" width=\"%f\" height=\"%f\" "
              "class=\"%s\"",
              b.x, b.y, MAX (b.w, 0), MAX (b.h, 0), class);
    svg_put_end (out, "rect", data);
}

void svg_circle (FILE *out,
                 double x,
                 double y,
                 double r,
                 const char *class,
                 const struct svg_data *data)
{
    html_put (out, "<circle cx=\"%f\" cy=\"%f\" r=\"%f\" class=\"%s\"", x, y, r,
              class);
    svg_put_end (out, "circle", data);
}

void svg_line (
    FILE *out, double x0, double y0, double x1, double y1, const char *class)
{
    html_put (out,
              "<line x1=\"%f\" y1=\"%f\" x2=\"%f\" y2=\"%f\" class=\"%s\"/>",
              x0, y0, x1, y1, class);
}

void svg_text (FILE *out,
               double x,
               double y,
               int anchor,
               const char *class,
               const char *words)
{
    static const char *const anchors[] = {NULL, "middle", "end"};

    html_put (out, "<text x=\"%f\" y=\"%f\"", x, y);
    svg_attribute (out, "class", class);
    svg_attribute (out, "text-anchor", anchors[anchor % SVG_UPRIGHT]);
    fputs (" dy=\".35em\"", out);
    if (anchor >= SVG_UPRIGHT)
        html_put (out, " transform=\"rotate(-90 %f %f)\"", x, y);
    html_put (out, ">%s</text>\n", words);
}

void svg_path (FILE *out, const char *class)
{
    html_put (out, "<path class=\"%s\" d=\"", class);
}

void svg_to (FILE *out, char command, double x, double y)
{
    fputc (command, out);
    html_put (out, "%f %f", x, y);
}

void svg_path_end (FILE *out, const struct svg_data *data)
{
    fputc ('"', out);
    svg_put_end (out, "path", data);
}
