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
#include "lib/chart/scale.h"

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

static void svg_put_number (FILE *out, const char *name, double v)
{
    fprintf (out, " %s=\"", name);
    svg_number (out, v);
    fputc ('"', out);
}

static void svg_put_attribute (FILE *out, const char *name, const char *value)
{
    if (!value)
        return;
    fprintf (out, " %s=\"", name);
    html_text (out, value);
    fputc ('"', out);
}

/* Data, then the end of the element with its tooltip. */
static void
svg_put_end (FILE *out, const char *element, const struct svg_data *d)
{
    if (d) {
        svg_put_attribute (out, "data-m", d->metric);
        svg_put_attribute (out, "data-p", d->point);
        svg_put_attribute (out, "data-v", d->value);
    }
    if (!d || !d->tip) {
        fputs ("/>", out);
        return;
    }
    fputs ("><title>", out);
    html_text (out, d->tip);
    fprintf (out, "</title></%s>\n", element);
}

static void svg_say (FILE *out, const char *title, const char *desc)
{
    svg_put_attribute (out, "aria-label", title);
    fputs ("><desc>", out);
    html_text (out, desc);
    fputs ("</desc>\n", out);
}

void svg_begin (
    FILE *out, double width, double height, const char *title, const char *desc)
{
    fputs ("<svg role=\"group\" viewBox=\"0 0 ", out);
    svg_number (out, width);
    fputc (' ', out);
    svg_number (out, height);
    fputc ('"', out);
    svg_say (out, title, desc);
}

void svg_begin_file (
    FILE *out, double width, double height, const char *title, const char *desc)
{
    enum { TITLE = 32, MARGIN = 8 };
    char buf[256];

    fputs ("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"", out);
    svg_put_number (out, "width", width + 2 * MARGIN);
    svg_put_number (out, "height", height + TITLE + MARGIN);
    fprintf (out, " viewBox=\"%d %d ", -MARGIN, -TITLE);
    svg_number (out, width + 2 * MARGIN);
    fputc (' ', out);
    svg_number (out, height + TITLE + MARGIN);
    fputc ('"', out);
    svg_say (out, title, desc);
    fputs ("<style>", out);
    html_text (out, style_svg);
    fputs ("</style>\n", out);
    svg_text (out, 2, -TITLE / 2.0, SVG_START, "strong",
              text_fit (buf, sizeof (buf), title, width, SVG_FONT));
}

void svg_plot (FILE *out, struct svg_box box, double seconds)
{
    fputs ("<svg class=\"plot\" tabindex=\"0\" role=\"application\" "
           "aria-label=\"time: + and - zoom, arrows move, Enter selects, "
           "Escape clears\" preserveAspectRatio=\"none\"",
           out);
    svg_put_number (out, "x", box.x);
    svg_put_number (out, "y", box.y);
    svg_put_number (out, "width", box.w);
    svg_put_number (out, "height", box.h);
    fprintf (out, " data-s=\"%.9g\" viewBox=\"", seconds);
    svg_number (out, box.x);
    fputc (' ', out);
    svg_number (out, box.y);
    fputc (' ', out);
    svg_number (out, box.w);
    fputc (' ', out);
    svg_number (out, box.h);
    fputs ("\">\n", out);
}

void svg_plot_end (FILE *out)
{
    fputs ("</svg>\n", out);
}

void svg_end (FILE *out)
{
    fputs ("</svg>\n", out);
}

void svg_rect (FILE *out,
               struct svg_box box,
               const char *class,
               const struct svg_data *data)
{
    fputs ("<rect", out);
    svg_put_number (out, "x", box.x);
    svg_put_number (out, "y", box.y);
    svg_put_number (out, "width", MAX (box.w, 0));
    svg_put_number (out, "height", MAX (box.h, 0));
    svg_put_attribute (out, "class", class);
    svg_put_end (out, "rect", data);
}

void svg_circle (FILE *out,
                 double x,
                 double y,
                 double r,
                 const char *class,
                 const struct svg_data *data)
{
    fputs ("<circle", out);
    svg_put_number (out, "cx", x);
    svg_put_number (out, "cy", y);
    svg_put_number (out, "r", r);
    svg_put_attribute (out, "class", class);
    svg_put_end (out, "circle", data);
}

void svg_line (
    FILE *out, double x0, double y0, double x1, double y1, const char *class)
{
    fputs ("<line", out);
    svg_put_number (out, "x1", x0);
    svg_put_number (out, "y1", y0);
    svg_put_number (out, "x2", x1);
    svg_put_number (out, "y2", y1);
    svg_put_attribute (out, "class", class);
    fputs ("/>", out);
}

static void svg_put_place (
    FILE *out, double x, double y, enum svg_anchor anchor, const char *class)
{
    static const char *const anchors[] = {NULL, "middle", "end"};

    fputs ("<text", out);
    svg_put_number (out, "x", x);
    svg_put_number (out, "y", y);
    svg_put_attribute (out, "class", class && class[0] ? class : NULL);
    svg_put_attribute (out, "text-anchor", anchors[anchor]);
    fputs (" dy=\".35em\"", out);
}

static void svg_put_words (FILE *out, const char *words)
{
    fputc ('>', out);
    html_text (out, words);
    fputs ("</text>\n", out);
}

void svg_text (FILE *out,
               double x,
               double y,
               enum svg_anchor anchor,
               const char *class,
               const char *words)
{
    svg_put_place (out, x, y, anchor, class);
    svg_put_words (out, words);
}

void svg_text_upright (FILE *out,
                       double x,
                       double y,
                       enum svg_anchor anchor,
                       const char *class,
                       const char *words)
{
    svg_put_place (out, x, y, anchor, class);
    fputs (" transform=\"rotate(-90 ", out);
    svg_number (out, x);
    fputc (' ', out);
    svg_number (out, y);
    fputs (")\"", out);
    svg_put_words (out, words);
}

void svg_path (FILE *out, const char *class)
{
    fputs ("<path", out);
    svg_put_attribute (out, "class", class);
    fputs (" d=\"", out);
}

void svg_to (FILE *out, char command, double x, double y)
{
    fputc (command, out);
    svg_number (out, x);
    fputc (' ', out);
    svg_number (out, y);
}

void svg_path_end (FILE *out, const struct svg_data *data)
{
    fputc ('"', out);
    svg_put_end (out, "path", data);
}
