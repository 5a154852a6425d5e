/* SPDX-License-Identifier: MIT
 *
 * viewsize.c - the most used sizes of the accesses to a file, a row each size
 *
 * In:  struct file_sizes, of tally.h
 * Out: of each file, in the order of the files, the sizes of its reads, then
 *      of its writes; what is left is one row, so that the rows add up
 */
#include "config.h"

#include <stdlib.h>

#include "analyze/render/viewcells.h"

enum { VIEWSIZE_SHOWN = 4 };

struct viewsize {
    struct textable *t;
    const char *path;
    const char *kind;
    const char *operation;
    uint64_t all, unknown; /* accesses; of these, of no known size */
    size_t rows, top;      /* top 0: as many as there are */
};

/* bytes NULL: all others, so many sizes. */
static void viewsize_put (struct viewsize *v,
                          const uint64_t *bytes,
                          size_t sizes,
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
        textable_uint (v->t, sizes);
    else
        textable_na (v->t);
    textable_text (v->t, v->path);
}

static int viewsize_way (struct viewsize *v, const struct sizes *s)
{
    size_t n;
    struct valuecount_slot *size = sizes_sorted (s, &n);
    uint64_t left;

    if (!size)
        return -1;
    v->all = v->unknown = s->unknown;
    for (size_t i = 0; i < n; i++)
        v->all += size[i].times;
    left = v->all;
    for (size_t i = 0; i < n && i < VIEWSIZE_SHOWN; i++) {
        viewsize_put (v, &size[i].value, 1, size[i].times);
        left -= size[i].times;
    }
    if (left)
        viewsize_put (v, NULL, n > VIEWSIZE_SHOWN ? n - VIEWSIZE_SHOWN : 0,
                      left);
    free (size);
    return 0;
}

void fill_accesssize (struct textable *t, const struct result *r, size_t top)
{
    static const char *const operation[SIZES_WAYS] = {
        [SIZES_READ] = "read", [SIZES_WRITE] = "write"};
    const struct strmap *files = r->totals->tally.files;
    size_t *order = files_sorted (&r->totals->tally);
    struct viewsize v = {.t = t, .top = top};

    for (size_t i = 0; order && i < strmap_count (files); i++) {
        const struct file_total *f = strmap_value (files, order[i]);

        v.path = strmap_key (files, order[i], NULL);
        v.kind = kind_name (f->kind);
        for (int way = 0; f->sizes && way < SIZES_WAYS; way++) {
            v.operation = operation[way];
            if (viewsize_way (&v, &f->sizes->way[way]) < 0) {
                free (order);
                return;
            }
        }
    }
    free (order);
}
