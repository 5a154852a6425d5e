/* SPDX-License-Identifier: MIT
 *
 * html.h - text that is safe in a page, and the page around it
 */
#ifndef DFT_REPORT_HTML_H
#define DFT_REPORT_HTML_H

#include <stdio.h>

/* Text with & < > " ' escaped; control characters and bytes that are no UTF-8
 * become U+FFFD. NULL is "". */
void html_text (FILE *out, const char *text);

/* Head with style, up to <main>; and the end with the sorting script. Nothing
 * in the page loads anything: its policy forbids it. */
void html_begin (FILE *out, const char *title);
void html_end (FILE *out, const char *footer);

/* <section><h2>; a figure and its caption (which is HTML, not text). */
void html_section (FILE *out, const char *id, const char *heading);
void html_section_end (FILE *out);
void html_figure (FILE *out, const char *id, const char *heading);
void html_figure_end (FILE *out, const char *caption);

#endif
