/* SPDX-License-Identifier: MIT
 *
 * viewsize.c - the most used sizes, or strides, of the accesses to a file, a
 * row each
 *
 * In:  struct accessvalues, of tally.h
 * Out: of each file, in the order of the files, the values of its reads, then
 *      of its writes, then of what is both; what is left is one row, so that
 *      the rows add up
 */
#include "config.h"

#include <stdlib.h>

#include "analyze/tables/viewcells.h"

enum { VIEWSIZE_SHOWN = 4 };

struct viewsize {
    struct textable *t;
    const char *path;
    const char *kind;
    const char *operation;
    uint64_t all, unknown; /* accesses; of these, of no known value */
    size_t rows, top;      /* top 0: as many as there are */
};

/* bytes NULL: all others, so many values. */
static void viewsize_put (struct viewsize *v,
                          const uint64_t *bytes,
                          size_t values,
                          uint64_t times)
{
    if (v->top && v->rows == v->top)
        return;
    v->rows++;
    textable_row (v->t);
    textable_text (v->t, v->kind);
    textable_text (v->t, v->operation);
    if (bytes)
        textable_uint (v->t, *bytes);
    else
        textable_na (v->t);
    textable_uint (v->t, times);
    textable_double (v->t, 100.0 * (double)times / (double)v->all, 1);
    textable_uint (v->t, v->unknown);
    if (bytes || !v->unknown)
        textable_uint (v->t, values);
    else
        textable_na (v->t);
    textable_text (v->t, v->path);
}

static int viewsize_way (struct viewsize *v, const struct accessvalues_of *s)
{
    size_t n;
    struct valuecount_slot *value = accessvalues_sorted (s, &n);
    uint64_t left;

    if (!value)
        return -1;
    v->all = v->unknown = s->unknown;
    for (size_t i = 0; i < n; i++)
        v->all += value[i].times;
    left = v->all;
    for (size_t i = 0; i < n && i < VIEWSIZE_SHOWN; i++) {
        viewsize_put (v, &value[i].value, 1, value[i].times);
        left -= value[i].times;
    }
    if (left)
        viewsize_put (v, NULL, n > VIEWSIZE_SHOWN ? n - VIEWSIZE_SHOWN : 0,
                      left);
    free (value);
    return 0;
}

/* Of all files; strides 1: of those whose strides are known. */
static void viewsize_files (struct textable *t,
                            const struct tally *tally,
                            size_t top,
                            int strides)
{
    static const char *const operation[ACCESS_WAYS] = {[ACCESS_READ] = "read",
                                                       [ACCESS_WRITE] = "write",
                                                       [ACCESS_BOTH] = "both"};
    size_t *order = files_sorted (tally);
    struct viewsize v = {.t = t, .top = top};
    int rc = order ? 0 : -1;

    for (size_t i = 0; rc == 0 && i < strmap_count (tally->files); i++) {
        const struct file_total *f = strmap_value (tally->files, order[i]);
        const struct accessvalues *a = strides ? f->strides : f->sizes;

        v.path = strmap_key (tally->files, order[i], NULL);
        v.kind = kind_name (f->kind);
        for (int way = 0; a && rc == 0 && way < ACCESS_WAYS; way++) {
            v.operation = operation[way];
            if (a->way[way] && (!strides || accessvalues_known (a->way[way])))
                rc = viewsize_way (&v, a->way[way]);
        }
    }
    free (order);
}

void fill_accesssize (struct textable *t, const struct result *r, size_t top)
{
    viewsize_files (t, &r->totals->tally, top, 0);
}

void fill_accessstride (struct textable *t, const struct result *r, size_t top)
{
    viewsize_files (t, &r->totals->tally, top, 1);
}
