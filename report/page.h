/* SPDX-License-Identifier: MIT
 *
 * page.h - whole pages, and pieces of them
 */
#ifndef DFT_REPORT_PAGE_H
#define DFT_REPORT_PAGE_H

#include <stdio.h>

#include "lib/core/errtext.h"

/* 0, or -1 with err. Errors of the stream stay in it. */
int page_sweep (FILE *out, const char *dir, struct errtext *err);
int page_job (FILE *out, const char *dir, struct errtext *err);
/* Two jobs or two sweeps, before and after. */
int page_compare (FILE *out, const char *a, const char *b, struct errtext *err);

/* A number next to what it is; value and what are text. */
void page_card (FILE *out, const char *value, const char *what);

/* Cells of a table: text, path (may be long), number with the exact value for
 * sorting and for who reads the page; "n/a" when text is empty. */
void page_td (FILE *out, const char *class, const char *text);
void page_number (FILE *out,
                  const char *text,
                  const char *unit,
                  const char *why);
void page_th (FILE *out, const char *class, const char *text, const char *unit);
void page_table (FILE *out, int sortable);
void page_table_body (FILE *out);
void page_table_end (FILE *out);

#endif
