/* SPDX-License-Identifier: MIT
 *
 * compare.h - A and B beside each other
 */
#ifndef DFT_REPORT_COMPARE_H
#define DFT_REPORT_COMPARE_H

#include <stddef.h>
#include <stdio.h>

#include "lib/base/errtext.h"
#include "lib/model/kind.h"

/* 0, or -1 with err. */
int compare_jobs (FILE *out,
                  const char *dir_a,
                  const char *dir_b,
                  const struct kind_rules *rules,
                  struct errtext *err);
int compare_sweeps (FILE *out,
                    const char *dir_a,
                    const char *dir_b,
                    struct errtext *err);

/* Head of the page: directories and names of both. */
void compare_begin (FILE *out,
                    const char *a,
                    const char *b,
                    const char *name_a,
                    const char *name_b);

/* A table with one or two (second not NULL) columns of names; then in each
 * row four cells: A, B, difference and ratio. */
void compare_heads (FILE *out, const char *first, const char *second);
void compare_values (FILE *out, double a, double b, const char *unit);

/* A row when a and b differ; *n counts them and begins the table. Then its
 * end and that of the section. */
void compare_change (
    FILE *out, const char *key, const char *a, const char *b, size_t *n);
void compare_end_changes (FILE *out, size_t n);

#endif
