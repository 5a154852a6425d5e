/* SPDX-License-Identifier: MIT
 *
 * spec_read.h - what the two halves of reading a sweep file share
 */
#ifndef DFT_SWEEP_SPEC_READ_H
#define DFT_SWEEP_SPEC_READ_H

#include "sweep/spec.h"

struct reader {
    struct spec *spec;
    const struct ynode *root;
    const char **column; /* names so far */
    size_t columns;
    struct errtext *err;
};

/* -1 and err at the node, `offset` bytes into its text. */
int reader_fail (const struct reader *r,
                 const struct ynode *n,
                 size_t offset,
                 const char *fmt,
                 ...) __attribute__ ((format (printf, 4, 5)));

/* Axes, companions, points, const and derived names -> columns. */
int reader_axes (struct reader *r);
int reader_points (struct reader *r);
int reader_const (struct reader *r);

/* A generator's text -> values; NULL and err, as expr_parse, on failure. */
struct value *generate (struct arena *a,
                        const char *text,
                        size_t *count,
                        size_t *fault,
                        struct errtext *err);

#endif
