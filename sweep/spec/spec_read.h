/* SPDX-License-Identifier: MIT
 *
 * spec_read.h - shared by the parts of spec.c that read a sweep file
 */
#pragma once

#include <setjmp.h>

#include "sweep/spec/spec.h"

struct reader {
    struct spec *spec;
    const struct ynode *root;
    const char **column; /* names so far */
    size_t columns;
    struct strmap *values;    /* of the axis that is being read */
    const struct ynode *node; /* with the expression that is being read */
    struct mistakes mistakes; /* of it */
    struct errtext *err;
    jmp_buf failed; /* where reading ends at the first mistake */
};

/* End the reading with err at the node, `offset` bytes into its text. All that
 * has been read is in the arena. */
_Noreturn void reader_fail (struct reader *r,
                            const struct ynode *n,
                            size_t offset,
                            const char *fmt,
                            ...) __attribute__ ((format (printf, 4, 5)));

/* "one: a" is as "one: [a]": how many there are (n: NULL, none), and each. */
static inline size_t reader_count (const struct ynode *n)
{
    return n && n->type == YNODE_LIST ? n->count : n != NULL;
}

static inline const struct ynode *reader_item (const struct ynode *n, size_t i)
{
    return n->type == YNODE_LIST ? n->item[i] : n;
}

/* " (did you mean "x"?)", "" without a word. */
const char *reader_guess (const char *near);

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
void reader_keys (struct reader *r,
                  enum section section,
                  const struct ynode *n);

/* A plain null, ~ or nothing. */
int reader_is_null (const struct ynode *n);

/* The whole number under a key of a mapping, fallback without the key. */
int64_t reader_integer (struct reader *r,
                        const struct ynode *map,
                        const char *key,
                        int64_t least,
                        int64_t most,
                        int64_t fallback);

/* A scalar as expression; names must be among the first `known` columns. */
void reader_expr (struct reader *r,
                  const struct ynode *n,
                  size_t known,
                  struct named_expr *out);
struct template *reader_template (struct reader *r, const struct ynode *n);

/* A name that no table has would never be shown. Of a scalar under what. */
void reader_metric (struct reader *r, const struct ynode *n, const char *what);

/* trace; control, retry, data and cold; results */
void reader_trace (struct reader *r);
void reader_control (struct reader *r);
void reader_retry (struct reader *r);
void reader_data (struct reader *r);
void reader_results (struct reader *r);

/* Axes, companions, points, const and derived names -> columns. */
void reader_axes (struct reader *r);
void reader_points (struct reader *r);
void reader_const (struct reader *r);

/* The place of the value of an axis that a user who writes `text` means;
 * x->count: none. */
size_t axis_find (const struct axis *x, const char *text);
