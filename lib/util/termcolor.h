/* SPDX-License-Identifier: MIT
 *
 * termcolor.h - words of tables -> how a terminal shows them
 */
#ifndef DFT_UTIL_TERMCOLOR_H
#define DFT_UTIL_TERMCOLOR_H

#include <stdio.h>

enum term_style {
    TERM_PLAIN = 0,
    TERM_HEAD,   /* of a table */
    TERM_FAINT,  /* what is there for order only */
    TERM_NOTICE, /* worth a look */
    TERM_ALARM   /* wrong */
};

/* Does out want colours: a terminal that has them, and NO_COLOR is not set? */
int term_colors (FILE *out);

/* Columns of the terminal that out is; 0: it is none, or does not say. */
int term_columns (FILE *out);

/* How a cell is shown: severities and words of the same rank. */
enum term_style term_style_of (const char *word);

/* What begins a style, and what ends any of them. */
const char *term_begin (enum term_style style);
const char *term_end (enum term_style style);

#endif
