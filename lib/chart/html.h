/* SPDX-License-Identifier: MIT
 *
 * html.h - text that is safe in a page, and the page around it
 */
#pragma once

#include <stdio.h>

/* -- text that is safe in a page, and the page around it -- */

/* Text with & < > " ' escaped; control characters and bytes that are no UTF-8
 * become U+FFFD. NULL is "". */
void html_text (FILE *out, const char *text);
/* Write formatted text, escaped as html_text does. */
void html_format (FILE *out, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));

/* Write format, which is HTML, with its arguments: "%s" is escaped as html_text
 * does, "%f" is a coordinate (svg_number), "%.9g" has so many digits; "%d",
 * "%u", "%zu", "%lu" and "%%" are those of printf. */
void html_put (FILE *out, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));

/* A link to something on the page with id "prefix-name"; name "": "prefix". */
void html_link (FILE *out,
                const char *prefix,
                const char *name,
                const char *text);
/* A paragraph. */
void html_paragraph (FILE *out, const char *class, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));

/* Head with style, up to <main>; and the end with the sorting script. Nothing
 * in the page loads anything: its policy forbids it. */
void html_begin (FILE *out, const char *title);
void html_end (FILE *out, const char *footer);

/* <section><h2>; a figure with its caption: text, or what is written between
 * html_caption and html_caption_end, which ends the figure. */
void html_section (FILE *out, const char *id, const char *heading);
void html_section_end (FILE *out);
void html_figure (FILE *out, const char *id, const char *heading);
void html_figure_end (FILE *out, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));
void html_caption (FILE *out);
void html_caption_end (FILE *out);

/* -- the look of a page: colours for light, dark and paper; sorting -- */

enum {
    STYLE_SERIES = 8, /* colours of categories: c0…c7 of c0…c29 */
    STYLE_HEAT = 12   /* classes h0…h11: from little to much; t0… on them */
};

extern const char style_sheet[];
extern const char style_svg[]; /* of a drawing that is no part of a page */
extern const char style_script[];
