/* SPDX-License-Identifier: MIT
 *
 * terminal.h - what the terminal shows: its size, colours, a pager
 *
 * One thread of the command may call this.
 */
#pragma once

#include <stdio.h>

enum term_style {
    TERM_PLAIN = 0,
    TERM_HEAD,   /* of a table */
    TERM_FAINT,  /* what is there for order only */
    TERM_NOTICE, /* worth a look */
    TERM_ALARM   /* wrong */
};

/* Return 1 if out is a terminal, or goes to one through our pager. */
int terminal_shows (FILE *out);

/* Return the columns of the terminal that shows out, or 0 if none does. COLUMNS
 * takes precedence. */
int terminal_columns (FILE *out);

/* The columns in the environment variable COLUMNS, whatever out is; else
 * terminal_columns. */
int terminal_columns_asked (FILE *out);

/* Return 1 for a terminal with colours, unless NO_COLOR is set. */
int terminal_colors (FILE *out);

/* Return the escape sequences that begin and end a style. */
const char *terminal_begin (enum term_style style);
const char *terminal_end (enum term_style style);

/* How a cell is shown: severities and words of the same rank. */
enum term_style terminal_style (const char *word);

/* Let standard output, where it is a terminal, go through $DFTRACE_PAGER,
 * $PAGER or less until the process ends; "" or cat: none. A second call does
 * nothing. */
void terminal_page (void);
