/* SPDX-License-Identifier: MIT
 *
 * svg.h - marks of a drawing
 *
 * Coordinates are pixels of the viewBox, y downwards. Classes come from
 * html.c. Errors stay in the stream.
 */
#pragma once

#include <stdio.h>

/* SVG_UPRIGHT, added to another one, turns a text by -90 degrees. */
enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END, SVG_UPRIGHT = 4 };

/* Metric, point and value of a mark, written as data-m, data-p and data-v, so
 * that scripts can read the number, and as its tooltip. Members may be NULL. */
struct svg_data {
    const char *metric, *point;
    const char *value; /* as in the table it came from */
    const char *tip;
};

enum { SVG_FONT = 11 }; /* pixels; html.c has it, too */

/* End a drawing or a plot. */
void svg_end (FILE *out);

/* A number as coordinates are written: at most two digits after the point. */
void svg_number (FILE *out, double v);

struct svg_box {
    double x, y, w, h;
};

/* data may be NULL. */
void svg_rect (FILE *out,
               struct svg_box box,
               const char *class,
               const struct svg_data *data);
void svg_circle (FILE *out,
                 double x,
                 double y,
                 double r,
                 const char *class,
                 const struct svg_data *data);
void svg_line (
    FILE *out, double x0, double y0, double x1, double y1, const char *class);
/* y is that of the middle of the letters; anchor: of enum svg_anchor; class may
 * be NULL. */
void svg_text (FILE *out,
               double x,
               double y,
               int anchor,
               const char *class,
               const char *text);

/* A part of a drawing whose x axis is `seconds` of time: the page zooms it and
 * selects times in it. Coordinates inside are those outside. */
void svg_plot (FILE *out, struct svg_box box, double seconds);

/* <path class="…" d=": the caller writes commands with svg_to, then ends. */
void svg_path (FILE *out, const char *class);
void svg_to (FILE *out, char command, double x, double y); /* M L */
void svg_path_end (FILE *out, const struct svg_data *data);
