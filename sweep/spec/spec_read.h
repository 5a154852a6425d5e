/* SPDX-License-Identifier: MIT
 *
 * spec_read.h - shared by the parts of spec.c that read a sweep file
 */
#pragma once

#include "sweep/spec/spec.h"

struct reader {
    struct spec *spec;
    const struct ynode *root;
    const char **column; /* names so far */
    size_t columns;
    struct strmap *values; /* of the axis that is being read */
    struct errtext *err;
};

/* -1 and err at the node, `offset` bytes into its text. */
int reader_fail (const struct reader *r,
                 const struct ynode *n,
                 size_t offset,
                 const char *fmt,
                 ...) __attribute__ ((format (printf, 4, 5)));

/* Sections of the table of keys (spec_keys.c). */
enum section {
    SECTION_TOP,
    SECTION_TRACE,
    SECTION_CONTROL,
    SECTION_RETRY,
    SECTION_RESULTS,
    SECTION_PLOT,
    SECTION_CHECK,
    SECTION_NONE /* a key of no section */
};

/* Every key of the mapping is known and has its shape; what is needed is
 * there. */
int reader_keys (const struct reader *r,
                 enum section section,
                 const struct ynode *n);

/* A plain null, ~ or nothing. */
int reader_is_null (const struct ynode *n);

/* Store the whole number under a key of a mapping; without the key *out stays
 * as it is. */
int reader_integer (struct reader *r,
                    const struct ynode *map,
                    const char *key,
                    int64_t least,
                    int64_t most,
                    int64_t *out);

/* A scalar as expression; names must be among the first `known` columns. */
int reader_expr (struct reader *r,
                 const struct ynode *n,
                 size_t known,
                 struct named_expr *out);
int reader_derive (struct reader *r);
int reader_conditions (struct reader *r,
                       const char *key,
                       struct named_expr **out,
                       size_t *count);
int reader_template (struct reader *r,
                     const struct ynode *n,
                     struct template **out);
/* A mapping of templates; check looks at each key. */
int reader_templates (struct reader *r,
                      const char *key,
                      int (*check) (struct reader *, const struct ynode *),
                      struct named_template **out,
                      size_t *count);

/* A name that no table has would never be shown. Of a scalar under what. */
int reader_metric (const struct reader *r,
                   const struct ynode *n,
                   const char *what);

/* trace; control, retry, data and cold; results; check, after results */
int reader_trace (struct reader *r);
int reader_control (struct reader *r);
int reader_retry (struct reader *r);
int reader_data (struct reader *r);
int reader_results (struct reader *r);
int reader_checks (struct reader *r);

/* Axes, companions, points, const and derived names -> columns. */
int reader_axes (struct reader *r);
int reader_points (struct reader *r);
int reader_const (struct reader *r);

/* The place of the value of an axis that a user who writes `text` means;
 * x->count: none. */
size_t axis_find (const struct axis *x, const char *text);

/* A generator's text -> values; NULL and err, as expr_parse, on failure. */
struct value *
generate (const char *text, size_t *count, size_t *fault, struct errtext *err);
